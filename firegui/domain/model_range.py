"""Whether a fire lies within what its fire model was trained on.

One value for the map's title, the list of runs, results, exports and reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.units import Units

# The list of runs and every picture of the map ask for the same event. A closed event must not stay in memory.
_STRONGEST_WINDS: WeakKeyDictionary[Scenario, dict[tuple[int, int], float]] = WeakKeyDictionary()
_STEEPEST_SLOPES: WeakKeyDictionary[Scenario, float] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class OutsideTraining:
    """What of a fire the training of its model never saw.

    ``what`` has a word for each part, ``reasons`` a sentence.
    """

    what: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def chip(self) -> str:
        """Text on a map, where there is little room: ``wind, slope out of range``."""
        return f"{', '.join(self.what)} out of range"

    @property
    def badge(self) -> str:
        """Short text beside every result: ``wind, slope beyond what the fire model learned from``."""
        return f"{', '.join(self.what)} beyond what the fire model learned from"


def outside_training(project: Project, units: Units = Units.METRIC) -> OutsideTraining | None:
    """Return what of the planned days lies outside the training of the fire model, told in ``units``.

    ``None`` if nothing is known to. Only a network has a training.
    """
    found = list(_parts(project, units))
    return OutsideTraining(*map(tuple, zip(*found, strict=True))) if found else None


def outside_text(project: Project) -> str:
    """Return the badge of a project, empty if nothing is known to lie outside the training."""
    found = outside_training(project)
    return "" if found is None else found.badge


def _parts(project: Project, units: Units) -> Iterator[tuple[str, str]]:
    if project.weights is None or project.fire_model.kind != "network":
        return
    event, training, plan = project.scenario, project.weights.training, project.plan
    wind = _strongest_wind(event, plan.start_day, plan.days)
    if round(wind, 1) > round(training.wind_max_ms, 1):
        yield (
            "wind",
            f"Winds reach {units.wind(wind)}; the fire model learned from fires with at most "
            f"{units.wind(training.wind_max_ms)}. Sizes are less certain: before you rely on them, compare the fire "
            "with observed perimeters (Model check).",
        )
    steepest = _steepest_slope(event) if "slope" in training.layers else 0.0
    if round(steepest) > round(training.slope_max_deg):
        yield "slope", f"Slopes reach {steepest:.0f}°: the network reads at most {training.slope_max_deg:.0f}°."
    if lacking := [LAYERS[key][0].lower() for key in training.layers if key not in event.layers]:
        yield "layers", f"The network was trained with {', '.join(lacking)}, which this event lacks."


def _strongest_wind(event: Scenario, start_day: int, days: int) -> float:
    winds = _STRONGEST_WINDS.setdefault(event, {})
    if (start_day, days) not in winds:
        winds[start_day, days] = float(event.wind_speed[start_day : start_day + days].max(initial=0.0))
    return winds[start_day, days]


def _steepest_slope(event: Scenario) -> float:
    if event not in _STEEPEST_SLOPES:
        slope = event.layers.get("slope")
        is_known = slope is not None and np.isfinite(slope).any()
        _STEEPEST_SLOPES[event] = float(np.nanmax(slope)) if slope is not None and is_known else 0.0
    return _STEEPEST_SLOPES[event]
