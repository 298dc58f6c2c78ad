"""The badge of a fire outside the training of its model."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from firegui.domain.model_range import outside_text, outside_training
from firegui.domain.plan_summary import plan_summary
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS
from firegui.domain.units import Units
from firegui.domain.weights import GAINS, TrainedEvent
from firegui.fire.first_project import first_project
from firegui.fire.model_caveats import model_caveats
from firegui.fire.project_notes import start_notes
from tests.unit.domain.samples import training, weights
from tests.unit.fire.events import event, layer

SHAPE = (9, 11)
FULL = {key: layer(SHAPE, 20.0) for key in LAYERS}


def project(speed: float, **without: object) -> Project:
    seen = TrainedEvent("Bear", date(2020, 8, 19), 10, tuple(LAYERS), 8.0, 30.0)
    knowing = replace(weights(), training=training(events=(seen,), learned=GAINS))
    layers = {key: values for key, values in FULL.items() if key not in without}
    return first_project(event(SHAPE, speed=speed, layers=layers)).with_network(knowing)


def test_a_fire_within_the_training_has_no_badge() -> None:
    assert outside_training(project(8.0)) is None and outside_text(project(8.0)) == ""


@pytest.mark.parametrize(
    ("made", "word"),
    [(project(12.0), "wind"), (project(8.0, canopy_cover=None), "layers")],
)
def test_one_badge_goes_to_caveats_the_list_before_the_start_and_the_result(made: Project, word: str) -> None:
    outside = outside_training(made)
    assert outside is not None and outside.what == (word,)
    assert set(outside.reasons) <= set(model_caveats(made))
    assert set(outside.reasons) <= {note.text for note in start_notes(made)}
    summary = plan_summary(made, [], None, {}, {})
    assert any(outside.badge in text for _title, text in summary.headline())


def test_a_wind_beyond_the_training_is_told_in_the_units_of_the_reader() -> None:
    metric, us = (outside_training(project(12.0), units) for units in Units)
    assert metric is not None and us is not None
    assert "reach 12.0 m/s" in metric.reasons[0] and "at most 8.0 m/s" in metric.reasons[0]
    assert "reach 27 mph" in us.reasons[0] and "at most 18 mph" in us.reasons[0]


def test_only_the_wind_of_the_planned_days_counts() -> None:
    made = project(8.0)
    speed = np.array(made.scenario.wind_speed)
    speed[-1] = 30.0
    stormy = replace(made, scenario=replace(made.scenario, wind_speed=speed))
    assert outside_text(stormy)
    if made.scenario.days > 1:
        early = replace(stormy, plan=replace(stormy.plan, days=made.scenario.days - 1))
        assert not outside_text(early)


def test_an_event_that_was_asked_for_does_not_stay_in_memory() -> None:
    made = project(12.0)
    assert outside_text(made)
    event_of = weakref.ref(made.scenario)
    del made
    gc.collect()
    assert event_of() is None
