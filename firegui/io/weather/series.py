"""An opened wind file, whatever its format: samples in time of two numbers at every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problems
from firegui.io.weather.locations import Floats, WindLocations, Window
from firegui.io.weather.units import WindConventions

Sample = Callable[[int, Window | None], tuple[Floats, Floats]]
"""The two numbers of a sample at the places of a window (all of them without), NaN where there is none.

Raises ``OSError`` where the file cannot be read there.
"""

MOST_SAMPLES = 100_000
MOST_CELLS_READ = 500_000_000
"""Over all samples that are read: an hour of work, and far above a fire's surroundings in any public weather."""


@dataclass(frozen=True, slots=True, eq=False)
class Stamps:
    """When the samples are: ``moments`` (``datetime64[s]``), in UTC where ``in_utc``, as each of them says itself.

    Others are in the clock of the series' traits. ``dates_only`` where they name days and no times: then they are days
    at the fire.
    """

    moments: NDArray[np.datetime64]
    in_utc: bool
    dates_only: bool = False

    @property
    def step_h(self) -> float | None:
        """The usual hours between two; ``None`` for a single one."""
        if len(self.moments) < 2:
            return None
        return float(np.median(np.diff(self.moments).astype(np.float64))) / 3600.0


@dataclass(frozen=True, slots=True, eq=False)
class WindSeries:
    """What an opened file holds.

    ``kind`` in words and ``where`` its name; ``said`` what the file itself says of its numbers; ``stamps`` ``None``
    where it carries no times. ``sample`` reads one of the ``count`` samples. ``step_h`` is set where the time between
    two samples of one place is not that of the stamps, as with stations that report at different minutes.
    """

    kind: str
    where: str
    said: WindConventions
    count: int
    stamps: Stamps | None
    places: WindLocations
    sample: Sample
    notes: tuple[str, ...] = ()
    step_h: float | None = None


def check_ascending(moments: NDArray[np.datetime64], where: str, names: Sequence[str], problems: Problems) -> bool:
    """Whether each moment comes after the one before; else a problem that names the first that does not."""
    backwards = np.flatnonzero(np.diff(moments).astype(np.int64) <= 0)
    if not backwards.size:
        return True
    at = int(backwards[0])
    same = moments[at + 1] == moments[at]
    what = "is the same time as" if same else "comes before"
    more = f"; {backwards.size - 1:,} more are out of order" if backwards.size > 1 else ""
    text = f"{names[at + 1]} ({say_moment(moments[at + 1])}) {what} {names[at]} ({say_moment(moments[at])}){more}"
    remedy = "put the samples in the order of their times, each time once"
    if same:
        remedy += "; where clocks were put back, write times in UTC or with their offset"
    problems.add(where, text, remedy)
    return False


def say_moment(moment: np.datetime64) -> str:
    """``2017-10-09 04:00``."""
    return str(moment.astype("datetime64[m]")).replace("T", " ")
