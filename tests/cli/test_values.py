"""``firegui values``: layers in, changed and out, and what is lost of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from firegui.domain.grid import Grid
from firegui.io.georeference import Georeference
from firegui.io.project.store import load_project
from tests.cli.conftest import Run


def homes(path: Path, grid: Grid, *rows: tuple[float, float, float]) -> Path:
    place = Georeference(grid)
    lines = ["lon,lat,homes"]
    for row, column, count in rows:
        lon, lat = place.lonlat(row, column) or (0.0, 0.0)
        lines.append(f"{lon:.8f},{lat:.8f},{count}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(project: Path, tmp_path: Path) -> Path:
    return homes(tmp_path / "homes.csv", load_project(project).scenario.grid, (7, 9, 3), (8, 10, 2), (1, 1, 5))


def test_a_layer_is_added_changed_and_removed(firegui: Run, project: Path, file: Path) -> None:
    assert firegui("values", project, "--json").json["values"] == []
    answer = firegui("values", project, "--add", file, "--column", "homes", "--susceptibility", 0.5, "--json")
    assert answer.code == 0, answer.out
    (row,) = answer.json["values"]
    assert (row["name"], row["total"], row["susceptibility"], row["goal_share"]) == ("homes", 10.0, 0.5, 1.0)
    assert answer.json["goal_weight"] == 0.0
    answer = firegui("values", project, "--add", file, "--name", "twice", "--weight", 3, "--json")
    assert [row["name"] for row in answer.json["values"]] == ["homes", "twice"]
    assert answer.json["notes"] == ["Every feature counts 1."]
    assert answer.json["values"][1]["goal_share"] == pytest.approx(9.0 / 14.0)
    firegui("values", project, "--name", "homes", "--weight", 7)
    assert load_project(project).values[0].terms.weight == 7.0
    answer = firegui("values", project, "--remove", "homes")
    assert "twice" in answer.out and "val=100" in answer.out
    assert [layer.name for layer in load_project(project).values] == ["twice"]


def test_evaluate_and_info_say_what_is_lost(firegui: Run, project: Path, file: Path) -> None:
    firegui("values", project, "--add", file, "--column", "homes")
    assert firegui("configure", project, "--weights", "val=50").code == 0
    found = firegui("evaluate", project, "--json").json
    assert len(found["value_lost"]) == 1
    assert found["loss_val"] == pytest.approx(found["value_lost"][0] / 10.0)
    assert found["values"][0]["lost"] == found["value_lost"][0]
    assert "values lost" in firegui("evaluate", project).out
    info = firegui("info", project, "--json").json
    assert (info["values"][0]["name"], info["plan"]["weights"]["val"]) == ("homes", 50.0)


def test_every_problem_is_named_and_nothing_is_written(firegui: Run, project: Path, tmp_path: Path) -> None:
    before = (project / "project.toml").read_bytes()
    path = tmp_path / "bad.csv"
    path.write_text("lon,lat,people\n1,1,nan\n", encoding="utf-8")
    firegui("values", project, "--add", path, "--column", "homes", "--remove", "gone").assert_refused(
        "no column 'homes'", "no value layer 'gone'"
    )
    firegui("values", project, "--add", path, "--column", "people").assert_refused("1 value is not a number")
    firegui("values", project, "--name", "gone", "--weight", 2).assert_refused("no value layer 'gone'")
    assert firegui("values", project, "--weight", 2).code == 2
    assert (project / "project.toml").read_bytes() == before
    assert not list(project.glob("values-*"))
