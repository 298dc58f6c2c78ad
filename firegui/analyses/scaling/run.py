"""Run of the scaling study: rounds of timings over all settings, then searches at every fleet size."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from firegui.analyses.scaling.report import notes_of, planner_words, study_message
from firegui.analyses.scaling.results import (
    STORE,
    TABLE,
    TITLE,
    ScalingHeader,
    machine_problems,
    read_table,
    resume_problems,
    write_table,
)
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingRow, ScalingTable, cases_of
from firegui.errors import CancelledError, Problem, Problems
from firegui.runs.base_run import SavedRun
from firegui.runs.events import Message, RunFinished, ScalingReady
from firegui.runs.header import PACKAGES, common_fields
from firegui.runs.spec import ScalingSpec
from firegui.runs.stages import FinishReason, RunState

if TYPE_CHECKING:
    from firegui.planning.scaling import ScalingTimer


FIGURES = ("scaling_ratio.png", "scaling_ratio.svg", "planner_dimension.png", "planner_dimension.svg")
"""What is drawn once everything is done."""


def scaling_problems(spec: ScalingSpec) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    return spec.project.problems() + spec.settings.problems()


class ScalingStudy(SavedRun[ScalingSpec, ScalingHeader]):
    """Run of a :class:`~firegui.runs.spec.ScalingSpec`."""

    store = STORE
    _table: ScalingTable | None = None
    _saved_at = -math.inf

    def run(self) -> RunFinished:
        """Time and search what is not done yet. Writes nothing before the input is known to be good."""
        spec, check = self._spec, self._control.check
        then = self._checked()
        bench = self._engine.scaling(spec.project, spec.backend, tell=self._speaker.pass_on, check=check)
        self._speaker.say_device(bench.model)
        header = self._new_header(bench, then)
        self._machine_fits(header, then)
        self._machine.move(RunState.RUNNING)
        self._folder.claim(then, header)
        table = self._table = self._begun(bench, then)
        for note in table.notes:
            self._emit(Message(note, "warning"))
        if not table.complete:
            self._folder.remove(*FIGURES)
        self._update(state=RunState.RUNNING)
        try:
            self._measure(bench, table)
            self._search(bench)
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            return self._conclude(FinishReason.STOPPED)
        return self._conclude(FinishReason.COMPLETED)

    # -- before the first timing -------------------------------------------------------------------------------------
    def _checked(self) -> ScalingHeader | None:
        spec = self._spec
        return self._folder.checked(scaling_problems(spec), lambda then: resume_problems(then, spec))

    def _machine_fits(self, now: ScalingHeader, then: ScalingHeader | None) -> None:
        if then is not None:
            problems = Problems()
            problems.extend(machine_problems(then, now, self._spec.out))
            problems.raise_if_any(TITLE)

    def _new_header(self, bench: ScalingTimer, then: ScalingHeader | None) -> ScalingHeader:
        spec = self._spec
        return ScalingHeader(
            **common_fields(spec, then, bench.model.backend, (*PACKAGES, "cma")),
            settings=spec.settings,
            sessions=then.sessions + 1 if then else 1,
            device=bench.model.device,
            machine=bench.machine,
        )

    def _begun(self, bench: ScalingTimer, then: ScalingHeader | None) -> ScalingTable:
        """Return the table with what was done before."""
        table = bare_table(self._spec, bench.model.backend)
        if then is None or not (self._spec.out / TABLE).is_file():
            return table
        before = read_table(self._spec.out)
        return replace(table, rows=before.rows, quality=before.quality)

    # -- the work ----------------------------------------------------------------------------------------------------
    def _measure(self, bench: ScalingTimer, table: ScalingTable) -> None:
        if table.timed:
            return

        def keep(rows: tuple[ScalingRow, ...]) -> None:
            self._table = replace(table, rows=rows)
            self._keep_if_due()

        bench.times(
            table.cases, table.settings, table.rows, hear=self._say, keep=keep, check=self._control.check
        )  # fmt: skip

    def _search(self, bench: ScalingTimer) -> None:
        assert self._table is not None
        tasks = self._table.missing
        for done, task in enumerate(tasks):
            words = f"Searching: {task.aircraft} aircraft, {planner_words(task.planner)}, seed {task.seed}"
            self._say(done, len(tasks), words)
            row = bench.search(self._table.cases, task, self._table.settings, self._control.check)
            self._table = self._table.with_quality(row)
            self._keep()

    # -- saving ------------------------------------------------------------------------------------------------------
    def _conclude(self, reason: FinishReason) -> RunFinished:
        assert self._table is not None
        message = study_message(self._table, reason)
        self._keep()
        if reason is FinishReason.COMPLETED:  # a stop does not wait for matplotlib
            self._engine.draw_scaling(self._table, self._spec.out)
        return self._finish(reason, message)

    def _keep_if_due(self) -> None:
        if time.monotonic() - self._saved_at >= self._spec.save_seconds:
            self._keep()

    def _keep(self) -> None:
        assert self._table is not None
        write_table(self._spec.out, self._table)
        self._emit(ScalingReady(self._table))
        self._saved_at = time.monotonic()


def bare_table(spec: ScalingSpec, backend: str) -> ScalingTable:
    """Return the table of ``spec`` before anything is done."""
    project: Project = spec.project
    event, plan = project.scenario, project.plan
    return ScalingTable(
        event=event.name,
        fire_model=project.fire_model.label,
        settings=spec.settings,
        cases=cases_of(event.grid.shape, plan.days, event.steps_per_day, project.fleet.n_aircraft),
        full_carry=plan.optimizer.full_carry,
        notes=notes_of(project, backend),
    )
