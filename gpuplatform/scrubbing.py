"""Texts from outside are capped and cleared of secrets before a person or a log sees them."""

from __future__ import annotations

import os
import re

__all__ = ["cap", "scrub"]

MAX_TEXT = 4_000
"""Characters kept of a text from outside; what is longer loses its middle."""

_SECRET_VARIABLES = ("AZURE_CLIENT_SECRET", "ARM_CLIENT_SECRET", "ARM_ACCESS_KEY", "ARM_OIDC_TOKEN",
                     "ARM_OIDC_REQUEST_TOKEN", "ARM_SAS_TOKEN", "AZURE_PASSWORD")  # fmt: skip
_PATTERNS = (
    re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"),  # JSON web tokens
    re.compile(r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?i)(?<=sharedkey )[^\s\"']+"),
    re.compile(r"(?i)(?<=[?&]sig=)[^&\s\"']+"),  # shared access signatures
    re.compile(r"(?i)(?<=accountkey=)[A-Za-z0-9+/=]{20,}"),
    re.compile(r"(?i)((?:client_?secret|password|access_?key|token)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&]{6,}"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL),
    re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])"),  # storage account keys
)
_MASK = "(hidden)"


def scrub(text: str) -> str:
    """The text with credentials replaced by a mask: this process's own and anything shaped like one."""
    for name in _SECRET_VARIABLES:
        value = os.environ.get(name)
        if value and len(value) >= 6:
            text = text.replace(value, _MASK)
    for pattern in _PATTERNS:
        text = pattern.sub(lambda m: (m.group(1) if m.groups() else "") + _MASK, text)
    return text


def cap(text: str, limit: int = MAX_TEXT) -> str:
    """The text scrubbed and at most `limit` characters long, its middle left out when it is longer."""
    text = scrub(text)
    if len(text) <= limit:
        return text
    half = (limit - 20) // 2
    return f"{text[:half]} … {text[-half:]}"
