"""Start of worker processes. It loads nothing that starts threads."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection

ONE_THREAD = (
    "FIREGUI_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
"""What has to be 1 for a process to compute on one thread; numpy and torch read theirs once, when they are loaded."""


def start_work(
    work: str, connection: Connection, setup_file: str, name: str, environment: Mapping[str, str]
) -> None:  # fmt: skip
    """Call ``work``, given as ``module:name``, on one thread in ``environment`` with the other arguments."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that steers this one
    os.environ.update(dict.fromkeys(ONE_THREAD, "1") | dict(environment))
    module, function = work.split(":")
    getattr(import_module(module), function)(connection, setup_file, name)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Block SIGINT in processes started inside, because a terminal sends Ctrl-C to all of them."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # its first start would lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
