"""Run seeded sequences of random user actions on the window and report which ended badly.

``python -m tests.gui.monkey FIRST LAST [--actions 100] [--engine real|fake]`` plays the seeds FIRST … LAST − 1; several
ranges may run in parallel. The exit status is 1 if a sequence ended with an exception, a warning of Qt, a leaked thread
or a lost edit. The same seed repeats it, if its runs have the same timing.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from firegui.gui.app import make_application
from firegui.gui.base.theme import Theme, apply_theme
from tests.gui.monkey.monkey import play

_STUCK_S = 300


def main(given: Sequence[str] | None = None) -> int:
    """Play the sequences and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--actions", type=int, default=100)
    parser.add_argument("--engine", choices=("real", "fake"), default="real")
    asked = parser.parse_args(given)
    warnings.simplefilter("error")
    faulthandler.enable()
    apply_theme(make_application(["firegui"]), Theme.DARK)
    bad = 0
    for seed in range(asked.first, asked.last):
        faulthandler.dump_traceback_later(_STUCK_S, exit=True)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            found = play(seed, asked.actions, Path(place), real=asked.engine == "real")
        bad += bool(found.troubles)
        print(found.line(), flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{asked.last - asked.first} sequences of {asked.actions} actions, {bad} ended badly")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
