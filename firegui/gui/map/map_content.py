"""State of the session for layers and read-outs, and the geographic location of cells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Box, Grid
from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.scenario import Scenario
from firegui.domain.units import Units
from firegui.gui.session.fire_behaviour import FireBehaviour
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.io.georeference import Georeference, format_ddm
from firegui.runs.plan_preview import PreviewResult

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class MapState:
    """Project at one step of one view."""

    project: Project
    step: int
    view: FireView
    result: ShownResult
    preview: PreviewResult | None = None
    """Effect of the drop change that is being previewed."""
    awaited: str = ""
    """Text on what is being computed for the map."""
    units: Units = Units.METRIC
    """Units in which quantities are shown."""
    behaviour: FireBehaviour | None = None
    """What was computed of the behaviour of the fire."""
    unreached: tuple[str, ...] = ()
    """Names of the regions that the fire without drops does not reach."""

    @staticmethod
    def of(session: Session) -> MapState | None:
        """Return the state of the session; ``None`` if no project is open."""
        if not session.has_project:
            return None
        preview = session.plan_editor.preview
        return MapState(
            session.project, session.step, session.view, session.result, preview, session.awaited, session.units,
            session.behaviour, session.unreached_regions,
        )  # fmt: skip

    @property
    def scenario(self) -> Scenario:
        """The event."""
        return self.project.scenario

    @property
    def day(self) -> int:
        """Zero-based day of the plan; the last step belongs to the last day."""
        return max(self.project.calendar.day_of_state(self.step), 0)

    @property
    def event_day(self) -> int:
        """Zero-based day of the event, which indexes the weather."""
        return self.project.plan.start_day + self.day

    @property
    def weather_period(self) -> int:
        """Zero-based period of the event, which indexes the weather that the fire model takes."""
        calendar, each = self.project.calendar, self.project.model_weather.periods_per_day
        within = self.step - self.day * calendar.steps_per_day
        return self.event_day * each + min(within * each // calendar.steps_per_day, each - 1)

    def wind(self, box: Box) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return speed (m/s) and direction of the wind of the shown day or period on the cells of ``box``."""
        return self.project.model_weather.wind(self.weather_period, box)

    @property
    def observed_day(self) -> int:
        """Zero-based day of the event whose perimeter belongs to the shown time.

        At the last step it is the day after.
        """
        return self.project.plan.start_day + self.project.calendar.day_of_step(self.step)

    @property
    def perimeter_is_carried(self) -> bool:
        """Whether the perimeter of the shown day is an earlier day's, carried forward over a gap."""
        event, day = self.scenario, self.observed_day
        return event.observed_on(day) is not None and event.is_filled_forward(day)

    @property
    def drawn_step(self) -> int:
        """Step of the state that is drawn. Means over an ensemble exist at the ends of days only."""
        frames = self.frames or self.result.baseline
        if not self.result.mean_of or frames is None:
            return self.step
        return min(frames.index_of_step(self.step) * frames.stride, self.project.calendar.n_steps)

    @property
    def time(self) -> datetime:
        """Local time of the drawn state."""
        calendar = self.project.calendar
        return calendar.time_of_step(self.drawn_step).astimezone(calendar.local_zone)

    @property
    def frames(self) -> Frames | None:
        """The frames of the shown side; those of the plan in the difference view."""
        return self.result.baseline if self.view is FireView.BASELINE else self.result.plan

    @property
    def frame_step(self) -> int:
        """The step of the plan's frame that is shown."""
        plan, last = self.result.plan, self.project.calendar.n_steps
        return min(self.step if plan is None else plan.index_of_step(self.step) * plan.stride, last)

    def plan_fire(self) -> Bytes | None:
        """Return ``P`` of the plan, or of the changed plan while a drop is edited."""
        preview = self.preview
        if preview is not None and preview.fire is not None and preview.request.step == self.frame_step:
            return preview.fire if preview.fire.shape == self.scenario.grid.shape else None
        return self.frame(self.result.plan, "fire")

    def frame(self, frames: Frames | None, what: str) -> Bytes | None:
        """Return the shown frame of ``"fire"``, ``"burning"`` or ``"retardant"`` if it fits the grid."""
        if frames is None:
            return None
        film = {"fire": frames.fire, "burning": frames.burning, "retardant": frames.retardant}[what]
        if not len(film) or film.shape != self.scenario.grid.shape:
            return None
        return film.picture(frames.index_of_step(self.step))


class CellLocation:
    """Converter between corner coordinates and longitude and latitude.

    Its methods return ``None`` on a grid without a CRS.
    """

    def __init__(self, grid: Grid | None) -> None:
        self.grid = grid
        self._reference = Georeference(grid) if grid is not None and grid.is_georeferenced else None

    @property
    def known(self) -> bool:
        """Whether the grid is georeferenced."""
        return self._reference is not None

    def lonlat(self, row: float, column: float) -> tuple[float, float] | None:
        """Return longitude and latitude (degrees, WGS 84) of a point in corner coordinates."""
        return None if self._reference is None else self._reference.lonlat(row - 0.5, column - 0.5)

    def cell(self, longitude: float, latitude: float) -> tuple[float, float] | None:
        """Return the corner coordinates ``(row, column)`` of a longitude and latitude."""
        if self._reference is None:
            return None
        found = self._reference.from_lonlat(longitude, latitude)
        return None if found is None else (found[0] + 0.5, found[1] + 0.5)

    def texts(self, row: float, column: float) -> tuple[str, ...]:
        """Return degrees and decimal minutes, then UTM, of a point in corner coordinates."""
        if self._reference is None:
            return ()
        lonlat = self._reference.lonlat(row - 0.5, column - 0.5)
        utm = self._reference.utm(row - 0.5, column - 0.5)
        found = [] if lonlat is None else [format_ddm(*lonlat)]
        if utm is not None:
            found.append(f"UTM {utm[0]} {_grouped(utm[1])} E {_grouped(utm[2])} N")
        return tuple(found)


def _grouped(metres: float) -> str:
    return f"{metres:,.0f}".replace(",", " ")
