"""Small events with perimeters to fit to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from tests.unit.fire.events import event, observed, square

DAY_0 = date(2020, 8, 19)


def ragged(shape: tuple[int, int], half: int, shift: tuple[int, int] = (0, 0)) -> NDArray[np.bool_]:
    """A square with a bulge in the east, moved off the middle."""
    mask = square(shape, half)
    row, column = shape[0] // 2, shape[1] // 2
    mask[row - half + 1 : row + half, column + half + 1] = True
    return np.roll(mask, shift, (0, 1))


def rough_layers(shape: tuple[int, int], seed: int = 4) -> dict[str, NDArray[np.float32]]:
    """Every kind of layer, different in every cell; a few cells without data and some that cannot burn."""
    rng = np.random.default_rng(seed)
    ranges = {
        "elevation": (300.0, 900.0),
        "slope": (0.0, 35.0),
        "aspect": (0.0, 360.0),
        "canopy_cover": (0.0, 100.0),
        "canopy_height": (0.0, 30.0),
        "canopy_density": (0.0, 0.4),
    }
    layers = {key: rng.uniform(*span, shape).astype(np.float32) for key, span in ranges.items()}
    layers["fuel"] = rng.choice([102.0, 122.0, 165.0, 183.0, 98.0], shape, p=[0.3, 0.3, 0.2, 0.1, 0.1])
    layers["fuel"] = layers["fuel"].astype(np.float32)
    for layer in layers.values():
        layer[rng.random(shape) < 0.04] = np.nan
    return layers


def watched(
    shape: tuple[int, int],
    halves: Sequence[int],
    *,
    steps_per_day: int = 4,
    skipped: Collection[int] = (),
    layers: dict[str, NDArray[np.float32]] | None = None,
    shift: tuple[int, int] = (0, 0),
    name: str = "Small",
    seed: int = 3,
) -> Scenario:
    """Perimeters of these half widths on days 0, 1, …, but not on those ``skipped``; the wind differs everywhere."""
    rng = np.random.default_rng(seed)
    days = max(len(halves) - 1, 1)
    small = event(shape, days=days, layers=rough_layers(shape) if layers is None else layers)
    return replace(
        observed(small, [ragged(shape, half, shift) for half in halves], skipped),
        name=name,
        wind_speed=rng.uniform(0.5, 4.0, (days, *shape)).astype(np.float32),
        wind_dir=rng.uniform(-np.pi, np.pi, (days, *shape)).astype(np.float32),
        ignition=None,
        steps_per_day=steps_per_day,
    )
