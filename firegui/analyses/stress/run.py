"""A stress test as a run: one schedule in every draw of every scenario, saved draw by draw.

A run keeps the stress table of its plan; later stress tests of that plan add to it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firegui.analyses.stress.results import (
    DRAWS,
    STORE,
    StressHeader,
    StressTally,
    read_draws,
    read_table,
    resume_problems,
    write_draws,
    write_results,
)
from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.stress import NOMINAL, StressDraw, StressScenario, StressTable
from firegui.domain.units import Units, percent_text
from firegui.errors import CancelledError, InputError, Problem
from firegui.runs.base_run import SavedRun
from firegui.runs.events import Message, RunFinished, StressReady
from firegui.runs.header import common_fields, event_hash, path_text, schedule_fields, schedule_hash
from firegui.runs.leaks import LeakCounts, LeakMaps, read_leaks, with_mean, write_leaks
from firegui.runs.lock import FolderLock
from firegui.runs.messages import counted
from firegui.runs.run_folder import LEAK, RUN, RunFolder, kept_plan, kept_schedule, read_run
from firegui.runs.snapshot import ProjectSnapshot
from firegui.runs.spec import StressSpec
from firegui.runs.stages import FinishReason, RunState

if TYPE_CHECKING:
    from firegui.planning.repair import PlanRepair
    from firegui.planning.stress import StressWorld
    from firegui.rollout.model import Model


REPAIR_WORK = 30.0
"""Work of an observation with repair, in fire simulations: measured on the demo fire, between 3 and 200."""


def complete_plan_table(spec: StressSpec, table: StressTable, maps: LeakMaps) -> bool:
    """Add the scenarios that a run left out to its stress table; return whether the table changed.

    ``table`` is that of a complete test of ``spec``, and ``maps`` are where fire gets through in it. Only scenarios of
    the run count, with its plan on its project. A run without a table, such as one that was stopped, gets that of a
    test in all its scenarios. Raises :class:`~firegui.errors.InputError` where the run cannot be read or is being
    written.
    """
    file, project = spec.schedule_file, spec.project
    if file is None or not (file.parent / RUN).is_file() or kept_plan(file.parent) != file:
        return False
    lock = FolderLock(file.parent)
    try:
        record = read_run(file.parent)
        run, before = record.header, record.scores.stress
        # The scores of a replanned run are of the rest of a plan, on the fire that was observed.
        if run.state is not RunState.FINISHED or run.replan is not None or run.event_hash != event_hash(project):
            return False
        is_same = run.project == ProjectSnapshot.of(project) and run.project.stress.seed == spec.settings.stress.seed
        if not is_same or schedule_hash(kept_schedule(file.parent, project)) != schedule_hash(spec.schedule):
            return False
        names = {one.name for one in spec.settings.scenarios if one in run.project.stress.scenarios}
        results = tuple(one for one in table.results if one.scenario.name in names)
        left_out = tuple((name, why) for name, why in table.left_out if name in names)
        found = replace(table, results=results, left_out=left_out)
        if before is None and names != {one.name for one in run.project.stress.scenarios}:
            return False
        completed = found if before is None else before.completed_by(found)
        if completed == before:
            return False
        _complete_maps(file.parent, before, completed, maps, project)
        RunFolder(file.parent).add_scores(record, replace(record.scores, stress=completed))
        return True
    finally:
        lock.release()


def _complete_maps(
    folder: Path, before: StressTable | None, completed: StressTable, maps: LeakMaps, project: Project
) -> None:
    """Write the maps of all scenarios of the ``completed`` table; none where one of them has no map."""
    kept: LeakMaps = {}
    with suppress(InputError):
        kept = {} if before is None else read_leaks(folder, before)
    names = [one.scenario.name for one in completed.results]
    if any(name not in kept and name not in maps for name in names):
        (folder / LEAK).unlink(missing_ok=True)
        return
    write_leaks(folder, with_mean({name: kept[name] if name in kept else maps[name] for name in names}), project)


def stress_problems(spec: StressSpec) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    project = spec.project
    found = project.problems()
    found += [item for item in spec.settings.problems(project.scenario.steps_per_day) if item not in found]
    return found + spec.schedule.size_problems(project.calendar.n_steps, project.fleet.n_aircraft)


class StressRun(SavedRun[StressSpec, StressHeader]):
    """Run of a :class:`~firegui.runs.spec.StressSpec`."""

    store, unfinished = STORE, "the draws"
    _tally: StressTally | None = None
    _plan_metrics: Metrics | None = None
    _repair: PlanRepair | None = None
    _saved_at = 0.0
    _in_draw = 0.0
    """Share of the current draw that is done."""

    def run(self) -> RunFinished:
        """Fly every draw, then save. Writes nothing before the input is known to be good."""
        spec, check, engine = self._spec, self._control.check, self._engine
        then = self._folder.checked(
            stress_problems(spec), lambda then: resume_problems(then, spec, schedule_hash(spec.schedule))
        )
        if then is not None and then.reason is FinishReason.COMPLETED:
            return self._nothing_left(then, StressReady(read_table(spec.out)))
        model = self._nominal_model()
        self._machine.move(RunState.RUNNING)
        nominal = engine.stress_world(spec.project, model, NOMINAL, check=check)
        self.baseline_metrics = nominal.no_drops
        begun = self._nominal(model, nominal)
        header = self._new_header(model, then)
        self._folder.claim(then, header)
        if then is not None and (spec.out / DRAWS).is_file():
            begun = read_draws(spec.out / DRAWS, model.shape)
        self._tally = begun
        self._update(state=RunState.RUNNING)
        self._saved_at = time.monotonic()
        try:
            for number, scenario in enumerate(spec.settings.scenarios):
                self._scenario(model, nominal, scenario, number)
        except CancelledError:
            self._machine.move(RunState.STOPPING)
            return self._conclude(FinishReason.STOPPED)
        return self._conclude(FinishReason.COMPLETED)

    # -- the draws ---------------------------------------------------------------------------------------------------
    def _nominal(self, model: Model, world: StressWorld) -> StressTally:
        """Return the tally with the plan in the model's own world, and no scenario yet."""
        flown = self._engine.flown_in(world, model, self._spec.schedule, 0, 0)
        metrics, burns = self._engine.stress_draw(world, flown, check=self._control.check)
        self._plan_metrics = metrics
        table = StressTable(metrics.drops_executed, world.result([metrics]), ())
        return StressTally(table, LeakCounts(burns))

    def _scenario(self, model: Model, nominal: StressWorld, scenario: StressScenario, number: int) -> None:
        """Fly the draws of a scenario that are not done yet; leave out one that cannot be computed."""
        spec, check = self._spec, self._control.check
        assert self._tally is not None
        first = self._tally.done(scenario.name)
        if first >= scenario.n_draws:
            return
        self._say_scenario(number, f"{scenario.name}: the fire without drops")
        try:
            others = (nominal,) if self._repair is None else self._repair.worlds
            world = self._engine.stress_world(spec.project, model, scenario, others, check=check)
        except InputError as error:
            return self._leave_out(scenario, "; ".join(problem.what for problem in error.problems))
        for draw in range(first, scenario.n_draws):
            self._say_scenario(number, f"{scenario.name}: draw {draw + 1} of {scenario.n_draws}")
            if scenario.repair_hours:
                drawn, burns = self._exercise(model, world, draw, number)
            else:
                flown = self._engine.flown_in(world, model, spec.schedule, draw, spec.settings.stress.seed)
                metrics, burns = self._engine.stress_draw(world, flown, check=check)
                drawn = world.result([metrics]).draws[0]
            self._in_draw = 0.0
            self._tally = self._tally.with_draw(world.result([]), drawn, burns)
            if time.monotonic() - self._saved_at >= spec.checkpoint_seconds:
                self._save_or_warn()
        self._emit(StressReady(self._tally.table, self._tally.maps))
        return None

    def _exercise(
        self, model: Model, world: StressWorld, draw: int, number: int
    ) -> tuple[StressDraw, NDArray[np.bool_]]:
        """Fly a draw with repair. A draw that is broken off begins anew."""
        spec, check, scenario = self._spec, self._control.check, world.scenario
        if self._repair is None:
            self._say_scenario(number, f"{scenario.name}: the scenarios that the plan is repaired for")
            self._repair = self._engine.plan_repair(spec.project, model, check=check)
        days = max(model.maps.days, 1)
        exercise = self._engine.exercise(world, model, self._repair, draw, spec.settings.stress.seed)
        state, per_day = exercise.begin(spec.schedule), model.maps.steps_per_day
        while not exercise.finished(state):
            self._in_draw = state.step / per_day / days
            day = f"day {state.step / per_day:g}"
            self._say_scenario(number, f"{scenario.name}: draw {draw + 1} of {scenario.n_draws}, {day}")
            state = exercise.advance(state, check)
        return exercise.result(state, exercise.fixed_fire(spec.schedule, check)), state.fire.fire

    def _leave_out(self, scenario: StressScenario, reason: str) -> None:
        assert self._tally is not None
        if scenario.name not in dict(self._tally.table.left_out):
            self._tally = self._tally.without(scenario.name, reason)
        self._emit(Message(f"{scenario.name} is left out: {reason}", "warning"))

    # -- the end -----------------------------------------------------------------------------------------------------
    def _conclude(self, reason: FinishReason) -> RunFinished:
        assert self._tally is not None
        table, out = self._tally.table, self._spec.out
        cell_ha = self._spec.project.scenario.grid.cell_area_ha
        message = table_message(table, len(self._spec.settings.scenarios), reason, cell_ha)
        write_results(out, self._tally, self._spec.project)
        if reason is FinishReason.STOPPED:
            self._save()
        self._emit(StressReady(table, self._tally.maps))
        finished = self._finish(reason, message, self._plan_metrics)
        if reason is FinishReason.COMPLETED:
            self._folder.remove(DRAWS)
            self._complete_plan_table(self._tally)
        return finished

    def _complete_plan_table(self, tally: StressTally) -> None:
        try:
            complete_plan_table(self._spec, tally.table, tally.maps)
        except InputError as error:
            self._emit(Message(f"The run of the plan does not count this test: {error}", "warning"))

    def _new_header(self, model: Model, then: StressHeader | None) -> StressHeader:
        spec = self._spec
        return StressHeader(
            **common_fields(spec, then, model.backend),
            settings=spec.settings,
            seed=spec.settings.stress.seed,
            device=model.device,
            **schedule_fields(spec.schedule, spec.schedule_file),
            scenarios_file=path_text(spec.scenarios_file),
        )

    # -- small things ------------------------------------------------------------------------------------------------
    def _save(self) -> None:
        self._saved_at = time.monotonic()
        if self._tally is not None:
            write_draws(self._spec.out / DRAWS, self._tally)

    def _say_scenario(self, number: int, text: str) -> None:
        self._control.check()
        if self._control.pause_requested:
            self._hold()
        scenarios = self._spec.settings.scenarios
        self._say(number, len(scenarios), text, self._share(scenarios, number))

    def _share(self, scenarios: Sequence[StressScenario], number: int) -> float:
        """Return the share of the work that is done while scenario ``number`` is tested."""
        assert self._tally is not None
        days = self._spec.project.plan.days
        work = [draw_work(one, days) for one in scenarios]
        # A scenario that was left out counts as done.
        draws = [float(one.n_draws) if k < number else self._tally.done(one.name) for k, one in enumerate(scenarios)]
        draws[number] += self._in_draw if draws[number] < scenarios[number].n_draws else 0.0
        total = sum(one * scenario.n_draws for one, scenario in zip(work, scenarios, strict=True))
        return sum(one * done for one, done in zip(work, draws, strict=True)) / total


def draw_work(scenario: StressScenario, days: int) -> float:
    """Return the work of a draw of a scenario, in fire simulations.

    A repaired draw plans anew at every observation.
    """
    if not scenario.repair_hours:
        return 1.0
    return REPAIR_WORK * math.ceil(24.0 * days / scenario.repair_hours)


def table_message(table: StressTable, wanted: int, reason: FinishReason, cell_ha: float) -> str:
    """Summarize a stress table in one sentence; say of a stopped one how far it came.

    ``cell_ha`` is the area of a cell in hectares.
    """
    worst, area = table.worst, Units.METRIC.area
    where = f"worst in {worst.scenario.name}" if table.results else "no scenario was tested; in the model's own world"
    text = (
        f"{where}: {percent_text(worst.share_worst)} of the growth is left "
        f"({area(worst.cells_worst * cell_ha)} of {area(worst.cells_no_drops * cell_ha)} without drops)"
    )
    if reason is FinishReason.STOPPED:
        done = sum(len(one.draws) >= one.scenario.n_draws for one in table.results) + len(table.left_out)
        when = f"after {done} of {counted(wanted, 'scenario')}" if done < wanted else "before the last draws were done"
        return f"stopped on request {when}; {text}; resume to go on"
    return text
