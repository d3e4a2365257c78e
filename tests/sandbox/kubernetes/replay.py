"""Replays a recorded scenario against an emulated cluster and says where the answers differ."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from multidict import CIMultiDict

from sandbox.kubernetes.api import Answer, Api
from sandbox.kubernetes.clusters import Clusters, User
from sandbox.kubernetes.jsontypes import now
from sandbox.state import State

HOST = "transcripts.hcp.westeurope.azmk8s.io"
TOKEN = "administrator"
_PLACEHOLDER = re.compile(r"<([a-z-]+?)(\d*)>")
_FREE = {"any", "age", "seconds", "ip", "pem", "server", "admin", "instance", "hash", "time"}
_PATTERNS = {
    "time": r"[^\"]+?",
    "rv": r"\d+",
    "list-rv": r"\d+",
    "uid": r"[0-9a-f-]{36}",
    "gen": r"[a-z0-9]+",
    "pem": r"[\s\S]+?",
}


_DUMPS = ("\n@@ -", '{"labels":{"batch.kubernetes.io/controller-uid"')


class Mismatch(AssertionError):
    """An answer that is not the recorded one."""


def features_of(scenario: Mapping[str, Any]) -> frozenset[str]:
    needs = set(scenario.get("needs") or ())
    if "no-controllers" in needs:
        return frozenset()
    return frozenset({"controllers"} | (needs & {"kueue", "scheduler"}))


def _authenticate(_host: str, token: str) -> User | None:
    return User("recorder-admin", ("system:masters", "system:authenticated")) if token == TOKEN else None


@dataclass
class Replay:
    """One run of one scenario."""

    scenario: Mapping[str, Any]
    bound: dict[str, str] = field(default_factory=dict)
    api: Api = field(init=False)

    def __post_init__(self) -> None:
        clusters = Clusters(State(), _authenticate, features=features_of(self.scenario))
        clusters.create(HOST, kubernetes_version="1.36.2")
        self.api = clusters._apis[HOST]

    def run(self) -> None:
        """Raises Mismatch at the first difference."""
        for number, step in enumerate(self.scenario["steps"]):
            try:
                self._step(step)
            except Mismatch as error:
                request = step["request"]
                raise Mismatch(f"step {number} {request['method']} {request['path']}: {error}") from error

    def _step(self, step: Mapping[str, Any]) -> None:
        answer = self._send(step["request"])
        expected = step["response"]
        if answer.watch is not None:
            body: Any = asyncio.run(self._watch(answer, step))
        else:
            body = _parse(answer)
        if answer.status != expected["status"]:
            raise Mismatch(
                f"status {answer.status}, expected {expected['status']}: {json.dumps(body)[:1500]}"
            )
        self._match(_tidy(expected["body"]), _tidy(body), "")
        self._match_headers(expected["headers"], answer)

    async def _watch(self, answer: Answer, step: Mapping[str, Any]) -> list[Any]:
        watch = answer.watch
        assert watch is not None
        for inner in step.get("while_open") or ():
            self._step_inside(inner)
        watch.seconds = 0
        return [json.loads(line) async for line in watch.drain()]

    def _step_inside(self, step: Mapping[str, Any]) -> None:
        answer = self._send(step["request"])
        expected = step["response"]
        if answer.status != expected["status"]:
            raise Mismatch(
                f"while open: status {answer.status}, expected {expected['status']}: {answer.body[:1000]!r}"
            )
        self._match(_tidy(expected["body"]), _tidy(_parse(answer)), "while_open")

    def _send(self, request: Mapping[str, Any]) -> Answer:
        path = self._resolve(request["path"])
        parts = urlsplit(path) if not path.startswith("//") else None
        bare, query = (
            (parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))) if parts else (path, {})
        )
        headers: CIMultiDict[str] = CIMultiDict()
        headers["User-Agent"] = "recorder/1.0"
        headers["Accept"] = "application/json"
        headers["Authorization"] = f"Bearer {TOKEN}"
        if request.get("content_type"):
            headers["Content-Type"] = request["content_type"]
        for key, value in (request.get("headers") or {}).items():
            headers.popall(key, None)
            for item in value if isinstance(value, list) else [value]:
                if item is not None:
                    headers.add(key, self._resolve(item))
        body = request.get("body")
        if body is None:
            raw = b""
        elif isinstance(body, str):
            raw = self._resolve(body).encode()
        else:
            raw = json.dumps(self._resolve_all(body)).encode()
        return self.api.handle(request["method"], bare, query, headers, raw)

    def _resolve(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            if match[1] == "time":
                return now()
            return self.bound.get(match[0], "generated" if match[0] == "<gen>" else match[0])

        return _PLACEHOLDER.sub(value, text)

    def _resolve_all(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._resolve(key): self._resolve_all(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._resolve_all(item) for item in value]
        return self._resolve(value) if isinstance(value, str) else value

    def _match(self, expected: Any, actual: Any, path: str) -> None:
        if (isinstance(expected, str) and "\n@@ -" in expected) or (
            isinstance(expected, str) and "<" in expected and _PLACEHOLDER.search(expected)
        ):
            self._match_text(expected, actual, path)
        elif isinstance(expected, dict) and isinstance(actual, dict):
            self._match_dict(expected, actual, path)
        elif isinstance(expected, list) and isinstance(actual, list):
            if len(expected) != len(actual):
                raise Mismatch(
                    f"{path}: {len(actual)} items, expected {len(expected)}:\n  {json.dumps(actual)[:1500]}\n"
                    f"  {json.dumps(expected)[:1500]}"
                )
            for number, (left, right) in enumerate(zip(expected, actual, strict=True)):
                self._match(left, right, f"{path}/{number}")
        elif expected != actual or isinstance(expected, bool) != isinstance(actual, bool):
            raise Mismatch(f"{path}: {json.dumps(actual)[:3000]}\n  expected {json.dumps(expected)[:3000]}")

    def _match_dict(self, expected: Mapping[str, Any], actual: Mapping[str, Any], path: str) -> None:
        resolved = {self._resolve(key): value for key, value in expected.items()}
        missing = [key for key in resolved if key not in actual]
        extra = [key for key in actual if key not in resolved]
        if missing or extra:
            raise Mismatch(
                f"{path}: missing {missing}, unexpected { {key: actual[key] for key in extra} }"[:2500]
                + (
                    f" [message {actual.get('message')!r}" + f" expected {expected.get('message')!r}]"
                    if "message" in actual or "message" in expected
                    else ""
                )
            )
        for key, value in resolved.items():
            self._match(value, actual[key], f"{path}/{key}")

    def _match_text(self, expected: str, actual: Any, path: str) -> None:
        # A dump of Go structs follows here, which only the server itself can write.
        for mark in _DUMPS:
            if mark in expected and isinstance(actual, str):
                head = expected.partition(mark)[0]
                expected = head + actual[len(self._resolve(head)) :]
        if expected in ("<seconds>", "<any>") or (
            isinstance(actual, (int, float)) and expected.startswith("<")
        ):
            return
        if not isinstance(actual, str):
            raise Mismatch(f"{path}: {actual!r}, expected {expected!r}")
        names: list[str] = []
        pattern, last = "", 0
        for match in _PLACEHOLDER.finditer(expected):
            pattern += re.escape(expected[last : match.start()])
            last = match.end()
            kind, full = match[1], match[0]
            if full in self.bound:
                pattern += re.escape(self.bound[full])
            elif kind in _FREE or full == "<gen>":
                pattern += _PATTERNS.get(kind, r"[\s\S]*?")
            else:
                pattern += f"({_PATTERNS.get(kind, r'[^ ]+')})"
                names.append(full)
        pattern += re.escape(expected[last:])
        found = re.fullmatch(pattern, actual)
        if found is None:
            shown = _PLACEHOLDER.sub(lambda m: f"{m[0]}={self.bound.get(m[0], '?')}", expected)
            raise Mismatch(f"{path}: {actual!r}\n  expected {shown!r}")
        self.bound.update(zip(names, found.groups(), strict=True))

    def _match_headers(self, expected: Mapping[str, Any], answer: Answer) -> None:
        warnings = [
            '299 - "' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in answer.warnings
        ]
        self._match(expected.get("Warning", []), warnings, "Warning")
        wanted = expected.get("Content-Type")
        if wanted is not None and wanted.split(",")[0] != answer.content_type:
            raise Mismatch(f"Content-Type {answer.content_type!r}, expected {wanted!r}")


def _parse(answer: Answer) -> Any:
    if not answer.body:
        return None
    if answer.content_type.startswith("application/json"):
        return json.loads(answer.body)
    return answer.body.decode()


def _tidy(value: Any) -> Any:
    """The value with what has an arbitrary order sorted, and a Workload's managedFields dropped."""
    if isinstance(value, list):
        return [_tidy(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {key: _tidy(item) for key, item in value.items()}
    if isinstance(out.get("managedFields"), list):
        out["managedFields"] = sorted(
            out["managedFields"],
            key=lambda m: (
                m.get("operation", ""),
                m.get("manager", ""),
                m.get("apiVersion", ""),
                m.get("subresource", ""),
            ),
        )
    if isinstance(out.get("resources"), list) and out["resources"] and isinstance(out["resources"][0], dict):
        out["resources"] = sorted(out["resources"], key=lambda r: str(r.get("name") or r.get("resource")))
    for key in ("resourceRules", "nonResourceRules"):
        if isinstance(out.get(key), list):
            out[key] = sorted(out[key], key=lambda rule: json.dumps(rule, sort_keys=True))
    if out.get("kind") == "Workload" and str(out.get("apiVersion", "")).startswith("kueue"):
        out["metadata"] = {key: item for key, item in out["metadata"].items() if key != "managedFields"}
        if isinstance(out.get("status"), dict) and "conditions" in out["status"]:
            out["status"]["conditions"] = sorted(out["status"]["conditions"], key=lambda c: str(c["type"]))
    return out
