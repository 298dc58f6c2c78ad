from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.results import Frames
from firegui.domain.settings import Effectiveness, OptimizerSettings
from firegui.runs.command import optimize_command
from firegui.runs.event_lines import scalars
from firegui.runs.events import (
    BaselineReady,
    EpochDone,
    FinishReason,
    Message,
    PlanUpdated,
    RunEvent,
    RunFinished,
    RunState,
    StateChanged,
)
from tests.unit.runs.fakes import metrics

NOTHING = np.zeros((1, 3, 3), np.uint8)
FRAMES = Frames(1, NOTHING, NOTHING, NOTHING)
EVENTS: list[RunEvent] = [
    StateChanged(RunState.RUNNING),
    Message("hello", "warning"),
    BaselineReady(metrics(3.0), FRAMES),
    EpochDone(0, 9, 3, 1.0, 1.0, 0.1, 0.2, 0.3, 4, 5.0, 6.0),
    PlanUpdated(2, metrics(2.0), FRAMES, ()),
    RunFinished(FinishReason.COMPLETED, "done", metrics(1.0), metrics(3.0), Path("run")),
    RunFinished(FinishReason.FAILED, "no", None, None, None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_becomes_one_flat_record_of_plain_values(event: RunEvent) -> None:
    record = scalars(event)
    assert isinstance(record["event"], str)
    assert all(isinstance(value, (str, int, float, bool, type(None))) for value in record.values())
    assert json.loads(json.dumps(record)) == record


def test_the_finished_record_carries_plan_and_baseline() -> None:
    record = scalars(EVENTS[5])
    assert (record["reason"], record["nominal_objective"], record["baseline_objective"]) == ("completed", 1.0, 3.0)
    assert record["folder"] == "run"


def test_the_command_repeats_every_setting_that_decides_the_result() -> None:
    settings = OptimizerSettings(epochs=40, learning_rate=3e-3, patience=7, seed=11)
    command = optimize_command(Path("my fire.firegui"), Path("out"), settings, Effectiveness(0.85, 0.75))
    assert command == (
        "firegui optimize 'my fire.firegui' --out out --epochs 40 --lr 0.003 --patience 7 --seed 11"
        " --design-retardant 0.85 --design-water 0.75"
    )


def test_the_command_names_the_warm_start_and_the_backend_where_there_is_one() -> None:
    command = optimize_command(
        Path("a"), Path("b"), OptimizerSettings(), Effectiveness(), warm_start=Path("s.csv"), backend="reference"
    )
    assert command.endswith("--warm-start s.csv --backend reference")
