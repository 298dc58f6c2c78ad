"""What burns in an imported event: observed perimeters, or where the fire starts, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problem, Problems
from firegui.io.importers.georeferencing import GridPlacement
from firegui.io.importers.ignition import read_ignition
from firegui.io.rasters.masks import MaskRaster, is_tiff, read_masks
from firegui.io.vectors.perimeter_survey import holds_ignition
from firegui.io.vectors.perimeters import PerimeterSource, accumulate, guess_growth, read_perimeters


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """Perimeters ``masks [N, H, W]`` on their local ``dates``, or the cells ``ignition [H, W]`` in which a fire starts.

    Both are ``None`` where nothing was given. ``notes`` say what was recognised, assumed and repaired.
    """

    masks: NDArray[np.bool_] | None = None
    dates: tuple[date, ...] = ()
    ignition: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()


def observe(
    source: Path | PerimeterSource | None, place: GridPlacement | None, problems: Problems, check: Check | None = None
) -> Observed:
    """What burns, on the grid of ``place``; what is wrong is added to ``problems``.

    The file holds dated polygons; or a raster whose bands are called by dates, each a mask of what has burned; or a
    raster of one band, or points, where the fire starts.
    """
    if source is None:
        return Observed()
    asked = source if isinstance(source, PerimeterSource) else PerimeterSource(source)
    if place is None:
        # The grid is already reported; a missing file can be too.
        if not asked.file.exists():
            problems.add(f"perimeters {asked.file}", "the file does not exist", "check the path")
        return Observed()
    found = Problems()
    observed = _observed(asked, place, found, check)
    problems.extend(_as_perimeters(found))
    return observed


def _observed(asked: PerimeterSource, place: GridPlacement, problems: Problems, check: Check | None) -> Observed:
    if is_tiff(asked.file):
        return _from_raster(asked, place, problems, check)
    if holds_ignition(asked.file, asked.layer):
        start = read_ignition(asked.file, place.grid, None, problems)
        return Observed() if start is None else Observed(ignition=start.mask, notes=start.notes)
    try:
        read = read_perimeters(asked, place.grid, check)
    except InputError as error:
        problems.extend(error.problems)
        return Observed()
    return Observed(read.masks, read.dates, None, read.notes)


def _from_raster(asked: PerimeterSource, place: GridPlacement, problems: Problems, check: Check | None) -> Observed:
    read = read_masks(asked.file, place.grid, problems, check)
    if read is None:
        return Observed()
    if not read.masks.any():
        problems.add(asked.file.name, "nothing has burned on the grid", "check that it holds this fire")
        return Observed()
    if read.dates:
        return _dated_bands(asked, read, problems)
    if len(read.masks) != 1:
        what = f"has {len(read.masks)} bands that are not called by their dates"
        problems.add(asked.file.name, what, "name each band by its date (2020-08-19), or keep one, the ignition")
        return Observed()
    cells = int(read.masks[0].sum())
    return Observed(ignition=read.masks[0], notes=(f"The fire starts in the {cells:,} cells of {asked.file.name}.",))


def _dated_bands(asked: PerimeterSource, read: MaskRaster, problems: Problems) -> Observed:
    for number, (one, other) in enumerate(zip(read.dates, read.dates[1:], strict=False), 1):
        if other <= one:
            what = f"band {number + 1} ({other}) does not come after band {number} ({one})"
            problems.add(asked.file.name, what, "put the bands in the order of their dates, each once")
            return Observed()
    growth, why = (asked.growth, "") if asked.growth is not None else guess_growth(read.masks)
    masks, notes = accumulate(read.masks, read.dates, growth)
    return Observed(masks, read.dates, None, (*((why,) if why else ()), *notes))


def _as_perimeters(problems: Problems) -> list[Problem]:
    """The problems with a place that says that they are the perimeters'."""
    return [
        problem if problem.where.startswith(("perimeters", "ignition"))
        else replace(problem, where=f"perimeters ({problem.where})")
        for problem in problems
    ]  # fmt: skip


def say_observed(dates: Sequence[date]) -> str:
    """How many perimeters there are, and which days have none of their own."""
    span = (dates[-1] - dates[0]).days + 1
    gaps = sorted({date.fromordinal(n) for n in range(dates[0].toordinal(), dates[-1].toordinal())} - set(dates))
    text = f"Observed perimeters on {len(dates)} of {span} days, {dates[0]} to {dates[-1]}"
    if not gaps:
        return text + "."
    shown = ", ".join(str(gap) for gap in gaps[:5]) + (", …" if len(gaps) > 5 else "")
    return f"{text}; days without one show the day before ({shown})."


def say_coverage(event: Scenario) -> list[str]:
    """What to know when wind and perimeters do not begin on the same day."""
    if not event.observed_dates:
        return []
    first, last = event.date_of_day(0), event.date_of_day(event.days - 1)
    if event.observed_dates[0] > last:
        return [f"There is wind for {first} to {last} only, before the first perimeter: check the start."]
    if event.observed_dates[-1] < first:
        return [f"There is wind from {first} only, after the last perimeter: check the start."]
    if event.observed_dates[0] > first:
        day = (event.observed_dates[0] - first).days
        return [f"Day 0 ({first}) has no perimeter yet: a plan can start on day {day} at the earliest."]
    return []
