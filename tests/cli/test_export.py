from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run


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


def test_a_folder_in_the_way_is_named(firegui: Run, finished: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    answer = firegui("export", finished, "--format", "csv", "--out", tmp_path / "out")
    assert answer.code == 2
    assert str(tmp_path / "out") in answer.err
