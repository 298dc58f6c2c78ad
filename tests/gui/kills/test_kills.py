"""Kill -9 while a user edits, saves and plans: little is lost, and the project always opens.

``FIREGUI_KILLS`` is the number of kills of each kind in the slow tests, 30 by default.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import pytest

from firegui.io.project.store import list_runs, load_project
from firegui.runs.run_folder import read_run
from tests.gui.kills.hunt import LOST_AT_MOST_S, Victim, next_start, saved_project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no kill -9")

KILLS = int(os.environ.get("FIREGUI_KILLS", "30"))
FEW, MANY = range(1), range(1, 1 + KILLS)
SHORT_S, LONG_S = 3.0, 14.0


def moment(what: str, seed: int, longest: float) -> float:
    """Return the time until the kill, in seconds."""
    return random.Random(f"{what} {seed}").uniform(0.1, longest)


def check_edit(place: Path, seed: int, longest: float) -> None:
    project = saved_project(place / "p.firegui", 6)
    with Victim("edit", project, place) as victim:
        victim.heard.wait_for("kept")
        time.sleep(moment("edit", seed, longest))
        killed = victim.kill()
    load_project(project)
    found = next_start(project, place)
    assert found.offered and found.dirty
    assert found.number >= victim.heard.last("kept", killed)
    assert found.number >= victim.heard.last("edit", killed - LOST_AT_MOST_S)


def check_save(place: Path, seed: int, longest: float) -> None:
    project = saved_project(place / "p.firegui", 6)
    with Victim("save", project, place) as victim:
        victim.heard.wait_for("saved")
        time.sleep(moment("save", seed, longest))
        killed = victim.kill()
    saved = load_project(project).plan.optimizer.epochs
    assert saved >= victim.heard.last("saved", killed)
    found = next_start(project, place)
    assert found.number >= max(saved, victim.heard.last("edit", killed - LOST_AT_MOST_S))


def check_run(place: Path, seed: int, longest: float) -> None:
    project = saved_project(place / "p.firegui", 1_000_000)
    with Victim("run", project, place) as victim:
        victim.heard.wait_for("started" if seed % 4 == 0 else "epoch")
        time.sleep(moment("run", seed, longest))
        killed = victim.kill()
    load_project(project)
    kept = [read_run(folder).header.epochs_done for folder in list_runs(project) if (folder / "run.toml").exists()]
    found = next_start(project, place)
    if not kept:
        # The process had not written anything yet.
        assert found.states == ()
        return
    assert len(found.states) == 1 and not found.dirty
    if not found.offered:
        # A run is recorded a moment after its start. Killed before that, it is listed and not offered.
        assert found.states == ("interrupted",)
        assert victim.heard.count("started", killed - LOST_AT_MOST_S) == 0
        return
    assert found.resumed >= kept[0]
    assert found.resumed >= victim.heard.last("epoch", killed - LOST_AT_MOST_S)


# -- a few, every time -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", FEW)
def test_killed_while_a_run_works(tmp_path: Path, seed: int) -> None:
    check_run(tmp_path, seed, SHORT_S)


# -- and many ----------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_killed_while_editing_many_times(tmp_path: Path, seed: int) -> None:
    check_edit(tmp_path, seed, LONG_S)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_killed_while_saving_many_times(tmp_path: Path, seed: int) -> None:
    check_save(tmp_path, seed, LONG_S)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_killed_while_a_run_works_many_times(tmp_path: Path, seed: int) -> None:
    check_run(tmp_path, seed, LONG_S)
