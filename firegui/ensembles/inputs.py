"""Validation of the inputs of an uncertainty ensemble."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.maps import FireMaps
from firegui.errors import Problem
from firegui.rollout.gains import SpreadGains
from firegui.rollout.model import Model


def maps_problems(maps: FireMaps) -> list[Problem]:
    """Return the first day or period of each map that has a NaN or an infinity.

    The kernels would take them for numbers. Spread that is made on demand is made of the wind and of layers without
    gaps.
    """
    remedy = "look at the weather and the layers that the fire model reads"
    for what, field in (("spread maps", maps.phi), ("ignition maps", maps.gamma), ("wind", maps.wind_speed)):
        for number in range(0 if isinstance(field, SpreadOnDemand) else len(field)):
            values = field[number]
            if not np.isfinite(values).all():
                day, period = divmod(number, maps.periods_per_day)
                when = f"day {day}" if maps.periods_per_day == 1 else f"day {day}, period {period + 1},"
                return [Problem("fire model", f"the {what} of {when} have cells without a number", remedy)]
    return []


def on_processor(model: Model) -> Model:
    """Return ``model`` on the CPU, where rollouts whose states are changed are computed.

    A model that is not on a GPU is returned itself.
    """
    if model.backend != "cuda":
        return model
    return replace(
        model, backend="cpu", device="cpu", gains=SpreadGains(model.maps, model.dtype, "cpu"),
        protection=model.protection.cpu(), protected=model.protected.cpu(),
        values=None if model.values is None else model.values.on("cpu"),
    )  # fmt: skip
