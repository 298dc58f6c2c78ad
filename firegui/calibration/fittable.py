"""Whether events can be fitted to. No torch is needed to say it."""

from __future__ import annotations

from collections.abc import Sequence

from firegui.domain.fit import FactorFitSettings, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.errors import InputError, Problem
from firegui.fire.physical import fuel_problems
from firegui.fire.skill import observed_start


def network_fit_problems(events: Sequence[Scenario], settings: NetworkFitSettings) -> list[Problem]:
    """Return every problem of the settings, and of fitting the network to these events together."""
    found = settings.problems()
    if not events:
        found.append(Problem("projects", "there is none", "give at least one project"))
    names = [event.name for event in events]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(Problem("projects", f"{names.count(name)} events are called {name!r}", "give each event once"))
    for event in events if settings.fit_days > 0 else ():
        found += fit_problems(event, settings.fit_days, event.name)
    return found


def factor_fit_problems(project: Project, settings: FactorFitSettings) -> list[Problem]:
    """Return every problem of the settings, and of fitting the project's model to its event."""
    event, found = project.scenario, settings.problems()
    if project.fire_model.kind != "physical":
        what = f"is the {project.fire_model.kind} one, which has no factors"
        remedy = "choose the physical one (firegui configure --model physical), or give --out to train a network"
        found.append(Problem("fire model", what, remedy))
    else:
        found += fuel_problems(event, project.fire_model.fuels)
    return found if found else fit_problems(event, settings.fit_days)


def fit_problems(event: Scenario, fit_days: int, where: str = "fit") -> list[Problem]:
    """Return the problems that keep days ``0 … fit_days`` of an event from being fitted.

    They are about perimeters and weather.
    """
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
