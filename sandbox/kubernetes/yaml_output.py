"""YAML answers in the style of the server's encoder."""

from __future__ import annotations

import yaml

from sandbox.kubernetes.jsontypes import Json

__all__ = ["yaml_text"]


class _Dumper(yaml.SafeDumper):
    """Texts that read as another type are double-quoted."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    resolved = dumper.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]  # PyYAML
    other_type = resolved != "tag:yaml.org,2002:str" or value == ""
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if other_type else None)


_Dumper.add_representer(str, _text)


def yaml_text(body: Json) -> str:
    return yaml.dump(
        body, Dumper=_Dumper, sort_keys=True, default_flow_style=False, allow_unicode=True, width=80
    )
