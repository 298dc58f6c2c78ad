from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from firegui.domain.fuel_models import FuelMoisture, model_named
from firegui.fire.crown_fire import Canopy, CrownSpread, active_crown_fire, critical_intensity, with_crown_fire
from firegui.fire.surface_spread import SurfaceSpread, Values, midflame_factor, surface_spread, wind_for_speed
from firegui.io.fuel_models_file import standard_fuel_models

MODELS = standard_fuel_models()
DRY = np.array(FuelMoisture().values) / 100.0
SHELTERED = 0.15 / 1.15  # of the wind at 10 m, under the trees
WINDS = np.linspace(0.0, 25.0, 101) * 60.0


def place_of(name: str) -> int:
    model = model_named(MODELS, name)
    assert model is not None
    return MODELS.index(model)


def fires(
    fuel: Any, moisture: Values, wind: Any, canopy: Canopy, foliar: float = 100.0, *, factor: Any = SHELTERED,
    towards: Any = 0.0, slope: Any = 0.0, upslope: Any = 0.0,
) -> tuple[SurfaceSpread, CrownSpread]:  # fmt: skip
    """Return the surface fire, and that with crowns, in a wind in the open in m/min."""
    ground = towards, slope, upslope
    surface = surface_spread(MODELS, fuel, moisture, wind * factor, *ground)
    return surface, with_crown_fire(surface, MODELS, fuel, moisture, wind, factor, *ground, canopy, foliar)


@pytest.mark.parametrize(
    ("fuel", "dead", "wind_factor", "canopy", "expected"),
    [  # Scott and Reinhardt (2001), Table 6: speeds in m/min, intensities in kW/m
        ("5", (5, 6, 8), 0.15, Canopy(1.5, 21.8333, 0.06),
         {"R": 4.6, "I": 470, "I0": 309, "R_crown": 23.1, "CFB": 0.25, "R_final": 9.2, "I_final": 1788, "active": 0}),
        ("10", (8, 9, 10), 0.12, Canopy(0.9, 11.61429, 0.21),
         {"R": 1.4, "I": 313, "I0": 144, "R_crown": 20.4, "CFB": 1, "R_final": 20.4, "I_final": 18337, "active": 1}),
    ],
)  # fmt: skip
def test_the_two_stands_of_scott_and_reinhardt_burn_as_published(
    fuel: str, dead: tuple[float, ...], wind_factor: float, canopy: Canopy, expected: dict[str, float]
) -> None:
    # 40 km/h at 20 ft along a slope of 20 %: the level wind is shorter than along the slope.
    wind, slope = 1.15 * 40_000.0 / 60.0 / math.hypot(1.0, 0.2), 0.2
    moisture = np.array([*dead, 117, 117]) / 100.0
    surface, fire = fires(place_of(fuel), moisture, wind, canopy, factor=wind_factor / 1.15, slope=slope)
    found = {
        "R": surface.head, "I": surface.intensity, "I0": critical_intensity(canopy.base_height, 100.0),
        "R_crown": active_crown_fire(moisture, wind, 0.0, slope, 0.0).head, "CFB": fire.fraction,
        "R_final": fire.head, "I_final": fire.intensity, "active": fire.is_active,
    }  # fmt: skip
    assert {name: float(value) for name, value in found.items()} == pytest.approx(expected, rel=0.01)


def test_critical_intensity_by_hand() -> None:
    # (0.010 · 2 · (460 + 25.9 · 100))^1.5 = 61^1.5
    assert critical_intensity(2.0, 100.0) == pytest.approx(61.0**1.5)
    np.testing.assert_array_equal(critical_intensity(np.array([0.0, -1.0]), 100.0), 0.0)


def test_an_independent_calculation_at_one_place_gives_the_same() -> None:
    """Scott and Reinhardt's equations in plain numbers; the crowning wind is found by halving."""
    rng = np.random.default_rng(3)
    count = 40
    fuel = rng.integers(0, len(MODELS), count)
    slope, wind = rng.uniform(0.0, 0.8, count), rng.uniform(0.0, 900.0, count)
    base, density = rng.uniform(0.0, 3.0, count), rng.uniform(0.02, 0.3, count)
    canopy = Canopy(base, base + 8.0, density)
    found = fires(fuel, DRY, wind, canopy, 90.0, slope=slope)[1]
    kinds = set()
    for place in range(count):

        def speed(at: float, place: int = place) -> float:
            """Speed of the surface fire in a wind in the open."""
            fire = surface_spread(
                MODELS, fuel[place], DRY, at * SHELTERED, 0.0, slope[place], 0.0, limit_wind=at == wind[place]
            )
            return float(fire.head)

        def crown(at: float, place: int = place) -> float:
            fire = surface_spread(MODELS, place_of("10"), DRY, at * 0.4 / 1.15, 0.0, slope[place], 0.0)
            return 3.34 * float(fire.head)

        surface = surface_spread(MODELS, fuel[place], DRY, wind[place] * SHELTERED, 0.0, slope[place], 0.0)
        heat = float(surface.reaction_intensity * surface.residence)
        critical = (0.010 * base[place] * (460.0 + 25.9 * 90.0)) ** 1.5
        now, start, threshold = speed(wind[place]), critical / heat, 3.0 / density[place]
        low, high = 0.0, 1e5
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if crown(middle) >= threshold else (middle, high)
        burned, kind = 0.0, "surface"
        if now * heat >= critical and crown(wind[place]) >= threshold:
            burned, kind = 1.0, "active"
        elif now * heat >= critical:
            burned, kind = min((now - start) / (speed(high) - start), 1.0), "passive"
        kinds.add(kind)
        final = max(now, now + burned * (crown(wind[place]) - now))
        assert found.fraction[place] == pytest.approx(burned, rel=1e-6, abs=1e-9)
        assert found.is_active[place] == (kind == "active")
        assert found.head[place] == pytest.approx(final, rel=1e-6)
        kilojoules = 60.0 * heat + burned * density[place] * 8.0 * 18_000.0
        assert found.intensity[place] == pytest.approx(kilojoules * final / 60.0, rel=1e-6)
    assert kinds == {"surface", "passive", "active"}


@pytest.mark.parametrize("canopy", [Canopy(1.0, 15.0, 0.0), Canopy(40.0, 45.0, 0.2), Canopy(0.0, 0.0, 0.0)])
def test_without_crowns_in_reach_the_fire_is_the_surface_fire_bit_for_bit(canopy: Canopy) -> None:
    index = np.arange(len(MODELS))
    surface, fire = fires(index, DRY, 200.0, canopy, towards=0.5, slope=0.3)
    for name in (*(item.name for item in fields(SurfaceSpread)), "intensity", "flame_length", "back", "flank"):
        np.testing.assert_array_equal(getattr(fire, name), getattr(surface, name), err_msg=name)
    assert not fire.fraction.any() and not fire.is_active.any()


def test_the_raise_never_lowers_anything_and_the_fraction_is_a_share() -> None:
    rng = np.random.default_rng(5)
    shape = (60, 200)
    fuel = rng.integers(0, len(MODELS), shape)
    height = rng.uniform(3.0, 40.0, shape)
    canopy = Canopy(height * rng.uniform(0.0, 1.2, shape) ** 2, height, rng.uniform(0.0, 0.3, shape))
    depth = np.array([model.depth_ft for model in MODELS])[fuel]
    surface, fire = fires(
        fuel, DRY, rng.uniform(0.0, 1200.0, shape), canopy,
        factor=midflame_factor(depth, rng.uniform(0.0, 1.0, shape), height),
        towards=rng.uniform(-4.0, 4.0, shape), slope=rng.uniform(0.0, 0.9, shape),
        upslope=rng.uniform(-4.0, 4.0, shape),
    )  # fmt: skip
    assert ((fire.fraction >= 0.0) & (fire.fraction <= 1.0)).all()
    assert (fire.fraction[fire.is_active] == 1.0).all() and fire.is_active.any()
    assert (fire.fraction[~fire.is_active] > 0.0).any()
    for name in ("head", "flank", "back", "intensity", "flame_length"):
        now, before = getattr(fire, name), getattr(surface, name)
        assert np.isfinite(now).all() and (now >= before * (1.0 - 1e-9)).all(), name
    np.testing.assert_array_equal(fire.direction, surface.direction)


@pytest.mark.parametrize("fuel", ["TL3", "TU5", "GR4", "10"])
def test_more_wind_makes_no_fire_slower(fuel: str) -> None:
    _, fire = fires(np.full(WINDS.shape, place_of(fuel)), DRY, WINDS, Canopy(0.4, 18.0, 0.12), slope=0.2)
    for values in (fire.head, fire.fraction, fire.intensity, fire.flame_length):
        assert (np.diff(values) >= -1e-9).all()


def test_low_crowns_dense_crowns_and_dry_leaves_burn_more() -> None:
    def head(base: float, density: float, foliar: float) -> float:
        return float(fires(place_of("TU5"), DRY, 500.0, Canopy(base, 18.0, density), foliar)[1].head)

    usual = head(2.0, 0.1, 100.0)
    assert head(1.0, 0.1, 100.0) > usual > head(3.5, 0.1, 100.0)
    assert head(2.0, 0.2, 100.0) > usual > head(2.0, 0.05, 100.0)
    assert head(2.0, 0.1, 80.0) > usual > head(2.0, 0.1, 140.0)


def test_flames_are_those_of_thomas_when_the_crown_fire_is_active_and_of_byram_without_one() -> None:
    _, active = fires(place_of("TU5"), DRY, 600.0, Canopy(1.0, 18.0, 0.3))
    assert active.is_active
    assert active.flame_length == pytest.approx(0.0266 * active.intensity ** (2.0 / 3.0))
    _, passive = fires(place_of("TU5"), DRY, 500.0, Canopy(2.0, 18.0, 0.05))
    assert 0.0 < passive.fraction < 1.0
    byram, thomas = 0.0775 * passive.intensity**0.46, 0.0266 * passive.intensity ** (2.0 / 3.0)
    assert passive.flame_length == pytest.approx(byram + passive.fraction * (thomas - byram), rel=2e-3)


def test_crowns_without_a_known_height_make_the_fire_faster_and_add_no_heat() -> None:
    surface, fire = fires(place_of("TU5"), DRY, 600.0, Canopy(1.0, 0.0, 0.3))
    assert fire.head > surface.head
    assert fire.intensity == pytest.approx(surface.heat * fire.head)


def test_wet_fuel_has_no_crown_fire() -> None:
    _, fire = fires(place_of("TU5"), np.full(5, 2.9), 600.0, Canopy(0.0, 18.0, 0.3))
    assert fire.head == 0.0 and fire.fraction == 0.0 and fire.flame_length == 0.0
    # Fuel model 10, which stands for the crowns, does not burn at 26 %, and TU5 goes out at 25 %: GR8 goes on.
    damp = np.array([0.26, 0.26, 0.26, 0.6, 0.9])
    surface, fire = fires(place_of("GR8"), damp, 600.0, Canopy(0.0, 18.0, 0.3))
    assert surface.head > 0.0 and fire.fraction == 0.0 and fire.head == surface.head


def test_moisture_may_differ_from_place_to_place() -> None:
    wet = np.stack([DRY, 1.5 * DRY, DRY])
    canopy = Canopy(1.0, 18.0, np.array([0.2, 0.2, 0.0]))
    _, fire = fires(np.full(3, place_of("TU5")), wet, 400.0, canopy)
    for place, density in enumerate((0.2, 0.2, 0.0)):
        _, alone = fires(place_of("TU5"), wet[place], 400.0, Canopy(1.0, 18.0, density))
        assert fire.head[place] == pytest.approx(float(alone.head))


@pytest.mark.parametrize("towards", [0.0, 1.0, 2.5])
def test_the_wind_for_a_speed_is_the_inverse_of_the_surface_fire(towards: float) -> None:
    winds = np.array([0.0, 20.0, 150.0, 400.0])
    if towards > 2.0:
        winds = winds[2:]  # against the slope a weak wind has the speed of a stronger one
    model = MODELS[place_of("10")]
    speed = surface_spread([model], 0, DRY, winds, towards, 0.3, 0.0, limit_wind=False).head
    np.testing.assert_allclose(wind_for_speed(model, DRY, speed, towards, 0.3, 0.0), winds, atol=1e-4)
    assert wind_for_speed(model, DRY, 0.01, 0.0, 0.3, 0.0) == 0.0
    assert wind_for_speed(model, np.full(5, 2.9), 5.0, 0.0, 0.3, 0.0) == math.inf
