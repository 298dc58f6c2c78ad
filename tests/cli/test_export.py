from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import make_project, random_maps, tiny_project


@pytest.fixture
def finished(firegui: Run, project: Path, tmp_path: Path) -> Path:
    run = tmp_path / "best run"
    assert firegui("optimize", project, "--out", run, "--epochs", 4, "--progress", "none").code == 0
    return run


def test_export_writes_every_format_asked_for(firegui: Run, finished: Path, tmp_path: Path) -> None:
    answer = firegui(
        "export", finished, "--format", "csv,geojson,geotiff", "--out", tmp_path / "hand" / "over", "--json"
    )
    assert answer.code == 0
    files = [Path(name) for name in answer.json["files"]]
    assert {path.suffix for path in files} == {".csv", ".geojson", ".tif"}
    assert all(path.is_file() for path in files)
    features = json.loads(next(path for path in files if path.suffix == ".geojson").read_text(encoding="utf-8"))[
        "features"
    ]
    assert len(features) == answer.json["drops"] > 0


def test_the_exported_csv_is_the_runs_schedule_and_audits_clean(
    firegui: Run, project: Path, finished: Path, tmp_path: Path
) -> None:
    name = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out", "--json").json["files"][0]
    assert Path(name).read_bytes() == (finished / "schedule.csv").read_bytes()
    assert firegui("audit", project, "--schedule", name).code == 0


def test_a_run_is_exported_without_its_project(firegui: Run, project: Path, finished: Path, tmp_path: Path) -> None:
    shutil.rmtree(project)
    assert firegui("export", finished, "--format", "csv,geojson", "--out", tmp_path / "out").code == 0


def test_unknown_formats_are_all_listed_and_nothing_is_written(firegui: Run, finished: Path, tmp_path: Path) -> None:
    answer = firegui("export", finished, "--format", "csv,doc,xls", "--out", tmp_path / "out", "--json")
    assert answer.code == 2
    assert [problem["what"] for problem in answer.json["problems"]] == ["doc is not known", "xls is not known"]
    assert firegui("export", finished, "--format", ",", "--out", tmp_path / "out").code == 2
    assert not (tmp_path / "out").exists()


def test_an_export_says_what_is_flown_what_is_not_and_what_it_replaced(
    firegui: Run, finished: Path, tmp_path: Path
) -> None:
    first = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out")
    again = firegui("export", finished, "--format", "csv,geojson", "--out", tmp_path / "out")
    file = tmp_path / "out" / "best run.csv"
    rows = file.read_text(encoding="utf-8").splitlines()[1:]
    flown = sum(",true" in row for row in rows)
    assert 0 < flown < len(rows)
    said = f"{flown:,} drops executed, and {len(rows) - flown:,} proposals marked executed=false"
    assert f"Wrote {file}" in first.out
    assert f"Replaced {file}" in again.out
    assert f"Wrote {file.with_suffix('.geojson')}" in again.out
    assert said in first.out.splitlines()


@pytest.mark.parametrize(("make", "said"), [(False, "does not exist"), (True, "is a file, not the folder of a run")])
def test_what_is_no_run_is_told_apart(firegui: Run, tmp_path: Path, make: bool, said: str) -> None:
    if make:
        (tmp_path / "nope").write_text("text", encoding="utf-8")
    answer = firegui("export", tmp_path / "nope", "--format", "csv", "--out", tmp_path / "out")
    assert answer.code == 2
    assert f"{tmp_path / 'nope'}: {said}" in answer.err


def test_a_folder_in_the_way_is_named(firegui: Run, finished: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    answer = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out")
    assert answer.code == 2
    assert str(tmp_path / "out") in answer.err


def test_a_format_that_the_grid_does_not_allow_leaves_no_folder_behind(firegui: Run, tmp_path: Path) -> None:
    project = tiny_project(tmp_path, make_project(epochs=2, maps=random_maps(shape=(12, 14))))
    firegui("optimize", project, "--out", tmp_path / "run", "--progress", "none")
    answer = firegui("export", tmp_path / "run", "--format", "csv,geojson,geotiff", "--out", tmp_path / "ex" / "deep")
    assert answer.code == 2
    assert "GeoJSON needs a georeferenced grid" in answer.err
    assert not (tmp_path / "ex").exists()
    assert firegui("export", tmp_path / "run", "--format", "csv", "--out", tmp_path / "ex" / "deep").code == 0
