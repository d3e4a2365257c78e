"""The plugin's executable: `python -m sandbox.terraform_provider`, started by Terraform."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Check that Terraform is the caller, then serve."""
    # go-plugin's magic cookie of Terraform: not a secret, only a guard against running it by hand.
    if os.environ.get("TF_PLUGIN_MAGIC_COOKIE") is None:
        sys.stderr.write("This is a Terraform provider: Terraform starts it, it does nothing by itself.\n")
        return 1
    # Ctrl-C and a runner's TERM reach the whole process group; Terraform itself tells its plugins when
    # to stop, after what they are doing, and when it is gone they end by themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    from sandbox.terraform_provider.plugin import serve  # noqa: PLC0415  # slow to load, and not needed above

    return serve()


if __name__ == "__main__":
    sys.exit(main())
