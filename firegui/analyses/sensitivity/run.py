"""Run of a robustness table: of one schedule, or of a sweep of plans at design effectiveness."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.analyses.execution.executor import ExecutorHooks, cluster_problems
from firegui.analyses.nested_plan import PASSED_ON, follow_pauses, planned
from firegui.analyses.sensitivity.results import (
    STORE,
    TITLE,
    SensitivityHeader,
    resume_problems,
    write_table,
)
from firegui.analyses.sensitivity.worker import cases_of, computed_elsewhere, design_spec
from firegui.domain.ensemble import BASELINE
from firegui.domain.ensemble import PLAN as WITH_PLAN
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import (
    NO_MEMBERS_REASON,
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
    SideRow,
    ratio,
)
from firegui.domain.settings import Effectiveness, Margin, pair_text
from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel, ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.errors import CancelledError, Check, InputError, Problem
from firegui.io.paths import real_path
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.base_run import SavedRun
from firegui.runs.engine import Engine
from firegui.runs.events import Message, RunEvent, RunFinished, SensitivityReady
from firegui.runs.header import common_fields, schedule_fields, schedule_hash
from firegui.runs.messages import counted
from firegui.runs.run_folder import PLAN, RunRecord
from firegui.runs.spec import PlanSpec, SensitivitySpec
from firegui.runs.stages import FinishReason, RunState

if TYPE_CHECKING:
    from firegui.rollout.model import Model


def sensitivity_problems(spec: SensitivitySpec) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    project, kind = spec.project, spec.kind
    found = project.problems() + spec.settings.problems(kind)
    if spec.schedule is None and kind is not SensitivityKind.DESIGN:
        found.append(Problem("schedule", f"the table {kind.value} is of a schedule", "choose one (--schedule)"))
    if spec.schedule is not None:
        found += spec.schedule.size_problems(project.calendar.n_steps, project.fleet.n_aircraft)
    return found + spec.workers.problems() + cluster_problems(spec.workers.scheduler)


class SensitivityRun(SavedRun[SensitivitySpec, SensitivityHeader]):
    """Run of a :class:`~firegui.runs.spec.SensitivitySpec`."""

    store = STORE

    def run(self) -> RunFinished:
        """Score, or plan and score, then save. Writes nothing before the input is known to be good."""
        check = self._control.check
        spec = self._spec = replace(self._spec, project=self._spec.project.with_margin(Margin.NONE))
        then = self._checked()
        model = self._nominal_model()
        header = self._new_header(model, then)
        self._machine.move(RunState.RUNNING)
        baseline = self._scored(model, Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft))
        scored = None if spec.schedule is None else self._scored(model, spec.schedule)
        self.baseline_metrics = baseline
        bare = self._bare_table(baseline, scored)
        if spec.kind is SensitivityKind.DESIGN:
            self._folder.claim(then, header)
            return self._sweep(model, bare)
        assert spec.schedule is not None
        if spec.workers.in_process:
            hear = self._say
            rows = self._engine.sensitivity_rows(model, spec.schedule, spec.kind, spec.settings, hear=hear, check=check)
        else:
            rows = self._rows_elsewhere(header)
        check()
        self._folder.claim(then, header)
        return self._conclude(replace(bare, rows=rows, complete=True), FinishReason.COMPLETED, scored)

    # -- before the first rollout ------------------------------------------------------------------------------------
    def _checked(self) -> SensitivityHeader | None:
        spec = self._spec
        return self._folder.checked(
            sensitivity_problems(spec), lambda then: resume_problems(then, spec, schedule_hash(spec.schedule))
        )

    def _new_header(self, model: Model, then: SensitivityHeader | None) -> SensitivityHeader:
        spec = self._spec
        return SensitivityHeader(
            **common_fields(spec, then, model.backend),
            settings=spec.settings,
            kind=spec.kind,
            seed=spec.settings.seed,
            device=model.device,
            **schedule_fields(spec.schedule, spec.schedule_file),
        )

    def _bare_table(self, baseline: Metrics, scored: Metrics | None) -> SensitivityTable[Row]:
        spec, plan = self._spec, self._spec.project.plan
        reading = None if scored is None else RolloutSummary.of(scored, plan.weights)
        return SensitivityTable(
            kind=spec.kind,
            event=spec.project.scenario.name,
            fire_model=spec.project.fire_model.label,
            setting=plan.setting,
            weights=plan.weights,
            nominal=plan.nominal,
            retardant_acts_on=plan.retardant_acts_on,
            schedule=schedule_text(spec.schedule_file, reading),
            baseline=RolloutSummary.of(baseline, plan.weights),
            scored=reading,
            rows=(),
            settings=spec.settings,
            complete=False,
        )

    # -- other processes ---------------------------------------------------------------------------------------------
    def _elsewhere(self, header: SensitivityHeader) -> Generator[Row | None, None, None]:
        """Yield what other processes compute, in order; nothing where they are not asked to."""
        if self._spec.workers.in_process:
            return
        hooks = ExecutorHooks(self._control, lambda text: self._emit(Message(text, "warning")))
        yield from computed_elsewhere(self._spec, header.backend, header.project_hash, hooks)

    def _rows_elsewhere(self, header: SensitivityHeader) -> tuple[Row, ...]:
        cases, rows = cases_of(self._spec.kind, self._spec.settings), []
        self._say(0, len(cases), f"Scoring {counted(len(cases), 'case')}")
        for row in self._elsewhere(header):
            assert row is not None
            rows.append(row)
            self._say(len(rows), len(cases), f"Scoring {counted(len(cases), 'case')}")
        return tuple(rows)

    # -- the sweep ---------------------------------------------------------------------------------------------------
    def _sweep(self, model: Model, bare: SensitivityTable[Row]) -> RunFinished:
        self._update(state=RunState.RUNNING)
        designs, table, reason = self._spec.settings.designs, bare, FinishReason.COMPLETED
        columns = MonteCarloColumns(
            self._spec.project, self._spec.settings, self._engine, model, self._control.check
        )  # fmt: skip
        try:
            with closing(self._elsewhere(self._folder.header)) as plans:
                for done, design in enumerate(designs):
                    self._say(
                        done, len(designs), f"Planning with effectiveness {design.retardant:g} / {design.water:g}"
                    )
                    next(plans, None)  # on other processes the plan is made by then
                    record = self._planned(design)
                    if self._spec.settings.members:
                        self._say(done, len(designs), f"Sampling {counted(self._spec.settings.members, 'fire')}")
                    row = self._design_row(model, design, record, bare.baseline, columns)
                    table = replace(table, rows=(*table.rows, row), complete=done + 1 == len(designs))
                    if not table.complete:
                        self._keep(table)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(table, reason, None)

    def _planned(self, design: Effectiveness) -> RunRecord:
        """Return the finished plan of ``design``, made now unless it is there.

        Raises :class:`~firegui.errors.CancelledError` when it was stopped, :class:`~firegui.errors.InputError` for a
        folder of another plan.
        """
        spec, follow = self._plan_spec(design), follow_pauses(self._machine)
        return planned(spec, self._pass_on, self._control, self._engine, follow, TITLE)

    def _plan_spec(self, design: Effectiveness) -> PlanSpec:
        spec = self._spec
        seed, every = spec.settings.seed, spec.checkpoint_seconds
        return design_spec(spec.project, seed, design, spec.out, spec.backend, every, spec.project_folder)

    def _design_row(
        self, model: Model, design: Effectiveness, record: RunRecord, baseline: RolloutSummary,
        columns: MonteCarloColumns,
    ) -> DesignRow:  # fmt: skip
        schedule = read_schedule(record.folder / PLAN, model.fleet, model.maps.n_steps, model.maps.shape)
        reading = RolloutSummary.of(self._scored(model, schedule), self._spec.project.plan.weights)
        pruned = record.scores.pruned
        state_sampling, model_error = columns.of(schedule)
        return DesignRow(
            design=design,
            folder=record.folder.name,
            reading=reading,
            reduction=1.0 - ratio(reading.final_extent_cells, baseline.final_extent_cells),
            state_sampling=state_sampling,
            model_error=model_error,
            epochs=record.header.epochs_done,
            pruning_rollouts=0 if pruned is None else pruned.rollouts,
            seconds=record.header.seconds,
        )

    def _pass_on(self, event: RunEvent) -> None:
        if isinstance(event, PASSED_ON):
            self._emit(event)

    # -- the end -----------------------------------------------------------------------------------------------------
    def _conclude(self, table: SensitivityTable[Row], reason: FinishReason, scored: Metrics | None) -> RunFinished:
        message = table_message(table, reason)
        self._keep(table)
        if reason is FinishReason.COMPLETED:  # a stop does not wait for matplotlib
            self._engine.draw_sensitivity(table, self._spec.out)
        return self._finish(reason, message, scored)

    def _keep(self, table: SensitivityTable[Row]) -> None:
        write_table(self._spec.out, table)
        self._emit(SensitivityReady(table))

    # -- small things ------------------------------------------------------------------------------------------------
    def _scored(self, model: Model, schedule: Schedule) -> Metrics:
        return self._engine.simulate(model, schedule, check=self._control.check).metrics


class MonteCarloColumns:
    """Monte Carlo samples of a sweep's plans, with the same random numbers and one error model."""

    def __init__(
        self, project: Project, settings: SensitivitySettings, engine: Engine, model: Model, check: Check
    ) -> None:
        self._project, self._engine, self._model, self._check = project, engine, model, check
        self._settings = settings
        self._error: ErrorModel | None = None
        self._reason = ""

    def of(self, schedule: Schedule) -> tuple[MonteCarlo, MonteCarlo]:
        """Return the columns of ``schedule``: daily states drawn, and model error."""
        if self._settings.members == 0:
            return MonteCarlo(None, reason=NO_MEMBERS_REASON), MonteCarlo(None, reason=NO_MEMBERS_REASON)
        drawn = self._sampled(schedule, UncertaintyKind.ALEATORIC, None)
        error = self._error_model()
        if error is None:
            return drawn, MonteCarlo(None, reason=self._reason)
        return drawn, self._sampled(schedule, UncertaintyKind.EPISTEMIC, error)

    def _sampled(self, schedule: Schedule, kind: UncertaintyKind, error: ErrorModel | None) -> MonteCarlo:
        ensemble = self._engine.ensemble(
            self._project, self._model, schedule, self._ensemble(kind), error=error, state=None,
            progress=lambda done: None, keep=lambda state: None, check=self._check,
        )  # fmt: skip
        return MonteCarlo.of(ensemble.final(WITH_PLAN).tolist(), ensemble.final(BASELINE).tolist())

    def _error_model(self) -> ErrorModel | None:
        """Return the error model of every plan; ``None`` where the project has nothing to fit one to."""
        if self._error is not None or self._reason:
            return self._error
        if self._settings.error is ErrorSource.PAPER:
            self._error = PAPER_BEAR
            return self._error
        settings = self._ensemble(UncertaintyKind.EPISTEMIC)
        try:
            event, first = self._project.scenario, self._project.plan.start_day
            self._error = self._engine.fit_error(self._model, event, first, settings, check=self._check).error
        except InputError as error:
            self._reason = "; ".join(problem.head for problem in error.problems)
        return self._error

    def _ensemble(self, kind: UncertaintyKind) -> UncertaintySettings:
        settings = self._settings
        return UncertaintySettings(kind, members=settings.members, seed=settings.seed, error=settings.error)


def schedule_text(file: Path | None, reading: RolloutSummary | None) -> str:
    """Return the file of a table's schedule and its number of executed drops; empty for none."""
    if reading is None:
        return ""
    drops = counted(reading.drops, "drop")
    return drops if file is None else f"{real_path(file).parent.name}/{file.name}, {drops}"


def table_message(table: SensitivityTable[Row], reason: FinishReason) -> str:
    """Summarize the table in one sentence; say of a stopped one how far it came."""
    wanted = len(table.settings.designs)
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {len(table.rows)} of {counted(wanted, 'plan')}; resume to go on"
    text = _worst(table.rows)
    return text if table.scored is None else f"objective {table.scored.fire_objective:.4g} as planned for; {text}"


def _worst(rows: Sequence[Row]) -> str:
    by_mean = max((row for row in rows if isinstance(row, PoseRow)), key=lambda row: row.mean, default=None)
    if by_mean is not None:
        spread = f"{by_mean.lowest:.4g} to {by_mean.highest:.4g}"
        return f"at most {by_mean.mean:.4g} on average ({spread}), at a displacement of {by_mean.text}"
    plans = [row for row in rows if isinstance(row, DesignRow)]
    if plans:
        best = min(plans, key=lambda row: row.reading.fire_objective)
        drops = counted(best.reading.drops, "drop")
        text = f"lowest objective {best.reading.fire_objective:.4g}, planned at {pair_text(best.design)} with {drops}"
        return f"{counted(len(plans), 'plan')}; {text}"
    scored = [row for row in rows if isinstance(row, (EffectivenessRow, SideRow))]
    worst = max(scored, key=lambda row: row.reading.fire_objective)
    if isinstance(worst, SideRow):
        return f"at most {worst.reading.fire_objective:.4g}, with retardant acting on: {worst.side.value}"
    return f"at most {worst.reading.fire_objective:.4g}, at effectiveness {pair_text(worst.effectiveness)}"
