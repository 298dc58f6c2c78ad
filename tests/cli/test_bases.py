"""``firegui bases``: bases typed in, imported and removed, limits of types, and turnarounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.io.georeference import Georeference
from firegui.io.project.store import load_project
from tests.cli.conftest import Run


def place(project: Path, row: float, column: float) -> str:
    found = Georeference(load_project(project).scenario.grid).lonlat(row, column)
    assert found is not None
    return f"{found[1]:.8f}, {found[0]:.8f}"


def test_a_base_is_typed_in_changed_and_removed(firegui: Run, project: Path) -> None:
    assert "There are no bases." in firegui("bases", project).out
    kind = load_project(project).fleet.types[0].id
    assert firegui("bases", project, "--type", kind, "--cruise-ms", 100, "--most-flight-h", 7).code == 0
    answer = firegui(
        "bases", project, "--name", "Redding", "--place", place(project, -800.0, 40.0), "--serves", kind, "--hours",
        "08:00-20:30", "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.out
    (row,) = answer.json["bases"]
    assert (row["name"], row["kind"], row["reload_min"]) == ("Redding", "airtanker_base", 15.0)
    assert (row["y"], row["x"]) == pytest.approx((-800.0, 40.0), abs=0.01)
    assert (row["hours"], row["serves"]) == ("08:00 to 20:30", [kind])
    answer = firegui("bases", project, "--name", "Redding", "--hours", "always", "--reload-min", 20, "--json")
    assert (answer.json["bases"][0]["hours"], answer.json["bases"][0]["reload_min"]) == ("always", 20.0)
    saved = load_project(project)
    assert saved.fleet.types[0].most_flight_h == 7.0
    assert saved.operations.bases[0].reload_min == 20.0
    assert firegui("bases", project, "--type", kind, "--most-flight-h", "none").code == 0
    assert load_project(project).fleet.types[0].most_flight_h is None
    answer = firegui("bases", project, "--type", kind, "--most-wind-ms", 12.5)
    (titles, values) = answer.out.splitlines()[-2:]
    assert titles.split() == ["Type", "cruise", "speed,", "m/s", "wind", "limit,", "m/s"]
    assert values.split() == [kind, "100", "12.5"]
    assert firegui("bases", project, "--remove", "Redding", "--json").json["bases"] == []


def test_turnarounds_are_computed_for_every_day(firegui: Run, project: Path, tmp_path: Path) -> None:
    kind, where = load_project(project).fleet.types[0].id, place(project, -800.0, 40.0)
    lat, lon = where.split(", ")
    file = tmp_path / "bases.csv"
    file.write_text(f"name,lon,lat,reload_min\nRedding,{lon},{lat},12\n", encoding="utf-8")
    assert firegui("bases", project, "--type", kind, "--cruise-ms", 100, "--target-min", 6).code == 0
    answer = firegui("bases", project, "--add", file, "--serves", kind, "--turnarounds", "--json")
    assert answer.code == 0, answer.out
    rows = answer.json["turnarounds"]
    assert [row["day"] for row in rows] == list(range(load_project(project).plan.days))
    first = rows[0]
    assert first["turnaround_h"] == pytest.approx(0.2 + 0.1 + 2.0 * first["distance_km"] / 360.0)
    assert (first["type"], first["base"]) == (kind, "Redding")
    said = firegui("bases", project, "--turnarounds").out
    assert "nearest base" in said
    assert f"A time step is {1440 / load_project(project).calendar.steps_per_day:g} min." in said


def test_everything_wrong_is_said_and_nothing_is_written(firegui: Run, project: Path) -> None:
    before = (project / "project.toml").read_bytes()
    answer = firegui(
        "bases", project, "--name", "Moon", "--place", "nowhere", "--reload-min", "soon", "--hours", "late", "--remove",
        "Nothing", "--type", "UFO", "--cruise-ms", 100,
    )  # fmt: skip
    assert answer.code != 0
    for said in ("nowhere", "has no base 'Nothing'", "'UFO' is not an aircraft type"):
        assert said in answer.out + answer.err
    far = firegui("bases", project, "--name", "Far", "--place", "-40.0, 60.0", "--serves", "UFO")
    assert "out of reach" in far.out + far.err
    assert "not an aircraft type of the fleet" in far.out + far.err
    assert (project / "project.toml").read_bytes() == before
