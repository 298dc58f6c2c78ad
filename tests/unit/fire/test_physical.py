from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from firegui.domain import compact_maps
from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.fleet import Fleet
from firegui.domain.fuel_models import FuelModel, FuelMoisture, SurfaceConditions, model_named
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import FireModel, Project
from firegui.domain.settings import PlanSettings
from firegui.domain.spread_factors import SpreadFactors
from firegui.domain.uncertainty import WeatherDraw
from firegui.domain.weather import PeriodWeather
from firegui.ensembles.weather import with_wind
from firegui.errors import InputError
from firegui.fire.crown_fire import CrownSpread
from firegui.fire.first_project import with_model
from firegui.fire.fuel_moisture import fine_dead_moisture
from firegui.fire.maps import project_maps
from firegui.fire.model_caveats import model_caveats, model_warnings
from firegui.fire.physical import WHOLE, GroundSpread, PhysicalGround, Place, Wind, with_factors, with_physical_model
from firegui.fire.project_notes import start_notes
from firegui.fire.surface_spread import surface_fire
from firegui.fire.windowed import period_maps
from firegui.io.fuel_models_file import standard_fuel_models
from tests.unit.fire.events import event, layer

SHAPE = (9, 11)
USUAL = PhysicalSettings()


def project_of(code: float = 102.0, *, speed: float = 5.0, towards: float = 0.4, **layers: float) -> Project:
    named = {"fuel": code} | layers
    landscape = {key: layer(SHAPE, value) for key, value in named.items()}
    small = event(SHAPE, days=3, speed=speed, towards=towards, layers=landscape)
    return Project(small, Fleet(()), {}, (), PlanSettings(days=2), FireModel("scalar", "test", {}))


def test_speed_direction_and_shape_are_those_of_the_surface_fire_at_one_place() -> None:
    project = project_of(122.0, slope=20.0, aspect=200.0, canopy_cover=60.0, canopy_height=12.0)
    moisture = FuelMoisture(4.0, 5.0, 6.0, 40.0, 80.0)
    ground = PhysicalGround.of(project.scenario, replace(USUAL, moisture=moisture))
    found = ground.spread(0, ground.wind(0))
    model = model_named(standard_fuel_models(), "GS2")
    assert model is not None
    wind_from = 270.0 - np.degrees(0.4)
    alone = surface_fire(
        model, moisture, SurfaceConditions(5.0, wind_from, 20.0, 200.0, canopy_cover=60.0, canopy_height=12.0)
    )
    upslope = np.radians(270.0 - 200.0)
    along = np.hypot(1.0, np.tan(np.radians(20.0)) * np.cos(float(alone.direction) - upslope))
    np.testing.assert_allclose(found.speed, float(alone.head) / along, rtol=1e-5)
    np.testing.assert_allclose(np.cos(found.direction), np.cos(float(alone.direction)), atol=1e-5)
    np.testing.assert_allclose(found.ratio, float(alone.length_to_width), rtol=1e-5)


def test_the_steps_a_day_follow_from_the_fastest_cell() -> None:
    project = project_of()
    found = with_physical_model(project, USUAL)
    ground = PhysicalGround.of(project.scenario, USUAL)
    fastest = ground.spread(0, ground.wind(0)).speed.max()
    assert found.scenario.steps_per_day == int(np.ceil(1440.0 * fastest / (0.6 * 30.0)))
    maps = project_maps(found)
    assert maps.t_burn == pytest.approx(found.scenario.steps_per_day * 4.8 / 24.0)
    assert maps.phi.shape == (2, 16, *SHAPE)
    assert (maps.gamma == 1.0).all()
    finer = with_physical_model(project, replace(USUAL, cells_per_step=0.3))
    assert finer.scenario.steps_per_day == pytest.approx(2 * found.scenario.steps_per_day, abs=1)


def test_a_slow_fire_has_steps_enough_for_its_burn_duration() -> None:
    assert with_physical_model(project_of(181.0, speed=0.0), USUAL).scenario.steps_per_day == 50
    short = with_physical_model(project_of(181.0, speed=0.0), replace(USUAL, burn_hours=1.0))
    assert short.scenario.steps_per_day == 240


def test_a_speed_limit_saves_steps_and_slows_down_only_the_fastest() -> None:
    project = project_of(181.0)
    project.scenario.layers["fuel"][0, 0] = 102.0
    free, limited = (with_physical_model(project, replace(USUAL, speed_percentile=p)) for p in (100.0, 60.0))
    assert limited.scenario.steps_per_day < free.scenario.steps_per_day / 5
    fast, slow = (np.asarray(project_maps(each).phi) for each in (free, limited))
    # What is slow has the same speed in cells a day.
    assert slow[0, :, 5, 5].sum() > fast[0, :, 5, 5].sum()
    assert slow[0, :, 0, 0].max() < 0.5


def test_water_roads_and_cells_without_data_do_not_burn() -> None:
    project = project_of()
    project.scenario.layers["fuel"][0, :3] = [91.0, 98.0, np.nan]
    maps = project_maps(with_physical_model(project, USUAL))
    assert not maps.burnable[0, :3].any()
    assert maps.burnable.sum() == maps.burnable.size - 3
    assert not maps.phi[:, :, 0, :3].any()


def test_a_terrain_without_data_is_level_and_a_flat_aspect_has_no_slope() -> None:
    level = project_of(slope=0.0, aspect=0.0)
    flat = project_of(slope=30.0, aspect=-1.0)
    unknown = project_of(slope=np.nan, aspect=90.0)
    speeds = [
        ground.spread(0, ground.wind(0)).speed
        for ground in (PhysicalGround.of(each.scenario, USUAL) for each in (level, flat, unknown))
    ]
    np.testing.assert_array_equal(speeds[1], speeds[0])
    np.testing.assert_array_equal(speeds[2], speeds[0])


def test_an_event_without_fuel_or_with_other_codes_is_refused_in_one_message() -> None:
    bare = replace(project_of(), scenario=event(SHAPE))
    with pytest.raises(InputError, match="no fuel model layer") as refused:
        with_physical_model(bare, USUAL)
    assert len(refused.value.problems) == 1
    with pytest.raises(InputError, match="no standard fuel model") as refused:
        with_physical_model(project_of(42.0), USUAL)
    assert "42 (99 cells)" in str(refused.value)


def custom(code: int, **changes: Any) -> FuelModel:
    """A model like GR2 with another code."""
    grass = model_named(standard_fuel_models(), "GR2")
    assert grass is not None
    return replace(grass, code=code, name="OWN", **changes)


@pytest.mark.parametrize("code", [42, 183])
def test_a_custom_model_burns_as_it_says_and_comes_before_a_standard_one(code: int) -> None:
    found = with_physical_model(project_of(code), USUAL, fuels=(custom(code),))
    like = with_physical_model(project_of(102.0), USUAL)
    assert found.scenario.steps_per_day == like.scenario.steps_per_day
    one, other = project_maps(found), project_maps(like)
    np.testing.assert_array_equal(one.burnable, True)
    np.testing.assert_array_equal(one.phi[0], other.phi[0])
    whole = slice(0, SHAPE[0]), slice(0, SHAPE[1])
    parts = [period_maps(each)((one.wind_speed[0], one.wind_dir[0]), whole, 0, whole)[0] for each in (found, like)]
    np.testing.assert_array_equal(parts[0], parts[1])
    assert f"Custom fuel models of the project: OWN (custom {code})." in model_caveats(found)
    again = with_model(with_model(found, "network"), "physical")
    assert again.fire_model.fuels == found.fire_model.fuels, "another fire model keeps them"


def test_custom_models_that_cannot_be_used_are_refused_with_what_to_do() -> None:
    wrong = (custom(95), custom(42, depth_ft=0.0), custom(42))
    with pytest.raises(InputError) as refused:
        with_physical_model(project_of(42.0), USUAL, fuels=wrong)
    for said in ("91 to 99 do not burn", "its depth in ft is 0", "fuel model 42: is given twice"):
        assert said in str(refused.value)
    with pytest.raises(InputError, match="firegui configure --fuel-models FILE"):
        with_physical_model(project_of(42.0), USUAL)
    with pytest.raises(InputError, match=r"42 \(99 cells\): neither a standard fuel model nor a custom one"):
        with_physical_model(project_of(42.0), USUAL, fuels=(custom(43),))


def test_more_steps_than_a_day_can_have_are_refused_with_what_to_do() -> None:
    project = project_of(107.0, speed=25.0)
    with pytest.raises(InputError, match="steps a day; there can be 5,000") as refused:
        with_physical_model(project, replace(USUAL, moisture=FuelMoisture(1.0, 1.0, 1.0, 30.0, 30.0)))
    assert "use cells of" in str(refused.value)


def test_settings_out_of_range_are_refused() -> None:
    for settings in (replace(USUAL, burn_hours=0.0), replace(USUAL, moisture=FuelMoisture(dead_1h=0.5))):
        with pytest.raises(InputError, match="use a value from"):
            with_physical_model(project_of(), settings)


def test_maps_are_made_where_they_are_asked_for_and_as_a_whole_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = project_maps(with_physical_model(hourly(project_of(122.0, slope=20.0, aspect=200.0)), USUAL))
    rows, columns = np.array([[8, 0, 3]]), np.array([[10, 5, 3]])
    assert isinstance(maps.phi, SpreadOnDemand)
    whole = np.asarray(maps.phi)
    np.testing.assert_array_equal(maps.phi.of_cells(5, rows, columns), whole[5][:, rows, columns])
    assert maps.phi.most >= whole.max() > 0.0
    monkeypatch.setattr(compact_maps, "MOST_BYTES", whole.nbytes - 1)
    with pytest.raises(InputError, match="take fewer periods a day or larger cells"):
        np.asarray(maps.phi)


def test_too_few_steps_are_refused_and_a_somewhat_stronger_wind_is_not() -> None:
    found = with_physical_model(project_of(), USUAL)
    few = found.with_steps_per_day(found.scenario.steps_per_day // 3)
    with pytest.raises(InputError, match="choose the physical model again"):
        np.asarray(project_maps(few).phi)
    stronger = project_maps(with_wind(found, WeatherDraw(1.2, 0.0, 0.0)))
    assert np.asarray(stronger.phi).max() > np.asarray(project_maps(found).phi).max()


def test_the_fastest_cell_is_found_without_a_look_at_every_period(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    layers = {
        "fuel": rng.choice([102.0, 122.0, 145.0, 183.0, 99.0], SHAPE), "slope": rng.uniform(0.0, 45.0, SHAPE),
        "aspect": rng.uniform(0.0, 360.0, SHAPE), "canopy_cover": rng.uniform(0.0, 90.0, SHAPE),
        "canopy_height": rng.uniform(0.0, 25.0, SHAPE),
    }  # fmt: skip
    project = hourly(project_of(), air=True)
    layers = {key: layer.astype(np.float32) for key, layer in layers.items()}
    weather = project.scenario.weather
    assert weather is not None
    gusts = (weather.speed * rng.uniform(0.2, 2.0, (72, 1, 1))).astype(np.float32)
    event = replace(project.scenario, layers=layers, weather=replace(weather, speed=gusts))
    ground = PhysicalGround.of(event, replace(USUAL, periods_per_day=24))
    every = [ground.spread(period, ground.wind(period)).speed for period in range(72)]
    looked: list[int] = []
    spread = PhysicalGround.spread

    def counted(self: PhysicalGround, period: int, wind: Wind, box: Place = WHOLE) -> GroundSpread:
        looked.append(wind[0].size)
        return spread(self, period, wind, box)

    monkeypatch.setattr(PhysicalGround, "spread", counted)
    assert ground.fastest(100.0) == pytest.approx(float(np.max(every)), rel=1e-6)
    assert 0 < len(looked) < 60
    assert sum(looked) < 4 * ground.burnable.size
    burnable = np.broadcast_to(ground.burnable, (72, *SHAPE))
    assert ground.fastest(90.0) == pytest.approx(float(np.percentile(np.array(every)[burnable], 90.0)))


def test_other_models_get_the_usual_steps_back() -> None:
    project = project_of()
    found = with_model(project, "physical")
    assert found.fire_model.kind == "physical"
    assert PhysicalSettings.of(found.fire_model.parameters) == USUAL
    assert with_model(found, "scalar").scenario.steps_per_day == 50
    assert with_model(found, "network").scenario.steps_per_day == 50
    # A project that never had it keeps its own.
    assert with_model(project, "scalar").scenario is project.scenario


def test_a_window_has_the_maps_of_the_whole_raster() -> None:
    project = with_physical_model(project_of(122.0, slope=20.0, aspect=200.0), USUAL)
    scenario, maps = project.scenario, project_maps(project)
    box, whole = (slice(2, 6), slice(3, 9)), (slice(0, 9), slice(0, 11))
    wind = scenario.wind_speed[0], scenario.wind_dir[0]
    phi, gamma = period_maps(project)(wind, whole, 0, box)
    np.testing.assert_array_equal(phi, maps.phi[(0, slice(None), *box)])
    np.testing.assert_array_equal(gamma, maps.gamma[(0, *box)])


def hourly(project: Project, air: bool = False) -> Project:
    """The project with a wind that turns by 15° an hour, and air that dries until noon."""
    hours = np.arange(72)
    towards = ((hours * 15.0 + 7.5) % 360.0).astype(np.float32)[:, None, None]
    speed = np.full((72, 1, 1), 5.0, np.float32)
    warm = np.asarray(20.0 + hours % 24, np.float64)
    heat, damp = (warm, 110.0 - 2.0 * warm) if air else (None, None)
    weather = PeriodWeather(24, 16, speed, np.radians(towards), heat, damp)
    return replace(project, scenario=replace(project.scenario, weather=weather))


def test_maps_are_by_the_period_under_its_own_wind() -> None:
    project = hourly(project_of())
    found = with_physical_model(project, USUAL)
    maps = project_maps(found)
    assert (maps.periods_per_day, maps.days, found.scenario.steps_per_day % 4) == (4, 2, 0)
    assert maps.phi.shape == (8, 16, *SHAPE) and found.wind_periods == 4
    assert found.model_weather is found.model_weather, "the map asks for it at every frame"
    np.testing.assert_allclose(np.degrees(maps.wind_dir[:4, 0, 0]) % 360.0, [45.0, 135.0, 225.0, 315.0], atol=1e-3)
    np.testing.assert_array_equal(maps.wind_dir, found.planned_wind[1])
    assert found.planned_wind_at(5, 3, 3)[1] == pytest.approx(float(maps.wind_dir[5, 3, 3]))
    # A quarter of a day later the wind is a quarter of a turn further, and so is the stencil.
    alone = [
        project_maps(with_physical_model(project_of(towards=np.radians(angle)), USUAL)).phi[0]
        for angle in (45.0, 135.0)
    ]
    np.testing.assert_allclose(np.asarray(maps.phi[:2]) / np.stack(alone), 1.0, rtol=5e-3)
    hours = with_physical_model(project, replace(USUAL, periods_per_day=24))
    assert project_maps(hours).phi.shape[0] == 48 and hours.scenario.steps_per_day % 24 == 0
    daily = with_physical_model(project, replace(USUAL, periods_per_day=1))
    np.testing.assert_array_equal(
        project_maps(daily).phi, project_maps(with_physical_model(project_of(), replace(USUAL, periods_per_day=1))).phi
    )


def test_dead_moisture_follows_the_air_of_the_period_unless_it_is_not_wanted() -> None:
    project = hourly(project_of(), air=True)
    ground = PhysicalGround.of(project.scenario, replace(USUAL, periods_per_day=24))
    one, ten = fine_dead_moisture(20.0 + 13, 70.0 - 26)
    assert ground.moistures[13] == replace(FuelMoisture(), dead_1h=float(one), dead_10h=float(ten))
    kept = PhysicalGround.of(project.scenario, replace(USUAL, air_moisture=False))
    assert set(kept.moistures) == {FuelMoisture()}
    speeds = [ground.spread(hour, ground.wind(0)).speed.max() for hour in (0, 13)]
    assert speeds[1] > 1.3 * speeds[0]


def test_another_wind_of_an_ensemble_member_or_a_scenario_is_that_of_every_period() -> None:
    project = with_physical_model(hourly(project_of(speed=4.0)), USUAL)
    turned = project_maps(with_wind(project, WeatherDraw(1.0, np.radians(90.0), 0.0)))
    late = project_maps(with_wind(project, WeatherDraw(1.0, 0.0, -6.0)))
    np.testing.assert_allclose(turned.phi[0], late.phi[0], rtol=1e-3)
    box, whole = (slice(2, 6), slice(3, 9)), (slice(0, 9), slice(0, 11))
    maps = project_maps(project)
    phi, _ = period_maps(project)((maps.wind_speed[5], maps.wind_dir[5]), whole, 5, box)
    np.testing.assert_array_equal(phi, maps.phi[(5, slice(None), *box)])


def test_a_setting_that_is_no_whole_number_is_named() -> None:
    values = USUAL.as_mapping()
    with pytest.raises(InputError, match=r"periods_per_day is 2\.5") as refused:
        PhysicalSettings.of({**values, "periods_per_day": 2.5, "air_moisture": 0.5})
    assert "air_moisture is 0.5" in str(refused.value)
    for number in (np.nan, np.inf):
        with pytest.raises(InputError, match="periods_per_day is"):
            PhysicalSettings.of({**values, "periods_per_day": number})


def test_its_caveats_say_what_it_reads_leaves_out_and_does_not_resolve() -> None:
    found = with_physical_model(project_of(), replace(USUAL, speed_percentile=97.0))
    text = " ".join(model_caveats(found))
    assert "spotting" in text and "crown fire" in text
    assert "0.10 m/min" in text and "4.8 h" in text
    assert "The fastest 3 %" in text
    assert any("canopy cover or canopy height" in warning for warning in model_warnings(found))


def test_parameters_are_numbers_as_a_project_file_holds_them_and_give_the_settings_back() -> None:
    settings = replace(USUAL, periods_per_day=3, crown_fire=True, moving_start=False)
    values = settings.as_mapping()
    assert {type(value) for value in values.values()} == {float}
    read = PhysicalSettings.of(values)
    assert read == settings
    assert (type(read.periods_per_day), type(read.crown_fire)) == (int, bool)


def test_parameters_that_are_missing_or_unknown_are_named() -> None:
    values = USUAL.as_mapping() | {"dead_2h": 3.0}
    del values["burn_hours"]
    with pytest.raises(InputError) as refused:
        PhysicalSettings.of(values)
    assert "burn_hours is missing" in str(refused.value) and "dead_2h is not known" in str(refused.value)


def test_a_plan_with_many_steps_a_day_is_said_to_take_long_before_it_starts() -> None:
    fast, slow = (with_physical_model(project_of(code), USUAL) for code in (145.0, 183.0))
    text = " ".join(note.text for note in start_notes(fast))
    assert f"a day has {fast.scenario.steps_per_day:,} steps" in text
    assert "steps, and a plan takes longer" not in " ".join(note.text for note in start_notes(slow))


CROWNS = {"canopy_cover": 50.0, "canopy_height": 18.0, "canopy_base_height": 2.0, "canopy_density": 0.2}
BURNING = replace(USUAL, crown_fire=True)


def test_crown_fire_is_off_until_it_is_chosen_and_then_raises_speed_and_steps() -> None:
    project = project_of(165.0, speed=9.0, **CROWNS)
    ground, crowned = (PhysicalGround.of(project.scenario, settings) for settings in (USUAL, BURNING))
    assert not USUAL.crown_fire and ground.canopy is None
    surface, fire = (each.fire(0, each.wind(0)) for each in (ground, crowned))
    assert isinstance(fire, CrownSpread) and fire.is_active.all()
    assert (fire.head > 5.0 * surface.head).all() and (fire.intensity > 10.0 * surface.intensity).all()
    usual, raised = (with_physical_model(project, settings).scenario.steps_per_day for settings in (USUAL, BURNING))
    assert raised == int(np.ceil(1440.0 * crowned.spread(0, crowned.wind(0)).speed.max() / (0.6 * 30.0))) > usual
    moist = PhysicalGround.of(project.scenario, replace(BURNING, foliar_moisture=250.0))
    np.testing.assert_array_equal(moist.fire(0, moist.wind(0)).intensity, surface.intensity)


@pytest.mark.parametrize("missing", ["canopy_base_height", "canopy_density"])
def test_crown_fire_changes_no_bit_where_a_layer_is_missing_and_it_is_said(missing: str) -> None:
    layers = {key: value for key, value in CROWNS.items() if key != missing}
    project = project_of(165.0, speed=9.0, **layers)
    found, usual = (with_physical_model(project, settings) for settings in (BURNING, USUAL))
    np.testing.assert_array_equal(project_maps(found).phi, project_maps(usual).phi)
    assert any("no crowns burn, though crown fire is on" in warning for warning in model_warnings(found))
    assert not any("crown" in warning for warning in model_warnings(usual))


def test_crowns_burn_only_in_cells_that_have_them_and_can_burn() -> None:
    project = project_of(165.0, speed=9.0, **CROWNS)
    layers = project.scenario.layers
    layers["canopy_density"][0, :2] = [np.nan, 0.0]
    layers["canopy_base_height"][0, 2] = np.nan
    layers["fuel"][2, :2] = 98.0
    ground, crowned = (PhysicalGround.of(project.scenario, settings) for settings in (USUAL, BURNING))
    before, now = (each.spread(0, each.wind(0)).speed for each in (ground, crowned))
    np.testing.assert_array_equal(now[0, :3], before[0, :3])
    np.testing.assert_array_equal(now[2, :2], 0.0)
    rest = np.ones(SHAPE, bool)
    rest[0, :3] = rest[2, :2] = False
    assert (now[rest] > before[rest]).all()


def test_crown_fire_on_some_cells_is_that_of_the_whole_raster() -> None:
    project = project_of(165.0, speed=9.0, slope=20.0, aspect=200.0, **CROWNS)
    ground = PhysicalGround.of(project.scenario, BURNING)
    speed, towards = ground.wind(0)
    whole = ground.spread(0, (speed, towards)).speed
    rows, columns = np.array([[0, 3], [5, 8]]), np.array([[1, 1], [10, 4]])
    part = ground.spread(0, (speed[rows, columns], towards[rows, columns]), (rows, columns)).speed
    np.testing.assert_array_equal(part, whole[rows, columns])


@pytest.mark.parametrize("burns", [True, False])
def test_the_fastest_cell_is_found_in_a_wind_that_is_the_same_at_all_hours(burns: bool) -> None:
    project = hourly(project_of(102.0 if burns else 99.0, slope=20.0, aspect=90.0), air=False)
    weather = project.scenario.weather
    assert weather is not None
    still = replace(weather, speed=np.full_like(weather.speed, 4.0))
    ground = PhysicalGround.of(replace(project.scenario, weather=still), replace(USUAL, periods_per_day=24))
    every = [ground.spread(period, ground.wind(period)).speed.max() for period in range(len(ground.moistures))]

    assert ground.fastest(100.0) == pytest.approx(max(every), rel=1e-6)


def test_the_fastest_cell_is_found_with_crown_fire() -> None:
    project = hourly(project_of(165.0, slope=25.0, aspect=200.0, **CROWNS), air=True)
    ground = PhysicalGround.of(project.scenario, replace(BURNING, periods_per_day=24))
    every = [ground.spread(period, ground.wind(period)).speed.max() for period in range(len(ground.moistures))]
    assert ground.fastest(100.0) == pytest.approx(max(every), rel=1e-6)


def test_the_fastest_cell_is_found_where_a_factor_slows_down_the_fire_below_the_crowns() -> None:
    project = project_of(102.0, **(CROWNS | {"canopy_base_height": 0.5}))
    layers = project.scenario.layers
    layers["fuel"][:, 6:] = 165.0
    layers["canopy_cover"][:, :6] = layers["canopy_density"][:, :6] = 0.0
    # The grass is fastest in the first half of a day; in the second it is too moist to burn, and crowns are faster.
    speed, heat, damp = (np.tile(pair, 3) for pair in ([6.0, 14.0], [35.0, 20.0], [10.0, 85.0]))
    weather = PeriodWeather(2, 11, speed.astype(np.float32)[:, None, None], np.zeros((6, 1, 1), np.float32), heat, damp)
    settings = replace(BURNING, factors=SpreadFactors(understory_speed=0.33))
    ground = PhysicalGround.of(replace(project.scenario, weather=weather), settings)
    every = [ground.spread(period, ground.wind(period)).speed for period in (0, 1)]
    assert every[0].max() == every[0][0, 0] and every[1][0, 0] == 0.0 < every[0].max() < every[1].max()
    assert ground.fastest(100.0) == pytest.approx(float(every[1].max()), rel=1e-6)


def test_its_caveats_say_what_becomes_of_the_crowns() -> None:
    project = project_of(165.0, **CROWNS)
    on, off = (" ".join(model_caveats(with_physical_model(project, settings))) for settings in (BURNING, USUAL))
    assert "leaves out spotting" in on and "Crowns of 100 % moisture burn" in on and "spotting is not modelled" in on
    assert "leaves out crown fire, spotting" in off and "Crown fire is off, though the event has the layers" in off
    unknown = project_of(165.0, **{key: value for key, value in CROWNS.items() if key != "canopy_height"})
    assert any("add no heat" in warning for warning in model_warnings(with_physical_model(unknown, BURNING)))


@pytest.mark.parametrize("moisture", [29.0, 301.0, np.nan])
def test_foliar_moisture_out_of_range_is_one_message(moisture: float) -> None:
    (problem,) = replace(BURNING, foliar_moisture=moisture).problems()
    assert "Foliar moisture is" in problem.what and problem.remedy == "use a value from 30 to 300"


def fire_of(project: Project, factors: SpreadFactors, period: int = 0, **settings: Any) -> GroundSpread:
    ground = PhysicalGround.of(project.scenario, replace(USUAL, factors=factors, **settings))
    return ground.spread(period, ground.wind(period))


def test_a_speed_factor_multiplies_the_speed_of_its_fuel_group_alone() -> None:
    project = project_of(102.0)
    project.scenario.layers["fuel"][0] = 183.0
    plain, faster = (fire_of(project, each) for each in (SpreadFactors(), SpreadFactors(grass_speed=1.7)))
    np.testing.assert_allclose(faster.speed[1:], 1.7 * plain.speed[1:], rtol=1e-5)
    np.testing.assert_array_equal(faster.speed[0], plain.speed[0])
    np.testing.assert_array_equal(faster.ratio, plain.ratio)


def test_the_wind_factor_is_a_wind_and_the_shift_is_a_moisture() -> None:
    strong, weak = project_of(102.0, speed=6.0), project_of(102.0, speed=3.0)
    half, dry = (fire_of(each, factors) for each, factors in (
        (strong, SpreadFactors(wind_factor=0.5)), (strong, SpreadFactors(moisture_shift=-4.0)),
    ))  # fmt: skip
    np.testing.assert_allclose(half.speed, fire_of(weak, SpreadFactors()).speed, rtol=1e-5)
    moisture = FuelMoisture(2.0, 3.0, 4.0)
    np.testing.assert_array_equal(dry.speed, fire_of(strong, SpreadFactors(), moisture=moisture).speed)
    driest = SpreadFactors(moisture_shift=-4.0).shifted(FuelMoisture(3.0))
    assert (driest.dead_1h, driest.live_herb) == (1.0, 60.0), "no fuel is drier than the least moisture"


def test_the_steps_a_day_follow_from_the_factors_as_those_of_every_cell() -> None:
    project = project_of(102.0, speed=5.0)
    factors = SpreadFactors(grass_speed=1.5, wind_factor=1.3, moisture_shift=2.0)
    found = with_factors(with_physical_model(project, USUAL), factors)
    fastest = fire_of(project, factors).speed.max()
    assert found.scenario.steps_per_day == int(np.ceil(1440.0 * fastest / (0.6 * 30.0)))
    assert found.fire_model.physical.factors == factors
    assert found.fire_model.label == "physical model (Rothermel 1972), calibrated"
    text = "Calibrated: grass × 1.5, dead fuel moisture +2 points, wind × 1.3. The rest is as published."
    assert text in model_caveats(found)
    assert not any("Nothing was learned" in each for each in model_caveats(found))
    assert any("Nothing was learned" in each for each in model_caveats(with_factors(found, SpreadFactors())))


def test_factors_out_of_their_bounds_are_refused() -> None:
    with pytest.raises(InputError, match=r"Speed in shrub is 3.5 — use a value from 0.33 to 3"):
        with_factors(with_physical_model(project_of(), USUAL), SpreadFactors(shrub_speed=3.5))
