"""Choice of the executor of a run."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path

from firegui.analyses.execution.executor import ExecutorHooks, InProcessExecutor, TaskExecutor
from firegui.analyses.execution.processes import ATTEMPTS, ProcessExecutor
from firegui.analyses.execution.tasks import WorkerSetup
from firegui.io.paths import real_path


def open_executor(
    setup: WorkerSetup, name: str, hooks: ExecutorHooks, *, workers: int, scheduler: str = "",
    attempts: int = ATTEMPTS, ahead: int = 1, card_each: bool = False,
) -> TaskExecutor:  # fmt: skip
    """Return an executor on the workers of ``scheduler``, on ``workers`` processes, or (0) in this one.

    ``name`` is that of the run on a cluster. ``attempts``, ``ahead`` and ``card_each`` are described at
    :class:`~firegui.analyses.execution.processes.ProcessExecutor`; a cluster makes 4 attempts. Raises
    :class:`~firegui.errors.InputError` and :class:`~firegui.errors.CancelledError`.
    """
    if scheduler:  # imported by name, because Dask may not be installed
        cluster = import_module("firegui.analyses.execution.cluster")
        found: TaskExecutor = cluster.ClusterExecutor(setup, name, scheduler, hooks, ahead=ahead)
        return found
    if workers:
        return ProcessExecutor(setup, workers, hooks, attempts=attempts, ahead=ahead, card_each=card_each)
    return InProcessExecutor(setup, hooks)


def cluster_name(analysis: str, out: Path, *content: str) -> str:
    """Return the name of a run on a cluster: the same when it is resumed, another for every folder."""
    text = "\0".join((str(real_path(out)), *content))
    return f"firegui-{analysis}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
