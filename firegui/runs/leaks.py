"""Maps of where fire gets through a plan: in a run's folder, and in that of a stress test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.domain.stress import StressTable
from firegui.errors import InputError, Problem
from firegui.runs.engine import LazyPackage
from firegui.runs.run_folder import LEAK

# Reading a run must not wait for what only its maps need.
if TYPE_CHECKING:
    import firegui.io.rasters.geotiff
else:
    firegui = LazyPackage("firegui")

Bools = NDArray[np.bool_]
Counts = NDArray[np.uint16]
LeakMaps = Mapping[str, NDArray[np.float32]]
"""Share of the draws ``[H, W]`` in which a cell leaks, by scenario; the mean of all is first, as ``""``."""


@dataclass(frozen=True, slots=True, eq=False)
class LeakCounts:
    """Draws of each scenario in which a cell ``[H, W]`` burns although the plan holds it in the model.

    ``nominal [H, W]`` are the cells that burn with the plan in the model's own world. They do not count.
    """

    nominal: Bools
    counts: Mapping[str, Counts] = field(default_factory=dict)

    def with_draw(self, name: str, burns: Bools) -> LeakCounts:
        """Return the counts with another draw of a scenario, in which the cells ``burns [H, W]`` burn."""
        count = self.counts.get(name, np.zeros(self.nominal.shape, np.uint16))
        return replace(self, counts={**self.counts, name: (count + (burns & ~self.nominal)).astype(np.uint16)})

    def maps(self, table: StressTable) -> LeakMaps:
        """Return the maps of the scenarios in ``table``, which has all their draws."""
        if not table.results:
            return {"": np.zeros(self.nominal.shape, np.float32)}
        return with_mean(
            {each.scenario.name: self.counts[each.scenario.name] / len(each.draws) for each in table.results}
        )


def with_mean(shares: Mapping[str, NDArray[Any]]) -> LeakMaps:
    """Return maps of scenarios after their mean.

    In the mean a scenario with many draws counts as much as one with one.
    """
    mean = np.mean(list(shares.values()), axis=0)
    return {name: share.astype(np.float32) for name, share in {"": mean, **shares}.items()}


def write_leaks(folder: Path, maps: LeakMaps, project: Project) -> None:
    """Replace ``leak.tif``: a band for all scenarios, then one for each."""
    texts = [
        f"share of draws in which a cell burns though the plan holds it nominally: {name or 'all scenarios'}"
        for name in maps
    ]
    tags = {"EVENT": project.scenario.name, "FIRE_MODEL": project.fire_model.label}
    bands, grid = np.stack(list(maps.values())), project.scenario.grid
    firegui.io.rasters.geotiff.write_raster(folder / LEAK, bands, grid, descriptions=texts, tags=tags)


def read_leaks(folder: Path, table: StressTable) -> LeakMaps:
    """Read the maps in ``folder`` of the scenarios in ``table``.

    Raises :class:`~firegui.errors.InputError` where there is none of this table.
    """
    path, names = folder / LEAK, ["", *(result.scenario.name for result in table.results)]
    bands = firegui.io.rasters.geotiff.read_raster(path).bands
    if len(bands) != len(names):
        problem = Problem(str(path), f"has {len(bands)} maps, the table {len(names)}", "make the stress test again")
        raise InputError([problem], "The map cannot be shown")
    return dict(zip(names, bands.astype(np.float32), strict=True))
