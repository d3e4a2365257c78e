"""Rules for names, labels and annotations, with the texts of apimachinery's validation."""

from __future__ import annotations

import re
import secrets

__all__ = [
    "dns_label_errors",
    "dns_subdomain_errors",
    "label_key_errors",
    "label_value_errors",
    "path_segment_errors",
    "qualified_name_errors",
]

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
    " end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
    " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic"
    " character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for"
    " validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_NAME_TEXT = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
    " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
    " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used"
    " for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def random_suffix(length: int = 5) -> str:
    """The made-up end of a generated name."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def dns_label_errors(name: str) -> list[str]:
    out = []
    if len(name) > 63:
        out.append("must be no more than 63 characters")
    if not re.fullmatch(_LABEL, name):
        dotted = re.fullmatch(rf"{_LABEL}(\.{_LABEL})+", name)
        out.append("must not contain dots" if dotted else _LABEL_TEXT)
    return out


def dns_1035_errors(name: str) -> list[str]:
    out = []
    if len(name) > 63:
        out.append("must be no more than 63 characters")
    if not re.fullmatch(_LABEL_1035, name):
        out.append(_LABEL_1035_TEXT)
    return out


def dns_subdomain_errors(name: str) -> list[str]:
    out = []
    if len(name) > 253:
        out.append("must be no more than 253 characters")
    if not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", name):
        out.append(_SUBDOMAIN_TEXT)
    return out


def path_segment_errors(name: str) -> list[str]:
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{char}'" for char in ("/", "%") if char in name]


def qualified_name_errors(name: str) -> list[str]:
    """For label and annotation keys, finalizers, resource names."""
    prefix, slash, rest = name.rpartition("/")
    if slash and "/" in prefix:
        start = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start"
        regex = f"'123-abc', regex used for validation is '{_NAME}')"
        names = f"and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or {regex}"
        return [f"{start} {names} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    out = []
    if slash:
        if not prefix:
            out.append("prefix part must be non-empty")
        else:
            out.extend(f"prefix part {text}" for text in dns_subdomain_errors(prefix))
    if not rest:
        out.append("name part must be non-empty")
    elif len(rest) > 63:
        out.append("name part must be no more than 63 bytes")
    if not re.fullmatch(_NAME, rest):
        out.append(_NAME_TEXT)
    return out


label_key_errors = qualified_name_errors


def label_value_errors(value: str) -> list[str]:
    out = []
    if len(value) > 63:
        out.append("must be no more than 63 bytes")
    if value and not re.fullmatch(_NAME, value):
        out.append(_VALUE_TEXT)
    return out
