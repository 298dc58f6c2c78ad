"""The outline of a drop on the ground."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.schedule import DropRecord

SIGMAS = 2.0
"""The outline is the footprint's contour at two standard deviations, as the map draws it: semi-axes 2σ∥ and 2σ⊥."""

_POINTS = 24


def outlines(drops: Sequence[DropRecord]) -> NDArray[np.float64]:
    """``[n, 24, 2]``: ellipses around the landing points as ``(column, row)``, raster corner coordinates in cells.

    The long axis runs along ``(dx, dy) = (cos θ, −sin θ)``; rings are not closed.
    """
    poses = [(d.landing_y, d.landing_x, d.theta, d.sigma_parallel_cells, d.sigma_perpendicular_cells) for d in drops]
    table = np.array(poses, np.float64).reshape(-1, 5)
    y, x, theta, parallel, perpendicular = (column[:, None] for column in table.T)
    turn = np.linspace(0.0, 2.0 * np.pi, _POINTS, endpoint=False)[None, :]
    along, across = SIGMAS * parallel * np.cos(turn), SIGMAS * perpendicular * np.sin(turn)
    dx = along * np.cos(theta) + across * np.sin(theta)
    dy = -along * np.sin(theta) + across * np.cos(theta)
    # A pose counts cell centres at integers, corner coordinates are half a cell further.
    return np.stack([x + 0.5 + dx, y + 0.5 + dy], axis=2)


def outline_polygons(drops: Sequence[DropRecord]) -> NDArray[np.object_]:
    """:func:`outlines` as shapely polygons, in the same coordinates."""
    return np.asarray(shapely.polygons(outlines(drops)), np.object_).reshape(-1)
