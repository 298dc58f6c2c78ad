"""From an imported event to a first project: the paper's fleet, setting A, as many days as there is weather for."""

from __future__ import annotations

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings

_PAPER_DAYS = 15


def first_project(scenario: Scenario, fleet: Fleet, fire_model: FireModel, maps: FireMaps | None = None) -> Project:
    """A project for ``scenario`` that starts on the first day on which something burns.

    ``fleet`` has its ``grounded_days`` as days of the plan.
    """
    start = next((day for day in range(scenario.days) if _burns(scenario, day)), 0)
    plan = PlanSettings(start_day=start, days=max(1, min(_PAPER_DAYS, scenario.days - start)))
    return Project(scenario, fleet, {}, (), plan, fire_model, maps).with_fleet(fleet)


def _burns(scenario: Scenario, day: int) -> bool:
    ignition = scenario.ignition_on(day)
    return ignition is not None and bool(ignition.any())
