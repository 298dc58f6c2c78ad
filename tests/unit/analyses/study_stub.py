"""Cells that nothing is planned in: their numbers are made up from what is set, at once or after a while."""

from __future__ import annotations

import math
import time

import msgspec

from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.analyses.study.cell_worker import CellAnswer, CellSetup
from firegui.analyses.study.run import StudyRun
from firegui.domain.project import Project
from firegui.domain.results import Metrics, Violations
from firegui.domain.study import Cell, StudySettings, Vary
from firegui.domain.study_table import StudyRow
from firegui.errors import FireguiError
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit
from firegui.runs.runner import conduct
from firegui.runs.spec import RunSpec, StudySpec
from firegui.runs.state import RunMachine

FAILING = 13
"""The seed whose cells fail."""


def metrics(objective: float, drops: int) -> Metrics:
    """Numbers that belong together."""
    return Metrics(
        final_extent_cells=100.0 * objective, final_extent_ha=9.0 * objective, occupancy_cell_days=500.0 * objective,
        protected_cells=objective, loss_burn=0.1, loss_final=0.2, loss_prot=0.3, drops_proposed=drops + 2,
        drops_executed=drops, objective=objective,
    )  # fmt: skip


def row_of(cell: Cell) -> StudyRow:
    """More drops, less fire; the seed moves it a little."""
    drops = int(cell.value("fleet.R.count") or 0)  # type: ignore[arg-type]
    seed = float(cell.value("seed") or 0)  # type: ignore[arg-type]
    plan = metrics(10.0 / (1.0 + drops) + 0.01 * seed, drops)
    return StudyRow(cell.number, metrics(10.0, 0), plan, plan.objective, drops, 1, Violations(0, 0, 0))


class Stub:
    """A worker without a fire: every cell is over at once, unless the study is called slow."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        self.settings = msgspec.json.decode(setup.data, type=CellSetup).settings

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """See :class:`firegui.analyses.study.cell_worker.CellWorker`."""
        cell = msgspec.json.decode(task, type=Cell)
        if cell.value("seed") == FAILING:
            raise FireguiError("thirteen brings bad luck")
        self._wait(link)
        return msgspec.msgpack.encode(CellAnswer(msgspec.json.encode(row_of(cell)), b"plan"))

    def _wait(self, link: TaskLink) -> None:
        if not self.settings.name.startswith("slow"):
            return
        until = time.monotonic() + (60.0 if self.settings.name == "slow for ever" else 0.2)
        while time.monotonic() < until:
            link.send_progress(1, math.nan, 0.5, 2)
            link.control.check()
            time.sleep(0.01)


STUB = f"{__name__}:Stub"


def execute(spec: RunSpec, emit: Emit, control: RunControl) -> None:
    """Carry out a study whose cells are made up."""
    assert isinstance(spec, StudySpec)
    machine = RunMachine(emit)
    conduct(StudyRun(spec, emit, control, Engine(), machine, STUB), emit, machine)


def settings(project: Project, seeds: int = 4, name: str = "stub") -> StudySettings:
    """Three counts of the first aircraft type, and some seeds."""
    assert project.fleet.types[0].id == "R"
    vary = (Vary("fleet.R.count", (0, 1, 2)), Vary("seed", tuple(range(seeds))))
    return StudySettings(name=name, vary=vary, measure=("objective", "drops_executed"))
