"""The numbers of the scalar spread model, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from firegui.errors import Problems

_LIMITS: Mapping[str, tuple[float, float]] = {
    "p": (0.0, 1.0),
    "wind_gain": (-100.0, 100.0),
    "wind_alignment": (-100.0, 100.0),
    "slope": (-100.0, 100.0),
    "gamma": (0.0, 100.0),
    "fuel": (-20.0, 20.0),
}


@dataclass(frozen=True, slots=True)
class ScalarParameters:
    """One number for each map of the published form.

    ``p`` base rate, ``wind_gain`` α_w1 and ``wind_alignment`` α_w2 (per 10 m/s), ``slope`` α_s (per 90°), ``gamma``
    α_γ, and ``fuel`` the exponent c of the fuel factor. Unless something is clipped only ``p · gamma`` matters.
    """

    p: float
    wind_gain: float
    wind_alignment: float
    slope: float
    gamma: float
    fuel: float

    @staticmethod
    def of(values: Mapping[str, float]) -> ScalarParameters:
        """Read a project's fire model; :class:`~firegui.errors.InputError` lists everything that is wrong."""
        problems = Problems()
        names = [item.name for item in fields(ScalarParameters)]
        for name in names:
            low, high = _LIMITS[name]
            remedy = f"give a number from {low:g} to {high:g}"
            if name not in values:
                problems.add("fire model", f"the parameter {name} is missing", remedy)
            elif not (math.isfinite(values[name]) and low <= values[name] <= high):
                problems.add("fire model", f"{name} is {values[name]}", remedy)
        for name in values:
            if name not in names:
                problems.add("fire model", f"the parameter {name} is not known", f"use {', '.join(names)}")
        problems.raise_if_any("The scalar fire model cannot be used")
        return ScalarParameters(**{name: float(values[name]) for name in names})

    def as_mapping(self) -> dict[str, float]:
        """Return plain values, as :class:`~firegui.domain.project.FireModel` holds them."""
        return asdict(self)
