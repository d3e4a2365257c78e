"""The schemas of azurerm 5.2.0 that the stand-in serves, from `schema.json`."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tf.gen import tfplugin_pb2 as pb  # type: ignore[import-untyped]  # not marked as typed

__all__ = ["Attribute", "Block", "Nested", "Schema", "data_sources", "message", "provider", "resources"]


@dataclass(frozen=True)
class Attribute:
    """An attribute; `type` is in Terraform's JSON notation (a string or `[kind, element]`)."""

    name: str
    type: Any
    required: bool
    optional: bool
    computed: bool
    sensitive: bool


@dataclass(frozen=True)
class Nested:
    """A nested block type; `mode` is "list", "set" or "single"."""

    name: str
    mode: str
    min_items: int
    max_items: int
    block: Block


@dataclass(frozen=True)
class Block:
    """A schema's body."""

    attributes: dict[str, Attribute]
    blocks: dict[str, Nested]

    def empty(self) -> dict[str, Any]:
        """A value of this block with nothing in it."""
        values: dict[str, Any] = dict.fromkeys(self.attributes)
        values.update({name: None if b.mode == "single" else [] for name, b in self.blocks.items()})
        return values

    def conform(self, value: dict[str, Any]) -> dict[str, Any]:
        """`value` with exactly this block's names: unknown names dropped, missing ones empty."""
        result = self.empty()
        for name in self.attributes:
            result[name] = value.get(name)
        for name, nested in self.blocks.items():
            inner = value.get(name)
            if nested.mode == "single":
                result[name] = nested.block.conform(inner) if isinstance(inner, dict) else inner
            elif isinstance(inner, list):
                result[name] = [nested.block.conform(item) for item in inner]
            elif inner is not None:
                result[name] = inner  # unknown as a whole
        return result


@dataclass(frozen=True)
class Schema:
    """A versioned schema."""

    version: int
    block: Block


def _block(raw: dict[str, Any]) -> Block:
    attributes = {
        name: Attribute(
            name=name,
            type=a["type"],
            required=a.get("required", False),
            optional=a.get("optional", False),
            computed=a.get("computed", False),
            sensitive=a.get("sensitive", False),
        )
        for name, a in raw.get("attributes", {}).items()
    }
    blocks = {
        name: Nested(
            name=name,
            mode=b["nesting_mode"],
            min_items=b.get("min_items", 0),
            max_items=b.get("max_items", 0),
            block=_block(b["block"]),
        )
        for name, b in raw.get("block_types", {}).items()
    }
    return Block(attributes, blocks)


@functools.cache
def _all() -> dict[str, dict[str, Schema]]:
    raw = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return {
        part: {name: Schema(s["version"], _block(s["block"])) for name, s in schemas.items()}
        for part, schemas in raw.items()
    }


def provider() -> Schema:
    """The schema of the provider's own configuration."""
    return _all()["provider"]["azurerm"]


def resources() -> dict[str, Schema]:
    """Schemas of the managed resource types."""
    return _all()["resources"]


def data_sources() -> dict[str, Schema]:
    """Schemas of the data sources."""
    return _all()["data_sources"]


_MODES = {
    "single": pb.Schema.NestedBlock.SINGLE,
    "list": pb.Schema.NestedBlock.LIST,
    "set": pb.Schema.NestedBlock.SET,
}


def _block_message(block: Block) -> pb.Schema.Block:
    message = pb.Schema.Block()
    for attribute in block.attributes.values():
        # The protocol stubs know no write-only arguments: those are served as ordinary ones, which no
        # resource here supports.
        message.attributes.add(
            name=attribute.name,
            type=json.dumps(attribute.type).encode(),
            required=attribute.required,
            optional=attribute.optional,
            computed=attribute.computed,
            sensitive=attribute.sensitive,
        )
    for nested in block.blocks.values():
        message.block_types.add(
            type_name=nested.name,
            block=_block_message(nested.block),
            nesting=_MODES[nested.mode],
            min_items=nested.min_items,
            max_items=nested.max_items,
        )
    return message


def message(schema: Schema) -> pb.Schema:
    """`schema` as the protocol sends it."""
    return pb.Schema(version=schema.version, block=_block_message(schema.block))
