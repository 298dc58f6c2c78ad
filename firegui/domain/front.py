"""Speed of the fire's front on uniform ground: what is measured, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.options import bounds_problems, option, setting_problem
from firegui.domain.stencil import STENCILS
from firegui.errors import Problem

Floats = NDArray[np.float64]
_LEAST_SPEED = 1e-9


@dataclass(frozen=True, slots=True)
class FrontSettings:
    """Ellipse that a fire from a spot should make on uniform ground, and how its front is measured.

    ``straight`` measures a straight front along each direction, in place of the fire from a spot.
    """

    speed: float = option(0.6, "Head speed", "speed of the head, cells per step", low=0.05, high=1.0)
    length_to_width: float = option(1.0, "Length to width", "length of the ellipse to its width", low=1.0, high=4.0)
    wind_towards: float = option(
        0.0, "Wind towards", "degrees counter-clockwise from east of the grid", low=-360.0, high=360.0
    )  # fmt: skip
    neighbours: int = option(16, "Neighbours", "neighbours of a cell: 8, or 16 with the knight's moves", low=8, high=16)
    burn_steps: float = option(10.0, "Burn duration", "burn duration of a cell in steps", low=2.0, high=1000.0)
    distance: int = option(150, "Distance", "how far the head runs, in cells", low=20, high=400)
    corrections: int = option(
        0, "Corrections", "how often the maps are fitted again to what was measured", low=0, high=5
    )
    straight: bool = option(
        False, "Straight fronts", "measure a straight front along each direction, in place of a fire from a spot"
    )

    def problems(self) -> list[Problem]:
        """Return everything that cannot be measured."""
        found = bounds_problems(self, "front")
        if not found and self.neighbours not in STENCILS:
            remedy = "use 8, or 16 with the knight's moves"
            found.append(setting_problem(self, "neighbours", "front", f"is {self.neighbours}", remedy))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class FrontSpeeds:
    """Speeds in cells per step along ``directions [M]``, radians counter-clockwise from east.

    ``formula`` is ``v(n)``. ``support`` is the support function of the shape that ``v(n)`` makes, ``v(n)`` itself for
    straight fronts. ``measured`` is how fast the farthest point with ``P = 0.5`` moves along the direction during the
    last ``steps [M]`` steps of a rollout: the second half of a fire from a spot, the last third of a straight front.
    ``line`` is how fast a front on a line moves during these steps, in float32.
    """

    directions: Floats
    formula: Floats
    line: Floats
    support: Floats
    measured: Floats
    steps: NDArray[np.int64]

    @property
    def cells_moved(self) -> Floats:
        """Cells that the front moved along each direction while its speed was measured."""
        return self.measured * self.steps

    @property
    def corrected(self) -> Floats:
        """The measured speeds without what a finite distance and float32 take: ``measured · formula / line``."""
        return self.measured * self.formula / np.maximum(self.line, _LEAST_SPEED)

    @property
    def errors(self) -> Floats:
        """``measured / support − 1``."""
        return self.measured / self.support - 1.0

    @property
    def rms(self) -> float:
        """Root mean square of :attr:`errors`."""
        return float(np.sqrt(np.mean(self.errors**2)))


@dataclass(frozen=True, slots=True, eq=False)
class EllipseFront:
    """Measured front of gains that were fitted to an ellipse.

    ``gains [N]`` are the gains ``K_n`` per step, the same in every cell, in the order of the maps. ``ellipse [M]`` is
    the wanted speed in cells per step along ``speeds.directions``.
    """

    settings: FrontSettings
    gains: Floats
    ellipse: Floats
    speeds: FrontSpeeds

    @property
    def from_formula(self) -> Floats:
        """``measured / v(n) − 1``."""
        return self.speeds.measured / self.speeds.formula - 1.0

    @property
    def corrected_from_formula(self) -> Floats:
        """``measured / v(n) − 1`` without what a finite distance and float32 take."""
        return self.speeds.corrected / self.speeds.formula - 1.0

    @property
    def from_ellipse(self) -> Floats:
        """``measured / ellipse − 1``."""
        return self.speeds.measured / self.ellipse - 1.0
