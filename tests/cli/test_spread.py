from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.weather import PeriodWeather
from firegui.fire.fuel_moisture import fine_dead_moisture
from firegui.io.project.store import load_project, save_project
from firegui.io.rasters.geotiff import read_raster
from tests.cli.conftest import Run


def test_spread_gives_speed_and_direction_for_given_conditions(firegui: Run) -> None:
    answer = firegui(
        "spread", "--fuel", "gr2", "--dead-1h", "8", "--dead-10h", "9", "--dead-100h", "10",
        "--midflame-wind", "1.388889", "--wind-from", "90", "--json",
    )  # fmt: skip
    assert answer.code == 0
    assert answer.json["fuel"]["code"] == 102
    assert answer.json["head_m_min"] == pytest.approx(5.6, abs=0.05)
    assert answer.json["towards_deg"] == pytest.approx(270.0)
    assert answer.json["midflame_wind_ms"] == pytest.approx(1.388889)


def test_the_report_is_in_the_chosen_units(firegui: Run) -> None:
    metric, us = (firegui(*units, "spread", "--fuel", "145", "--wind", "5").out for units in ((), ("--units", "us")))
    assert "m/min" in metric and "kW/m" in metric
    assert "ch/h" in us and "mph" in us and "ft long" in us and "m/min" not in us
    assert "Crown fire is off and spotting is not modelled" in metric


def test_spread_reads_a_place_of_a_project_and_options_come_first(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    fuel = np.full(scenario.grid.shape, 102.0, np.float32)
    fuel[3, 4], fuel[0, 0] = 145.0, 98.0
    slope = np.full(scenario.grid.shape, 12.0, np.float32)
    layers = {**scenario.layers, "fuel": fuel, "slope": slope, "aspect": np.full_like(slope, 45.0)}
    project = tmp_path / "fuels.firegui"
    save_project(replace(loaded, scenario=replace(scenario, layers=layers)), project)
    found = firegui("spread", project, "--cell", "3", "4", "--day", "1", "--json").json
    assert (found["fuel"]["name"], found["conditions"]["slope"], found["conditions"]["aspect"]) == ("SH5", 12.0, 45.0)
    assert found["conditions"]["wind"] == pytest.approx(float(scenario.wind_speed[1, 3, 4]))
    chosen = firegui("spread", project, "--cell", "3", "4", "--fuel", "GR1", "--slope", "0", "--json").json
    assert (chosen["fuel"]["name"], chosen["conditions"]["slope"]) == ("GR1", 0.0)
    water = firegui("spread", project, "--cell", "0", "0")
    assert water.code == 2
    assert "'98' is not a fuel model that burns" in water.err


def test_spread_at_an_hour_has_its_wind_and_its_moisture(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    hours = 24 * scenario.days
    speed = (1.0 + np.arange(hours) % 24).astype(np.float32)[:, None, None]
    heat = np.asarray(10.0 + np.arange(hours) % 24, np.float64)
    weather = PeriodWeather(24, max(scenario.grid.shape), speed, np.zeros_like(speed), heat, 100.0 - heat)
    project = tmp_path / "hours.firegui"
    save_project(replace(loaded, scenario=replace(scenario, weather=weather)), project)
    at = ("spread", project, "--cell", "3", "4", "--fuel", "GR2", "--json")
    found = firegui(*at, "--day", "1", "--hour", "14").json
    one, ten = fine_dead_moisture(24.0, 76.0)
    assert found["conditions"]["wind"] == 15.0
    assert found["moisture_percent"]["dead_1h"] == pytest.approx(float(one))
    assert found["moisture_percent"]["dead_10h"] == pytest.approx(float(ten))
    assert firegui(*at, "--hour", "14", "--dead-1h", "5").json["moisture_percent"]["dead_1h"] == 5.0
    assert firegui(*at, "--day", "1").json["conditions"]["wind"] == pytest.approx(float(scenario.wind_speed[1, 3, 4]))
    assert "use an hour from 0 to 23" in firegui(*at, "--hour", "24").out


def test_rasters_of_a_project_agree_with_the_fire_at_a_place(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    shape = scenario.grid.shape
    fuel = np.full(shape, 102.0, np.float32)
    fuel[0, 0] = 98.0
    slope = np.full(shape, 20.0, np.float32)
    layers = {"fuel": fuel, "slope": slope, "aspect": np.full_like(slope, 200.0)}
    hours = 24 * scenario.days
    speed = (1.0 + np.arange(hours) % 24 / 4.0).astype(np.float32)[:, None, None]
    weather = PeriodWeather(24, max(shape), speed, np.zeros_like(speed))
    project = tmp_path / "fuels.firegui"
    save_project(replace(loaded, scenario=replace(scenario, layers=layers, weather=weather)), project)
    answer = firegui("spread", project, "--day", "1", "--dead-1h", "5", "--out", tmp_path / "out", "--json")
    assert answer.code == 0 and len(answer.json["files"]) == 4 and len(answer.json["periods"]) == 4
    at = ("spread", project, "--cell", "3", "4", "--day", "1", "--dead-1h", "5", "--json")
    found = firegui(*at, "--hour", "13").json
    hourly = firegui("spread", project, "--day", "1", "--hour", "13", "--dead-1h", "5", "--out", tmp_path / "one")
    assert hourly.code == 0 and "not modelled" in hourly.out
    for name, key in (
        ("rate_of_spread", "head_m_min"), ("spread_direction", "towards_deg"), ("flame_length", "flame_length_m"),
        ("fireline_intensity", "fireline_intensity_kw_m"),
    ):  # fmt: skip
        raster = read_raster(tmp_path / "one" / f"{name}.tif")
        assert raster.bands.shape == (1, *shape) and np.isnan(raster.bands[0, 0, 0])
        assert raster.bands[0, 3, 4] == pytest.approx(found[key], rel=1e-5)
        assert raster.tags["UNIT"] and read_raster(tmp_path / "out" / f"{name}.tif").bands.shape == (4, *shape)
    before = sorted(tmp_path.iterdir())
    assert "leave out the options of one place" in firegui("spread", project, "--cell", "1", "1", "--out", "x").err
    assert "needs a project" in firegui("spread", "--out", tmp_path / "x").err
    wrong = firegui("spread", project, "--day", "99", "--dead-1h", "0.1", "--out", tmp_path / "x").err
    assert "--day: is 99" in wrong and "--dead-1h is 0.1" in wrong
    assert sorted(tmp_path.iterdir()) == before


def test_every_problem_of_the_input_is_in_one_message(firegui: Run, project: Path, tmp_path: Path) -> None:
    answer = firegui("spread", project, "--cell", "999", "0", "--day", "99", "--dead-1h", "0.5", "--fuel", "XX")
    assert answer.code == 2
    for said in ("row 999", "--day: is 99", "--dead-1h is 0.5", "'XX' is not a fuel model"):
        assert said in answer.err
    assert "give a fuel model, or a project" in firegui("spread").err
    assert "one wind a day" in firegui("spread", project, "--cell", "1", "1", "--hour", "3").err
    assert "belong to a project" in firegui("spread", "--cell", "1", "1", "--fuel", "GR1").err
    assert "--at or --cell" in firegui("spread", project).err
    own = tmp_path / "own.fmd"
    own.write_text("ENGLISH\n14 mine 0.1 0 0 1 0 dynamic 2000 1800 1500 1 15 8000 8000 Own\n", encoding="utf-8")
    assert firegui("spread", "--fuel", "mine", "--fuel-models", own, "--json").json["fuel"]["title"] == "Own"
    assert "does not exist" in firegui("spread", "--fuel", "mine", "--fuel-models", tmp_path / "none.fmd").err


def test_fine_dead_moisture_follows_from_temperature_and_humidity(firegui: Run) -> None:
    found = firegui("spread", "--fuel", "GR2", "--temperature", "25", "--humidity", "20", "--json").json
    # Equilibrium by Simard's equation for 10 to 50 %, 77 °F: 2.22749 + 3.20214 - 1.13806 = 4.29157 %.
    assert found["moisture_percent"]["dead_1h"] == pytest.approx(1.03 * 4.29157, abs=0.01)
    assert found["moisture_percent"]["dead_10h"] == pytest.approx(1.28 * 4.29157, abs=0.01)
    assert found["moisture_percent"]["dead_100h"] == 8.0
    assert "only one is given" in firegui("spread", "--fuel", "GR2", "--humidity", "20").err
    wrong = firegui("spread", "--fuel", "1", "--temperature", "99", "--humidity", "-1", "--dead-1h", "5").err
    assert "--temperature: is 99" in wrong and "--humidity: is -1" in wrong and "besides temperature" in wrong


CROWNS = {"canopy_cover": 50.0, "canopy_height": 18.0, "canopy_base_height": 2.0, "canopy_density": 0.08}
STAND = ("spread", "--fuel", "TU5", "--wind", "9", *(
    word for name, value in CROWNS.items() for word in (f"--{name.replace('_', '-')}", str(value))
))  # fmt: skip


def test_crown_fire_at_a_place_says_type_fraction_and_speed(firegui: Run) -> None:
    off = firegui(*STAND, "--json").json
    assert off["crown_fire"] is None and off["left_out"].startswith("Crown fire is off and spotting is not modelled")
    passive = firegui(*STAND, "--crown-fire", "--json").json
    crowns = passive["crown_fire"]
    assert crowns["type"] == "passive" and 0.2 < crowns["fraction_burned"] < 0.4
    assert passive["head_m_min"] > 3.0 * off["head_m_min"] == 3.0 * crowns["surface_head_m_min"]
    assert crowns["critical_intensity_kw_m"] == pytest.approx(61.0**1.5)
    assert passive["left_out"].startswith("Spotting is not modelled")
    dense = firegui(*STAND, "--crown-fire", "--canopy-density", "0.2").out
    assert dense.startswith("Active crown fire in fuel model 165") and "100 % burn" in dense
    high = firegui(*STAND, "--crown-fire", "--canopy-base-height", "6").out
    assert (
        high.startswith("Surface fire") and "do not burn: surface fire 782 kW/m, crowns catch fire from 2,476" in high
    )
    moist = firegui(*STAND, "--crown-fire", "--foliar-moisture", "200", "--json").json["crown_fire"]
    assert moist["type"] == "surface" and moist["fraction_burned"] == 0.0
    assert "none here" in firegui("spread", "--fuel", "TU5", "--crown-fire").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--canopy-base-height", "-1"), "--canopy-base-height is -1.0 — use a value from 0 to 120"),
        (("--canopy-density", "-0.1"), "--canopy-density is -0.1 — use a value from 0 to 2"),
        (("--canopy-density", "2.1"), "--canopy-density is 2.1 — use a value from 0 to 2"),
        (("--foliar-moisture", "29"), "--foliar-moisture is 29.0 — use a value from 30 to 300"),
        (("--foliar-moisture", "301"), "--foliar-moisture is 301.0 — use a value from 30 to 300"),
        (("--midflame-wind", "3"), "--midflame-wind: does not tell the wind that drives a crown fire"),
    ],
)
def test_bad_crowns_are_one_message(firegui: Run, words: tuple[str, ...], said: str) -> None:
    answer = firegui(*STAND, "--crown-fire", *words)
    assert answer.code == 2 and said in answer.err and answer.err.count("•") == 1


def test_crown_fire_of_a_project_agrees_with_its_rasters(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    shape = scenario.grid.shape
    layers = {key: np.full(shape, value, np.float32) for key, value in {"fuel": 165.0, **CROWNS}.items()}
    wind = np.full_like(scenario.wind_speed, 9.0)
    forest = tmp_path / "forest.firegui"
    save_project(replace(loaded, scenario=replace(scenario, layers=layers, wind_speed=wind)), forest)
    found = firegui("spread", forest, "--cell", "3", "4", "--crown-fire", "--json").json
    assert found["crown_fire"]["type"] == "passive"
    out = tmp_path / "out"
    written = firegui("spread", forest, "--crown-fire", "--out", out, "--json").json
    assert "crown_fraction_burned.tif" in written["files"] and "Spotting is not modelled" in written["left_out"]
    for name, value in (
        ("rate_of_spread", found["head_m_min"]), ("flame_length", found["flame_length_m"]),
        ("fireline_intensity", found["fireline_intensity_kw_m"]),
        ("crown_fraction_burned", found["crown_fire"]["fraction_burned"]),
    ):  # fmt: skip
        assert read_raster(out / f"{name}.tif").bands[0, 3, 4] == pytest.approx(value, rel=1e-5)
    # Its own physical model says whether crowns burn.
    assert firegui("configure", forest, "--model", "physical", "--crown-fire").code == 0
    assert firegui("spread", forest, "--cell", "3", "4", "--json").json["head_m_min"] == found["head_m_min"]
    assert firegui("spread", forest, "--cell", "3", "4", "--no-crown-fire", "--json").json["crown_fire"] is None
    bare = tmp_path / "bare.firegui"
    save_project(replace(loaded, scenario=replace(scenario, layers={"fuel": layers["fuel"]})), bare)
    lacking = firegui("spread", bare, "--crown-fire", "--out", tmp_path / "none").out
    assert "No canopy base height and canopy bulk density: no crowns burn." in lacking


def test_a_place_has_the_moistures_of_the_projects_physical_model(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    hours = 24 * scenario.days
    speed = np.full((hours, 1, 1), 2.0, np.float32)
    heat = np.full(hours, 30.0)
    weather = PeriodWeather(24, max(scenario.grid.shape), speed, np.zeros_like(speed), heat, heat)
    layers = {"fuel": np.full(scenario.grid.shape, 102.0, np.float32)}
    dry = tmp_path / "dry.firegui"
    save_project(replace(loaded, scenario=replace(scenario, layers=layers, weather=weather)), dry)
    given = ("--dead-1h", "3", "--dead-10h", "4", "--dead-100h", "5", "--live-herb", "30")
    assert firegui("configure", dry, "--model", "physical", *given).code == 0
    at = ("spread", dry, "--cell", "3", "4", "--json")
    one, _ten = fine_dead_moisture(30.0, 30.0)
    found = firegui(*at).json["moisture_percent"]
    assert found == {"dead_1h": 3.0, "dead_10h": 4.0, "dead_100h": 5.0, "live_herb": 30.0, "live_woody": 90.0}
    found = firegui(*at, "--hour", "2").json["moisture_percent"]
    assert (found["dead_1h"], found["dead_100h"]) == (pytest.approx(float(one)), 5.0)
    found = firegui(*at, "--temperature", "30", "--humidity", "30").json["moisture_percent"]
    assert (found["dead_1h"], found["live_herb"]) == (pytest.approx(float(one), abs=0.01), 30.0)
    assert firegui("configure", dry, "--no-air-moisture").code == 0
    assert firegui(*at, "--hour", "2").json["moisture_percent"]["dead_1h"] == 3.0
    assert "calibration" not in firegui(*at).json["left_out"]
    assert firegui("configure", dry, "--grass-speed", "0.5").code == 0
    assert "Factors of the calibration do not count here." in firegui(*at).json["left_out"]
    assert "calibration" not in firegui("spread", dry, "--out", tmp_path / "out").out


def test_what_a_project_lacks_at_a_place_is_as_in_its_rasters(firegui: Run, project: Path, tmp_path: Path) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    shape = scenario.grid.shape

    def saved(name: str, **layers: float) -> Path:
        known = {key: np.full(shape, value, np.float32) for key, value in {"fuel": 165.0, **layers}.items()}
        wind = np.full_like(scenario.wind_speed, 9.0)
        save_project(replace(loaded, scenario=replace(scenario, layers=known, wind_speed=wind)), tmp_path / name)
        return tmp_path / name

    cases = (
        saved("slope", slope=40.0), saved("flat", slope=2.0, aspect=-1.0), saved("cliff", slope=85.0, aspect=90.0),
        saved("crowns", **{key: value for key, value in CROWNS.items() if key != "canopy_base_height"}),
    )  # fmt: skip
    for folder in cases:
        found = firegui("spread", folder, "--cell", "3", "4", "--crown-fire", "--json").json
        out = tmp_path / f"{folder.name}-out"
        assert firegui("spread", folder, "--crown-fire", "--out", out).code == 0
        for name, key in (("rate_of_spread", "head_m_min"), ("spread_direction", "towards_deg")):
            raster = read_raster(out / f"{name}.tif").bands[0, 3, 4]
            assert raster == pytest.approx(found[key], rel=1e-5), (folder.name, name)
    assert found["crown_fire"]["type"] == "surface"
    assert "the base height is not known" in firegui("spread", cases[-1], "--cell", "3", "4", "--crown-fire").out
    # What the project has counts again with what is given.
    turned = firegui("spread", cases[0], "--cell", "3", "4", "--aspect", "0", "--json").json
    assert turned["conditions"]["slope"] == 40.0
    based = firegui("spread", cases[-1], "--cell", "3", "4", "--crown-fire", "--canopy-base-height", "2", "--json").json
    assert based["crown_fire"]["type"] == "passive"


def test_an_hour_counts_from_the_start_of_the_day_and_is_named_by_the_clock(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    loaded = load_project(project)
    scenario = loaded.scenario
    hours = 24 * scenario.days
    speed = np.arange(1.0, hours + 1.0, dtype=np.float32)[:, None, None]
    heat = np.full(hours, 30.0)
    weather = PeriodWeather(24, max(scenario.grid.shape), speed, np.zeros_like(speed), heat, heat)
    start = datetime(2017, 10, 9, 4, tzinfo=UTC)
    layers = {"fuel": np.full(scenario.grid.shape, 102.0, np.float32)}
    tubbs = replace(scenario, layers=layers, weather=weather, start=start, utc_offset_h=-7.0)
    project = tmp_path / "night.firegui"
    save_project(replace(loaded, scenario=tubbs), project)
    at = ("spread", project, "--cell", "3", "4")
    found = firegui(*at, "--hour", "3", "--json").json
    assert (found["time"], found["conditions"]["wind"]) == ("2017-10-09 00:00 to 01:00 UTC−7", 4.0)
    assert "time       2017-10-08 21:00 to 2017-10-09 21:00 UTC−7" in firegui(*at).out
    assert firegui("spread", "--fuel", "GR2", "--json").json["time"] is None
    given = ("--dead-1h", "9", "--hour", "3")
    out = firegui("spread", project, *given, "--out", tmp_path / "out", "--json").json
    assert out["periods"] == ["2017-10-09 00:00 to 01:00 UTC−7"]
    # A moisture that is given counts before that of the air, there as here.
    head = firegui(*at, *given, "--json").json["head_m_min"]
    assert read_raster(tmp_path / "out" / "rate_of_spread.tif").bands[0, 3, 4] == pytest.approx(head, rel=1e-5)
