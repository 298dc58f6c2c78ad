"""``firegui study`` from the command line: the same table however it is carried out and interrupted; bad input."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from firegui.cli.main import main
from firegui.fire.demo import make_demo
from firegui.io.project.store import save_project
from tests.support import assert_same_files, make_project, tiny_project
from tests.unit.analyses.cluster_hands import ENVIRONMENT, Cluster

STUDY = """
project = "{project}"
name = "Small"
planner = "{planner}"
allowance = {allowance}
measure = ["objective", "final_extent_ha", "drops_executed"]

[[vary]]
name = "nominal"
values = [0.7, 0.9]

[[vary]]
name = "seed"
values = {seeds}

[[case]]
name = "as it is"

[[case]]
name = "one more"
set = {{ fleet.{aircraft}.count = 3 }}
"""
TABLES = ("table.csv", "table.parquet")


def write_study(folder: Path, **said: object) -> Path:
    """A study of the tiny project, eight cells."""
    known = {"project": "tiny.firegui", "planner": "gradient", "allowance": 12, "seeds": [0, 1], "aircraft": "R"}
    path = folder / "study.toml"
    path.write_text(STUDY.format(**(known | said)), encoding="utf-8")
    return path


def called(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(word) for word in ("study", *words)])
    return done.exit_code, done.stdout, done.stderr


def test_a_study_is_carried_out_and_told(tmp_path: Path) -> None:
    tiny_project(tmp_path)
    study = write_study(tmp_path)
    code, out, _ = called(study, "--out", tmp_path / "s", "--workers", 0, "--json", "--progress", "none")
    assert code == 0
    said = json.loads(out)
    assert (said["complete"], said["cells"], said["workers"]) == (True, 8, 0)
    assert said["table"]["case"] == ["as it is"] * 4 + ["one more"] * 4
    assert said["table"]["fleet.R.count"] == [None] * 4 + [3] * 4
    assert {bar["label"] for bar in said["tornado"]} == {"one more", "nominal"}
    code, out, _ = called(study, "--out", tmp_path / "s", "--workers", 0, "--resume", "--progress", "none")
    assert code == 0 and "8 cells" in out and "Pareto front" in out and "growth left, worst case" in out


def test_the_plan_of_a_cell_scores_what_its_row_says(tmp_path: Path) -> None:
    tiny_project(tmp_path)
    assert called(write_study(tmp_path), "--out", tmp_path / "s", "--workers", 0, "--progress", "none")[0] == 0
    row = json.loads((tmp_path / "s" / "cells" / "00003.json").read_text(encoding="utf-8"))
    plan = tmp_path / "s" / "cells" / "00003.safetensors"
    words = ["evaluate", tmp_path / "tiny.firegui", "--schedule", plan, "--json", "--backend", "cpu"]
    done = CliRunner().invoke(main, [str(word) for word in (*words, "--eta-retardant", 0.9, "--eta-water", 0.9)])
    assert json.loads(done.stdout)["objective"] == row["plan"]["objective"]
    assert json.loads(done.stdout)["baseline"]["objective"] == row["baseline"]["objective"]


def test_a_given_schedule_is_flown_by_whoever_is_still_there(tmp_path: Path) -> None:
    tiny_project(tmp_path)
    plan = tmp_path / "plan.csv"
    plan.write_text("step,aircraft,y,x,theta\n2,R-1,8,9,0.3\n3,R-2,7,9,0.3\n", encoding="utf-8")
    study = tmp_path / "study.toml"
    study.write_text(
        'project = "tiny.firegui"\nplanner = "schedule"\nschedule = "plan.csv"\nmeasure = ["drops_executed"]\n'
        '[[vary]]\nname = "fleet.R.count"\nvalues = [0, 1, 2]\n', encoding="utf-8",
    )  # fmt: skip
    code, out, _ = called(study, "--out", tmp_path / "s", "--workers", 0, "--json", "--progress", "none")
    assert code == 0
    table = json.loads(out)["table"]
    assert table["drops_executed"] == [0.0, 1.0, 2.0]
    assert table["worst_growth_left"][0] is table["worst_scenario"][0] is None
    for cell in (1, 2):
        worst = table["worst_growth_left"][cell]
        assert table[f"growth_left: {table['worst_scenario'][cell]}"][cell] == worst >= table["growth_left"][cell]
        assert worst == max(value[cell] for name, value in table.items() if name.startswith("growth_left: "))


def test_bad_input_is_listed_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    tiny_project(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    study = write_study(tmp_path, planner="oracle", aircraft="XX", allowance=0)
    code, _, err = called(study, "--out", tmp_path / "full", "--workers", -2)
    assert code == 2
    for words in ("oracle", "fleet.XX.count", "Fire simulations", "-2", "holds no study"):
        assert words in err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]


def test_a_study_file_with_mistakes_is_refused_with_every_place(tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text('name = 3\nmeasure = ["joy"]\nsize = 2\n[[vary]]\nvalues = [1]\n', encoding="utf-8")
    code, _, err = called(study, "--out", tmp_path / "s")
    assert code == 2
    for words in ("project is missing", "name:", "joy", "size is not known", "name is missing"):
        assert words in err


def interrupted(words: list[str], out: Path, after: int) -> None:
    """Begin the command in a process and kill it, as the system does, once ``after`` cells are there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "firegui", *words], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _until(lambda: len(list((out / "cells").glob("*.json"))) >= after or process.poll() is not None)
        assert process.poll() is None, "it was over before it could be killed"
    finally:
        process.kill()
        process.wait()


def _until(done: Callable[[], bool], seconds: float = 500.0) -> None:
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path)
    yield made
    made.end()


def _three_ways(folder: Path, study: Path, cluster: Cluster, cells: int) -> None:
    """Serially, on two local workers, and on a scheduler with two workers of which one, and the study, are killed."""
    assert called(study, "--out", folder / "serial", "--workers", 0, "--progress", "none")[0] == 0
    assert called(study, "--out", folder / "local", "--workers", 2, "--progress", "none")[0] == 0
    address, out = cluster.address(), folder / "killed"
    first = cluster.worker("first")
    cluster.worker("second")
    words = ["study", str(study), "--out", str(out), "--scheduler", address, "--progress", "none"]
    interrupted(words, out, cells // 4)
    before = {path.name: path.read_bytes() for path in (out / "cells").glob("*.json")}
    assert cells // 4 <= len(before) < cells
    going_on = subprocess.Popen([sys.executable, "-m", "firegui", *words, "--resume"], env=ENVIRONMENT)
    _until(lambda: len(list((out / "cells").glob("*.json"))) > len(before) or going_on.poll() is not None)
    assert going_on.poll() is None, "it was over before a worker could be killed"
    first.kill()
    assert going_on.wait(timeout=600) == 0
    after = {path.name: path.read_bytes() for path in (out / "cells").glob("*.json")}
    assert {name: after[name] for name in before} == before
    for other in (folder / "local", out):
        assert_same_files(folder / "serial", other, *TABLES)


@pytest.mark.slow
def test_the_table_is_the_same_serially_on_two_workers_and_after_two_kills(tmp_path: Path, cluster: Cluster) -> None:
    tiny_project(tmp_path, make_project())
    study = write_study(tmp_path, allowance=150, seeds=[0, 1, 2, 3, 4, 5])
    _three_ways(tmp_path, study, cluster, 24)


@pytest.mark.slow
def test_a_study_of_the_demo_fire_gives_the_same_table_whatever_happens(tmp_path: Path, cluster: Cluster) -> None:
    save_project(make_demo(), tmp_path / "demo.firegui")
    study = write_study(
        tmp_path, project="demo.firegui", aircraft="S-2T", allowance=45, seeds=[0, 1, 2, 3, 4, 5]
    )  # fmt: skip
    _three_ways(tmp_path, study, cluster, 24)
