"""Snapshots of the plan for the map while drops are removed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.runs.plan_snapshots import PlanSnapshots

PLAN = Metrics(164.0, 14.8, 200.0, 3.0, 0.1, 0.2, 0.3, 590, 590, 2.0)


def test_the_second_stage_shows_a_plan_of_as_many_drops_that_moved_and_the_last_one_in_any_case() -> None:
    now = [PLAN]
    shown: list[Metrics] = []
    engine = SimpleNamespace(
        simulate=lambda *_given, **_named: SimpleNamespace(frames=object(), metrics=now[0]),
        drops=lambda *_given, **_named: (),
    )
    pictures = PlanSnapshots(
        cast(Any, engine), cast(Any, None), lambda event: shown.append(cast(Any, event).metrics), 5, 0.0
    )
    schedule, moved = Schedule.empty(2, 1), replace(PLAN, final_extent_ha=14.4)
    pictures.follow(1, PLAN, schedule, None)
    pictures.follow(1, PLAN, schedule, None)
    assert shown == [PLAN]
    now[0] = moved
    pictures.follow(1, moved, schedule, None)
    assert shown == [PLAN, moved]
    slow = PlanSnapshots(
        cast(Any, engine), cast(Any, None), lambda event: shown.append(cast(Any, event).metrics), 5, 1e6
    )
    shown.clear()
    now[0] = PLAN
    slow.follow(1, PLAN, schedule, None)
    now[0] = moved
    slow.follow(1, moved, schedule, None)
    assert shown == [PLAN], "none is due"
    slow.follow(1, moved, schedule, None, is_last=True)
    slow.follow(1, moved, schedule, None, is_last=True)
    assert shown == [PLAN, moved]
