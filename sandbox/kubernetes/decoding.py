"""From the JSON a client sent to the object the server keeps.

Built-in kinds are decoded as Go structs: nulls and empty optional members vanish, quantities and times
become canonical, unknown members are reported, a wrong JSON type is an error with the decoder's text.
Custom resources are pruned: unknown members go, everything else stays as it was sent.
"""

from __future__ import annotations

from typing import Any

from sandbox.kubernetes import quantities
from sandbox.kubernetes.jsontypes import Json, Object, clone
from sandbox.kubernetes.schema import Node

__all__ = ["DecodeError", "complete", "decode", "fill", "prune"]

_JSON_NAMES = {str: "string", int: "number", float: "number", list: "array", dict: "object", bool: "bool"}
_GO_SCALARS = {"s": "string", "i": "int32", "l": "int64", "n": "float64", "b": "bool", "y": "[]uint8"}
_EXPECTED: dict[str, tuple[type, ...]] = {
    "s": (str,),
    "y": (str,),
    "i": (int,),
    "l": (int,),
    "n": (int, float),
}


class DecodeError(ValueError):
    """A JSON value that does not fit the Go type of its field."""


def go_type(node: Node) -> str:
    """The Go type's name in a decoder's text."""
    if node.shape == "struct":
        package, _, short = node.name.rpartition(".")
        return f"{package.split('.')[-1]}.{short}"
    if node.shape == "list" and node.element:
        return f"[]{go_type(node.element)}"
    if node.shape == "map" and node.element:
        if node.element.scalar == "q":
            return "v1.ResourceList"
        return f"map[string]{go_type(node.element)}"
    return _GO_SCALARS.get(node.scalar, "string")


def _base64(value: str) -> str:
    for position, char in enumerate(value.rstrip("=")):
        if not (char.isascii() and (char.isalnum() or char in "+/")):
            raise DecodeError(f"illegal base64 data at input byte {position}")
    if len(value) % 4:
        raise DecodeError(f"illegal base64 data at input byte {len(value) - len(value) % 4}")
    return value


class _Decoder:
    def __init__(self) -> None:
        self.unknown: list[str] = []

    def _fail(self, value: Json, node: Node, owner: str, path: str) -> DecodeError:
        name = owner.rpartition(".")[2]
        text = f"json: cannot unmarshal {_JSON_NAMES[type(value)]} into Go struct field {name}.{path}"
        return DecodeError(f"{text} of type {go_type(node)}")

    def value(self, node: Node, value: Json, owner: str, go_path: str, path: str) -> Json:
        if node.shape == "any":
            return value
        if node.shape == "scalar":
            return self._scalar(node, value, owner, go_path)
        if node.shape == "list":
            if not isinstance(value, list):
                raise self._fail(value, node, owner, go_path)
            element = node.element or node
            return [
                self.value(element, item, owner, go_path, f"{path}[{n}]") if item is not None else None
                for n, item in enumerate(value)
            ]
        if not isinstance(value, dict):
            raise self._fail(value, node, owner, go_path)
        if node.shape == "map":
            element = node.element or node
            empty = "" if element.scalar == "s" else None
            return {
                key: empty if item is None else self.value(element, item, owner, go_path, f"{path}.{key}")
                for key, item in value.items()
                if item is not None or element.scalar == "s"
            }
        return self.struct(node, value, go_path, path)

    def _scalar(self, node: Node, value: Json, owner: str, path: str) -> Json:
        letter = node.scalar
        if letter == "y" and isinstance(value, str):
            return _base64(value)
        if letter == "q":
            if isinstance(value, bool) or not isinstance(value, (str, int, float)):
                raise DecodeError(str(quantities.QuantityError()))
            try:
                return quantities.canonical(str(value))
            except quantities.QuantityError as error:
                raise DecodeError(str(error)) from error
        if letter == "b":
            if not isinstance(value, bool):
                raise self._fail(value, node, owner, path)
            return value
        if letter == "x":
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                raise self._fail(value, node, owner, path)
            return value
        if letter in ("i", "l") and isinstance(value, float):
            raise DecodeError(_with_number(self._fail(value, node, owner, path), value))
        expected = _EXPECTED.get(letter, (str,))
        if isinstance(value, bool) or not isinstance(value, expected):
            raise self._fail(value, node, owner, path)
        bits = {"i": 31, "l": 63}.get(letter)
        if bits and isinstance(value, int) and not -(1 << bits) <= value < 1 << bits:
            raise DecodeError(_with_number(self._fail(value, node, owner, path), value))
        return value

    def struct(self, node: Node, value: Object, go_path: str, path: str) -> Object:
        out: Object = {}
        fields = node.fields
        for key, item in value.items():
            child = fields.get(key)
            here = f"{path}.{key}" if path else key
            if child is None:
                self.unknown.append(here)
                continue
            if item is None:
                continue
            decoded = self.value(child, item, node.name, f"{go_path}.{key}" if go_path else key, here)
            if _empty(child, decoded) and key not in node.required and key not in node.present:
                continue
            if decoded in (False, 0) and key in node.omit_zero:
                continue
            out[key] = decoded
        return out


def _with_number(error: DecodeError, value: float) -> str:
    """Where the type is a number's but the value does not fit, the text names the value."""
    return str(error).replace("unmarshal number into", f"unmarshal number {value} into")


def _empty(node: Node, value: Json) -> bool:
    if node.shape == "scalar":
        return value == "" and node.scalar in ("s", "y")
    return node.shape in ("list", "map") and not value


def decode(node: Node, value: Object) -> tuple[Object, list[str]]:
    """The object of a built-in kind, and the paths of unknown members. Raises DecodeError."""
    decoder = _Decoder()
    return decoder.struct(node, value, "", ""), decoder.unknown


def prune(node: Node, value: Json, unknown: list[str], path: str = "") -> Json:
    """A custom resource without what its schema does not know."""
    if node.shape == "struct" and isinstance(value, dict):
        out = {}
        for key, item in value.items():
            child = node.fields.get(key)
            here = f"{path}.{key}" if path else key
            if child is None:
                unknown.append(here)
                continue
            out[key] = prune(child, item, unknown, here)
        return out
    if node.shape == "list" and isinstance(value, list) and node.element:
        return [prune(node.element, item, unknown, f"{path}[{n}]") for n, item in enumerate(value)]
    if node.shape == "map" and isinstance(value, dict) and node.element:
        return {key: prune(node.element, item, unknown, f"{path}.{key}") for key, item in value.items()}
    return value


def fill(node: Node, value: Json) -> Json:
    """Adds, in place, the defaults of a custom resource's schema; nulls of members with a default go."""
    if node.shape == "struct" and isinstance(value, dict):
        if node.custom:
            for key, default in node.defaults.items():
                if value.get(key) is None:
                    value[key] = clone(default)
        elif node.name == "core.v1.ContainerPort":
            value.setdefault("protocol", "TCP")
        for key, item in value.items():
            child = node.fields.get(key)
            if child is not None:
                fill(child, item)
    elif isinstance(value, list) and node.element:
        for item in value:
            fill(node.element, item)
    elif node.shape == "map" and isinstance(value, dict) and node.element:
        for item in value.values():
            fill(node.element, item)
    return value


def complete(node: Node, value: Json) -> Json:
    """Adds, in place, what Go always writes (structs that are no pointers) and the plain defaults."""
    if node.shape == "struct" and isinstance(value, dict):
        for key, default in {**node.present, **node.defaults}.items():
            if key not in value:
                value[key] = clone(default)
        fields: dict[str, Any] = node.fields
        for key, item in value.items():
            child = fields.get(key)
            if child is not None and isinstance(item, (dict, list)):
                complete(child, item)
    elif node.element is not None and node.element.shape != "scalar" and isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            complete(node.element, item)
    return value
