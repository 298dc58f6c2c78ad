"""The pages on adding a planner, a fire model and an importer: every step of them is taken, in a copy of firegui."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from firegui.assets import resource
from firegui.io.project.maps_file import read_maps
from firegui.io.project.store import load_project
from tests.guide.page_steps import Copy, Step, steps_of
from tests.support import tiny_project

PAGES = ("extend-planner", "extend-fire-model", "extend-importer")
_LOOK = """
from pathlib import Path
from firegui.gui.app import make_application
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.window.main_window import MainWindow
from firegui.gui.session.session import Session

app = make_application(["firegui"])
session = Session()
window = MainWindow(session, RunQueue(session))
file = next(head.menu() for head in window.menuBar().actions() if head.text() == "&File")
assert "Import drawn fire…" in [entry.text().replace("&", "") for entry in file.actions()]
assert window.workbench.documents.import_drawn(Path("ridge.toml"))
print(session.project.scenario.name)
session.undo_stack.setClean()
window.stop_work()
"""
_COLORED = """
from firegui.domain.benchmark import PlannerName
from firegui.gui.analyses.benchmark.benchmark_charts import PLANNER_COLORS as WINDOW
from firegui.planning.benchmark_figures import PLANNER_COLORS as PAPER

for colors in (PAPER.values(), *zip(*WINDOW.values())):
    assert len(set(colors)) == len(PlannerName)
"""


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_says_where_it_goes_and_something_is_run(page: str) -> None:
    steps = list(steps_of(page))
    assert len(steps) == resource(f"help/{page}.md").read_text(encoding="utf-8").count("\n```") / 2
    assert any(step.how == "run" for step in steps)
    assert any(step.how == "make" for step in steps)


def test_a_line_that_is_gone_or_not_the_only_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("one\ntwo\ntwo\n", encoding="utf-8")
    work_folder = Copy(tmp_path, tmp_path)
    for line, count in (("three", 0), ("two", 2)):
        with pytest.raises(AssertionError, match=f"has {count} lines"):
            work_folder.take(Step("below", "x\n", "list.txt", line))
    work_folder.take(Step("instead of", "1\n", "list.txt", "one"))
    assert (tmp_path / "list.txt").read_text(encoding="utf-8") == "1\ntwo\ntwo\n"


@pytest.mark.slow
def test_a_planner_is_added_as_the_page_says(tmp_path: Path) -> None:
    copy = Copy.make(tmp_path, tiny_project(tmp_path))
    (said,) = copy.follow("extend-planner")
    assert "Rings around the start" in said
    with (copy.work_folder / "rings-try" / "rows.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["planner"] == "rings"]
    assert [row["seed"] for row in rows] == ["0", "1"]
    drops = [int(row["drops_executed"]) for row in rows]
    assert all(0 < count <= 11 for count in drops), drops
    copy.python("-c", _COLORED)


@pytest.mark.slow
def test_a_fire_model_is_added_as_the_page_says_from_outside_and_from_inside(tmp_path: Path) -> None:
    project = tiny_project(tmp_path)
    copy = Copy.make(tmp_path, project)
    *_, said, evaluated = copy.follow("extend-fire-model")
    assert "even spread, no landscape" in said
    assert "final size" in evaluated
    maps = read_maps(copy.work_folder / "ring.npz").maps
    east, west = maps.phi[0, 3], maps.phi[0, 4]  # from the western and from the eastern neighbour
    assert (east > west).all(), "fire must go with the wind, to the east"
    assert load_project(copy.work_folder / "ring.firegui").fire_model.kind == "maps"


@pytest.mark.slow
def test_an_importer_is_added_as_the_page_says(tmp_path: Path) -> None:
    copy = Copy.make(tmp_path)
    *_, info = copy.follow("extend-importer")
    assert "Drawn ridge" in info
    assert "The fire is drawn, not observed." in info
    scenario = load_project(copy.work_folder / "ridge.firegui").scenario
    assert scenario.ignition is not None and scenario.ignition.sum() == 4
    assert scenario.wind_dir[:, 0, 0] == pytest.approx(np.deg2rad([0.0, 45.0]), abs=1e-6)
    assert copy.python("-c", _LOOK).strip().endswith("Drawn ridge")
    (copy.work_folder / "bad.toml").write_text('name = 3\nmap = "..\\n."\n', encoding="utf-8")
    with pytest.raises(AssertionError) as refused:
        copy.run("firegui import drawn bad.toml --out bad.firegui")
    for fault in ("name", "start is missing", "cell_size_m is missing", "equal length", "has no day"):
        assert fault in str(refused.value)
