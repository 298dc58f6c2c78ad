"""Limits of a project's fire model on its event, as sentences for the window and the report.

This module does not import torch, so that the window can show the limits before torch is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from firegui.domain.fuel_models import labels_text
from firegui.domain.model_range import outside_training
from firegui.domain.options import plain_number
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.units import Units, percent_text
from firegui.domain.weights import OPTIONAL_LAYERS, NetworkWeights, Training
from firegui.fire.card import physical_card
from firegui.fire.landscape import has_terrain, missing_crown_layers
from firegui.fire.prior import SOURCE

_ALWAYS_USED = ("slope", "aspect", "fuel")
"""Layers that every network uses: for uphill spread, and for cells that cannot burn."""
_RESOLVED_CELLS = 4.0
"""Cells that a front must cross in the burn duration. With fewer, about a tenth of the cells behind it do not burn."""
_MOST_FUELS = 10
"""Largest number of custom fuel models that a sentence names."""
_WIND_GAINS = ("wind_gain", "wind_alignment")


def model_caveats(project: Project, units: Units = Units.METRIC) -> tuple[str, ...]:
    """Return the limits of the project's fire model as sentences.

    For a network the sentences name missing layers, effects that the training could not teach, and whether a correction
    applies. For the physical model they name the processes that it leaves out and its numerical limits. Imported maps
    have no sentences.
    """
    event, weights, warnings = project.scenario, project.weights, model_warnings(project, units)
    if project.fire_model.kind == "physical":
        return *warnings, *_physical(project, units)
    if project.fire_model.kind != "network" or weights is None:
        return warnings
    training = weights.training
    return *_layers(event, training), *_priors(event, training, units), *warnings, *_correction(event, weights)


def unused_layers(project: Project) -> tuple[str, ...]:
    """Return the layers of the event that its network does not use at all; none for other fire models.

    Every network spreads the fire faster uphill and leaves out what cannot burn, whatever layers it reads.
    """
    if project.fire_model.kind != "network" or project.weights is None:
        return ()
    return tuple(key for key in _unread(project.scenario, project.weights.training) if key not in _ALWAYS_USED)


def unused_text(project: Project) -> str:
    """Return a sentence on layers that the network does not use or uses in part; empty without any."""
    unused = unused_layers(project)
    if not unused:
        return ""
    unread = _unread(project.scenario, project.weights.training) if project.weights is not None else []
    part = [key for key in unread if key in _ALWAYS_USED]
    only = f" Counts only for uphill spread and for what can burn: {_named(part)}." if part else ""
    return f"Does not use {_named(unused)}.{only}"


def model_warnings(project: Project, units: Units = Units.METRIC) -> tuple[str, ...]:
    """Return those of :func:`model_caveats` that make the results for this fire less certain.

    They name missing layers and properties of the fire that lie outside the training. The other sentences describe the
    model.
    """
    event, found = project.scenario, list[str]()
    if project.fire_model.kind == "scalar":
        found += [*_missing_cover(event), *_missing_ground(event)]
    elif project.fire_model.kind == "physical":
        found += [*_missing_terrain(event), *_missing_canopy(event)]
        found += _missing_crowns(event, project.physical)
    elif project.fire_model.kind == "network" and project.weights is not None:
        outside = outside_training(project, units)
        found += [*_missing_ground(event), *(() if outside is None else outside.reasons)]
    return tuple(found)


def _missing_canopy(event: Scenario) -> Iterator[str]:
    lacking = " or ".join(key.replace("_", " ") for key in ("canopy_cover", "canopy_height") if key not in event.layers)
    if lacking:
        yield f"No {lacking}: the fire model lets the wind blow as in the open, under trees as well."


def _missing_crowns(event: Scenario, settings: PhysicalSettings) -> Iterator[str]:
    if not settings.crown_fire:
        return
    if lacking := missing_crown_layers(event):
        yield f"No {_named(lacking)}: no crowns burn, though crown fire is on."
    elif "canopy_height" not in event.layers:
        yield "No canopy height: crowns that burn make the fire faster and add no heat to it."


def _crowns(event: Scenario, settings: PhysicalSettings) -> Iterator[str]:
    if settings.crown_fire:
        yield f"Crowns of {settings.foliar_moisture:g} % moisture burn where a surface fire reaches them."
    elif not missing_crown_layers(event):
        yield "Crown fire is off, though the event has the layers for it: fires in forest may be far faster."


def _physical(project: Project, units: Units) -> Iterator[str]:
    card, event = physical_card(), project.scenario
    yield f"The fire model reads {'; '.join(card.reads)}."
    settings = project.physical
    ignored = card.ignores if settings.crown_fire else ("crown fire", *card.ignores)
    yield f"The fire model leaves out {', '.join(ignored)}."
    if changes := list(settings.factors.changes()):
        yield f"Calibrated: {', '.join(changes)}. The rest is as published."
    else:
        yield "Nothing was learned from a fire: speeds are those of the published equations."
    if not settings.moving_start:
        yield (
            "The front is not in motion at the start: a fire starts 4 to 5 cells late, and after a short run its area "
            "is too small."
        )
    if not settings.steady_front:
        yield (
            "Gains are fitted to a fire whose front first builds up, as in older projects: the back of a front in "
            "motion is too fast."
        )
    yield from _crowns(event, settings)
    if fuels := project.fire_model.fuels:
        yield f"Custom fuel models of the project: {labels_text(fuels, _MOST_FUELS)}."
    least = event.grid.cell_size_m / (60.0 * settings.burn_hours)
    yield (
        f"A fire slower than {units.spread_rate(least)} crosses less than a cell in the burn duration of "
        f"{settings.burn_hours:g} h and may go out. Below {units.spread_rate(_RESOLVED_CELLS * least)}, about a tenth "
        "of the cells behind its front stay unburned, more in wind. Smaller cells or a longer burn duration resolve it."
    )
    yield _weather(project, settings)
    if (limit := project.plan.failing_flame_m) is not None:
        yield (
            f"Drops have no effect on cells where the head of a fire has flames over {units.flame_length(limit)} when "
            "they land. Retardant that was laid before the flames grew keeps its effect."
        )
    if settings.speed_percentile < 100.0:
        rest = plain_number(100.0 - settings.speed_percentile)
        yield f"The fastest {rest} % of cells and periods are slowed down to the speed limit of the settings."
    yield from card.limits


def _weather(project: Project, settings: PhysicalSettings) -> str:
    weather = project.model_weather
    if project.scenario.weather is None:
        return "One wind and one moisture for each whole day: the event has no weather by the hour."
    periods = (
        f"The wind changes {weather.periods_per_day} times a day" if weather.periods_per_day > 1 else "One wind a day"
    )
    if not weather.has_air or not settings.air_moisture:
        return f"{periods}; fuel moistures are those of the settings."
    return f"{periods}, and with it the moisture of dead 1-h and 10-h fuel, by temperature and humidity."


def _missing_ground(event: Scenario) -> Iterator[str]:
    yield from _missing_terrain(event)
    if "fuel" not in event.layers:
        yield "No fuel model layer: every cell can burn, water and rock included."


def _missing_terrain(event: Scenario) -> Iterator[str]:
    if not has_terrain(event):
        lacking = " or ".join(key for key in ("slope", "aspect") if key not in event.layers)
        yield f"No {lacking}: the fire model leaves the slope term out."


def _missing_cover(event: Scenario) -> Iterator[str]:
    if "canopy_cover" not in event.layers:
        yield "No canopy cover: the fire model uses the same fuel factor everywhere."


def _layers(event: Scenario, training: Training) -> Iterator[str]:
    if unread := [key for key in _unread(event, training) if key in OPTIONAL_LAYERS]:
        other = " The physical fire model burns by the fuel model layer." if "fuel" in unread else ""
        yield f"The network does not read {_named(unread)}: no fire it was trained on had it.{other}"


def _unread(event: Scenario, training: Training) -> list[str]:
    """Return the layers of the event that the network has no input for."""
    return [key for key in LAYERS if key in event.layers and key not in training.layers]


def _priors(event: Scenario, training: Training, units: Units) -> Iterator[str]:
    wind = [name for name in _WIND_GAINS if name not in training.learned]
    if wind:
        which = "effect" if len(wind) == len(_WIND_GAINS) else "strength" if "wind_gain" in wind else "alignment"
        most = units.wind(training.wind_max_ms)
        yield f"Wind {which} from published values ({SOURCE}): the fires of the training had at most {most}."
    if "slope_gain" not in training.learned and has_terrain(event):
        yield f"Slope effect from published values ({SOURCE}): no fire of the training could teach it."


def _correction(event: Scenario, weights: NetworkWeights) -> Iterator[str]:
    if not weights.corrections:
        return
    applied = weights.correction_for(event)
    if applied is not None:
        yield f"The base rate is corrected by a smooth field that was fitted to {applied.event}."
        if applied.trend != 0.0 and applied.start is not None:
            change = "falls" if applied.trend < 0.0 else "rises"
            share = abs(math.expm1(applied.trend))
            yield f"It also {change} by {percent_text(share, 0)} a day, the trend of its first {applied.fit_days} days."
    else:
        fires = ", ".join(correction.event for correction in weights.corrections)
        yield f"No correction is applied: it was fitted to another event ({fires})."


def _named(keys: Sequence[str]) -> str:
    return ", ".join(LAYERS[key][0].lower() for key in keys)
