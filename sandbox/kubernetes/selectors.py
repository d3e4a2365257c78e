"""Label and field selectors: parsing, with the server's texts, and matching."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox.kubernetes.errors import bad_request
from sandbox.kubernetes.jsontypes import Object
from sandbox.kubernetes.names import label_key_errors, label_value_errors

__all__ = ["Requirement", "label_selector", "matches", "matches_label_selector", "parse_field_selector"]


@dataclass(frozen=True)
class Requirement:
    key: str
    operator: str  # in, notin, exists, !, gt, lt
    values: tuple[str, ...] = ()

    def matches(self, labels: dict[str, str]) -> bool:
        present = self.key in labels
        value = labels.get(self.key, "")
        if self.operator == "exists":
            return present
        if self.operator == "!":
            return not present
        if self.operator == "in":
            return present and value in self.values
        if self.operator == "notin":
            return not present or value not in self.values
        if not present or not re.fullmatch(r"-?\d+", value):
            return False
        bound = int(self.values[0])
        return int(value) > bound if self.operator == "gt" else int(value) < bound


_TOKEN = re.compile(r"\s*(==|!=|=|>|<|!|\(|\)|,|[^\s=!<>(),]+)")


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [match[1] for match in _TOKEN.finditer(text)]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> list[Requirement]:
        out: list[Requirement] = []
        while self.peek():
            out.append(self.requirement())
            if not self.peek():
                break
            if self.take() != ",":
                raise bad_request(f"found '{self.tokens[self.at - 1]}', expected: ',' or 'end of string'")
            if not self.peek():
                raise _found("", "identifier after ','")
        return out

    def requirement(self) -> Requirement:
        if self.peek() == "!":
            self.take()
            return Requirement(self.key(), "!")
        key = self.key()
        following = self.peek()
        if following in ("", ","):
            return Requirement(key, "exists")
        operator = self.take()
        if operator in ("in", "notin"):
            return Requirement(key, operator, self.values(key))
        if operator not in ("=", "==", "!=", ">", "<"):
            raise _found(operator, "in, notin, =, ==, !=, gt, lt")
        value = "" if self.peek() in ("", ",") else self.take()
        if operator in (">", "<"):
            if not re.fullmatch(r"-?\d+", value):
                raise bad_request(
                    f"unable to parse requirement: values[0][{key}]: Invalid value: \"{value}\": for 'Gt',"
                    " 'Lt' operators, the value must be an integer"
                )
            return Requirement(key, "gt" if operator == ">" else "lt", (value,))
        _check_value(key, value, 0)
        return Requirement(key, "notin" if operator == "!=" else "in", (value,))

    def key(self) -> str:
        token = self.take()
        if not token or token in ("=", "==", "!=", "(", ")", ",", ">", "<"):
            raise _found(token, "identifier" if token != "" else "identifier after ','")
        if errors := label_key_errors(token):
            raise bad_request(
                f'unable to parse requirement: <nil>: Invalid value: "{token}": {"; ".join(errors)}'
            )
        return token

    def values(self, key: str) -> tuple[str, ...]:
        if self.peek() != "(":
            raise _found(self.peek(), "'('")
        self.take()
        out: list[str] = []
        while True:
            part = self.peek()
            if part == ")":
                self.take()
                if not out:
                    out.append("")
                break
            if part == ",":
                self.take()
                if not out:
                    out.append("")
                continue
            if part == "":
                raise _found("", "',', or ')'")
            out.append(self.take())
        for number, value in enumerate(out):
            _check_value(key, value, number)
        return tuple(out)


def _found(token: str, expected: str) -> Exception:
    return bad_request(f"unable to parse requirement: found '{token}', expected: {expected}")


def _check_value(key: str, value: str, number: int) -> None:
    if errors := label_value_errors(value):
        raise bad_request(
            f'unable to parse requirement: values[{number}][{key}]: Invalid value: "{value}":'
            f" {'; '.join(errors)}"
        )


def label_selector(text: str) -> list[Requirement]:
    """The requirements of a selector text. Raises ApiError (400)."""
    return _Parser(text).parse()


def matches(requirements: Sequence[Requirement], labels: dict[str, str] | None) -> bool:
    return all(requirement.matches(labels or {}) for requirement in requirements)


def matches_label_selector(selector: Object | None, labels: dict[str, str] | None) -> bool:
    """A metav1.LabelSelector: None matches nothing, an empty one everything."""
    if selector is None:
        return False
    labels = labels or {}
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    names = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
    return all(
        Requirement(item["key"], names.get(item["operator"], "in"), tuple(item.get("values") or ())).matches(
            labels
        )
        for item in selector.get("matchExpressions") or ()
    )


def parse_field_selector(text: str) -> list[tuple[str, str, bool]]:
    """Terms as (field, value, equal). Raises ApiError (400)."""
    out = []
    for part in sorted(filter(None, text.split(","))):
        for operator in ("!=", "==", "="):
            if operator in part:
                key, _, value = part.partition(operator)
                out.append((key, value, operator != "!="))
                break
        else:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
    return out


Predicate = Callable[[Object], bool]
