"""Whether an event can be fitted to."""

from __future__ import annotations

from firegui.domain.scenario import Scenario
from firegui.errors import InputError, Problem
from firegui.fire.skill import observed_start


def fit_problems(event: Scenario, fit_days: int, where: str = "fit") -> list[Problem]:
    """What keeps days ``0 … fit_days`` of an event from being fitted: perimeters and weather."""
    found = []
    try:
        observed_start(event)
    except InputError as error:
        found += [Problem(where, problem.what, problem.remedy) for problem in error.problems]
    else:
        if all(event.is_filled_forward(day) for day in range(1, fit_days + 1)):
            found.append(
                Problem(where, f"no perimeter on days 1 to {fit_days}", "import more perimeters or fit more days")
            )
    if fit_days > event.days:
        found.append(Problem(where, f"{fit_days} days with weather for {event.days}", f"fit at most {event.days}"))
    return found
