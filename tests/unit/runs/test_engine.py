from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.planning.initialization import reopened, warmed
from firegui.runs.engine import Engine, Lazy
from firegui.runs.engine_messages import computing_message
from firegui.runs.events import DeviceUsed, Message
from firegui.runs.messages import engine_words
from firegui.runs.runner import RUN_CLASSES
from firegui.runs.spec import EvaluateSpec, PlanSpec, RunSpec
from tests.support import make_project
from tests.unit.runs.fakes import carried_out

SHAPE = (11, 13)


@pytest.mark.parametrize(
    "modules",
    [
        "firegui.runs.runner, firegui.runs.run_folder, firegui.runs.engine, firegui.cli.progress, firegui.runs.command",
        "firegui.cli.main",
    ],
)
def test_importing_loads_neither_torch_nor_qt(modules: str) -> None:
    program = f"import sys, {modules}; print(sorted({{'torch', 'numba', 'PySide6'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


LOAD = """
import sys, threading, time
from firegui.runs.engine import _load_torch_libraries
turns, done = [], threading.Event()
def count():
    while not done.is_set():
        turns.append(None)
        time.sleep(0.001)
other = threading.Thread(target=count)
other.start()
before = len(turns)
_load_torch_libraries()
during = len(turns) - before
done.set()
other.join()
print("libtorch_cpu" in open("/proc/self/maps").read(), "torch" in sys.modules, during > 15)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere torch loads its libraries itself")
def test_other_threads_run_while_the_libraries_of_torch_are_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split() == ["True", "False", "True"]


def test_a_warm_start_keeps_its_drops_and_takes_the_fronts_places_for_the_rest() -> None:
    front = Schedule.from_pose_logits(np.full((4, 2), -0.04), np.full((4, 2, 3), 0.3), SHAPE)
    listed = Schedule.empty(4, 2)
    listed.logits[1, 0] = 3.0
    listed.poses[1, 0] = (2.0, 5.0, 1.0)
    logits = np.zeros((4, 2, 3))
    logits[1, 0] = (-0.5, -0.1, -0.3)
    start = warmed(front, listed, logits)
    assert start.pose_logits is not None
    np.testing.assert_array_equal(start.logits, listed.logits)
    np.testing.assert_array_equal(start.poses[1, 0], listed.poses[1, 0])
    np.testing.assert_array_equal(start.pose_logits[1, 0], logits[1, 0])
    np.testing.assert_array_equal(start.poses[0], front.poses[0])
    assert np.all(start.pose_logits[0] == 0.3)


def test_a_warm_start_with_its_own_pose_logits_is_kept_whole() -> None:
    front = Schedule.from_pose_logits(np.full((4, 2), -0.04), np.full((4, 2, 3), 0.3), SHAPE)
    own = Schedule.from_pose_logits(np.full((4, 2), -1.0), np.full((4, 2, 3), 0.7), SHAPE)
    assert warmed(front, own, np.zeros((4, 2, 3))) is own


def test_a_device_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    monkeypatch.setattr(Engine, "devices", lambda _self: {"cuda": ["NVIDIA H200"]})
    assert engine.device_name("cpu") == "the CPU"
    assert engine.device_name("cuda") == "the GPU NVIDIA H200"
    monkeypatch.setattr(Engine, "devices", lambda _self: {"cuda": []})
    assert engine.device_name("cuda") == "the GPU"


def test_what_computes_a_run_is_said_in_words() -> None:
    assert engine_words("active-front kernels", "the CPU") == "the CPU, active-front kernels"
    assert computing_message("active-front kernels", "the CPU") == "Computing on this computer"
    assert computing_message("active-tile kernels of Triton", "the GPU X") == "Computing on the GPU X"
    assert computing_message("windowed torch", "the CPU") == "Computing on this computer, windowed torch"


@pytest.mark.parametrize("kind", ["optimize", "evaluate"])
def test_a_run_says_what_it_computes_on_and_what_was_asked_for(tmp_path: Path, kind: str) -> None:
    project = make_project(epochs=1)
    spec = PlanSpec(project, tmp_path / "run", "") if kind == "optimize" else EvaluateSpec(project)
    messages = [event for event in carried_out(spec) if isinstance(event, Message)]
    said = [message for message in messages if message.device is not None]
    assert [message.device for message in said] == [DeviceUsed("auto", "the none of the test")]
    assert said[0].text == "Computing on the none of the test, fake arithmetic"


def test_reopening_puts_what_is_not_proposed_back_on_the_front_and_leaves_the_rest() -> None:
    rng = np.random.default_rng(0)
    front = Schedule.from_pose_logits(np.full((4, 2), -0.04), rng.normal(size=(4, 2, 3)), (10, 10))
    logits = np.full((4, 2), -3.0)
    logits[1, 0] = 2.0
    begin = Schedule.from_pose_logits(logits, rng.normal(size=(4, 2, 3)), (10, 10))
    found = reopened(front, begin)
    assert found.logits[1, 0] == 2.0
    assert np.array_equal(found.poses[1, 0], begin.poses[1, 0])
    rest = np.ones((4, 2), bool)
    rest[1, 0] = False
    assert (found.logits[rest] == -0.04).all()
    assert np.array_equal(found.poses[rest], front.poses[rest])


def test_every_name_of_the_engine_and_every_run_class_can_be_imported() -> None:
    names = [name for name, value in vars(Engine).items() if isinstance(value, Lazy)]
    assert len(names) > 30
    assert all(callable(getattr(Engine(), name)) for name in names)
    for path in RUN_CLASSES.values():
        module, _, name = path.partition(":")
        assert callable(getattr(import_module(module), name).run)


def test_every_kind_of_run_has_a_class() -> None:
    specs = {spec.__name__ for spec in get_args(RunSpec)}
    assert specs == {kind for kind in RUN_CLASSES if "." not in kind}
