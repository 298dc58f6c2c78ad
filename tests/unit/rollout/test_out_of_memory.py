"""Memory of a GPU that does not suffice ends in a message and a result, never in a failed run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from firegui.domain.results import Metrics
from firegui.domain.stress import StressScenario, StressSet
from firegui.rollout.kernels.gpu import LESS_HISTORY, ON_THE_CPU, Gpu
from firegui.rollout.kernels.gpu_rollout import Rollouts
from firegui.runs.control import RunControl
from firegui.runs.events import DeviceUsed, Message, RunEvent, RunFinished
from firegui.runs.runner import execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason
from tests.support import make_project


def out_of_memory(*_: object, **__: object) -> Any:
    raise torch.OutOfMemoryError("no memory left")


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU whose launches are done in torch, on the processor."""
    monkeypatch.setattr("firegui.rollout.backend.choose", lambda name: ("cpu" if name == "cpu" else "cuda", "cpu"))
    monkeypatch.setattr("firegui.rollout.backend.Gpu", partial(Gpu, triton=False))


def run(out: Path, backend: str) -> tuple[list[Message], Metrics]:
    """The messages of a run of two epochs, and the score of its plan."""
    events: list[RunEvent] = []
    project = replace(make_project(epochs=2), stress=StressSet((StressScenario("late", delay_minutes=30.0),)))
    cut = replace(project.plan.optimizer, full_carry=False)  # the full carry is the processor's anyway
    project = replace(project, plan=replace(project.plan, optimizer=cut))
    spec = PlanSpec(project, out, "", backend=backend, snapshot_seconds=float("inf"))
    execute(spec, events.append, RunControl())
    end = events[-1]
    assert isinstance(end, RunFinished)
    assert end.reason is FinishReason.COMPLETED, end.message
    assert end.nominal is not None
    return [event for event in events if isinstance(event, Message)], end.nominal


@pytest.mark.slow
@pytest.mark.usefixtures("card")
def test_a_card_that_is_too_small_from_the_start_leaves_the_run_to_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rollouts, "run", out_of_memory)
    said, plan = run(tmp_path / "card", "cuda")
    processor = DeviceUsed("cuda", "the CPU")
    assert [message for message in said if message.level == "warning"] == [
        Message(ON_THE_CPU, "warning", processor),  # rollouts, while preparing
        Message(LESS_HISTORY, "warning"),  # gradients
        Message(ON_THE_CPU, "warning", processor),
    ]
    assert not any(message.text.startswith("Computing on") for message in said)
    assert plan == run(tmp_path / "processor", "cpu")[1]


@pytest.mark.slow
@pytest.mark.usefixtures("card")
def test_a_card_that_is_too_small_for_gradients_says_so_once_and_keeps_the_rollouts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Gpu, "_gradient", out_of_memory)
    said, _ = run(tmp_path / "card", "cuda")
    assert said[0].text.startswith("Computing on")
    assert [message.text for message in said if message.level == "warning"] == [LESS_HISTORY, ON_THE_CPU]
