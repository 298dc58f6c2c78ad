"""From an imported event to a first project: the paper's fleet and setting A."""

from __future__ import annotations

from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings
from firegui.fire.scalar import scalar_model
from firegui.io.fleet_toml import default_fleet

PAPER_DAYS = 15


def first_project(event: Scenario, maps: FireMaps | None = None) -> Project:
    """A project on ``event`` without regions, from the first day on which something burns.

    ``maps`` are its fire model where they were imported, and then all their days are planned: whoever made them chose
    the horizon. Otherwise the shipped model is used, for the paper's 15 days or as long as there is weather.
    """
    start = next((day for day in range(event.days) if _burns(event, day)), 0)
    available = max(1, event.days - start)
    plan = PlanSettings(start_day=start, days=available if maps is not None else min(PAPER_DAYS, available))
    model = scalar_model() if maps is None else FireModel("maps", f"imported maps ({event.name})", {})
    fleet = default_fleet()
    return Project(event, fleet, {}, (), plan, model, maps).with_fleet(fleet)


def _burns(event: Scenario, day: int) -> bool:
    ignition = event.ignition_on(day)
    return ignition is not None and bool(ignition.any())
