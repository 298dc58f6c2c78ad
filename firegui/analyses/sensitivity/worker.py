"""Worker of a robustness table: it scores one case after another, or makes the plans of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from firegui.analyses.execution.archives import pack_project, unpack_project
from firegui.analyses.execution.executor import ExecutorHooks, results_in_order
from firegui.analyses.execution.factory import cluster_name, open_executor
from firegui.analyses.execution.folders import folder_task, save_answer, work_in_folder
from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.analyses.nested_plan import nested_spec, planned
from firegui.analyses.sensitivity.results import TITLE
from firegui.domain.options import replaced_at
from firegui.domain.project import Project
from firegui.domain.sensitivity import (
    EffectivenessRow,
    PoseRow,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SideRow,
    design_folder,
)
from firegui.domain.settings import Effectiveness
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.header import installed_versions, path_text
from firegui.runs.spec import PlanSpec, SensitivitySpec

if TYPE_CHECKING:
    from firegui.rollout.model import Model

_WORKER = "firegui.analyses.sensitivity.worker:CaseWorker"
_CASES = {
    SensitivityKind.EFFECTIVENESS: ("pairs", EffectivenessRow),
    SensitivityKind.OFF_TARGET: ("distances", PoseRow),
    SensitivityKind.POSE: ("scales", PoseRow),
    SensitivityKind.RETARDANT_SIDE: ("sides", SideRow),
    SensitivityKind.DESIGN: ("designs", None),
}
"""The setting that lists the cases of a table, and the type of its rows; the rows of a sweep are plans."""


@dataclass(frozen=True, slots=True)
class TableSetup:
    """Data of a table that its workers need. Workers on other machines get no folder ``out``."""

    kind: SensitivityKind
    settings: SensitivitySettings
    out: str
    project_folder: str
    checkpoint_seconds: float


class CaseWorker:
    """Runner of the cases of one table."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        """Read the project; make a model for scores. Raises :class:`~firegui.errors.InputError`."""
        self._about = msgspec.json.decode(setup.data, type=TableSetup)
        self._backend = setup.backend
        self._project, self._schedule = unpack_project(setup.project)
        self._model: Model | None = None
        if self._about.kind is not SensitivityKind.DESIGN:
            nominal = self._project.plan.nominal
            self._model = Engine().build(self._project, nominal, setup.backend, check=control.check)

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Score a case and return its row, or make the plan of a sweep's case in its folder."""
        about = self._about
        if about.kind is SensitivityKind.DESIGN:
            return work_in_folder(task, about.out, lambda out, data: self._plan(out, data, link))
        settings = msgspec.json.decode(task, type=SensitivitySettings)
        assert self._schedule is not None and self._model is not None
        rows = Engine().sensitivity_rows(
            self._model, self._schedule, about.kind, settings, hear=lambda done, total, text: None,
            check=link.control.check,
        )  # fmt: skip
        return msgspec.msgpack.encode(rows[0])

    def _plan(self, out: Path, data: bytes, link: TaskLink) -> bytes:
        about, (design,) = self._about, msgspec.json.decode(data, type=SensitivitySettings).designs
        place = Path(about.project_folder) if about.project_folder else None
        spec = design_spec(
            self._project, about.settings.seed, design, out, self._backend, about.checkpoint_seconds, place
        )  # fmt: skip
        planned(spec, lambda event: None, link.control, Engine(), lambda event: None, TITLE)
        return b"done"


def design_spec(
    project: Project, seed: int, design: Effectiveness, out: Path, backend: str, checkpoint_seconds: float,
    project_folder: Path | None,
) -> PlanSpec:  # fmt: skip
    """Return the spec of the plan of a sweep at ``design``, in its folder below ``out``."""
    optimizer = replace(project.plan.optimizer, seed=seed)
    project = replace(project, plan=replace(project.plan, design=design, optimizer=optimizer))
    return nested_spec(project, out / design_folder(design), backend, checkpoint_seconds, project_folder)


def cases_of(kind: SensitivityKind, settings: SensitivitySettings) -> tuple[SensitivitySettings, ...]:
    """Return the settings of a table for each of its cases."""
    name, _ = _CASES[kind]
    return tuple(replaced_at(settings, (name,), (case,)) for case in getattr(settings, name))


def computed_elsewhere(spec: SensitivitySpec, backend: str, digest: str, hooks: ExecutorHooks) -> Iterator[Row | None]:
    """Yield the rows of the table as the workers of ``spec`` compute them, in order.

    Of a sweep it yields nothing but that the next plan is in its folder. ``digest`` is the hash of the project. Raises
    :class:`~firegui.errors.CancelledError` once a stop was requested.
    """
    cases, is_sweep = cases_of(spec.kind, spec.settings), spec.kind is SensitivityKind.DESIGN
    remote = bool(spec.workers.scheduler)
    out, project_folder = "" if remote else str(spec.out), path_text(spec.project_folder)
    about = TableSetup(spec.kind, spec.settings, out, project_folder, spec.checkpoint_seconds)
    setup = WorkerSetup(
        _WORKER, "the table", pack_project(spec.project, spec.schedule), msgspec.json.encode(about),
        backend if remote else spec.backend,
        installed_versions(),
    )  # fmt: skip
    places = [design_folder(case.designs[0]) for case in cases] if is_sweep else []
    tasks = [msgspec.json.encode(case) for case in cases]
    if is_sweep:
        tasks = [
            folder_task(spec.out, place, task, sends_files=remote)
            for place, task in zip(places, tasks, strict=True)
        ]  # fmt: skip
    executor = open_executor(
        setup, cluster_name("sensitivity", spec.out, digest), hooks, workers=min(spec.workers.workers, len(tasks)),
        scheduler=spec.workers.scheduler,
    )  # fmt: skip

    def save(number: int, result: bytes) -> None:
        if is_sweep:
            save_answer(spec.out, places[number], result)

    row_type: Any = _CASES[spec.kind][1]
    with closing(executor):
        for result in results_in_order(executor, tasks, hooks.control, save):
            yield None if is_sweep else msgspec.msgpack.decode(result, type=row_type)
