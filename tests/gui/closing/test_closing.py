"""Closing the window in every state of a run ends its process and keeps or deletes what was chosen."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from firegui.domain.project import Project
from firegui.domain.settings import Margin
from firegui.fire.demo import make_demo
from firegui.gui.analyses.benchmark.benchmark_controller import SAVED_BENCHMARKS
from firegui.gui.analyses.uncertainty.uncertainty_controller import SAVED_ENSEMBLES
from firegui.gui.jobs.run_list import saved_runs
from firegui.io.project.store import list_runs, load_project, save_project
from firegui.runs.lock import is_held

REPOSITORY = Path(__file__).resolve().parents[3]
ENDLESS, SHORT = 1_000_000, 2
GRACE_S = 10.0
PLANNING = ("starting", "running", "paused", "pruning", "stopping")
BESIDE = ("replanning", "uncertainty", "benchmark", "sensitivity")
DISCARDED = "replanning"
"""States whose work can be discarded: a run. The others keep their results and offer no deletion."""
IDLE = ("none", "evaluating", "finished")
ANSWERS = ("keep", "stop", "discard")


@dataclass(frozen=True, slots=True)
class Closed:
    """How a window's process ended, and what it reported."""

    status: int
    errors: str
    seen: dict[str, Any]
    left: bool

    def check(self) -> None:
        """Check that it ended by itself, printed nothing and left no process behind."""
        assert self.status == 0, self.errors
        for word in (
            "QThread: Destroyed",
            "QProcess: Destroyed",
            "Traceback",
            "QObject::",
            "terminate called",
            "Fatal Python",
        ):
            assert word not in self.errors, self.errors
        assert not self.left, "a process of the window still works"
        assert self.seen["shut"]


@pytest.fixture(scope="module")
def demo() -> Project:
    return make_demo().with_margin(Margin.NONE)


@pytest.fixture
def folder(demo: Project, tmp_path: Path) -> Callable[[int], Path]:
    """Return the folder of the saved demo, whose first stage has many epochs."""

    def saved(epochs: int) -> Path:
        place = tmp_path / "demo.firegui"
        optimizer = replace(demo.plan.optimizer, epochs=epochs, patience=epochs)
        save_project(replace(demo, plan=replace(demo.plan, optimizer=optimizer)), place)
        return place

    return saved


def close(folder: Path, state: str, answer: str) -> Closed:
    """Open a window in a process of its own, bring it into ``state`` and close it."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    # Compiled kernels are kept, because compiling takes minutes and cannot be interrupted.
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    shared = {"PYTHONPATH": str(REPOSITORY), "QT_QPA_PLATFORM": "offscreen", "XDG_CACHE_HOME": cache}
    environment = os.environ | places | shared
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.gui.closing.child", str(folder), state, answer], env=environment, cwd=REPOSITORY,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        said, errors = child.communicate(timeout=400)
    finally:
        left = _end_group(child.pid)
    lines = [line for line in said.splitlines() if line.startswith("{")]
    return Closed(child.returncode, errors, json.loads(lines[-1]) if lines else {}, left)


def _end_group(leader: int) -> bool:
    """Return whether a process of the group is still there a while after its end.

    Python's own resource trackers end quickly.
    """
    until = time.monotonic() + GRACE_S
    with suppress(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(leader, 0)
            time.sleep(0.05)
        os.killpg(leader, signal.SIGKILL)
        return True
    return False


def runs_of(folder: Path) -> list[Any]:
    found, problems = saved_runs(list_runs(folder), load_project(folder))
    assert not problems
    return list(found)


def check_planning(folder: Path, state: str, answer: str) -> None:
    closed = close(folder, state, answer)
    closed.check()
    assert len(closed.seen["asked"]) == (2 if answer == "keep" else 1)
    if answer == "keep":
        assert closed.seen["kept"]
    run = Path(closed.seen["folder"])
    if answer == "discard":
        assert not run.exists()
        return
    assert not is_held(run)
    entries = runs_of(folder)
    left = [entry for entry in entries if entry.folder == run]
    # A run that had only just started may have nothing to save yet.
    assert left or state == "starting"
    assert all(entry.is_resumable for entry in left)


# -- short ones -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_closing_while_a_plan_is_worked_out_keeps_what_can_be_gone_on_with(folder: Callable[[int], Path]) -> None:
    place = folder(ENDLESS)
    check_planning(place, "running", "stop")
    again = close(place, "resumed", "stop")
    again.check()
    assert again.seen["after"] > again.seen["before"]


@pytest.mark.slow
def test_closing_while_the_map_is_worked_out_asks_nothing(folder: Callable[[int], Path]) -> None:
    closed = close(folder(ENDLESS), "evaluating", "stop")
    closed.check()
    assert closed.seen["asked"] == []
    assert closed.seen["activity"]


# -- all of them -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("state", PLANNING)
def test_closing_in_every_state_of_a_plan(folder: Callable[[int], Path], state: str, answer: str) -> None:
    place = folder(ENDLESS)
    check_planning(place, state, answer)
    if answer == "stop" and any(entry.is_resumable for entry in runs_of(place)):
        again = close(place, "resumed", "stop")
        again.check()
        assert again.seen["after"] > again.seen["before"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "answer"), [pair for pair in product(BESIDE, ANSWERS) if "discard" not in pair or DISCARDED in pair]
)
def test_closing_while_something_else_is_worked_out(folder: Callable[[int], Path], state: str, answer: str) -> None:
    place = folder(SHORT)
    closed = close(place, state, answer)
    closed.check()
    assert len(closed.seen["asked"]) == (2 if answer == "keep" else 1)
    if state == "uncertainty":
        (drawn,) = SAVED_ENSEMBLES.in_project(place)
        assert drawn.can_resume()
    if state == "benchmark":
        (contest,) = (place / SAVED_BENCHMARKS.directory).iterdir()
        assert not is_held(contest)


@pytest.mark.slow
@pytest.mark.parametrize("state", IDLE)
def test_closing_when_nothing_works_asks_nothing(folder: Callable[[int], Path], state: str) -> None:
    closed = close(folder(SHORT), state, "stop")
    closed.check()
    assert closed.seen["asked"] == []
