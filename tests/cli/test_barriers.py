"""``firegui barriers``: in, changed, copied and out, and what burns where one does not hold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.barriers import BarrierKind
from firegui.io.georeference import Georeference
from firegui.io.project.store import load_project
from tests.cli.conftest import Run


def place(project: Path, *corners: tuple[float, float]) -> str:
    """Corners of cells as they are typed."""
    found = [
        Georeference(load_project(project).scenario.grid).lonlat(row - 0.5, column - 0.5) for row, column in corners
    ]
    return "; ".join(f"{at[1]:.8f}, {at[0]:.8f}" for at in found if at is not None)


def around(project: Path, beside: float = 1.0) -> str:
    """A closed line around the fire of the start."""
    start = load_project(project).scenario.fire_on(0)
    assert start is not None
    rows, columns = np.nonzero(start)
    top, left, bottom, right = rows.min() - beside, columns.min() - beside, rows.max() + beside, columns.max() + beside
    box = ((top, left), (top, right + 1), (bottom + 1, right + 1), (bottom + 1, left), (top, left))
    return place(project, *((float(row), float(column)) for row, column in box))


def test_a_line_is_typed_changed_and_removed(firegui: Run, project: Path) -> None:
    assert firegui("barriers", project, "--json").json["barriers"] == []
    assert "no barriers" in firegui("barriers", project).out
    line = place(project, (2.0, 3.0), (8.0, 9.0))
    answer = firegui("barriers", project, "--name", "H-1", "--line", line, "--kind", "hand_line", "--json")
    assert answer.code == 0, answer.out
    (row,) = answer.json["barriers"]
    assert (row["kind"], row["shape"], row["width_m"], row["strength"]) == ("hand_line", "line", 1.0, 1.0)
    (barrier,) = load_project(project).barriers
    np.testing.assert_allclose(barrier.lines[0], [(2.0, 3.0), (8.0, 9.0)], atol=0.01)
    firegui("barriers", project, "--name", "H-1", "--strength", 0.8, "--from", "2020-08-20T14:00-07:00")
    (barrier,) = load_project(project).barriers
    assert barrier.strength == 0.8 and barrier.exists_from is not None
    assert "80 %" in firegui("barriers", project).out
    assert firegui("barriers", project, "--name", "H-1", "--from", "start", "--kind", "road").code == 0
    (barrier,) = load_project(project).barriers
    assert (barrier.exists_from, barrier.kind) == (None, BarrierKind.ROAD)
    area = place(project, (2.0, 3.0), (2.0, 9.0), (8.0, 9.0))
    firegui("barriers", project, "--name", "lake", "--area", area, "--kind", "river")
    assert load_project(project).barriers[1].is_area
    assert "1 line, 1 area" in firegui("info", project).out
    firegui("barriers", project, "--remove", "H-1", "--remove", "lake")
    assert load_project(project).barriers == ()


def test_barriers_go_to_another_project_by_copy_and_by_file(firegui: Run, project: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin.firegui"
    shutil.copytree(project, twin)
    firegui("barriers", project, "--name", "D-1", "--line", place(project, (2.0, 3.0), (8.0, 9.0)), "--strength", 0.7)
    file = tmp_path / "lines.geojson"
    assert firegui("barriers", project, "--export", file).code == 0
    assert firegui("barriers", twin, "--copy", project).code == 0
    assert load_project(twin).barriers == load_project(project).barriers
    firegui("barriers", twin, "--remove", "D-1")
    answer = firegui("barriers", twin, "--add", file, "--json")
    assert (answer.json["barriers"][0]["name"], answer.json["barriers"][0]["strength"]) == ("D-1", 0.7)


def test_every_problem_is_named_and_nothing_is_written(firegui: Run, project: Path, tmp_path: Path) -> None:
    before = (project / "project.toml").read_bytes()
    bad = tmp_path / "bad.geojson"
    bad.write_text(json.dumps({"type": "FeatureCollection", "features": []}), encoding="utf-8")
    line = place(project, (2.0, 3.0), (8.0, 9.0), (8.0, 3.0), (2.0, 9.0))
    words = ("--name", "D", "--line", line, "--strength", 1.5, "--width-m", 0, "--from", "2020-08-20T14:00")
    firegui("barriers", project, *words, "--remove", "gone").assert_refused(
        "--strength is 1.5", "--width-m is 0", "has no offset from UTC", "crosses itself", "no barrier 'gone'"
    )
    firegui("barriers", project, "--name", "gone", "--strength", 1).assert_refused("no barrier 'gone'")
    assert firegui("barriers", project, "--add", bad).code == 2
    assert firegui("barriers", project, "--strength", 0.5).code == 2
    firegui("barriers", project, "--copy", project).assert_refused("has no barriers")
    firegui("evaluate", project, "--what-if-barriers").assert_refused("the project has none")
    firegui("evaluate", project, "--without-barrier", "gone").assert_refused("no barrier 'gone'")
    assert (project / "project.toml").read_bytes() == before


@pytest.fixture
def held(firegui: Run, project: Path) -> Path:
    """A project whose fire is kept in by a closed line."""
    assert firegui("barriers", project, "--name", "Ring", "--line", around(project), "--kind", "dozer_line").code == 0
    return project


def test_evaluate_shows_what_burns_where_a_line_does_not_hold(firegui: Run, held: Path) -> None:
    whole = firegui("evaluate", held, "--json").json
    without = firegui("evaluate", held, "--without-barrier", "Ring", "--json").json
    assert whole["final_extent_cells"] < without["final_extent_cells"]
    answer = firegui("evaluate", held, "--what-if-barriers", "--json").json
    rows = {row["without"]: row["final_extent_cells"] for row in answer["barriers"]}
    assert rows == {"": whole["final_extent_cells"], "Ring": without["final_extent_cells"]}
    out = firegui("evaluate", held, "--what-if-barriers").out
    assert "all hold" in out and "Ring does not hold" in out
