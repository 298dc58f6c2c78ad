from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firegui.cli.progress import (
    TerminalProgressBar,
    bar_text,
    clock,
    elimination_bar_text,
    members_bar_text,
    tasks_bar_text,
)
from firegui.domain.benchmark import PlannerName, PlannerTask
from firegui.runs.events import BenchmarkProgress, MembersDone, TaskProgress
from firegui.runs.stages import EliminationStep, EpochDone


def done(epoch: int, drops: int = 3) -> EpochDone:
    """The zero-based ``epoch`` of a hundred, at a second each."""
    return EpochDone(epoch, 100, 3 * epoch, 1.0, 0.5, 0.1, 0.2, 0.3, drops, 1.0, float(epoch + 1))


def test_the_time_that_is_left_is_not_guessed_from_the_first_epochs() -> None:
    for epoch in range(4):
        assert "left" not in bar_text(done(epoch))
    assert bar_text(done(4)).endswith("0:05, at most 1:35 left")


def test_a_very_long_time_is_told_in_days() -> None:
    assert bar_text(replace(done(9), epochs=1_000_000)).endswith("0:10, at most 11 days left")
    assert clock(99 * 3600 + 59) == "99:00:59"


def test_the_best_objective_says_at_which_effectiveness_it_is() -> None:
    assert "best 0.5 at cautious effectiveness" in bar_text(done(9))


def test_one_drop_is_one_drop() -> None:
    assert "  1 drop  " in bar_text(done(9, drops=1))
    assert "  2 drops  " in bar_text(done(9, drops=2))


def test_members_are_told_with_their_means_and_the_time_that_is_left() -> None:
    event = MembersDone(75, 300, 90_843.2, 3_240.4, 0.01, 30.0, 90.0)
    means = "mean 90,843 cells without drops, 3,240 with the plan"
    assert members_bar_text(event) == f"[{'#' * 6}{'.' * 18}] fire 75/300  {means}  0:30, 1:30 left"
    alone = members_bar_text(replace(event, plan=None, worse=None, left=float("nan")))
    assert alone.endswith("fire 75/300  mean 90,843 cells  0:30")


def test_an_elimination_is_told_with_what_is_left_and_how_near_the_limits_are() -> None:
    step = EliminationStep(350, 1, 1735, 3628, 1893, 2721, 3628, 64, 0.981, 1.0, float("nan"), 65.0)
    tests = "round 1, 2,721/3,628"
    held = "burn 0.981, final 1.000 of the limit"
    assert elimination_bar_text(step) == f"[{'#' * 18}{'.' * 6}] {tests}  1,735 drops of 3,628 left  {held}  1:05"
    assert "round 1, 0/0" in elimination_bar_text(replace(step, tested=0, to_test=0))


def test_the_end_of_an_elimination_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    bar = TerminalProgressBar()
    first = EliminationStep(40, 1, 19, 24, 5, 24, 24, 1, 0.99, 0.99, math.nan, 3.0)
    last = EliminationStep(60, 2, 19, 24, 0, 19, 19, 1, 0.99, 0.99, math.nan, 5.0)
    for step in (first, last, replace(last, seconds=90.0)):
        bar(step)
    assert capsys.readouterr().err.splitlines() == [elimination_bar_text(first), elimination_bar_text(last)]


def test_the_tasks_at_work_are_told_with_their_share_and_their_best() -> None:
    running = (
        TaskProgress(PlannerTask(PlannerName.TWO_STAGE, 0), 1_500, 0, 2.25, 60.0),
        TaskProgress(PlannerTask(PlannerName.GREEDY, 1), 0, 6_000, math.nan, 0.0),
    )
    text = tasks_bar_text(BenchmarkProgress(running, 1, 12, 75.0))
    assert "1/12 tasks  1:15" in text and text.endswith("two-stage-0 1,500 best 2.25; greedy-1 0/6,000")
    assert tasks_bar_text(BenchmarkProgress((), 12, 12, 75.0)).endswith("12/12 tasks  1:15")
