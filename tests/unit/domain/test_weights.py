from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.domain.weights import (
    CHANNELS,
    TENSOR_SHAPES,
    Correction,
    NetworkWeights,
    TrainedEvent,
    days_from_middle,
)
from tests.unit.domain.samples import project, training, weights

PLACE = (30.0, 0.0, 1000.0, 0.0, -30.0, 2000.0)
GRID = Grid(20, 30, 30.0, PLACE, "EPSG:3310")


DAY_0 = datetime(2020, 8, 19, tzinfo=UTC)


def correction(grid: Grid = GRID, event: str = "Bear") -> Correction:
    return Correction(event, grid.shape, grid.transform, np.zeros((3, 4), np.float32))


def test_the_network_is_the_published_one_with_a_flag_for_each_layer() -> None:
    published = {name: shape for name, shape in TENSOR_SHAPES.items() if name != "fuel.weight"}
    flags = 7 * 32 * (9 + 25 + 49)

    assert CHANNELS == 13 + 7
    assert sum(math.prod(shape) for shape in published.values()) - flags == 36_018 - 203 * 4


def test_good_weights_have_no_problems() -> None:
    assert weights().problems() == []


def test_every_bad_tensor_is_named_with_what_is_wrong() -> None:
    tensors = dict(weights().tensors)
    del tensors["head.bias"]
    tensors["head.weight"] = np.zeros((6, 96), np.float32)
    tensors["fuel.weight"] = tensors["fuel.weight"].astype(np.float64)
    tensors["branches.0.bias"] = np.full(32, np.nan, np.float32)
    tensors["extra"] = np.zeros(1, np.float32)

    said = [str(problem) for problem in replace(weights(), tensors=tensors).problems()]

    assert len(said) == 5
    for name, what in (
        ("head.bias", "missing"),
        ("head.weight", "shape"),
        ("fuel.weight", "float64"),
        ("branches.0.bias", "not finite"),
        ("extra", "not a tensor"),
    ):
        assert any(line.startswith(name) and what in line for line in said), name


def test_a_training_that_contradicts_itself_is_refused() -> None:
    odd = TrainedEvent("Odd", date(2020, 1, 1), 3, ("snow",), math.nan, -1.0)

    said = [str(problem) for problem in training(events=(odd,), learned=("luck",)).problems()]

    assert len(said) == 4
    assert all(any(word in line for line in said) for word in ("snow", "strongest wind", "steepest slope", "luck"))


def test_a_training_has_the_layers_and_extremes_of_all_its_events() -> None:
    first = TrainedEvent("A", date(2020, 1, 1), 3, ("canopy_cover",), 1.0, 0.0)
    second = TrainedEvent("B", date(2020, 1, 1), 3, ("slope", "elevation"), 6.0, 35.0)

    both = training(events=(first, second))

    assert both.layers == ("elevation", "slope", "canopy_cover")
    assert (both.wind_max_ms, both.slope_max_deg) == (6.0, 35.0)


@pytest.mark.parametrize(
    "other",
    [
        Grid(20, 31, 30.0, PLACE, "EPSG:3310"),
        Grid(20, 30, 30.0, (30.0, 0.0, 1030.0, 0.0, -30.0, 2000.0), "EPSG:3310"),
        Grid(20, 30, 30.0),
    ],
)
def test_a_correction_holds_on_its_own_raster_alone(other: Grid) -> None:
    ours = replace(weights(), corrections=(correction(), correction(other, "Other")))

    found = ours.correction_for(replace(event_on(other), name="Other"))

    assert found is not None
    assert found.event == "Other"
    assert replace(weights(), corrections=(correction(),)).correction_for(event_on(other)) is None


def test_without_a_place_a_raster_of_the_same_size_is_not_the_same_raster() -> None:
    nowhere = Grid(20, 30, 30.0)
    ours = replace(weights(), corrections=(replace(correction(nowhere, "Fire"), start=date(2020, 8, 19)),))

    assert ours.correction_for(event_on(nowhere)) is ours.corrections[0]
    assert ours.correction_for(replace(event_on(nowhere), name="Other fire")) is None


def event_on(grid: Grid, start: datetime = DAY_0) -> Scenario:
    calm = np.zeros((1, *grid.shape), np.float32)
    return Scenario("Fire", grid, start, 0.0, calm, calm, {})


def test_of_two_fires_on_one_raster_each_has_its_own_correction() -> None:
    grid = Grid(20, 30, 30.0, PLACE, "EPSG:3310")
    ours = replace(weights(), corrections=(correction(grid, "First"), correction(grid, "Second")))
    for name, expected in (("First", "First"), ("Second", "Second"), ("Third", "First")):
        found = ours.correction_for(replace(event_on(grid), name=name))
        assert found is not None and found.event == expected


def test_a_correction_is_not_for_another_fire_on_its_raster() -> None:
    ours = replace(weights(), corrections=(replace(correction(), start=date(2020, 8, 19), fit_days=10),))
    grid = Grid(20, 30, 30.0, PLACE, "EPSG:3310")
    assert ours.correction_for(event_on(grid)) is not None
    assert ours.correction_for(event_on(grid, datetime(2020, 9, 2, tzinfo=UTC))) is not None
    assert ours.correction_for(event_on(grid, datetime(2021, 8, 19, tzinfo=UTC))) is None


@pytest.mark.parametrize("nodes", [np.zeros((1, 4), np.float32), np.full((2, 2), np.inf, np.float32)])
def test_a_correction_needs_finite_nodes_at_the_corners(
    nodes: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
) -> None:
    bad = replace(correction(), log_rate=nodes)

    assert len(replace(weights(), corrections=(bad,)).problems()) == 1


# -- the trend of a correction ---------------------------------------------------------------------------------------
BEGIN = date(2020, 8, 19)


@pytest.mark.parametrize("rising", [False, True])
@pytest.mark.parametrize("fit_days", [1, 2, 5, 10])
def test_the_fitted_days_lie_evenly_about_their_middle(fit_days: int, rising: bool) -> None:
    days = [days_from_middle(day, fit_days, rising=rising) for day in range(fit_days)]

    assert sum(days) == 0.0
    assert np.diff(days).tolist() == [1.0] * (fit_days - 1)


def test_a_falling_trend_goes_on_after_the_fitted_days_and_a_rising_one_stops_at_them() -> None:
    assert [days_from_middle(day, 5, rising=False) for day in (4, 5, 20)] == [2.0, 3.0, 18.0]
    assert [days_from_middle(day, 5, rising=True) for day in (4, 5, 20)] == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("rising", [False, True])
def test_before_the_first_fitted_day_there_is_no_more_trend_than_on_it(rising: bool) -> None:
    assert days_from_middle(-7, 5, rising=rising) == days_from_middle(0, 5, rising=rising) == -2.0


def trending(trend: float, fit_days: int = 5) -> Correction:
    return replace(correction(), trend=trend, start=BEGIN, fit_days=fit_days)


@pytest.mark.parametrize(
    ("trend", "wanted"),
    [(-0.1, [0.2, 0.2, 0.0, -0.2, -0.3, -1.0]), (0.1, [-0.2, -0.2, 0.0, 0.2, 0.2, 0.2]), (0.0, [0.0] * 6)],
)
def test_the_trend_goes_by_the_date(trend: float, wanted: list[float]) -> None:
    found = [trending(trend).trend_on(BEGIN + timedelta(days=day)) for day in (-3, 0, 2, 4, 5, 12)]

    assert found == pytest.approx(wanted)


def test_a_correction_without_dates_has_no_trend() -> None:
    assert replace(trending(-0.5), start=None).trend_on(BEGIN) == 0.0
    assert trending(-0.5, fit_days=0).trend_on(BEGIN) == 0.0
    assert correction().trend_on(BEGIN) == 0.0


@pytest.mark.parametrize(("trend", "fit_days"), [(math.nan, 5), (-math.inf, 5), (-0.1, -1)])
def test_a_trend_that_means_nothing_is_refused(trend: float, fit_days: int) -> None:
    assert trending(-0.1).problems() == []

    (problem,) = replace(weights(), corrections=(trending(trend, fit_days),)).problems()

    assert problem.where == "correction for Bear"
    assert "trend" in problem.what


def test_a_project_takes_the_networks_label_and_gives_its_weights_up_for_another_model() -> None:
    ours: NetworkWeights = weights()
    scalar = project().fire_model

    network = project().with_network(ours)

    assert (network.fire_model.kind, network.fire_model.label) == ("network", "test network")
    assert network.weights is ours
    assert network.with_model(scalar).weights is None
    assert network.with_model(scalar).fire_model == scalar
