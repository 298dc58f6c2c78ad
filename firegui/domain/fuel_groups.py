"""Fire behaviour fuel models in the groups that maps show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel_models import FuelModel, labels_text

Codes = tuple[tuple[int, int], ...]

CUSTOM_COLOR = "#7a4e36"
"""Colour of custom models on maps."""
_MOST_NAMES = 3
"""Custom models that a legend names."""


@dataclass(frozen=True, slots=True)
class FuelGroup:
    """Models that are shown alike: a ``name``, ``codes`` as first and last ones, a ``color`` for maps."""

    name: str
    codes: Codes
    color: str

    def holds(self, fuel: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Return where a fuel layer has a code of this group. Cells without data are in no group."""
        found = np.zeros(fuel.shape, bool)
        for first, last in self.codes:
            found |= (fuel >= first) & (fuel <= last)
        return found


FUEL_GROUPS = (
    FuelGroup("Built up, bare, crops (91, 93, 99)", ((91, 91), (93, 97), (99, 99)), "#8f8b86"),
    FuelGroup("Snow and ice (92)", ((92, 92),), "#dfe8ee"),
    FuelGroup("Water (98)", ((98, 98),), "#4f86c6"),
    FuelGroup("Grass (1–3, 101–109)", ((1, 3), (101, 109)), "#e3cf6b"),
    FuelGroup("Grass and shrub (121–124)", ((121, 124),), "#b9b24d"),
    FuelGroup("Shrub (4–7, 141–149)", ((4, 7), (141, 149)), "#c98a4b"),
    FuelGroup("Timber understory (161–165)", ((161, 165),), "#6fa06a"),
    FuelGroup("Timber litter (8–10, 181–189)", ((8, 10), (181, 189)), "#2f6b4f"),
    FuelGroup("Slash and blowdown (11–13, 201–204)", ((11, 13), (201, 204)), "#8a5a86"),
)
"""The 40 models of Scott and Burgan (2005, USDA RMRS-GTR-153), and the 13 of Anderson (1982, USDA INT-GTR-122) with
those that they are like. No code is in two groups."""


def with_custom(fuels: Sequence[FuelModel]) -> tuple[FuelGroup, ...]:
    """Return the groups and, last, one of the custom models ``fuels``, if there are any, which names them."""
    if not fuels:
        return FUEL_GROUPS
    codes = tuple((fuel.code, fuel.code) for fuel in fuels)
    return *FUEL_GROUPS, FuelGroup(labels_text(fuels, _MOST_NAMES), codes, CUSTOM_COLOR)


def fuel_group_numbers(fuel: NDArray[np.floating], groups: Sequence[FuelGroup] = FUEL_GROUPS) -> NDArray[np.uint8]:
    """Return the number of the group of each code in ``groups``, from 1: of the last group that has it.

    A code that belongs to no group gives 0.
    """
    numbers = np.zeros(fuel.shape, np.uint8)
    for number, group in enumerate(groups, start=1):
        numbers[group.holds(fuel)] = number
    return numbers
