from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from firegui.cli.progress import scalars
from firegui.domain.film import Film
from firegui.domain.fit import EventProgress, FitProgress, NetworkFitSettings
from firegui.domain.results import Frames
from firegui.runs.events import (
    BaselineReady,
    FitEpoch,
    Message,
    PlanUpdated,
    RunEvent,
    RunFinished,
    StageBegan,
    StateChanged,
    StressTestProgress,
    WeightsReady,
)
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from tests.unit.domain.samples import weights
from tests.unit.runs.fakes import metrics

NOTHING = Film.of(np.zeros((1, 3, 3), np.uint8))
FRAMES = Frames(1, NOTHING, NOTHING, NOTHING)
FIT = NetworkFitSettings(10, 9, 1e-3, True, 0.1, 750.0, 20, 45, 4)
EPOCH = FitProgress(4, 9, 1.5, 1.25, 3, {"shape": 0.5}, (EventProgress("Bear", (1, 2), (0.25, 0.75)),), 6.0)
EVENTS: list[RunEvent] = [
    StateChanged(RunState.RUNNING),
    Message("hello", "warning"),
    BaselineReady(metrics(3.0), FRAMES),
    EpochDone(0, 9, 3, 1.0, 1.0, 0.1, 0.2, 0.3, 4, 5.0, 6.0),
    PlanUpdated(2, metrics(2.0), FRAMES, ()),
    StageBegan(Stage.PRUNE, 2, 2, "Second stage"),
    EliminationStep(9, 1, 7, 9, 2, 3, 9, 4, 0.5, 0.9, float("nan"), 1.5),
    FitEpoch(EPOCH),
    WeightsReady(weights(), EPOCH, 6),
    StressTestProgress(2, 10, "stress test: late", 0.2),
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
    record = scalars(EVENTS[-2])
    assert (record["reason"], record["nominal_objective"], record["baseline_objective"]) == ("completed", 1.0, 3.0)
    assert record["folder"] == "run"


def test_the_epoch_of_a_calibration_names_its_terms_and_the_mean_of_every_event() -> None:
    record = scalars(FitEpoch(EPOCH))
    assert (record["event"], record["loss"], record["best_epoch"]) == ("fit", 1.5, 3)
    assert (record["term.shape"], record["mean_iou.Bear"]) == (0.5, 0.5)
