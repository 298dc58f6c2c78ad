"""``python -m firegui`` and the console script: the command ``firegui``."""

from __future__ import annotations

import signal
import sys
from importlib import import_module


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly even while it is still being loaded."""
    if getattr(sys, "frozen", False):
        # A worker of a benchmark in a packaged program does not return from here, nor does a reader of files.
        import_module("multiprocessing").freeze_support()
        if sys.argv[1:2] == ["--read-files"]:
            sys.exit(import_module("firegui.io.safe_open.reader").main(int(sys.argv[2])))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts background jobs with the signal ignored. A signal sent all the same must end the program.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # Late on purpose: the imports take long enough to be interrupted in, and only here can that be caught.
        from firegui.cli.main import main as command

        command(prog_name="firegui")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
