"""What a change of a drop does: the same numbers as two whole rollouts, at the price of what can differ."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from firegui.domain.drops import Drop, DropList
from firegui.domain.schedule import Schedule
from firegui.errors import CancelledError
from firegui.runs.engine import Engine
from firegui.runs.plan_preview import CLEAR_CHANGE, PlanPreviewer, PreviewRequest
from tests.support import make_project

PROJECT = make_project(seed=3)
BEFORE = DropList((Drop(2, 0, 5.0, 6.0, 0.3), Drop(14, 0, 7.0, 9.0, 1.2)))
AFTER = BEFORE.exchanged(BEFORE.drops[1], Drop(14, 0, 9.0, 12.0, 0.4))
END = PROJECT.calendar.n_steps


def nothing() -> None:
    """Nobody cancels."""


class Counting(Engine):
    """The engine, noting what it was asked."""

    def __init__(self) -> None:
        self.built, self.starts = 0, list[int]()

    def build(self, *words: Any, **more: Any) -> Any:
        self.built += 1
        return super().build(*words, **more)

    def preview_rollout(self, model: Any, schedule: Schedule, steps: Collection[int], **more: Any) -> Any:
        start = more.get("start")
        self.starts.append(0 if start is None else start.day)
        return super().preview_rollout(model, schedule, steps, **more)


def request(
    before: DropList = BEFORE, after: DropList = AFTER, step: int = 16, stride: int | None = None
) -> PreviewRequest:
    return PreviewRequest(PROJECT, "cpu", before, after, step, stride)


def test_numbers_and_pictures_are_those_of_whole_rollouts() -> None:
    engine = Engine()
    model = engine.build(PROJECT, PROJECT.plan.nominal, "cpu")
    whole = [
        engine.simulate(model, drops.schedule(END, model.fleet.n_aircraft), frame_stride=1) for drops in (BEFORE, AFTER)
    ]
    look = PlanPreviewer().preview(request(), nothing)
    assert look.before == whole[0].metrics and look.after == whole[1].metrics
    first, second = (rollout.frames for rollout in whole)
    assert first is not None and second is not None and look.fire is not None and look.change is not None
    assert np.array_equal(look.fire, second.fire.picture(16))
    change = first.fire.picture(END).astype(int) - second.fire.picture(END)
    assert np.array_equal(look.change, change) and change.any()
    assert look.changed == int((abs(change) >= round(255 * CLEAR_CHANGE)).sum())


def test_model_and_the_plan_before_are_kept_and_only_the_days_that_can_differ_are_rolled_out() -> None:
    engine = Counting()
    live = PlanPreviewer(engine)
    for column in (9.0, 10.0, 11.0):
        live.preview(request(after=BEFORE.exchanged(BEFORE.drops[1], Drop(14, 0, 9.0, column, 0.4))), nothing)
    assert engine.built == 1
    assert engine.starts == [0, 1, 1, 1]


def test_before_the_change_the_fire_is_the_one_before() -> None:
    live = PlanPreviewer()
    early, unchanged = live.preview(request(step=4), nothing), live.preview(request(after=BEFORE, step=4), nothing)
    assert early.fire is not None and unchanged.fire is not None
    assert np.array_equal(early.fire, unchanged.fire)
    assert unchanged.changed == 0 and unchanged.before == unchanged.after


def test_frames_for_playback_are_of_the_new_drops() -> None:
    look = PlanPreviewer().preview(request(AFTER, AFTER, stride=5), nothing)
    assert look.frames is not None and look.frames.stride == 5
    assert look.after == PlanPreviewer().preview(request(), nothing).after


def test_a_look_can_be_given_up_and_the_next_one_is_right() -> None:
    def never() -> None:
        raise CancelledError("not wanted")

    live = PlanPreviewer()
    with pytest.raises(CancelledError):
        live.preview(request(), never)
    assert live.preview(request(), nothing).after == PlanPreviewer().preview(request(), nothing).after
