"""The first lines of a benchmark's worker process, before anything that starts threads is loaded."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from multiprocessing.connection import Connection

ONE_THREAD = (
    "FIREGUI_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
"""What has to be 1 for a process to compute on one thread; numpy and torch read theirs once, when they are loaded."""


def main(connection: Connection, folder: str) -> None:
    """Work for the benchmark in ``folder``, as ``connection`` says, until it says no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that steers this one
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    import_module("firegui.runs.benchmark_worker").work(connection, folder)
