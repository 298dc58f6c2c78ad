"""Fire occupancy as a GeoTIFF, one band per day boundary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.io.exporters.table import NOTICE
from firegui.io.rasters import write_raster


def write_occupancy_tif(
    path: Path, p_fire: NDArray[np.float32], project: Project, *, first: int = 0, title: str = "P(fire)"
) -> None:
    """Write ``p_fire [D+1, H, W]``, the probability that a cell burns or has burned, atomically.

    Band ``k`` (from 1) is the state at the start of day ``k − 1`` of the plan, the last one the state at its end; the
    band's description gives the local time. ``first`` is the boundary of band 1: with 1 and ``p_fire[1:]`` there is one
    band per day, at its end. ``title`` begins every description and says what the numbers are.
    """
    calendar = project.calendar
    times = [calendar.time_of_step(day * calendar.steps_per_day) for day in range(first, first + len(p_fire))]
    texts = [f"{title} {time.astimezone(calendar.local_zone).isoformat(timespec='minutes')}" for time in times]
    tags = {"NOTICE": NOTICE, "EVENT": project.scenario.name, "FIRE_MODEL": project.fire_model.label}
    write_raster(path, np.asarray(p_fire, np.float32), project.scenario.grid, descriptions=texts, tags=tags)
