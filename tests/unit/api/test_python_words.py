from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import firegui
from firegui.api.projects import OpenProject
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.stress import StressScenario, StressSet

READERS = ("plan", "prune", "stress_test", "uncertainty", "benchmark", "evaluate", "front_speed", "replan")
NOT_BOUNDED = {"wind_towards", "stop_at_day", "day", "draw", "processes"}
"""Numbers that are not declared with bounds, and one that may be -1."""


def numbers() -> list[tuple[str, str]]:
    """Names of the functions that read settings, with each keyword that is a number."""
    return [
        (name, keyword)
        for name in READERS
        for keyword, parameter in inspect.signature(getattr(firegui, name)).parameters.items()
        if parameter.annotation in ("int | None", "float | None", "int", "float") and keyword not in NOT_BOUNDED
    ]


@pytest.mark.parametrize(("name", "keyword"), numbers())
def test_a_number_out_of_bounds_is_told_once_and_by_its_keyword(name: str, keyword: str, watched: OpenProject) -> None:
    schedule = Schedule.empty(watched.calendar.n_steps, watched.fleet.n_aircraft)
    given: dict[str, Any] = {"front_speed": {}}.get(name, {"project": watched})
    if name in ("prune", "stress_test", "replan"):
        given["schedule"] = schedule
    if keyword == "every_hours":
        given["closed_loop"] = True
    with pytest.raises(firegui.InputError) as refused:
        getattr(firegui, name)(**given, **{keyword: -1})
    about = [problem for problem in refused.value.problems if "is -1" in problem.what or "every -1" in problem.what]
    assert [problem.what.split(" is ")[0] for problem in about] == [keyword]


def test_a_setting_without_a_keyword_is_named_by_its_attribute(project: OpenProject) -> None:
    plan = replace(project.plan, nominal=Effectiveness(2.0, 0.9))
    scenario = StressScenario("fast", spread_factor=0.0)
    with pytest.raises(firegui.InputError) as refused:
        firegui.plan(replace(project, plan=plan, stress=StressSet((scenario,))))
    text = str(refused.value)
    assert "nominal effectiveness: retardant is 2.0" in text
    assert "stress scenario fast: spread_factor is 0.0" in text


def test_a_file_that_does_not_exist_is_named_with_its_keyword(project: OpenProject, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    calls: dict[str, Callable[[], object]] = {
        "warm_start": lambda: firegui.plan(project, warm_start=gone),
        "schedule": lambda: firegui.evaluate(project, gone),
        "scenarios": lambda: firegui.stress_test(project, schedule, scenarios=gone),
    }
    for keyword, call in calls.items():
        with pytest.raises(firegui.InputError) as refused:
            call()
        (problem,) = refused.value.problems
        assert problem.where == f"{keyword} {gone}"
