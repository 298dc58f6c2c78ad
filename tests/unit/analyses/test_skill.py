from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from firegui.analyses.skill.run import available_days, fitted_days
from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.domain.weights import Correction, NetworkWeights, TrainedEvent, Training
from firegui.fire.card import scalar_card
from firegui.rollout.engine_message import EngineMessage
from firegui.runs.control import RunControl
from firegui.runs.events import Message, Progress, RunEvent, SkillReady
from firegui.runs.runner import execute
from firegui.runs.spec import SkillSpec
from firegui.runs.stages import FinishReason
from tests.support import watched_project
from tests.unit.runs.fakes import FakeEngine, carried_out, end


def trained(grid: Grid, *, corrected: bool, name: str = "Tiny", fit_days: int = 3) -> NetworkWeights:
    """Weights without tensors, which nothing here computes with."""
    seen = TrainedEvent(name, date(2020, 8, 19), fit_days, (), 1.0, 0.0)
    training = Training("test network", (seen,), 1, 0, (), (), "0")
    field = Correction(name, grid.shape, grid.transform, np.zeros((2, 2), np.float32))
    return NetworkWeights({}, training, (field,) if corrected else ())


def network(project: Project, *, corrected: bool) -> Project:
    return project.with_network(trained(project.scenario.grid, corrected=corrected))


def scored(project: Project, engine: FakeEngine | None = None, *, days: int = 4, fit_days: int = 2) -> SkillReady:
    events = carried_out(SkillSpec(project, days, fit_days), engine)
    (ready,) = (event for event in events if isinstance(event, SkillReady))
    return ready


def test_the_models_forecast_comes_with_its_states_and_its_references() -> None:
    ready = scored(watched_project())

    assert ready.states.shape[0] == 5
    assert list(ready.report.model.days) == [1, 2, 3, 4]
    assert [item.key for item in ready.report.references] == ["scalar", "held"]
    assert ready.report.model.label == "random test maps"


def test_the_constant_parameter_model_is_no_reference_to_itself() -> None:
    project = watched_project()
    card = scalar_card()
    same = replace(project.fire_model, kind="scalar", label="shipped", parameters=card.parameters.as_mapping())
    other = replace(same, parameters={**same.parameters, "p": 0.5})

    assert [item.key for item in scored(replace(project, fire_model=same)).report.references] == ["held"]
    assert [item.key for item in scored(replace(project, fire_model=other)).report.references] == ["scalar", "held"]


def test_a_correction_field_for_this_raster_is_also_left_out_for_comparison() -> None:
    engine = FakeEngine()
    with_field = scored(network(watched_project(), corrected=True), engine).report
    without = scored(network(watched_project(), corrected=False)).report

    assert [item.key for item in with_field.references] == ["uncorrected", "scalar", "held"]
    assert [item.key for item in without.references] == ["scalar", "held"]
    used = [project.weights for project in engine.forecast_of if project.fire_model.kind == "network"]
    assert [len(weights.corrections) for weights in used if weights is not None] == [1, 0]


def test_days_filled_forward_are_left_out_and_that_is_said() -> None:
    report = scored(watched_project(skipped=(2, 4))).report

    assert list(report.model.days) == [1, 3]
    assert report.not_scored == (2, 4)
    assert any("Not scored: days 2, 4" in note for note in report.notes)


def test_a_score_without_a_later_day_is_said_to_be_no_forecast() -> None:
    report = scored(watched_project(), fit_days=4).report

    assert any("says nothing of a forecast" in note for note in report.notes)
    assert report.model.growth is None


def test_progress_counts_every_rollout_and_the_end_is_one_sentence() -> None:
    events = carried_out(SkillSpec(watched_project(), 4, 2))
    steps = [event for event in events if isinstance(event, Progress)]

    assert [(step.done, step.total) for step in steps] == [(0, 3), (1, 3), (2, 3)]
    assert end(events).reason is FinishReason.COMPLETED
    assert end(events).message.startswith("mean overlap (IoU) ")
    assert "on the days after day 2" in end(events).message


def test_everything_that_keeps_it_from_starting_is_listed() -> None:
    project = watched_project()
    blind = replace(project, scenario=replace(project.scenario, observed=None, observed_dates=()))
    finished = end(carried_out(SkillSpec(blind, 9, -1)))

    assert finished.reason is FinishReason.FAILED
    assert [problem.where for problem in finished.problems] == ["days", "fit days", "forecast"]


def test_a_fire_without_later_perimeters_cannot_be_scored() -> None:
    finished = end(carried_out(SkillSpec(watched_project(skipped=(1, 2, 3, 4)), 4, 2)))

    assert [problem.what for problem in finished.problems] == ["no perimeter on days 1 to 4"]


@pytest.mark.parametrize("at", [0, 1])
def test_a_stop_ends_it_before_or_between_the_rollouts(at: int) -> None:
    control, events = RunControl(), list[RunEvent]()
    engine = FakeEngine(during_rollout=lambda number: control.request_stop() if number == at else None)

    execute(SkillSpec(watched_project(), 4, 2), events.append, control, engine=engine)

    assert end(events).reason is FinishReason.STOPPED
    assert engine.rollouts == at + 1
    assert not any(isinstance(event, SkillReady) for event in events)


def test_what_the_engine_says_is_passed_on() -> None:
    class Talking(FakeEngine):
        def forecast(self, *given: Any, **named: Any) -> Any:
            named["tell"](EngineMessage("compiling", "info"))
            return super().forecast(*given, **named)

    events = carried_out(SkillSpec(watched_project(), 4, 2), Talking())

    assert "compiling" in [event.text for event in events if isinstance(event, Message)]


def test_the_fitted_days_are_those_that_the_weights_name_for_this_event() -> None:
    project = watched_project()
    grid = project.scenario.grid

    assert fitted_days(project) == 10
    assert fitted_days(project.with_network(trained(grid, corrected=False))) == 3
    assert fitted_days(project.with_network(trained(grid, corrected=False, name="Renamed"))) == 3
    later = replace(project.scenario, start=project.scenario.start + timedelta(days=30))
    assert fitted_days(replace(project, scenario=later).with_network(trained(grid, corrected=False))) == 0


def test_imported_maps_say_how_many_days_there_are() -> None:
    project = watched_project()
    longer = np.repeat(project.scenario.wind_speed, 2, axis=0)

    assert available_days(replace(project, scenario=replace(project.scenario, wind_speed=longer))) == 4
