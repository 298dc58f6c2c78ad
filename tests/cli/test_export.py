from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import rasterio
import shapely

from firegui.io.exporters import FORMATS
from firegui.io.project.store import save_project
from tests.cli.conftest import Run
from tests.support import DATA_FORMATS, GRID, forget_checksums, make_project, random_maps, tiny_project


@pytest.fixture
def finished(firegui: Run, project: Path, tmp_path: Path) -> Path:
    run = tmp_path / "best run"
    assert firegui("optimize", project, "--out", run, "--epochs", 4, "--progress", "none").code == 0
    return run


def edited(run: Path, **changes: object) -> None:
    """Change the first executed drop that the run saved."""
    drops = json.loads((run / "drops.json").read_text(encoding="utf-8"))
    first = next(drop for drop in drops if drop["executed"])
    first.update(changes)
    (run / "drops.json").write_text(json.dumps(drops), encoding="utf-8")
    forget_checksums(run)


def test_export_writes_every_format_asked_for(firegui: Run, finished: Path, tmp_path: Path) -> None:
    answer = firegui(
        "export", finished, "--format", ",".join(DATA_FORMATS), "--out", tmp_path / "hand" / "over", "--json"
    )
    assert answer.code == 0
    files = [Path(name) for name in answer.json["files"]]
    # The run knows the fire without drops, so that its rasters are written as well.
    products = [product for name in DATA_FORMATS for product in FORMATS[name].products]
    assert [path.suffix[1:] for path in files] == [product.ending for product in products]
    assert set(files) == set((tmp_path / "hand" / "over").iterdir())
    layers = next(path for path in files if path.suffix == ".gpkg")
    features = json.loads(files[1].read_text(encoding="utf-8"))["features"]
    assert len(features) == answer.json["drops"] > answer.json["executed"] > 0
    points = pyogrio.raw.read(layers, layer="drops")[2]
    assert len(points) == answer.json["drops"] and len(pyogrio.raw.read(layers, layer="footprints")[2]) > 0
    assert answer.json["near_water"] is None and any("nobody looked for water" in note for note in answer.json["notes"])


def test_files_are_named_as_the_standard_has_it_unless_a_name_is_given(
    firegui: Run, finished: Path, tmp_path: Path
) -> None:
    answer = firegui("export", finished, "--format", "csv,geotiff", "--out", tmp_path / "out", "--json")
    names = [Path(name).name for name in answer.json["files"]]
    stamps = {name[:13] for name in names}
    assert len(stamps) == 1 and {name[13:] for name in names} == {
        "_Tiny_BestRun_drops.csv", "_Tiny_BestRun_occupancy.tif", "_Tiny_BestRun_arrival.tif",
        "_Tiny_BestRun_baselineOccupancy.tif", "_Tiny_BestRun_baselineArrival.tif",
    }  # fmt: skip
    firegui("export", finished, "--format", "csv,geojson-areas", "--name", "day 1", "--out", tmp_path / "named")
    assert {path.name for path in (tmp_path / "named").iterdir()} == {"day 1.csv", "day 1-areas.geojson"}
    bad = firegui("export", finished, "--format", "csv", "--name", "a/b", "--out", tmp_path / "bad")
    assert bad.code == 2 and "is not a file name" in bad.err and not (tmp_path / "bad").exists()


def test_the_exported_csv_is_the_runs_schedule_and_audits_clean(
    firegui: Run, project: Path, finished: Path, tmp_path: Path
) -> None:
    name = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out", "--json").json["files"][0]
    handed, kept = (
        list(csv.DictReader(path.read_text("utf-8").splitlines())) for path in (Path(name), finished / "schedule.csv")
    )
    assert kept and [{column: row[column] for column in kept[0]} for row in handed] == kept
    assert firegui("audit", project, "--schedule", name).code == 0


def test_exported_occupancy_is_the_runs_with_the_fire_at_its_start(
    firegui: Run, finished: Path, tmp_path: Path
) -> None:
    files = firegui("export", finished, "--format", "geotiff", "--out", tmp_path / "out", "--json").json["files"]
    with rasterio.open(files[0]) as out, rasterio.open(finished / "occupancy.tif") as kept:
        assert out.descriptions[1:] == kept.descriptions
        np.testing.assert_array_equal(out.read()[1:], kept.read())
        assert out.read(1).sum() == 4.0  # the cells that burn at the start
    with rasterio.open(files[2]) as out, rasterio.open(finished / "baseline.tif") as kept:
        np.testing.assert_array_equal(out.read()[1:], kept.read())
        assert out.read(3).sum() >= rasterio.open(files[0]).read(3).sum()


def test_a_run_is_exported_without_its_project(firegui: Run, project: Path, finished: Path, tmp_path: Path) -> None:
    shutil.rmtree(project)
    answer = firegui("export", finished, "--format", ",".join(DATA_FORMATS), "--out", tmp_path / "out")
    assert answer.code == 0 and "no longer readable" in answer.out


def test_drops_near_a_given_water_layer_are_flagged_one_by_one(firegui: Run, finished: Path, tmp_path: Path) -> None:
    everywhere = shapely.box(*(GRID.transform or ())[2:3], 209_000.0, -103_000.0, 211_000.0)
    pyogrio.raw.write(
        tmp_path / "wäter.gpkg", shapely.to_wkb(np.array([everywhere])), [], [], driver="GPKG",
        geometry_type="Polygon", crs="EPSG:3310",
    )  # fmt: skip
    words = ("export", finished, "--format", "csv", "--water", tmp_path / "wäter.gpkg", "--name", "p")
    answer = firegui(*words, "--out", tmp_path / "out", "--json")
    assert answer.json["near_water"] == answer.json["executed"]
    rows = list(csv.DictReader((tmp_path / "out" / "p.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["near_water"] for row in rows] == ["true"] * answer.json["drops"]
    said = firegui(*words, "--out", tmp_path / "out").out
    assert f"{answer.json['executed']} drops within 300 ft of water:" in said and "′ N" in said
    missing = firegui("export", finished, "--format", "csv", "--water", tmp_path / "no.gpkg", "--out", tmp_path / "x")
    assert missing.code == 2 and "no.gpkg: the file does not exist" in missing.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"y": 99.0}, "outside the grid"), ({"step": 5_000}, "outside the plan"), ({"aircraft": "Q-1"}, "of the fleet")],
)
def test_a_plan_that_breaks_a_rule_is_refused_with_the_drop(
    firegui: Run, finished: Path, tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    edited(finished, **changes)
    answer = firegui("export", finished, "--format", "csv,kml", "--out", tmp_path / "out")
    assert answer.code == 2 and said in answer.err and not (tmp_path / "out").exists()


def test_unknown_formats_are_all_listed_and_nothing_is_written(firegui: Run, finished: Path, tmp_path: Path) -> None:
    answer = firegui("export", finished, "--format", "csv,doc,xls", "--out", tmp_path / "out", "--json")
    assert answer.code == 2
    assert [problem["where"] for problem in answer.json["problems"]] == ["format doc", "format xls"]
    assert all(problem["remedy"].endswith("orders, mp4, gif") for problem in answer.json["problems"])
    assert firegui("export", finished, "--format", ",", "--out", tmp_path / "out").code == 2
    assert not (tmp_path / "out").exists()


def test_the_help_names_every_format(firegui: Run) -> None:
    said = " ".join(firegui("export", "--help").out.split()).replace("- ", "-")
    assert all(name in said for name in FORMATS)


def test_an_export_says_what_is_flown_what_is_not_and_what_it_replaced(
    firegui: Run, finished: Path, tmp_path: Path
) -> None:
    first = firegui("export", finished, "--format", "csv", "--name", "p", "--out", tmp_path / "out")
    again = firegui("export", finished, "--format", "csv,geojson", "--name", "p", "--out", tmp_path / "out")
    file = tmp_path / "out" / "p.csv"
    rows = file.read_text(encoding="utf-8").splitlines()[1:]
    flown = sum(",true,-1" in row for row in rows)
    assert 0 < flown < len(rows)
    rest = f"{len(rows) - flown:,} proposals marked executed=false: --drops flown leaves them out"
    said = f"{flown:,} drops executed, and {rest}"
    assert f"Wrote {file}" in first.out and first.err.splitlines() == ["writing p.csv"]
    assert f"Replaced {file}" in again.out
    assert f"Wrote {file.with_suffix('.geojson')}" in again.out
    assert said in first.out.splitlines()


def test_flown_drops_alone_are_written_on_request_and_read_back_as_the_same_plan(
    firegui: Run, project: Path, finished: Path, tmp_path: Path
) -> None:
    words = ("export", finished, "--format", "csv,geojson,gpkg", "--drops", "flown", "--name", "p", "--out")
    answer = firegui(*words, tmp_path / "out", "--json")
    flown, left_out = answer.json["executed"], answer.json["left_out"]
    assert answer.json["drops"] == flown > 0 and left_out > 0
    file = tmp_path / "out" / "p.csv"
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["drop"] for row in rows] == [str(number) for number in range(1, flown + 1)]
    assert {row["executed"] for row in rows} == {"true"}
    assert len(json.loads(file.with_suffix(".geojson").read_text(encoding="utf-8"))["features"]) == flown
    assert len(pyogrio.raw.read(file.with_suffix(".gpkg"), layer="drops")[2]) == flown
    said = f"{flown:,} drops executed; {left_out:,} proposals not flown and left out: --drops all writes them"
    assert said in firegui(*words, tmp_path / "again").out.splitlines()
    scores = [
        firegui("evaluate", project, "--schedule", schedule, "--json").json
        for schedule in (file, finished / "schedule.csv")
    ]
    assert all(scores[0][name] == scores[1][name] for name in ("drops_executed", "final_extent_cells", "objective"))


def test_drops_in_the_dark_are_warned_of_before_anything_else(firegui: Run, finished: Path, tmp_path: Path) -> None:
    words = ("export", finished, "--format", "csv", "--out")
    (warning,) = firegui(*words, tmp_path / "one", "--json").json["warnings"]
    assert "before sunrise or after sunset" in warning
    lines = firegui(*words, tmp_path / "two").out.splitlines()
    assert lines[0] == f"Warning: {warning}"
    assert sum(warning in line for line in lines) == 1 and any(line.startswith("Note: ") for line in lines)


def test_a_fire_outside_the_training_of_its_model_is_warned_of(
    firegui: Run, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    badge = "wind beyond what the fire model learned from"
    monkeypatch.setattr("firegui.cli.export.outside_text", lambda _project: badge)
    lines = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out").out.splitlines()
    assert lines.count(f"Warning: {badge}") == 1


def test_notes_on_model_and_event_are_counted_and_listed_on_request(firegui: Run, tmp_path: Path) -> None:
    tiny, finished = make_project(epochs=4), tmp_path / "best run"
    project = replace(tiny, scenario=replace(tiny.scenario, notes=("The wind is invented.",)))
    save_project(project, tmp_path / "noted.firegui")
    firegui("optimize", tmp_path / "noted.firegui", "--out", finished, "--epochs", 4, "--progress", "none")
    words = ("export", finished, "--format", "csv", "--out")
    notes = firegui(*words, tmp_path / "one", "--json").json["notes"]
    short, whole = firegui(*words, tmp_path / "two").out, firegui(*words, tmp_path / "three", "--verbose").out
    event = project.scenario.notes
    assert event and all(note in notes and f"Note: {note}" in whole and note not in short for note in event)
    assert "on the fire model and the event: --verbose lists them" in short and "--verbose" not in whole


def test_pages_for_people_are_in_the_units_of_the_command(firegui: Run, finished: Path, tmp_path: Path) -> None:
    answer = firegui("--units", "us", "export", finished, "--format", "report,csv", "--out", tmp_path / "us", "--json")
    page, table = sorted((Path(name) for name in answer.json["files"]), key=lambda path: path.suffix, reverse=True)
    assert " acres" in page.read_text(encoding="utf-8")
    firegui("export", finished, "--format", "csv", "--out", tmp_path / "metric")
    (other,) = (tmp_path / "metric").iterdir()
    assert table.read_text(encoding="utf-8").splitlines()[1:] == other.read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize(("make", "said"), [(False, "does not exist"), (True, "is a file, not the folder of a run")])
def test_what_is_no_run_is_told_apart(firegui: Run, tmp_path: Path, make: bool, said: str) -> None:
    if make:
        (tmp_path / "nope").write_text("text", encoding="utf-8")
    answer = firegui("export", tmp_path / "nope", "--format", "csv,doc", "--out", tmp_path / "out")
    assert answer.code == 2
    assert f"{tmp_path / 'nope'}: {said}" in answer.err and "doc: is not known" in answer.err


def test_a_folder_in_the_way_is_named(firegui: Run, finished: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    answer = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out")
    assert answer.code == 2
    assert str(tmp_path / "out") in answer.err


def test_formats_that_the_grid_does_not_allow_are_all_listed_and_leave_no_folder_behind(
    firegui: Run, tmp_path: Path
) -> None:
    project = tiny_project(tmp_path, make_project(epochs=2, maps=random_maps(shape=(12, 14))))
    firegui("optimize", project, "--out", tmp_path / "run", "--progress", "none")
    answer = firegui("export", tmp_path / "run", "--format", ",".join(DATA_FORMATS), "--out", tmp_path / "ex" / "deep")
    assert answer.code == 2
    for title in ("GeoJSON", "GeoJSON of areas", "KML", "GPX", "GeoPackage"):
        assert f"{title} needs a georeferenced grid" in answer.err
    assert not (tmp_path / "ex").exists()
    kept = firegui("export", tmp_path / "run", "--format", "csv,geotiff,netcdf", "--out", tmp_path / "ex" / "deep")
    assert kept.code == 0


def test_orders_and_briefing_print_the_notes_that_the_project_has_by_now(
    firegui: Run, project: Path, finished: Path, tmp_path: Path
) -> None:
    words = ("--frequency", "Air/Ground=122.925,168.275 T110.9", "--hazard", "Wires across the river")
    assert firegui("configure", project, *words).code == 0
    answer = firegui("export", finished, "--format", "orders,report", "--name", "p", "--out", tmp_path / "o", "--json")
    assert answer.code == 0 and not any("changed since" in note for note in answer.json["notes"])
    names = {Path(name).name for name in answer.json["files"]}
    assert names == {"p-orders.pdf", "p-orders.csv", "p-report.html"}
    rows = list(csv.DictReader((tmp_path / "o" / "p-orders.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == answer.json["executed"] > 0
    assert {row["frequencies"] for row in rows} == {"Air/Ground: AM 122.925, FM 168.275 T110.9"}
    assert {row["hazards"] for row in rows} == {"Wires across the river"}
    assert "<li>Hazard: Wires across the river</li>" in (tmp_path / "o" / "p-report.html").read_text(encoding="utf-8")
