"""Whether events can be fitted to. No torch is needed to say it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from firegui.domain.fit import FactorFitSettings, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.errors import InputError, Problem
from firegui.fire.physical import fuel_problems
from firegui.fire.skill import observed_start


def network_fit_problems(events: Sequence[Scenario], settings: NetworkFitSettings) -> list[Problem]:
    """Return every problem of the settings, and of fitting the network to these events together."""
    return [*settings.problems(), *_joint_problems(events, settings.fit_days)]


def factor_fit_problems(projects: Sequence[Project], settings: FactorFitSettings) -> list[Problem]:
    """Return every problem of the settings, and of fitting the factors of these projects' models together."""
    found = [*settings.problems(), *_joint_problems([each.scenario for each in projects], settings.fit_days)]
    for project in projects:
        event, model = project.scenario, project.fire_model
        if model.kind != "physical":
            what = f"the fire model is the {model.kind} one, which has no factors"
            remedy = "choose the physical one (firegui configure --model physical), or give --out to train a network"
            found.append(Problem(event.name, what, remedy))
        else:
            problems = fuel_problems(event, model.fuels)
            found += [replace(problem, where=f"{event.name}, {problem.where}") for problem in problems]
    if settings.leave_one_out and len(projects) == 1:
        found.append(Problem("fit", "no fire is left where one is left out", "add a project, or leave none out"))
    return found


def _joint_problems(events: Sequence[Scenario], fit_days: int) -> Iterator[Problem]:
    """Yield what is wrong with a list of events, and with the perimeters and the weather of each."""
    if not events:
        yield Problem("projects", "there is none", "give at least one project")
    names = [event.name for event in events]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Problem("projects", f"{names.count(name)} events are called {name!r}", "give each event once")
    for event in events if fit_days > 0 else ():
        yield from _event_problems(event, fit_days)


def _event_problems(event: Scenario, fit_days: int) -> Iterator[Problem]:
    """Yield what is wrong with the perimeters and the weather of days ``0 … fit_days`` of an event."""
    try:
        observed_start(event)
    except InputError as error:
        yield from (replace(problem, where=event.name) for problem in error.problems)
    else:
        if all(event.is_filled_forward(day) for day in range(1, fit_days + 1)):
            remedy = "import more perimeters or fit more days"
            yield Problem(event.name, f"no perimeter on days 1 to {fit_days}", remedy)
    if fit_days > event.days:
        yield Problem(event.name, f"{fit_days} days with weather for {event.days}", f"fit at most {event.days}")
