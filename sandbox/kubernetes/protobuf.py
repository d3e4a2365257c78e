"""Bodies in Kubernetes' protobuf encoding, which kubectl's typed clients send for a few kinds.

Answers are always JSON: those clients accept both. Field numbers are in `data/protobuf.json`; a kind that
is not there is refused as an unsupported media type.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sandbox.kubernetes.jsontypes import Json, Object

__all__ = ["ProtobufError", "parse_protobuf"]

_MAGIC = b"k8s\x00"


class ProtobufError(ValueError):
    """The bytes are no protobuf message, or of a kind whose fields are not known."""


@cache
def _tables() -> dict[str, dict[str, list[str]]]:
    text = (Path(__file__).parent / "data" / "protobuf.json").read_text(encoding="utf-8")
    tables: dict[str, dict[str, list[str]]] = json.loads(text)
    return tables


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if not byte & 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[str, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = str(tag >> 3), tag & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire == 2:
            size, at = _varint(data, at)
            yield number, data[at : at + size]
            at += size
        else:
            raise ProtobufError(f"wire type {wire}")


def _pair(data: bytes) -> tuple[str, bytes]:
    parts = dict(_fields(data))
    key, value = parts.get("1", b""), parts.get("2", b"")
    return _bytes(key).decode(), _bytes(value)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ProtobufError("a number where a text was expected")
    return value


def _single(kind: str, value: int | bytes) -> Json:
    if kind == "s":
        return _bytes(value).decode()
    if kind == "b":
        return bool(value)
    if kind == "i":
        number = int(value) if isinstance(value, int) else 0
        return number - (1 << 64) if number >> 63 else number
    return _message(_tables()[kind], _bytes(value))


def _message(fields: dict[str, list[str]], data: bytes) -> Object:
    out: dict[str, Any] = {}
    for number, value in _fields(data):
        if number not in fields:
            continue
        name, kind = fields[number]
        if kind in ("map", "bytesmap", "quantitymap"):
            key, raw = _pair(_bytes(value))
            if kind == "quantitymap":
                raw = _bytes(dict(_fields(raw)).get("1", b"0"))
            text = base64.b64encode(raw).decode() if kind == "bytesmap" else raw.decode()
            out.setdefault(name, {})[key] = text
        elif kind.endswith("*"):
            out.setdefault(name, []).append(_single(kind[:-1], value))
        else:
            out[name] = _single(kind, value)
    return out


def parse_protobuf(body: bytes) -> Object:
    """The object as JSON would give it. Raises ProtobufError."""
    if not body.startswith(_MAGIC):
        raise ProtobufError("the magic prefix is missing")
    try:
        envelope = dict(_fields(body[len(_MAGIC) :]))
        meta = dict(_fields(_bytes(envelope.get("1", b""))))
        version, kind = (_bytes(meta.get(key, b"")).decode() for key in ("1", "2"))
        fields = _tables().get(f"{version}/{kind}")
        if fields is None:
            raise ProtobufError(f"{version} {kind} is not known in protobuf")
        return {"apiVersion": version, "kind": kind, **_message(fields, _bytes(envelope.get("2", b"")))}
    except (IndexError, UnicodeDecodeError) as error:
        raise ProtobufError(str(error)) from error
