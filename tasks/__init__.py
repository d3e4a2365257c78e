"""Prefect tasks: open the client, call a plain function of the library, report."""
