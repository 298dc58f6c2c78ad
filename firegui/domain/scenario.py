"""A fire event: what was imported, before any fire model has seen it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, timezone
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import STEPS_PER_DAY
from firegui.domain.grid import Grid
from firegui.domain.weather import PeriodWeather, WeatherEnd

UNKNOWN_START = datetime(2000, 1, 1, tzinfo=UTC)
"""Stands in for the start of an event whose date is not known. It is never shown as a date."""

LAYERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "elevation": ("Elevation", "m"),
        "slope": ("Slope", "°"),
        "aspect": ("Aspect", "° clockwise from north, −1 flat"),
        "fuel": ("Fuel model", "FBFM40 or FBFM13 code"),
        "canopy_cover": ("Canopy cover", "%"),
        "canopy_height": ("Canopy height", "m"),
        "canopy_base_height": ("Canopy base height", "m"),
        "canopy_density": ("Canopy bulk density", "kg/m³"),
    }
)
"""Every landscape layer firegui knows: ``key → (title, unit)``. Any may be missing; what is missing is said."""
EXPECTED_LAYERS = tuple(key for key in LAYERS if key != "canopy_base_height")
"""The layers whose absence is said of every event. Only crown fire reads the other, and names it where it is on."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Scenario:
    """One event on one grid.

    ``layers`` maps a key of :data:`LAYERS` to a float32 raster ``[H, W]`` (NaN is no data). ``wind_speed [D, H, W]``
    in m/s and ``wind_dir [D, H, W]`` in radians towards, counter-clockwise from east, are one a day from ``start``.
    ``ignition [H, W]`` is where it starts without observations; ``observed [N, H, W]`` are cumulative perimeters on the
    local dates ``observed_dates``. ``start`` is the time of event day 0 in UTC. ``notes`` say what to know:
    what was assumed, what is simulated and not observed.
    """

    name: str
    grid: Grid
    start: datetime
    utc_offset_h: float
    wind_speed: NDArray[np.float32]
    wind_dir: NDArray[np.float32]
    layers: Mapping[str, NDArray[np.float32]]
    ignition: NDArray[np.bool_] | None = None
    observed: NDArray[np.bool_] | None = None
    observed_dates: tuple[date, ...] = ()
    steps_per_day: int = STEPS_PER_DAY
    notes: tuple[str, ...] = ()
    synthetic: bool = False
    markers: tuple[tuple[str, str, tuple[tuple[float, float], ...]], ...] = field(default=())
    """Named map features ``(kind, name, ((y, x), …))`` such as the demo's village and road, in cells."""
    weather: PeriodWeather | None = None
    """Weather of the periods of its days, where it is known. ``wind_speed`` and ``wind_dir`` are of whole days."""
    weather_end: WeatherEnd | None = None
    """Where the weather ends, if it is from a file with several times. Later days have that of a day before."""

    def with_notes(self, notes: Sequence[str]) -> Scenario:
        """Return the same event with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    @property
    def is_dated(self) -> bool:
        """Whether the date of the event is known."""
        return self.start != UNKNOWN_START

    @property
    def days(self) -> int:
        """Days for which there is wind."""
        return int(self.wind_speed.shape[0])

    @property
    def missing_layers(self) -> tuple[str, ...]:
        """Keys of :data:`EXPECTED_LAYERS` that the event does not have."""
        return tuple(key for key in EXPECTED_LAYERS if key not in self.layers)

    def date_of_day(self, day: int) -> date:
        """Return local date of the zero-based event day."""
        zone = timezone(timedelta(hours=self.utc_offset_h))
        return self.start.astimezone(zone).date() + timedelta(days=day)

    def time_of_day(self, day: int) -> datetime:
        """Return the UTC time at which the zero-based event day begins."""
        return self.start.astimezone(UTC) + timedelta(days=day)

    def observed_on(self, day: int) -> NDArray[np.bool_] | None:
        """Return the observed perimeter on the event day, filled forward over gaps.

        Before the first observation the result is ``None``.
        """
        if self.observed is None:
            return None
        index = self._observation(day)
        return None if index < 0 else self.observed[index]

    def observed_before(self, day: int) -> NDArray[np.bool_] | None:
        """Return the perimeter before that of :meth:`observed_on`; ``None`` without one."""
        index = self._observation(day)
        return None if self.observed is None or index < 1 else self.observed[index - 1]

    def _observation(self, day: int) -> int:
        """Return the number of the last perimeter up to a day, −1 before the first."""
        dates = np.array(self.observed_dates, "datetime64[D]")
        return int(np.searchsorted(dates, np.datetime64(self.date_of_day(day), "D"), "right")) - 1

    def is_filled_forward(self, day: int) -> bool:
        """Return whether :meth:`observed_on` had to reuse an earlier perimeter for this day."""
        return self.observed is not None and self.date_of_day(day) not in self.observed_dates

    def fire_on(self, day: int) -> NDArray[np.bool_] | None:
        """Return the fire at the start of a plan on ``day``.

        It is the observed perimeter. Without one, day 0 has the ignition.
        """
        observed = self.observed_on(day)
        if observed is not None and observed.any():
            return observed
        return self.ignition if day == 0 else None

    def weather_of(self, most_periods: int) -> PeriodWeather:
        """Return the weather of at most ``most_periods`` periods a day.

        It is that of whole days where no other is known.
        """
        if self.weather is None or most_periods <= 1:
            return PeriodWeather(1, 1, self.wind_speed, self.wind_dir)
        # The map asks for it at every frame and movement of the mouse.
        merged = _MERGED.setdefault(self, {})
        if most_periods not in merged:
            merged[most_periods] = self.weather.with_most_periods(most_periods)
        return merged[most_periods]


_MERGED: WeakKeyDictionary[Scenario, dict[int, PeriodWeather]] = WeakKeyDictionary()
"""Weather of fewer periods a day of events that are open, by the most periods a day."""
