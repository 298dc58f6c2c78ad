from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from firegui.domain.weights import Correction, TrainedEvent
from firegui.fire.training_coverage import training_coverage
from tests.unit.domain.samples import training, weights


def correction(trend: float) -> Correction:
    return Correction("Bear", (20, 30), None, np.zeros((4, 6), np.float32), trend, date(2020, 8, 19), 10)


def test_a_training_without_wind_or_slope_falls_back_on_published_values() -> None:
    assert training_coverage(weights()) == (
        "Learned: rate of spread, ignition, fuel factor.",
        "From published values (Alexandridis et al. 2008): effect of wind strength, wind direction, slope.",
        "Never seen: elevation, slope, aspect, fuel model, canopy height; winds above 1.3 m/s.",
    )


def test_what_was_taught_is_said_and_how_steep_it_was() -> None:
    steep = TrainedEvent("Hill", date(2020, 8, 19), 5, ("slope", "aspect"), 9.0, 31.4)
    bear = training().events[0]
    known = weights(training=training(events=(bear, steep), learned=("wind_gain", "wind_alignment", "slope_gain")))

    assert training_coverage(known) == (
        "Learned: rate of spread, ignition, fuel factor, effect of wind strength, wind direction, slope.",
        "Never seen: elevation, fuel model, canopy height; winds above 9.0 m/s; slopes above 31°.",
    )


@pytest.mark.parametrize(
    ("trend", "end"),
    [(-0.1, "nodes and falls by 10 % a day."), (0.1, "nodes and rises by 11 % a day."), (1e-4, "6 nodes.")],
)
def test_the_correction_says_where_it_holds_and_how_it_changes(trend: float, end: str) -> None:
    (*_others, last) = training_coverage(replace(weights(), corrections=(correction(trend),)))

    assert last.startswith("On the raster of Bear the base rate is corrected by a field of 4 × 6 nodes")
    assert last.endswith(end)
