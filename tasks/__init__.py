"""Prefect tasks: open the client, call a plain function of the library, report."""

from tasks.outcome import log_plainly

# For every task there is, wherever it is imported from.
log_plainly()
