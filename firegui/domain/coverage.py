"""Coverage level ``c_req`` that the fuel requires (paper, step 3), and its origin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fuel import NONBURNABLE
from firegui.errors import Problem

PAPER_COVERAGE = 2.7
"""gal/100 ft², area-weighted over the burnable cells of Bear 2020 (paper, Table ``opt_params``)."""

PAPER_SOURCE = "the paper's value for Bear 2020"
LOWEST, HIGHEST = 0.1, 20.0


@dataclass(frozen=True, slots=True)
class RequiredCoverage:
    """``c_req`` in gal/100 ft² and ``source``, what people read of where it is from.

    ``levels`` are the coverage levels by fuel model that it was weighted from, empty where it was chosen as it is.
    """

    c_req: float = PAPER_COVERAGE
    source: str = PAPER_SOURCE
    levels: Mapping[int, float] = field(default_factory=dict)

    def problems(self) -> list[Problem]:
        """Return everything out of bounds."""
        values = {"required coverage": self.c_req} | {f"coverage of model {code}": v for code, v in self.levels.items()}
        return [
            Problem(where, f"is {value:g} gal/100 ft²", f"use a value from {LOWEST:g} to {HIGHEST:g}")
            for where, value in values.items()
            if not (math.isfinite(value) and LOWEST <= value <= HIGHEST)
        ]


def fuel_cells(fuel: NDArray[np.float32]) -> dict[int, int]:
    """Return how many cells hold each code of a fuel layer ``[H, W]``; cells without data do not count."""
    codes, counts = np.unique(fuel[np.isfinite(fuel)].astype(np.int64), return_counts=True)
    return {int(code): int(n) for code, n in zip(codes, counts, strict=True)}


def coverage_shares(fuel: NDArray[np.float32]) -> dict[int, float]:
    """Return the share of every fuel model in the burnable cells, largest first.

    Cells without data are left out.
    """
    cells = {code: n for code, n in fuel_cells(fuel).items() if code not in NONBURNABLE}
    total = sum(cells.values())
    return {code: n / total for code, n in sorted(cells.items(), key=lambda item: (-item[1], item[0]))}


def weighted_coverage(fuel: NDArray[np.float32] | None, levels: Mapping[int, float], origin: str) -> RequiredCoverage:
    """Return the coverage that a fuel layer ``[H, W]`` requires by ``levels``.

    The layer has codes of FBFM40 or FBFM13; NaN means no data. As :func:`coverage_from_cells`; without a layer it is
    the paper's value.
    """
    if fuel is None:
        return RequiredCoverage(PAPER_COVERAGE, f"{PAPER_SOURCE}; there is no fuel layer")
    return coverage_from_cells(fuel_cells(fuel), levels, origin)


def coverage_from_cells(cells: Mapping[int, int], levels: Mapping[int, float], origin: str) -> RequiredCoverage:
    """Return ``c_req = Σ_m n_m level(m) / Σ_m n_m`` over the fuel models ``m`` with a level.

    The formula is from the paper's appendix on ``η``. ``cells`` are the ``n_m`` of :func:`fuel_cells`; models that do
    not burn have no level. ``origin`` names where ``levels`` are from. Without a cell that has a level it is the
    paper's value.
    """
    known = {code: n for code, n in cells.items() if code in levels}
    total = sum(known.values())
    if total == 0:
        return RequiredCoverage(PAPER_COVERAGE, f"{PAPER_SOURCE}; no fuel model of the layer has a level")
    c_req = sum(n * levels[code] for code, n in known.items()) / total
    return RequiredCoverage(c_req, f"area-weighted over {total:,} cells of fuel; levels: {origin}", dict(levels))
