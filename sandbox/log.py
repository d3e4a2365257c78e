"""The log file of a running sandbox: methods, hosts, paths and statuses; never headers, queries or bodies."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler

from sandbox.settings import Settings

__all__ = ["start_log"]

_BYTES = 5_000_000


def start_log(settings: Settings) -> None:
    """Write to the folder's `log`, at most 2 x 5 MB; the one of the last run becomes `log.1`."""
    handler = RotatingFileHandler(settings.log_file, maxBytes=_BYTES, backupCount=1)
    settings.log_file.chmod(0o600)
    if settings.log_file.stat().st_size:
        handler.doRollover()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    # asyncio names every TLS handshake that a client breaks off.
    logging.getLogger("asyncio").setLevel(logging.WARNING)
