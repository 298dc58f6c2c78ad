from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.calibration import forecast as forecast_module
from firegui.calibration.forecast import cropped, forecast, roll_out, scalar_forecast, score_days
from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.fire.maps import project_maps
from firegui.fire.parameters import ScalarParameters
from tests.support import make_project
from tests.unit.fire.events import event, layer, observed, square

SHAPE = (31, 41)
TRUTH = ScalarParameters(p=0.06, wind_gain=1.0, wind_alignment=1.0, slope=1.5, gamma=1.0, fuel=0.5)


def watched(masks: list[NDArray[np.bool_]], skipped: tuple[int, ...] = ()) -> Scenario:
    """An event with these perimeters on its first days."""
    small = event(SHAPE, days=4, speed=3.0, layers={"canopy_cover": layer(SHAPE, 50.0)})
    return observed(small, masks, skipped)


def test_a_forecast_starts_from_the_perimeter_and_only_grows() -> None:
    start = square(SHAPE, 2)

    states = scalar_forecast(watched([start]), TRUTH, 3)

    assert states.shape == (4, *SHAPE)
    np.testing.assert_array_equal(states[0], start)
    extents = states.sum(axis=(1, 2))
    assert (np.diff(extents) > 0).all()
    assert (states[3][start] == 1.0).all()


def test_a_forecast_needs_a_perimeter_and_weather() -> None:
    with pytest.raises(InputError, match="no observed perimeter on day 0"):
        scalar_forecast(event(SHAPE), TRUTH, 2)
    with pytest.raises(InputError, match="weather for 4"):
        scalar_forecast(watched([square(SHAPE)]), TRUTH, 5)


def test_a_stop_gets_through() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scalar_forecast(watched([square(SHAPE)]), TRUTH, 2, check=stop)


def test_days_without_a_perimeter_of_their_own_are_not_scored() -> None:
    masks = [square(SHAPE, half) for half in (1, 2, 3, 4)]
    states = np.stack(masks).astype(np.float32)

    scores = score_days(watched(masks, skipped=(2,)), states, 3)

    assert [score.day for score in scores] == [1, 3]
    assert [score.iou for score in scores] == [1.0, 1.0]


def test_the_reference_holds_the_last_perimeter_the_fit_has_seen() -> None:
    masks = [square(SHAPE, half) for half in (1, 2, 3, 4)]

    scores = score_days(watched(masks), np.stack(masks).astype(np.float32), 2)

    assert [score.held_iou for score in scores] == pytest.approx([9 / 25, 9 / 49, 25 / 81 * 49 / 25])


def test_cropping_keeps_the_fire_its_margin_and_its_place() -> None:
    small = watched([square(SHAPE, 1), square(SHAPE, 3)])
    placed = replace(small, grid=Grid(*SHAPE, 30.0, (30.0, 0.0, 1000.0, 0.0, -30.0, 9000.0), "EPSG:3310"))

    cut = cropped(placed, 1, 4)

    assert cut.grid.shape == (15, 15)
    assert cut.observed is not None
    np.testing.assert_array_equal(cut.observed[1], square((15, 15), 3))
    assert cut.wind_speed.shape == (4, 15, 15)
    assert cut.layers["canopy_cover"].shape == (15, 15)
    assert cut.grid.to_world(0, 0) == placed.grid.to_world(15 - 7, 20 - 7)


def test_cropping_stops_at_the_edge() -> None:
    assert cropped(watched([square(SHAPE, 1)]), 0, 100).grid.shape == SHAPE


def test_a_forecast_on_the_cut_is_that_on_the_whole_while_the_fire_stays_inside() -> None:
    small = watched([square(SHAPE, 2)])

    whole, cut = scalar_forecast(small, TRUTH, 1), scalar_forecast(cropped(small, 0, 12), TRUTH, 1)

    rows, columns = (slice(15 - 14, 15 + 15), slice(20 - 14, 20 + 15))
    np.testing.assert_allclose(cut[1], whole[1][rows, columns], atol=1e-6)


# -- any fire model of a project ---------------------------------------------------------------------------------------
def project_on(small: Scenario) -> Project:
    return replace(make_project(), scenario=small, maps=None, fire_model=scalar(TRUTH))


def scalar(parameters: ScalarParameters) -> FireModel:
    return FireModel("scalar", "test", parameters.as_mapping())


def test_a_project_with_constant_parameters_forecasts_as_they_do() -> None:
    small = watched([square(SHAPE, 2)])

    np.testing.assert_array_equal(forecast(project_on(small), 3), scalar_forecast(small, TRUTH, 3))


def test_a_project_with_imported_maps_is_rolled_out_with_them_from_the_perimeter() -> None:
    base = make_project()
    shape = base.scenario.grid.shape
    start = square(shape, 2)
    seen = replace(base.scenario, observed=start[np.newaxis], observed_dates=(base.scenario.date_of_day(0),))
    late = replace(base, scenario=seen, plan=replace(base.plan, start_day=1, days=1))
    assert base.maps is not None

    states = forecast(late, 2)

    np.testing.assert_array_equal(states[0], start)
    np.testing.assert_array_equal(states, roll_out(base.maps.with_ignition(start)))


def test_more_days_than_the_model_has_maps_for_are_refused() -> None:
    with pytest.raises(InputError, match="maps for 4 days"):
        forecast(project_on(watched([square(SHAPE)])), 5)


def test_a_forecast_does_not_depend_on_what_happened_later() -> None:
    masks = [square(SHAPE, half) for half in (2, 3, 4)]
    other = [square(SHAPE, 2), square(SHAPE, 14), square(SHAPE, 14)]

    np.testing.assert_array_equal(forecast(project_on(watched(masks)), 2), forecast(project_on(watched(other)), 2))


def test_the_model_is_given_no_perimeter_but_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Project] = []

    def maps(project: Project, check: object = None) -> FireMaps:
        given.append(project)
        return project_maps(project)

    monkeypatch.setattr(forecast_module, "compute_maps", maps)
    forecast(project_on(watched([square(SHAPE, half) for half in (2, 3, 4)])), 2)

    (event,) = (project.scenario for project in given)
    assert event.observed is not None
    np.testing.assert_array_equal(event.observed, square(SHAPE, 2)[np.newaxis])
    assert event.observed_dates == (date(2020, 8, 19),)
    assert all(event.is_filled_forward(day) for day in (1, 2))


def test_a_drawn_ignition_is_no_perimeter_to_start_from() -> None:
    with pytest.raises(InputError, match="no observed perimeter on day 0"):
        forecast(project_on(event(SHAPE)), 1)
