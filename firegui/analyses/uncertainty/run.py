"""Run of an ensemble (paper, section ``uq``): fires with and without the plan, then its tables."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from firegui.analyses.execution.executor import ExecutorHooks, cluster_problems
from firegui.analyses.uncertainty.ensemble_file import read_members, write_members
from firegui.analyses.uncertainty.report import error_text, notes, replan_note, summary_message
from firegui.analyses.uncertainty.results import (
    STATE,
    STORE,
    TITLE,
    Deterministic,
    EnsembleHeader,
    resume_problems,
    write_fit,
    write_maps,
    write_tables,
)
from firegui.analyses.uncertainty.summary import summarised
from firegui.analyses.uncertainty.worker import computed_elsewhere
from firegui.domain.ensemble import BASELINE, PLAN, Ensemble, EnsembleProgress, EnsembleState, probability_worse
from firegui.domain.grid import HECTARE_M2
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import (
    PAPER_BEAR,
    ErrorFit,
    ErrorModel,
    ErrorSource,
    UncertaintyKind,
    UncertaintySettings,
    WeatherDraw,
)
from firegui.errors import CancelledError, InputError, Problem, Problems
from firegui.runs.base_run import BaseRun, SavedRun
from firegui.runs.control import RunControl
from firegui.runs.events import Emit, EnsembleReady, ErrorFitted, FieldDrawn, MembersDone, Message, RunFinished
from firegui.runs.header import common_fields, schedule_fields, schedule_hash
from firegui.runs.spec import ErrorFieldSpec, UncertaintySpec
from firegui.runs.stages import FinishReason, RunState

if TYPE_CHECKING:
    from firegui.ensembles.ensemble import Portions
    from firegui.rollout.model import Model


def uq_problems(spec: UncertaintySpec) -> list[Problem]:
    """Return everything that keeps ``spec`` from being carried out, but for its folder and its fit."""
    project = spec.project
    found = project.problems() + spec.settings.problems()
    if spec.schedule is not None:
        found += spec.schedule.size_problems(project.calendar.n_steps, project.fleet.n_aircraft)
    found += spec.workers.problems() + cluster_problems(spec.workers.scheduler)
    return found + _source_problems(project, spec.settings)


def _source_problems(project: Project, settings: UncertaintySettings) -> list[Problem]:
    """Return what the project lacks for this kind. Only a fit can tell what its perimeters are good for."""
    fitted = settings.kind is UncertaintyKind.EPISTEMIC and settings.error is ErrorSource.FITTED
    if fitted and project.scenario.observed is None:
        remedy = "import perimeters, or choose the paper's error model of Bear, which is approximate"
        return [Problem("model error", "the project has no perimeters to fit it to", remedy)]
    if settings.kind is UncertaintyKind.WEATHER and project.fire_model.kind == "maps":
        remedy = "choose the network or the constant parameters as the fire model, or another kind"
        return [Problem("wind", "imported maps hold only for the wind they were made with", remedy)]
    return []


class EnsembleRun(SavedRun[UncertaintySpec, EnsembleHeader]):
    """Run of an :class:`~firegui.runs.spec.UncertaintySpec`."""

    store, unfinished = STORE, "the fires"
    _members: EnsembleMembers | None = None
    _fit: ErrorFit | None = None

    def run(self) -> RunFinished:
        """Draw the members, then save. Writes nothing before the input is known to be good."""
        spec, check = self._spec, self._control.check
        then = self._checked()
        model = self._nominal_model()
        self._machine.move(RunState.RUNNING)
        error = self._error_model(model, then)
        still = self._deterministic(model)
        header = self._new_header(model, then, error)
        for note in header.notes:
            self._emit(Message(note, "warning"))
        self._folder.claim(then, header)
        begun = self._begun(then)
        self._update(state=RunState.RUNNING)
        if self._fit is not None:
            write_fit(spec.out, self._fit, spec.project)
        winds = self._engine.member_winds(spec.settings)
        before = self._folder.header.seconds
        members = self._members = EnsembleMembers(
            spec, self._emit, self._control, self._hold, self._save_or_warn, begun, winds, before
        )
        try:
            portions = None if spec.workers.in_process else self._portions(model, error)
            ensemble = self._engine.ensemble(
                spec.project, model, spec.schedule, spec.settings, error=error, state=begun,
                progress=members.hear, keep=members.keep, check=check, portions=portions,
            )  # fmt: skip
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            if members.latest is None or not members.done:
                return self._nothing(still)
            return self._conclude(members.ensemble(members.latest), FinishReason.STOPPED, still)
        return self._conclude(ensemble, FinishReason.COMPLETED, still)

    # -- before the first member -------------------------------------------------------------------------------------
    def _checked(self) -> EnsembleHeader | None:
        spec = self._spec
        return self._folder.checked(
            uq_problems(spec), lambda then: resume_problems(then, spec, schedule_hash(spec.schedule))
        )

    def _error_model(self, model: Model, then: EnsembleHeader | None) -> ErrorModel | None:
        """Return the error model of the members: as it was ``then``, the paper's, or fitted now."""
        spec, settings = self._spec, self._spec.settings
        if settings.kind is not UncertaintyKind.EPISTEMIC:
            return None
        if then is not None and then.error is not None:
            return then.error
        if settings.error is ErrorSource.PAPER:
            error = replace(PAPER_BEAR, mode=settings.mode, threshold=settings.threshold)
        else:
            self._say(0, 1, "Fitting the model error to the project's perimeters")
            event, first = spec.project.scenario, spec.project.plan.start_day
            fit = self._engine.fit_error(model, event, first, settings, check=self._control.check)
            self._emit(ErrorFitted(fit))
            self._fit, error = fit, fit.error
        self._emit(Message(f"Model error: {error_text(error)}"))
        return error

    def _deterministic(self, model: Model) -> Deterministic:
        self._say(0, 1, "Rolling out the fires without chance")
        check, schedule = self._control.check, self._spec.schedule
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        self.baseline_metrics = self._engine.simulate(model, nothing, check=check).metrics
        plan = None if schedule is None else self._engine.simulate(model, schedule, check=check).metrics
        return Deterministic(self.baseline_metrics, plan)

    def _new_header(self, model: Model, then: EnsembleHeader | None, error: ErrorModel | None) -> EnsembleHeader:
        spec = self._spec
        return EnsembleHeader(
            **common_fields(spec, then, model.backend),
            settings=spec.settings,
            error=error,
            notes=(*notes(spec.project, spec.settings), *replan_note(spec.schedule_file, spec.project)),
            members_done=then.members_done if then else 0,
            seed=spec.settings.seed,
            device=model.device,
            **schedule_fields(spec.schedule, spec.schedule_file),
        )

    def _begun(self, then: EnsembleHeader | None) -> EnsembleState | None:
        """Read the saved members. After a kill there may be more of them than the header knows of."""
        path = self._spec.out / STATE
        if then is None or not path.is_file():
            return None
        (begun, _), asked = read_members(path), self._spec.settings.members
        if begun.members > asked:
            done = f"has {begun.members:,} fires, more than the {asked:,} asked for"
            raise InputError([Problem(str(self._spec.out), done, "fires can only be added")], TITLE)
        return begun

    def _portions(self, model: Model, error: ErrorModel | None) -> Portions:
        hooks = ExecutorHooks(self._control, lambda text: self._emit(Message(text, "warning")))
        digest = self._folder.header.project_hash
        return partial(computed_elsewhere, self._spec, model.backend, digest, error, hooks)

    # -- the end -----------------------------------------------------------------------------------------------------
    def _conclude(self, ensemble: Ensemble, reason: FinishReason, still: Deterministic) -> RunFinished:
        out, project = self._spec.out, self._spec.project
        summary = summarised(ensemble, regions=bool(project.regions))
        message = summary_message(summary, reason, project.scenario.grid.cell_area_ha)
        self._save()
        write_tables(out, self._folder.header, ensemble, summary, still)
        self._emit(EnsembleReady(ensemble))
        if reason is FinishReason.COMPLETED:  # a stop does not wait for maps and matplotlib
            write_maps(out, ensemble, project)
            self._engine.draw_ensemble(ensemble, project, out)
        return self._finish(reason, message, still.plan)

    def _nothing(self, still: Deterministic) -> RunFinished:
        message = "stopped on request before the first fire was done; resume to go on"
        return self._finish(FinishReason.STOPPED, message, still.plan)

    def _save(self) -> None:
        if self._members is not None:
            self._members.save()

    def _header_fields(self) -> dict[str, Any]:
        done = self._folder.header.members_done if self._members is None else self._members.done
        return {"members_done": done}


_TOLD_SECONDS = 0.25
"""Members may take milliseconds; more lines than this cannot be read."""


class EnsembleMembers:
    """Members of one session; ``begun`` are those of earlier sessions, which took ``before`` seconds.

    ``hold`` and ``save_or_warn`` are those of the run. ``weather`` is the wind of every member, where it is drawn.
    """

    def __init__(
        self, spec: UncertaintySpec, emit: Emit, control: RunControl, hold: Callable[[], float],
        save_or_warn: Callable[[], None], begun: EnsembleState | None, weather: tuple[WeatherDraw, ...], before: float,
    ) -> None:  # fmt: skip
        self._spec, self._emit, self._control = spec, emit, control
        self._hold, self._save_or_warn = hold, save_or_warn
        self.latest, self._weather = begun, weather
        self._begun_with = self._saved = 0 if begun is None else begun.members
        self._before, self._began = before, time.monotonic()
        self._told_at, self._shown_at, self._saved_at = -math.inf, self._began, self._began

    @property
    def done(self) -> int:
        """Members that are kept, over all sessions."""
        return 0 if self.latest is None else self.latest.members

    def hear(self, progress: EnsembleProgress) -> None:
        """Emit that a member more is done, and hold here while paused."""
        moment, last = time.monotonic(), progress.done >= progress.asked
        if last or moment - self._told_at >= _TOLD_SECONDS:
            self._told_at = moment
            self._emit(self._told(progress, moment))
        if self._control.pause_requested and not last:
            self._saved_at = time.monotonic()
            self._began += self._hold()

    def keep(self, state: EnsembleState) -> None:
        """Take the state after some more members; show and save it as often as that is due."""
        self.latest = state
        last = state.members >= self._spec.settings.members
        if not last and not self._control.stop_requested:
            if time.monotonic() - self._shown_at >= self._spec.snapshot_seconds:
                self._emit(EnsembleReady(self.ensemble(state)))
                self._shown_at = time.monotonic()
            if time.monotonic() - self._saved_at >= self._spec.checkpoint_seconds:
                self._saved_at = time.monotonic()
                self._save_or_warn()

    def ensemble(self, state: EnsembleState) -> Ensemble:
        """Return the ensemble of the members of ``state``."""
        grid, settings = self._spec.project.scenario.grid, self._spec.settings
        area = grid.cell_size_m**2 / HECTARE_M2
        return state.ensemble(settings.kind, grid.shape, area, settings.members, self._weather)

    def save(self) -> None:
        """Save the members, unless they are saved."""
        if self.latest is not None and self.done != self._saved:
            write_members(self._spec.out / STATE, self.latest, self._weather)
            self._saved = self.done

    def _told(self, progress: EnsembleProgress, moment: float) -> MembersDone:
        spent, new = moment - self._began, progress.done - self._begun_with
        final = progress.extent[:, :, -1]
        return MembersDone(
            done=progress.done,
            members=progress.asked,
            baseline=float(final[BASELINE].mean()),
            plan=float(final[PLAN].mean()) if len(final) > 1 else None,
            worse=probability_worse(final[BASELINE] - final[PLAN])[0] if len(final) > 1 else None,
            seconds=self._before + spent,
            left=spent / new * (progress.asked - progress.done) if new else math.nan,
        )


class FieldDraw(BaseRun[ErrorFieldSpec]):
    """Run of an :class:`~firegui.runs.spec.ErrorFieldSpec`; writes nothing."""

    def run(self) -> RunFinished:
        """Draw the field."""
        spec, problems = self._spec, Problems()
        for name in ("seed", "member", "day"):
            if getattr(spec, name) < 0:
                problems.add(name, f"is {getattr(spec, name)}", "count from 0")
        if min(spec.shape) < 1:
            problems.add("raster", f"has {spec.shape[0]} × {spec.shape[1]} cells", "give at least one")
        problems.raise_if_any("The field cannot be drawn")
        self._machine.move(RunState.RUNNING)
        field = self._engine.error_field(spec.error, spec.shape, spec.seed, spec.member, spec.day)
        self._control.check()
        self._emit(FieldDrawn(spec, field))
        return RunFinished(FinishReason.COMPLETED, "the field is drawn", None, None, None)
