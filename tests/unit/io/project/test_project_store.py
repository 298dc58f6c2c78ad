from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.domain.fuel_models import FuelModel
from firegui.domain.grid import Grid
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.settings import SearchMethod
from firegui.domain.weather import PeriodWeather, WeatherEnd
from firegui.errors import InputError
from firegui.io.project import store as project_store
from firegui.io.project.migrations import CURRENT_FORMAT
from firegui.io.project.store import (
    ProjectExistsError,
    list_runs,
    load_project,
    project_hash,
    save_project,
    saved_state,
)
from tests.unit.io.builders import (
    PLACED,
    UNPLACED,
    aircraft,
    assert_each_said,
    assert_same_bits,
    change_text,
    files_below,
    maps,
    project,
    refused_for,
    scenario,
)

ARRAYS = ("wind_speed", "wind_dir", "ignition", "observed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "Fire.firegui"


def assert_equal(one: Project, other: Project) -> None:
    for name in ("fleet", "grounded", "regions", "plan", "fire_model", "stress"):
        assert getattr(one, name) == getattr(other, name), name
    for name in (
        "name",
        "grid",
        "start",
        "utc_offset_h",
        "observed_dates",
        "steps_per_day",
        "notes",
        "synthetic",
        "markers",
    ):
        assert getattr(one.scenario, name) == getattr(other.scenario, name), name
    assert set(one.scenario.layers) == set(other.scenario.layers)
    for key, layer in one.scenario.layers.items():
        assert_same_bits(layer, other.scenario.layers[key])
    for name in ARRAYS:
        mine, theirs = getattr(one.scenario, name), getattr(other.scenario, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert_same_bits(mine, theirs)


@pytest.mark.parametrize("grid", [PLACED, UNPLACED])
def test_a_saved_project_opens_equal_and_bit_for_bit(folder: Path, grid: Grid) -> None:
    before = project(grid)
    save_project(before, folder)
    after = load_project(folder)
    assert_equal(before, after)
    assert project_hash(before) == project_hash(after)
    assert (folder / "layers" / "wind_speed.tif").exists()
    assert after.maps is None


def test_imported_maps_come_back_bit_for_bit(folder: Path) -> None:
    held = maps()
    before = project(maps=held, fire_model=FireModel("maps", "imported", {}))
    save_project(before, folder)
    after = load_project(folder)
    assert after.maps is not None
    for name in ("phi", "gamma", "burnable", "wind_speed", "wind_dir", "ignition"):
        assert_same_bits(getattr(after.maps, name), getattr(held, name))
    assert project_hash(before) == project_hash(after)


def test_weather_by_period_comes_back_bit_for_bit_and_counts_as_an_input(folder: Path) -> None:
    weather = hourly_weather()
    before = project(scenario=scenario(weather=weather))
    save_project(before, folder)
    after = load_project(folder)
    found = after.scenario.weather
    assert found is not None and (found.periods_per_day, found.block) == (8, 4)
    for name in ("speed", "towards", "temperature_c", "humidity"):
        assert_same_bits(getattr(found, name), getattr(weather, name))
    assert project_hash(before) == project_hash(after)
    assert weather.temperature_c is not None
    warmer = replace(weather, temperature_c=weather.temperature_c + 1.0)
    assert project_hash(project(scenario=scenario(weather=warmer))) != project_hash(before)
    other = project(scenario=scenario(weather=replace(weather, speed=weather.speed + np.float32(1.0))))
    assert project_hash(other) != project_hash(before)


def test_the_end_of_the_weather_comes_back_and_no_run_depends_on_it(folder: Path) -> None:
    plain = project()
    end = WeatherEnd("a.wxs", plain.scenario.time_of_day(1))
    before = project(scenario=replace(plain.scenario, weather_end=end))
    save_project(before, folder)
    assert load_project(folder).scenario.weather_end == end
    assert project_hash(before) == project_hash(plain)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    until = next(line for line in text.splitlines() if line.startswith("until"))
    change_text(folder / "project.toml", (until, "until = 2020-08-20T07:00:00"))
    with refused_for("until has no offset from UTC"):
        load_project(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("periods_per_day = 8", "periods_per_day = 12"), "24 × 2 × 2 values, 36 × 2 × 2 are needed"),
        (("block = 4", "block = 0"), "blocks of 0 cells"),
        (("humidity = [", "humidity = [200.0, "), "humidity has 25 values"),
        (("[event.weather]", "[event.climate]"), "climate is not known"),
    ],
)
def test_weather_that_is_not_the_events_keeps_a_project_closed(
    folder: Path, change: tuple[str, str], said: str
) -> None:
    save_project(project(scenario=scenario(weather=hourly_weather())), folder)
    change_text(folder / "project.toml", change)
    with refused_for(said):
        load_project(folder)


def hourly_weather() -> PeriodWeather:
    rng = np.random.default_rng(2)
    speed, towards = rng.random((2, 24, 2, 2)).astype(np.float32)
    return PeriodWeather(8, 4, speed, towards, rng.uniform(0.0, 30.0, 24), rng.uniform(10.0, 90.0, 24))


CUSTOM = FuelModel(
    14, "CH1", "Chaparral", (0.1, 1 / 3, 0.0, 0.0, 2.5), (2000.0, 109.0, 30.0, 1500.0, 1600.0), 2.5, 0.15,
    (8000.0, 8001.5), False,
)  # fmt: skip


def with_fuels(*fuels: FuelModel) -> Project:
    return project(fire_model=replace(project().fire_model, fuels=fuels))


def test_custom_fuel_models_come_back_exactly_and_count_as_an_input(folder: Path) -> None:
    before = with_fuels(CUSTOM, replace(CUSTOM, code=102, name="", dynamic=True))
    save_project(before, folder)
    after = load_project(folder)
    assert after.fire_model == before.fire_model
    assert project_hash(after) == project_hash(before)
    assert project_hash(before) not in (project_hash(project()), project_hash(with_fuels(CUSTOM)))


def test_a_project_without_custom_fuel_models_is_written_as_before(folder: Path) -> None:
    save_project(project(), folder)
    assert "fire_model.fuel" not in (folder / "project.toml").read_text(encoding="utf-8")
    assert load_project(folder).fire_model.fuels == ()


def test_every_problem_of_custom_fuel_models_is_listed(folder: Path) -> None:
    wood = replace(CUSTOM, code=15, loads=(0.0, 0.0, 0.0, 0.0, 1.0))
    save_project(with_fuels(CUSTOM, CUSTOM, replace(CUSTOM, code=95, depth_ft=float("nan")), wood), folder)
    with pytest.raises(InputError) as caught:
        load_project(folder)
    parts = ("fuel model 14: is given twice", "91 to 99 do not burn", "its depth in ft is nan", "it has no dead fuel")
    assert_each_said(caught.value, parts)
    change_text(folder / "project.toml", ("extinction = 0.15", 'extinct = "dry"'))
    with pytest.raises(InputError) as caught:
        load_project(folder)
    assert_each_said(caught.value, ("fuel 1: extinction is missing", "fuel 1: extinct is not", "it has no dead fuel"))


def test_an_event_without_layers_ignition_or_observations_opens(folder: Path) -> None:
    bare = scenario(layers={}, ignition=None, observed=None, observed_dates=(), markers=(), notes=())
    save_project(project(scenario=bare, regions=(), grounded={}), folder)
    opened = load_project(folder)
    assert opened.scenario.observed is None and opened.scenario.ignition is None and not opened.scenario.layers


def test_saving_edits_replaces_only_the_project_file(folder: Path) -> None:
    before = project()
    save_project(before, folder)
    (folder / "runs" / "1").mkdir(parents=True)
    stamps = {file: file.stat().st_mtime_ns for file in (folder / "layers").iterdir()}
    held = files_below(folder)
    after = replace(load_project(folder), regions=(Region.rectangle("new", (0, 2), (0, 2)),))
    save_project(after, folder, replacing=True)
    assert {file: file.stat().st_mtime_ns for file in (folder / "layers").iterdir()} == stamps
    assert files_below(folder) == held
    assert_equal(load_project(folder), after)


def fail(*_: Any) -> Any:
    raise OSError(28, "No space left on device")


def test_a_first_save_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_store, "write_text", fail)
    with pytest.raises(InputError, match="No space left on device"):
        save_project(project(), folder)
    assert files_below(folder.parent) == set()


def test_a_later_save_that_fails_leaves_the_old_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = project()
    save_project(before, folder)
    held = files_below(folder.parent)
    monkeypatch.setattr("firegui.io.atomic.os.replace", fail)
    with pytest.raises(InputError, match="No space left on device"):
        save_project(replace(before, regions=()), folder, replacing=True)
    assert files_below(folder.parent) == held
    assert_equal(load_project(folder), before)


def test_what_cannot_be_written_as_text_leaves_nothing(folder: Path) -> None:
    with pytest.raises(TypeError):
        save_project(project(scenario=scenario(notes=(object(),))), folder)
    assert files_below(folder.parent) == set()


def test_a_folder_with_something_else_in_it_is_never_overwritten(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.doc").write_text("x")
    with pytest.raises(InputError, match="is not a firegui project"):
        save_project(project(), folder)
    assert files_below(folder) == {"thesis.doc"}


def test_a_file_in_the_way_is_never_overwritten(folder: Path) -> None:
    folder.write_text("mine")
    with pytest.raises(InputError, match="is not a firegui project"):
        save_project(project(), folder)
    assert folder.read_text() == "mine"


def test_an_empty_folder_is_used_and_missing_parents_are_made(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    save_project(project(), tmp_path / "empty")
    save_project(project(), tmp_path / "a" / "b" / "c.firegui")
    assert_equal(load_project(tmp_path / "a" / "b" / "c.firegui"), load_project(tmp_path / "empty"))


def test_another_event_is_not_saved_over_a_project(folder: Path) -> None:
    save_project(project(), folder)
    other = project(scenario=scenario(wind_speed=np.ones((3, *PLACED.shape), np.float32)))
    with pytest.raises(InputError, match="already holds another event"):
        save_project(other, folder)
    assert_equal(load_project(folder), project())


def test_a_project_of_the_same_event_is_replaced_only_when_that_is_meant(folder: Path) -> None:
    save_project(project(), folder)
    other = replace(project(), regions=())
    with pytest.raises(ProjectExistsError, match="already holds a project of this event"):
        save_project(other, folder)
    assert_equal(load_project(folder), project())
    save_project(other, folder, replacing=True)
    assert_equal(load_project(folder), other)


def test_a_damaged_project_file_is_not_saved_over(folder: Path) -> None:
    save_project(project(), folder)
    (folder / "project.toml").write_text("format = ")
    with refused_for("not valid TOML", "save under another name"):
        save_project(project(), folder)
    assert (folder / "project.toml").read_text() == "format = "


def edited(folder: Path, *swaps: tuple[str, str]) -> None:
    save_project(project(), folder)
    change_text(folder / "project.toml", *swaps)


def test_a_project_of_a_newer_format_says_so(folder: Path) -> None:
    edited(folder, (f"format = {CURRENT_FORMAT}", "format = 99"))
    with pytest.raises(InputError, match=r"made by a newer firegui \(format 99.*update firegui"):
        load_project(folder)


@pytest.mark.parametrize("number", ["0", '"1"', "true", "1.5"])
def test_a_format_that_is_no_number_from_1_is_refused(folder: Path, number: str) -> None:
    edited(folder, (f"format = {CURRENT_FORMAT}", f"format = {number}"))
    with pytest.raises(InputError, match="format is"):
        load_project(folder)


def test_every_problem_of_a_damaged_project_is_reported_at_once(folder: Path) -> None:
    edited(
        folder,
        ("days = 2\n", ""),
        ("rows = 6", 'rows = "six"'),
        ('setting = "custom"', 'setting = "C"'),
        ("payload_gal = 1200.0", 'payload_gal = "much"'),
        ("weight = 1.0", "wight = 1.0"),
        ('kind = "scalar"', 'kind = "cnn"'),
        ("2020-08-20", '"soon"'),
        ("[event]\n", "[event]\nclimate = 1\n"),
    )
    with refused_for(
        "[plan]: days is missing",
        "[grid]: rows",
        "A, B, AB, custom",
        "fleet 1: payload_gal",
        "weight is missing",
        "wight is not known",
        "kind is 'cnn'",
        "grounded: ",
        "climate is not known",
    ):
        load_project(folder)


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("steps_per_day = 50", "steps_per_day = 0", "steps_per_day is 0"),
        ("steps_per_day = 50", f"steps_per_day = {2**62}", "use 1 to 5000"),
        ("utc_offset_h = -7.0", "utc_offset_h = 70.0", "utc_offset_h is 70"),
        ("start = 2020-08-19T07:00:00Z", "start = 2020-08-19T07:00:00", "no offset from UTC"),
        ("cell_size_m = 30.0", "cell_size_m = 10.0", "cell size 10 m"),
        ("EPSG:32610", "EPSG:999999", "unknown to PROJ"),
        ("500000.0", "nan", "holds values that are not numbers"),
        ("start_day = 1", "start_day = -1", "Start day is -1"),
        ("rows = 6", "rows = 7", "the grid 7 × 8"),
        ("  2020-08-21,\n", "", "has 2 perimeters for 1 dates"),
    ],
)
def test_values_that_contradict_the_layers_or_themselves_are_reported(
    folder: Path, old: str, new: str, part: str
) -> None:
    edited(folder, ("[2020-08-19, 2020-08-21]", "[\n  2020-08-19,\n  2020-08-21,\n]"), (old, new))
    with pytest.raises(InputError, match=part):
        load_project(folder)


@pytest.mark.parametrize(
    ("swap", "parts"),
    [(None, []), (("payload_gal = 1200.0", 'payload_gal = "much"'), ["fleet 1: payload_gal"])],
    ids=["layers", "text and layers"],
)
def test_missing_changed_and_foreign_layers_are_all_named_beside_problems_of_the_text(
    folder: Path, swap: tuple[str, str] | None, parts: list[str]
) -> None:
    edited(folder, ("layers/ignition.tif", "../outside.tif"), *([swap] if swap else []))
    (folder / "layers" / "elevation.tif").unlink()
    (folder / "layers" / "wind_speed.tif").write_bytes(b"changed")
    with refused_for(
        *parts,
        "elevation.tif: the file is missing",
        "wind_speed.tif: the file was changed",
        "../outside.tif lies outside the project folder",
    ):
        load_project(folder)


def test_layers_that_are_not_listed_are_missed(folder: Path) -> None:
    save_project(project(), folder)
    text = (folder / "project.toml").read_text(encoding="utf-8")
    (folder / "project.toml").write_text(text[: text.index("[layers.elevation]")], encoding="utf-8")
    with refused_for("wind_speed is not listed", "wind_dir is not listed", "observed is not listed"):
        load_project(folder)


def test_imported_maps_that_are_gone_are_missed(folder: Path) -> None:
    save_project(project(maps=maps(), fire_model=FireModel("maps", "imported", {})), folder)
    (folder / "maps.npz").unlink()
    with pytest.raises(InputError, match=r"maps\.npz: the file is missing"):
        load_project(folder)


def test_imported_maps_that_are_too_fast_for_their_steps_are_refused(folder: Path) -> None:
    fast = replace(
        maps(), phi=np.ones((3, 16, *PLACED.shape), np.float32), gamma=np.ones((3, *PLACED.shape), np.float32)
    )
    save_project(project(maps=fast, fire_model=FireModel("maps", "imported", {})), folder)
    with pytest.raises(InputError, match=r"phi: .* are 1 or more .* more steps a day"):
        load_project(folder)


def test_a_folder_that_is_no_project_and_a_missing_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a firegui project"):
        load_project(tmp_path)
    with pytest.raises(InputError, match=r"the project does not exist"):
        load_project(tmp_path / "none.firegui")
    (tmp_path / "file.firegui").write_text("x")
    with pytest.raises(
        InputError, match=r"is a file, not the folder of a project — choose a folder such as NAME\.firegui"
    ):
        load_project(tmp_path / "file.firegui")


def test_a_project_that_no_run_can_start_on_still_opens(folder: Path) -> None:
    grounded = project(fleet=Fleet((aircraft(count=0),)), regions=(Region.rectangle("far", (90, 99), (90, 99)),))
    save_project(grounded, folder)
    assert load_project(folder).problems()


def test_a_project_moved_elsewhere_still_opens(folder: Path, tmp_path: Path) -> None:
    save_project(project(), folder)
    shutil.move(folder, tmp_path / "elsewhere")
    assert_equal(load_project(tmp_path / "elsewhere"), project())


def test_runs_are_listed_by_name_without_what_is_still_being_written(folder: Path) -> None:
    assert list_runs(folder) == []
    for name in ("b", "a", ".tmp"):
        (folder / "runs" / name).mkdir(parents=True)
    (folder / "runs" / "note.txt").write_text("x")
    assert [run.name for run in list_runs(folder)] == ["a", "b"]


@pytest.mark.parametrize("whole", [True, False])
def test_links_to_runs_outside_of_the_project_are_not_listed(folder: Path, tmp_path: Path, whole: bool) -> None:
    (tmp_path / "others" / "a").mkdir(parents=True)
    link, target = (folder / "runs", tmp_path / "others") if whole else (folder / "runs" / "a", tmp_path / "others/a")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target, target_is_directory=True)

    assert list_runs(folder) == []


def test_the_hash_changes_with_everything_a_run_depends_on() -> None:
    base = project()
    event = base.scenario
    moved = event.wind_speed.copy()
    moved[0, 0, 0] += 1e-6
    variants = [
        base,
        replace(base, regions=base.regions[:1]),
        replace(base, plan=replace(base.plan, days=3)),
        replace(base, plan=replace(base.plan, optimizer=replace(base.plan.optimizer, seed=1))),
        replace(base, plan=replace(base.plan, optimizer=replace(base.plan.optimizer, search=SearchMethod.FAST))),
        replace(base, fleet=base.fleet.replace_type(0, aircraft(payload_gal=1201.0))),
        replace(base, grounded={"S-2T": (date(2020, 8, 21),)}),
        replace(base, fire_model=FireModel("scalar", "x", {"p": 0.2})),
        replace(base, scenario=replace(event, wind_speed=moved)),
        replace(base, scenario=replace(event, observed=None, observed_dates=())),
        replace(base, scenario=replace(event, grid=UNPLACED)),
        replace(base, maps=maps()),
    ]
    assert len({project_hash(variant) for variant in variants}) == len(variants)


def test_the_hash_does_not_change_with_what_only_people_read() -> None:
    base = project()
    other = replace(
        base,
        scenario=replace(base.scenario, name="other", notes=()),
        fleet=base.fleet.replace_type(0, aircraft(type="x", provenance="y", payload_gal=1200)),
        grounded={"CL-415": (), "S-2T": (date(2020, 8, 20),), "none": ()},
        fire_model=replace(base.fire_model, label="z"),
    )
    assert project_hash(base) == project_hash(other)


def test_the_hash_of_a_physical_project_of_format_21_stays() -> None:
    settings = replace(PhysicalSettings(), steady_front=False)
    older = replace(project(), fire_model=FireModel("physical", "", settings.as_mapping()))
    assert project_hash(older).startswith("ac524f9be1eb515946eee218691e8c88")
    newer = FireModel("physical", "", PhysicalSettings().as_mapping())
    assert project_hash(replace(older, fire_model=newer)) != project_hash(older)


def test_a_project_file_has_one_place_for_days_on_the_ground(folder: Path) -> None:
    save_project(project(), folder)
    assert "grounded_days" not in (folder / "project.toml").read_text(encoding="utf-8")


def test_a_project_with_an_empty_list_of_grounded_days_still_opens(folder: Path) -> None:
    edited(folder, ("[[fleet]]\n", "[[fleet]]\ngrounded_days = []\n"))
    assert load_project(folder).fleet == project().fleet


def test_grounded_days_that_would_have_no_effect_are_refused(folder: Path) -> None:
    edited(folder, ("[[fleet]]\n", "[[fleet]]\ngrounded_days = [1]\n"))
    with pytest.raises(InputError, match=r"fleet 1: grounded_days has no effect in a project — .*\[grounded\]"):
        load_project(folder)


def test_a_misspelt_aircraft_on_the_ground_is_refused_by_name(folder: Path) -> None:
    edited(folder, ("[grounded]\n", "[grounded]\nS2T = [2020-08-21]\nold = []\n"))
    with pytest.raises(InputError, match=r"\[grounded\]: S2T is not an aircraft of this .*: CL-415, S-2T") as caught:
        load_project(folder)
    assert len(caught.value.problems) == 1


def test_days_on_the_ground_of_an_aircraft_that_left_the_fleet_are_not_saved(folder: Path) -> None:
    gone = project(grounded={"S-2T": (date(2020, 8, 20),), "gone": (date(2020, 8, 20),)})
    save_project(gone, folder)
    assert load_project(folder).grounded == {"S-2T": (date(2020, 8, 20),)}
    assert project_hash(load_project(folder)) == project_hash(gone)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_pipe_in_place_of_the_project_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "project.toml")
    assert saved_state(tmp_path) == ""
