"""What the session shows just now, in the terms the layers and read-outs need."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.scenario import Scenario
from firegui.gui.session.session import Session, ShownResult, View
from firegui.runs.live import PreviewResult

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The project at one step of one view."""

    project: Project
    step: int
    view: View
    result: ShownResult
    look: PreviewResult | None = None
    """What a drop that is changed by hand does just now."""
    awaited: str = ""
    """What is being worked out for the map, for people."""

    @staticmethod
    def of(session: Session) -> Shown | None:
        """The state of the session, ``None`` while no project is open."""
        if not session.has_project:
            return None
        preview = session.plan_editor.preview
        return Shown(session.project, session.step, session.view, session.result, preview, session.awaited)

    @property
    def scenario(self) -> Scenario:
        """The event."""
        return self.project.scenario

    @property
    def day(self) -> int:
        """Zero-based day of the plan; the state at the very end belongs to the last day."""
        calendar = self.project.calendar
        return max(min(calendar.day_of_step(self.step), calendar.days - 1), 0)

    @property
    def event_day(self) -> int:
        """Zero-based day of the event, which the weather is counted by."""
        return self.project.plan.start_day + self.day

    @property
    def observed_day(self) -> int:
        """Zero-based day of the event whose perimeter is of the shown time: at the very end, of the day after."""
        return self.project.plan.start_day + self.project.calendar.day_of_step(self.step)

    @property
    def perimeter_is_carried(self) -> bool:
        """Whether the perimeter of the shown day is an earlier day's, filled forward over a gap."""
        event, day = self.scenario, self.observed_day
        return event.observed_on(day) is not None and event.is_filled_forward(day)

    @property
    def drawn_step(self) -> int:
        """The step of the state that is drawn: means over an ensemble are known at the ends of days alone."""
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
        return self.result.baseline if self.view is View.BASELINE else self.result.plan

    @property
    def frame_step(self) -> int:
        """The step of the plan's frame that is shown."""
        plan, last = self.result.plan, self.project.calendar.n_steps
        return min(self.step if plan is None else plan.index_of_step(self.step) * plan.stride, last)

    def plan_fire(self) -> Bytes | None:
        """``P`` of the plan, while a drop is changed by hand that of the changed plan."""
        look = self.look
        if look is not None and look.fire is not None and look.request.step == self.frame_step:
            return look.fire if look.fire.shape == self.scenario.grid.shape else None
        return self.frame(self.result.plan, "fire")

    def frame(self, frames: Frames | None, what: str) -> Bytes | None:
        """The shown frame of ``"fire"``, ``"burning"`` or ``"retardant"`` when it fits the grid."""
        if frames is None:
            return None
        film = {"fire": frames.fire, "burning": frames.burning, "retardant": frames.retardant}[what]
        if not len(film) or film.shape != self.scenario.grid.shape:
            return None
        return film.picture(frames.index_of_step(self.step))
