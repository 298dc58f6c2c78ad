"""Kernels are compiled once on a computer, before a run begins, and the person who waits is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL
from firegui.errors import CancelledError
from firegui.planning.problem import build
from firegui.rollout import backend
from firegui.rollout.backend import COMPILING, compile_once, engine
from firegui.rollout.engine_message import EngineMessage
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.support import make_project

ROOT = Path(__file__).resolve().parents[3]

RUNS = """
import sys
from pathlib import Path
import numpy as np
from firegui.domain.schedule import Schedule
from firegui.rollout.machine import kernel_folder
from firegui.runs.control import RunControl
from firegui.runs.events import Message
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec, PlanSpec
from tests.support import make_project

kept = []

def emit(event):
    if isinstance(event, Message):
        kept.append(len(list(kernel_folder().rglob("*.nbc"))))
        print(event.text)

project, out = make_project(epochs=12), Path(sys.argv[1])
one = Schedule.empty(20, 4)
one.logits[3, 0], one.poses[3, 0] = 1.0, (8.0, 10.0, 0.3)
execute(PlanSpec(project, out / "run", ""), emit, RunControl())
execute(EvaluateSpec(project, one), emit, RunControl())
execute(PlanSpec(project, out / "warm", "", warm_start=one), emit, RunControl())
assert kept[-1] == len(list(kernel_folder().rglob("*.nbc"))) == kept[1] > 0, kept
"""


def runs(folder: Path) -> list[str]:
    """What three runs say in a process of their own that keeps its kernels in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(folder), "LOCALAPPDATA": str(folder)}
    out = folder / f"runs of {len(list(folder.iterdir()))}"
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(out)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_first_run_on_a_computer_says_that_it_compiles_and_then_has_all_it_needs(tmp_path: Path) -> None:
    first = runs(tmp_path)
    assert first[0] == COMPILING
    assert first[1].startswith("Computing on")
    assert COMPILING not in first[1:]
    assert COMPILING not in runs(tmp_path)


def first_model() -> Model:
    return build(make_project(), effectiveness=NOMINAL, backend="cpu")


class Counting:
    """An engine that does what ``inner`` does and counts what it is asked for."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self._inner, name)


@pytest.fixture
def without_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where no process can be started that compiles."""
    monkeypatch.setattr(backend, "_compiler", lambda neighbours: None)


@pytest.mark.usefixtures("without_process")
def test_what_is_noted_as_compiled_is_neither_compiled_nor_told_again(tmp_path: Path) -> None:
    inner, said = engine(first_model()), list[EngineMessage]()
    first, second, elsewhere = Counting(inner), Counting(inner), Counting(inner)
    compile_once(first, tmp_path, said.append, 8)
    compile_once(second, tmp_path, said.append, 8)
    assert {"simulate", "gradient"} <= set(first.asked)
    assert second.asked == []
    assert said == [EngineMessage(COMPILING)]
    (tmp_path / "another").mkdir()
    compile_once(elsewhere, tmp_path / "another", said.append, 8)
    assert elsewhere.asked
    assert len(said) == 2


@pytest.mark.slow
def test_compilation_can_be_cancelled_at_once_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def check() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise CancelledError

    other = Counting(engine(first_model()))
    with pytest.raises(CancelledError):
        compile_once(other, tmp_path, list[EngineMessage]().append, 8, check)
    assert (other.asked, list(tmp_path.iterdir())) == ([], [])
    # The process goes on and is waited for, not started again: edits cancel what is shown again and again.
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", None)
        compile_once(other, tmp_path, list[EngineMessage]().append, 8)
    assert other.asked


def test_a_small_fire_does_not_wait_for_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started, model = list[int](), first_model()

    def compiler(neighbours: int) -> Mock:
        started.append(neighbours)
        return Mock()

    monkeypatch.setattr(backend, "_COMPILERS", {})
    monkeypatch.setattr(backend, "kernel_folder", lambda: tmp_path)
    monkeypatch.setattr(backend, "_compiler", compiler)
    first, second = backend.without_waiting(model), backend.without_waiting(model)
    assert first.in_torch and second.in_torch and started == [8], "one process compiles meanwhile"
    backend.prepare(first)
    nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
    soon, exact = (simulate(each, nothing, frame_stride=2) for each in (first, model))
    assert soon.frames is not None and exact.frames is not None
    assert np.abs(soon.frames.fire.whole().astype(int) - exact.frames.fire.whole()).max() <= 1
    assert soon.metrics.final_extent_ha == pytest.approx(exact.metrics.final_extent_ha, rel=1e-5)
    with monkeypatch.context() as patch:
        patch.setattr(backend, "MOST_IN_TORCH", 1)
        assert not backend.without_waiting(model).in_torch
    (tmp_path / backend._name(8)).touch()
    assert not backend.without_waiting(model).in_torch, "compiled kernels are used"


@pytest.mark.usefixtures("without_process")
def test_each_stencil_is_compiled_when_it_is_first_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercised, said = list[int](), list[EngineMessage]()
    monkeypatch.setattr(backend, "exercise", lambda engine, neighbours: exercised.append(neighbours))
    for neighbours in (8, 16, 8, 16):
        compile_once(engine(first_model()), tmp_path, said.append, neighbours)
    assert exercised == [8, 16]
    assert said == [EngineMessage(COMPILING)] * 2
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.usefixtures("without_process")
def test_a_folder_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    said: list[EngineMessage] = []
    compile_once(engine(first_model()), tmp_path / "absent", said.append, 8)
    assert said == [EngineMessage(COMPILING)]
