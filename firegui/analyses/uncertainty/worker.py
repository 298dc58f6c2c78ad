"""Worker of an ensemble: it makes the model once and computes members, some at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firegui.analyses.execution.archives import pack_project, unpack_project
from firegui.analyses.execution.executor import ExecutorHooks, results_in_order
from firegui.analyses.execution.factory import cluster_name, open_executor
from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.analyses.uncertainty.ensemble_file import read_members, write_members
from firegui.domain.ensemble import EnsembleState
from firegui.domain.uncertainty import ErrorModel, UncertaintySettings
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.header import installed_versions
from firegui.runs.spec import UncertaintySpec

PORTION = 8
"""Members of a task at most. The result does not depend on it."""
_WORKER = "firegui.analyses.uncertainty.worker:MemberWorker"
_SHARES = 16
"""Tasks that an ensemble is divided into at least, as far as it has so many members."""


@dataclass(frozen=True, slots=True)
class MemberSetup:
    """Settings and error model of an ensemble."""

    settings: UncertaintySettings
    error: ErrorModel | None


class MemberWorker:
    """Runner of the members of one ensemble."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        """Read the project and make its model. Raises :class:`~firegui.errors.InputError`."""
        project, schedule = unpack_project(setup.project)
        found = msgspec.json.decode(setup.data, type=MemberSetup)
        engine = Engine()
        model = engine.build(project, project.plan.nominal, setup.backend, check=control.check)
        self._portions = engine.member_portions(project, model, schedule, found.settings, found.error, control.check)

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Compute the members of the numbers in ``task``. Return them as a file of members."""
        first, end = msgspec.json.decode(task, type=tuple[int, int])
        with tempfile.TemporaryDirectory(prefix="firegui-members-") as folder:
            path = Path(folder) / "members.safetensors"
            write_members(path, self._portions.of(range(first, end)))
            return path.read_bytes()


def computed_elsewhere(
    spec: UncertaintySpec, backend: str, digest: str, error: ErrorModel | None, hooks: ExecutorHooks, numbers: range
) -> Iterator[EnsembleState]:
    """Yield the members of ``numbers`` as the workers of ``spec`` compute them, in order.

    ``digest`` is the hash of the project. Raises :class:`~firegui.errors.CancelledError` once a stop was requested.
    """
    if not numbers:
        return
    setup = WorkerSetup(
        _WORKER, "the ensemble", pack_project(spec.project, spec.schedule),
        msgspec.json.encode(MemberSetup(spec.settings, error)), backend, installed_versions(),
    )  # fmt: skip
    size = min(PORTION, max(1, len(numbers) // _SHARES))
    tasks = [
        msgspec.json.encode((first, min(first + size, numbers.stop)))
        for first in range(numbers.start, numbers.stop, size)
    ]
    executor = open_executor(
        setup, cluster_name("uncertainty", spec.out, digest), hooks, workers=min(spec.workers.workers, len(tasks)),
        scheduler=spec.workers.scheduler,
    )  # fmt: skip
    with closing(executor), tempfile.TemporaryDirectory(prefix="firegui-members-") as folder:
        path = Path(folder) / "members.safetensors"
        for result in results_in_order(executor, tasks, hooks.control):
            path.write_bytes(result)
            yield read_members(path)[0]
