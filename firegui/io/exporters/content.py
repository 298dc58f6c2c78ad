"""What is handed over: one value that every format writes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.exporters.map_sheet import Sheet
from firegui.io.exporters.table import DropRow, drop_rows
from firegui.io.magnetic import END_YEAR, FIRST_YEAR
from firegui.io.water import WaterLayer, water_of_fuel

BURNED = 0.5
"""From this probability on a cell counts as burned where a map needs a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """``days [N, H, W]``: the probability that a cell burns or has burned, at day boundaries of the plan.

    ``days[k]`` is the state at the start of day ``first + k``, which is the end of the day before; the states of a
    whole plan of ``D`` days have ``first = 0`` and ``N = D + 1``.
    """

    days: NDArray[np.float32]
    first: int

    @property
    def boundaries(self) -> range:
        """The boundary of each state."""
        return range(self.first, self.first + len(self.days))


@dataclass(frozen=True, eq=False)
class ExportContent:
    """A plan as it is handed over.

    ``rows`` are all proposed drops, by step and then by the aircraft's column; ``run`` is what people call the run,
    empty for none; ``made`` the time when the plan was made (aware). ``plan`` and ``baseline`` are the fire with and
    without the plan, where they are known. ``notes`` say what to know of the numbers. ``sheet`` is what people choose
    of printed maps.
    """

    project: Project
    rows: tuple[DropRow, ...]
    run: str
    made: datetime
    plan: Occupancy | None
    baseline: Occupancy | None
    notes: tuple[str, ...]
    sheet: Sheet = field(default_factory=Sheet)

    @cached_property
    def flown(self) -> tuple[DropRow, ...]:
        """The drops that the plan executes."""
        return tuple(row for row in self.rows if row.drop.executed)

    @property
    def near_water(self) -> int | None:
        """How many flown drops lie near water; ``None`` where nobody knows."""
        if any(row.near_water is None for row in self.flown):
            return None
        return sum(bool(row.near_water) for row in self.flown)


def export_content(
    project: Project,
    drops: Sequence[DropRecord],
    *,
    run: str = "",
    made: datetime | None = None,
    plan: Occupancy | None = None,
    baseline: Occupancy | None = None,
    water: WaterLayer | None = None,
    sheet: Sheet | None = None,
) -> ExportContent:
    """Work out everything that the formats share.

    Without ``made`` the plan counts as made when it starts; without ``water`` that is taken from the fuel layer.
    """
    ordered = sorted(drops, key=lambda drop: (drop.step, drop.column))
    water = water_of_fuel(project.scenario) if water is None else water
    rows = tuple(drop_rows(ordered, project, water))
    notes = (*_water_notes(rows, water), *_compass_notes(rows), *project.scenario.notes)
    made = made or project.calendar.start
    return ExportContent(project, rows, run, made, plan, baseline, notes, sheet or Sheet())


def _water_notes(rows: Sequence[DropRow], water: WaterLayer | None) -> list[str]:
    if water is None:
        return ["nobody looked for water near the drops: the event has no fuel layer at hand and no water was given"]
    flown = [row for row in rows if row.drop.executed]
    close = [row for row in flown if row.near_water]
    chemical = sum(row.drop.material == "retardant" for row in close)
    text = f"{len(close):,} of {len(flown):,} drops lie within 300 ft of water"
    return [f"{text} ({chemical:,} of retardant), by {water.source}"]


def _compass_notes(rows: Sequence[DropRow]) -> list[str]:
    bare = sum(row.lonlat is not None and row.declination is None for row in rows)
    if not bare:
        return []
    reach = f"the World Magnetic Model covers {FIRST_YEAR} to {END_YEAR}, away from the magnetic poles"
    return [f"no magnetic heading for {bare:,} drops: {reach}"]
