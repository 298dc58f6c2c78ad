"""Threads that serve from one call to the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import TypeVar

Result = TypeVar("Result")


class ReusedThreads:
    """Up to ``count`` threads, started on first use and used again.

    To start a thread takes longer than a rollout of a small fire.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._pool: ThreadPoolExecutor | None = None
        self._process, self._lock = 0, Lock()

    def submit(self, work: Callable[..., Result], *values: object) -> Future[Result]:
        """Have something done in another thread. Raises :class:`RuntimeError` where no thread is to be had."""
        with self._lock:
            if self._pool is None or self._process != os.getpid():  # a fork takes the pool along and not its threads
                self._pool, self._process = ThreadPoolExecutor(self._count, self._name), os.getpid()
            return self._pool.submit(work, *values)

    def results(self, jobs: Sequence[Callable[[], Result]]) -> list[Result]:
        """Return what the jobs return, in their order.

        The first job that raises ends the call: jobs that wait are not begun, and those at work are waited for.
        """
        futures = [self.submit(job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            wait(futures)
            raise
