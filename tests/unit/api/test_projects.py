"""Projects of the Python interface: opened, made, changed and saved."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firegui
from firegui.api.projects import OpenProject
from firegui.io.project import layers
from firegui.io.project.store import load_project, project_hash
from tests.support import write_random_maps
from tests.unit.api.conftest import Command
from tests.unit.io.builders import assert_same_bits
from tests.unit.io.importers.places import GRID, degrees, hills, write


def test_a_project_is_opened_and_keeps_its_folder_when_it_is_changed(folder: Path) -> None:
    project = firegui.open(str(folder))
    assert project_hash(project) == project_hash(load_project(folder))
    longer = replace(project, plan=replace(project.plan, days=1))
    assert isinstance(longer, OpenProject) and longer.folder == folder
    assert longer.has_saved_event and not longer.is_as_saved and project.is_as_saved


def test_a_folder_that_is_no_project_is_refused(tmp_path: Path) -> None:
    with pytest.raises(firegui.InputError, match="does not exist"):
        firegui.open(tmp_path / "nowhere.firegui")


def test_notes_for_crews_are_given_kept_and_refused_together(project: OpenProject, tmp_path: Path) -> None:
    channels = {"Air/Ground": ("122.925", "168.275 T110.9"), "Air Guard": "121.5"}
    noted = project.with_crew_notes(frequencies=channels, hazards=["Wires"])
    assert [item.text for item in noted.operations.frequencies] == [
        "Air/Ground: AM 122.925, FM 168.275 T110.9", "Air Guard: AM 121.5",
    ]  # fmt: skip
    assert noted.with_crew_notes(hazards=()).operations.frequencies == noted.operations.frequencies
    assert noted.save(tmp_path / "noted.firegui").operations == noted.operations
    assert project_hash(noted) == project_hash(project)
    with pytest.raises(firegui.InputError) as refused:
        project.with_crew_notes(frequencies={"": "x", "Air": ("", "1\n2")}, hazards=["", "ok"])
    assert len(refused.value.problems) == 4


def test_airspace_rules_are_given_kept_and_refused_together(project: OpenProject, tmp_path: Path) -> None:
    ruled = project.with_airspace(
        {"most": 1, "minutes": 60, "radius_m": 300.0}, {"most": 6, "minutes": 60, "types": ["R"]}
    )
    assert [rule.text() for rule in ruled.operations.airspace] == [
        "at most 1 drop within 300 m in any 60 min", "at most 6 drops in any 60 min, of R",
    ]  # fmt: skip
    assert ruled.save(tmp_path / "ruled.firegui").operations == ruled.operations
    assert ruled.with_airspace().operations == project.operations
    with pytest.raises(firegui.InputError) as refused:
        project.with_airspace(
            {"most": 0, "minutes": 60}, {"minutes": 5, "radius": 3}, {"most": 1, "minutes": 5, "types": ["Q"]}
        )
    assert [problem.where for problem in refused.value.problems] == [
        "airspace rule 2", "airspace rule 2", "airspace rule 1", "airspace rule 3",
    ]  # fmt: skip


def test_bases_for_types_without_a_cruise_speed_are_refused_together(project: OpenProject, tmp_path: Path) -> None:
    file = tmp_path / "bases.csv"
    file.write_text("name,lon,lat,serves\nRedding,-122.3,40.5,R\nChico,-121.8,39.8,R;Q\n", encoding="utf-8")
    with pytest.raises(firegui.InputError) as refused:
        project.with_bases(file, serves=["R"])
    said = [str(problem) for problem in refused.value.problems]
    assert len(said) == 2 and any("aircraft R" in text and "cruise speed" in text for text in said)
    assert any("serves Q, which is not an aircraft type" in text for text in said)
    (tmp_path / "ok.csv").write_text("name,lon,lat,serves\nRedding,-122.3,40.5,R\n", encoding="utf-8")
    types = tuple(replace(kind, cruise_ms=120.0) if kind.id == "R" else kind for kind in project.fleet.types)
    fast = replace(project, fleet=replace(project.fleet, types=types))
    assert [base.serves for base in fast.with_bases(tmp_path / "ok.csv").operations.bases] == [("R",)]


def test_other_numbers_of_aircraft_leave_the_rest_as_it_is(project: OpenProject) -> None:
    smaller = project.with_counts({"R": 1, "W": 0})
    assert [kind.count for kind in smaller.fleet.types] == [1, 1, 0]
    assert smaller.grounded == project.grounded == {"R": (), "BIG": (date(2020, 8, 20),), "W": ()}
    assert [kind.count for kind in project.fleet.types] == [2, 1, 1]
    with pytest.raises(firegui.InputError) as refused:
        project.with_counts({"Z": 1, "R": -1})
    assert [problem.where for problem in refused.value.problems] == ["Z", "aircraft R"]


def test_the_physical_fire_model_is_chosen_with_its_settings(project: OpenProject, tmp_path: Path) -> None:
    event = project.scenario
    fuel = np.full(event.grid.shape, 122.0, np.float32)
    grass = replace(project, scenario=replace(event, layers={"fuel": fuel}), folder=None, saved=None)
    dry = grass.with_physical_fire(dead_1h=4, burn_hours=6.0)
    assert isinstance(dry, OpenProject)
    assert dry.fire_model.kind == "physical" and dry.fire_model.parameters["dead_1h"] == 4.0
    wet = dry.with_physical_fire(dead_1h=14)
    assert wet.fire_model.parameters["burn_hours"] == 6.0
    assert wet.scenario.steps_per_day < dry.scenario.steps_per_day
    saved = wet.save(tmp_path / "wet.firegui")
    assert project_hash(saved) == project_hash(wet)
    own = tmp_path / "own.fmd"
    own.write_text("122 MINE 1 1 0 9 0 dynamic 1800 1600 1500 0.2 12 8000 8000 Short grass", encoding="utf-8")
    short = dry.with_fuel_models(own)
    assert isinstance(short, OpenProject) and [fuel.name for fuel in short.fire_model.fuels] == ["MINE"]
    assert short.fire_model.parameters == dry.fire_model.parameters
    assert short.with_fuel_models(None).fire_model == dry.fire_model
    for wrong in ({"dead_2h": 4.0}, {"dead_1h": 0.0}):
        with pytest.raises(firegui.InputError):
            grass.with_physical_fire(**wrong)
    with pytest.raises(firegui.InputError, match="no fuel model layer"):
        project.with_physical_fire()


def test_a_project_is_saved_as_a_new_folder(project: OpenProject, tmp_path: Path) -> None:
    smaller = project.with_counts({"R": 1})
    saved = smaller.save(tmp_path / "small.firegui")
    assert saved.folder == tmp_path / "small.firegui" and saved.is_as_saved
    assert project_hash(saved) == project_hash(smaller) == project_hash(firegui.open(tmp_path / "small.firegui"))
    with pytest.raises(firegui.InputError, match="exists already"):
        project.save(tmp_path / "small.firegui")


def test_a_project_just_saved_has_copies_of_its_arrays_instead_of_reading_them(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(layers, "read_raster", None)
        saved = project.save(tmp_path / "new.firegui")
    assert not np.shares_memory(saved.scenario.wind_speed, project.scenario.wind_speed)
    found, read = (layers.arrays_of(each.scenario) for each in (saved, firegui.open(tmp_path / "new.firegui")))
    assert list(found) == list(read)
    for key, array in read.items():
        assert_same_bits(found[key], array)


def test_maps_become_the_project_of_the_command(command: Command, tmp_path: Path) -> None:
    write_random_maps(tmp_path / "maps.npz")
    command("import", "maps", tmp_path / "maps.npz", "--out", tmp_path / "one.firegui")
    made = firegui.import_maps(tmp_path / "maps.npz")
    assert made.folder is None
    saved = firegui.import_maps(tmp_path / "maps.npz", out=tmp_path / "two.firegui")
    assert project_hash(made) == project_hash(saved) == project_hash(load_project(tmp_path / "one.firegui"))
    with pytest.raises(firegui.InputError) as refused:
        firegui.import_maps(tmp_path / "gone.npz", out=tmp_path / "two.firegui")
    assert len(refused.value.problems) == 2
    assert "give another name with `out`" in str(refused.value)


def test_a_landscape_becomes_the_project_of_the_command(command: Command, tmp_path: Path) -> None:
    fine = degrees()
    dem, fuel = write(tmp_path, "dem", hills(fine), fine).path, write(tmp_path, "fuel", np.full(GRID.shape, 188)).path
    words = ("--wind-speed", 3, "--wind-from", 270, "--ignition", "-122.9955,39.7445", "--days", 2, "--cell-size", 60)
    command("import", "landscape", "--elevation", dem, "--fuel", fuel, *words, "--out", tmp_path / "one.firegui")
    made = firegui.import_landscape(
        elevation=dem, fuel=fuel, wind_speed=3.0, wind_from=270.0, ignition=(-122.9955, 39.7445), days=2, cell_size=60.0
    )
    assert project_hash(made) == project_hash(load_project(tmp_path / "one.firegui"))
    assert made.scenario.notes
    with pytest.raises(firegui.InputError) as refused:
        firegui.import_landscape(elevation=tmp_path / "no.tif", wind_speed=3.0, out=tmp_path / "one.firegui")
    assert len(refused.value.problems) >= 2


def test_values_at_risk_are_read_replaced_and_left_out(project: OpenProject, tmp_path: Path) -> None:
    grid = project.scenario.grid
    table = tmp_path / "homes.csv"
    x, y = grid.to_world(3, 4)
    table.write_text(f"x,y,value\n{x},{y},2\n", encoding="utf-8")
    valued = project.with_values(table, "homes", weight=3.0)
    assert isinstance(valued, OpenProject) and not valued.is_as_saved
    assert valued.values[0].cells[3, 4] == 2.0
    again = valued.with_values(table, "homes", susceptibility=0.5)
    assert [layer.terms.at_risk for layer in again.values] == [1.0]
    assert again.without_values("homes").values == ()
    with pytest.raises(firegui.InputError, match="no layer 'people'"):
        again.without_values("people")
    with pytest.raises(firegui.InputError, match="'sums' is unknown"):
        project.with_values(table, meaning="sums")
    saved = again.save(tmp_path / "valued.firegui")
    assert saved.values == again.values


@pytest.mark.parametrize(
    ("method", "wrong", "where"),
    [
        ("with_counts", ([("R", 1)],), "counts"),
        ("with_counts", ({"R": "3"},), "aircraft R"),
        ("with_fuel_models", (3,), "file"),
        ("with_physical_fire", {"dead_1h": "5"}, "dead_1h"),
        ("with_values", (None,), "file"),
        ("with_values", {"file": "v.csv", "weight": "2"}, "weight"),
        ("with_bases", {"file": "b.csv", "serves": 3}, "serves"),
        ("with_bases", {"file": None}, "file"),
        ("with_airspace", ("one an hour",), "airspace rule 1"),
        ("with_airspace", ({"most": 1, "minutes": "60"},), "airspace rule 1, minutes"),
        ("with_airspace", ({"most": 1, "minutes": 60, "radius_m": "300"},), "airspace rule 1, radius_m"),
        ("with_airspace", ({"most": 1, "minutes": 60, "types": 3},), "airspace rule 1, types"),
        ("with_barriers", (7,), "file"),
        ("with_barriers", {"file": (), "width_m": "5"}, "width_m"),
        ("with_barriers", {"file": (), "exists_from": "2020-08-20"}, "exists_from"),
        ("with_crew_notes", {"frequencies": ["122.925"]}, "frequencies"),
        ("with_crew_notes", {"hazards": 5}, "hazards"),
    ],
)
def test_an_argument_of_another_type_is_refused_with_a_remedy(
    method: str, wrong: Any, where: str, project: OpenProject
) -> None:
    given: tuple[tuple[Any, ...], dict[str, Any]] = ((), wrong) if isinstance(wrong, dict) else (wrong, {})
    with pytest.raises(firegui.InputError) as refused:
        getattr(project, method)(*given[0], **given[1])
    (problem,) = refused.value.problems
    assert problem.where == where and problem.remedy


def test_one_string_stands_for_a_sequence_of_one(project: OpenProject) -> None:
    ruled = project.with_airspace({"most": 1, "minutes": 60, "types": "BIG"})
    assert ruled.operations.airspace[0].types == ("BIG",)
    assert project.with_crew_notes(hazards="Wires").operations.hazards == ("Wires",)


def test_messages_of_a_project_name_attributes_and_no_option(project: OpenProject, folder: Path) -> None:
    with pytest.raises(firegui.InputError, match="count is -1"):
        project.with_counts({"R": -1})
    with pytest.raises(firegui.InputError, match="give another name, or remove it first") as refused:
        project.save(folder)
    assert "--" not in str(refused.value)
