from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from firegui.domain.fuel_models import FuelMoisture, SurfaceConditions, model_named
from firegui.fire.surface_spread import length_to_width, midflame_factor, surface_fire, surface_spread
from firegui.io.fuel_models_file import standard_fuel_models
from tests.unit.io.builders import SHARED_DATA

REFERENCE = SHARED_DATA / "rothermel" / "surface_spread.csv"
MODELS = standard_fuel_models()
DRY = np.array([0.08, 0.09, 0.10, 0.60, 0.90])


def place_of(name: str) -> int:
    model = model_named(MODELS, name)
    assert model is not None
    return MODELS.index(model)


@pytest.mark.skipif(not REFERENCE.is_file(), reason="the reference values are not at hand")
def test_an_independent_implementation_gives_the_same_speeds() -> None:
    with REFERENCE.open(encoding="utf-8") as file:
        cases = list(csv.DictReader(file))

    def column(name: str) -> np.ndarray:
        return np.array([float(case[name]) for case in cases])

    moisture = np.stack(
        [column(name) for name in ("dead_1h", "dead_10h", "dead_100h", "live_herb", "live_woody")], axis=-1
    )
    fire = surface_spread(
        MODELS, [place_of(case["fuel"]) for case in cases], moisture, column("midflame_wind_km_h") * 1000.0 / 60.0, 0.0,
        column("slope_rise_over_run"), 0.0,
    )  # fmt: skip
    assert len(cases) == 120
    for name, found in (
        ("head_m_min", fire.head), ("flank_m_min", fire.flank), ("back_m_min", fire.back),
        ("length_to_width", fire.length_to_width), ("eccentricity", fire.eccentricity),
    ):  # fmt: skip
        np.testing.assert_allclose(found, column(name), rtol=1e-3, atol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("name", "speeds"), [("GR2", (0.43, 5.6, 14.6)), ("SH5", (0.70, 10.7, 23.6)), ("TL3", (0.06, 0.30, None))]
)
def test_head_speeds_at_midflame_winds_of_0_5_and_10_km_h(name: str, speeds: tuple[float | None, ...]) -> None:
    for wind, speed in zip((0.0, 5.0, 10.0), speeds, strict=True):
        fire = surface_spread(MODELS, place_of(name), DRY, wind * 1000.0 / 60.0, 0.0, 0.0, 0.0)
        assert speed is None or round(float(fire.head), 2 if speed < 1.0 else 1) == pytest.approx(speed)


def test_light_litter_in_wind_is_held_by_the_limit_alone() -> None:
    held = surface_spread(MODELS, place_of("TL3"), DRY, 20_000.0 / 60.0, 0.0, 0.0, 0.0)
    free = surface_spread(MODELS, place_of("TL3"), DRY, 20_000.0 / 60.0, 0.0, 0.0, 0.0, limit_wind=False)
    assert free.head > 1.5 * held.head


def test_the_result_does_not_depend_on_where_north_is() -> None:
    turns = np.linspace(0.0, 2.0 * math.pi, 7)
    fire = surface_spread(MODELS, place_of("GS2"), DRY, 60.0, turns + 0.7, 0.4, turns)
    np.testing.assert_allclose(fire.head, fire.head[0])
    np.testing.assert_allclose(np.unwrap(fire.direction) - turns, fire.direction[0])
    assert 0.0 < fire.direction[0] < 0.7  # between upslope and downwind


def test_wind_down_a_slope_takes_speed_from_the_fire() -> None:
    up, down = (surface_spread(MODELS, place_of("SH5"), DRY, 200.0, angle, 0.5, 0.0).head for angle in (0.0, math.pi))
    level = surface_spread(MODELS, place_of("SH5"), DRY, 200.0, 0.0, 0.0, 0.0).head
    assert down < level < up


def test_grass_is_fastest_cured_and_litter_does_not_mind() -> None:
    herb = np.repeat(DRY[np.newaxis], 4, axis=0)
    herb[:, 3] = [0.3, 0.75, 1.2, 2.0]
    grass = surface_spread(MODELS, place_of("GR4"), herb, 100.0, 0.0, 0.0, 0.0).head
    litter = surface_spread(MODELS, place_of("TL8"), herb, 100.0, 0.0, 0.0, 0.0).head
    assert (np.diff(grass[:3]) < 0.0).all()
    np.testing.assert_array_equal(litter, litter[0])


def test_every_model_burns_dry_and_none_does_wet() -> None:
    index = np.arange(len(MODELS))
    dry = np.broadcast_to([0.03, 0.04, 0.05, 0.30, 0.60], (len(MODELS), 5))
    fire = surface_spread(MODELS, index, dry, 60.0, 0.0, 0.1, 1.0)
    for values in (fire.head, fire.flank, fire.back, fire.intensity, fire.flame_length, fire.residence):
        assert (values > 0.0).all() and np.isfinite(values).all()
    wet = surface_spread(MODELS, index, np.full((len(MODELS), 5), 2.9), 60.0, 0.0, 0.1, 1.0)
    for values in (wet.head, wet.intensity, wet.flame_length):
        assert (values == 0.0).all()


def test_intensity_is_heat_by_area_times_speed_and_flames_follow_byram() -> None:
    fire = surface_spread(MODELS, place_of("SH7"), DRY, 80.0, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(fire.intensity, fire.reaction_intensity * fire.residence * fire.head, rtol=1e-6)
    # Byram (1959) in SI units: L = 0.0775 I^0.46.
    np.testing.assert_allclose(fire.flame_length, 0.0775 * fire.intensity**0.46, rtol=2e-3)


def test_length_to_width_is_a_circle_in_calm_and_has_a_limit() -> None:
    np.testing.assert_allclose(length_to_width(np.array([0.0, 5000.0 / 60.0, 1e9])), [1.0, 1.31155, 8.0], rtol=1e-4)


def test_trees_shelter_the_fuel_from_the_wind() -> None:
    # Andrews (2012), Table 1: an unsheltered bed of 1 ft has a factor of 0.36 of the wind at 20 ft, one of 6 ft 0.55.
    np.testing.assert_allclose(midflame_factor(np.array([1.0, 6.0]), 0.0, 0.0) * 1.15, [0.36, 0.55], atol=0.005)
    factors = midflame_factor(1.0, np.array([0.0, 0.2, 0.5, 0.9]), 20.0)
    assert factors[0] == factors[1] > factors[2] > factors[3] > 0.05


def test_directions_at_a_place_are_compass_bearings() -> None:
    model = MODELS[place_of("GR2")]
    for conditions, east, north in (
        (SurfaceConditions(wind=5.0, wind_from=270.0), 1.0, 0.0),  # a west wind
        (SurfaceConditions(slope=20.0, aspect=180.0), 0.0, 1.0),  # a slope that faces south
    ):
        fire = surface_fire(model, FuelMoisture(), conditions)
        np.testing.assert_allclose([np.cos(fire.direction), np.sin(fire.direction)], [east, north], atol=1e-9)


def test_conditions_and_moistures_out_of_range_are_all_named() -> None:
    found = [*FuelMoisture(dead_1h=0.5, live_woody=math.inf).problems(), *SurfaceConditions(wind=-1.0).problems()]
    assert [problem.what.split(" is ")[0] for problem in found] == [
        "Moisture of dead 1-h fuel", "Moisture of live shrubs", "Wind speed",
    ]  # fmt: skip
