"""Playback bar: seek, step and play through the days of the plan."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from firegui.domain.calendar import STEPS_PER_DAY, Calendar
from firegui.gui.base.controls import tool_button
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import plain_label
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.timeline_track import TimelineTrack, TrackData
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import WholeField

SLOWEST, FASTEST, USUAL = 1, 240, 20
"""Bounds and first value of the speed, in hours of fire a second."""
_MOST_FRAMES = 30
"""Frames a second that the map can show; a faster playback leaves frames out."""
_USUAL_LENGTH = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), 15, STEPS_PER_DAY, -7.0)
"""The window has room for the time of a plan of this length from the start, and makes more for a longer one."""
_SIGNS = {"first": "⏮", "back": "<", "play": "▶", "next": ">", "loop": "↻", "film": "●"}


def time_text(calendar: Calendar, step: int) -> str:
    """Return ``Day 6 · 14:24 UTC-7 · step 280 of 750``, in the fire's local time."""
    clock = calendar.clock_text(calendar.time_of_step(step))
    zone = f" {calendar.zone_name}" if calendar.is_dated else ""
    return f"{calendar.day_name(step)} · {clock}{zone} · step {step} of {calendar.n_steps}"


def day_text(calendar: Calendar, step: int) -> str:
    """Return from when to when the day of ``step`` runs, where that is not a date."""
    day = calendar.day_of_state(step)
    span = calendar.day_span_text(day)
    return f"Day {day + 1} runs from {span}" if span else ""


def _two_lines(text: str) -> str:
    """Return the text of the time with its step on a second line."""
    return "\n".join(text.rsplit(" · ", 1))


class TimelineBar(QWidget):
    """Play buttons and timeline. Sets the step of the session.

    It also handles keys that no other widget of the window uses. Space plays, the arrows step, Shift and an arrow jump
    a day, Home and End go to the ends.
    """

    playing_changed = Signal(bool)
    film_requested = Signal()
    """The user requests the export of a film or a picture."""
    grounding_requested = Signal(int, QPoint)
    """Day on which the user wants to ground aircraft, and the point below which to offer them, in global pixels."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._watched: QWidget | None = None
        self._frames = 1
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._advance)
        self.track = TimelineTrack()
        self._buttons: dict[str, QToolButton] = {}
        self._lay_out()
        self.track.seeked.connect(self._seek)
        self.track.stepped.connect(self.step_by)
        self.track.grounding_requested.connect(self.grounding_requested)
        session.step_changed.connect(self._show_step)
        session.play_requested.connect(self.play)
        session.project_opened.connect(lambda: self.play(False))
        for signal in (session.project_opened, session.project_edited, session.result_changed):
            signal.connect(self._rebuild)
        self._rebuild()

    # -- playing -----------------------------------------------------------------------------------------------------
    @property
    def is_playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    @property
    def loops(self) -> bool:
        """Whether playback restarts at the end."""
        return self._buttons["loop"].isChecked()

    @property
    def stride(self) -> int:
        """Steps between frames."""
        result = self._session.result
        frames = result.plan or result.baseline
        if frames is not None:
            return frames.stride
        return self._session.project.calendar.frame_stride if self._session.has_project else 1

    @property
    def film_button(self) -> QToolButton:
        """The button of :attr:`film_requested`."""
        return self._buttons["film"]

    def toggle_play(self) -> None:
        """Start or pause playback. At the end it restarts from the beginning."""
        self.play(not self.is_playing)

    def play(self, on: bool = True) -> None:
        """Start or pause playback; the status bar says why no fire plays."""
        if on and (why := self._no_fire):
            self._session.message.emit(why)
        if on == self.is_playing or (on and not self._session.has_project):
            return
        if on:
            if self._session.step >= self._n_steps:
                self._session.set_step(0)
            self._set_pace()
            self._timer.start()
        else:
            self._timer.stop()
        self._set_icons()
        self.playing_changed.emit(on)

    @property
    def _no_fire(self) -> str:
        """Reason why there is no fire to play, or empty."""
        session = self._session
        if not session.has_project:
            return "Nothing can be played: open a project first."
        if session.result.plan is not None or session.result.baseline is not None:
            return ""
        if session.awaited:
            return "Only days and wind are played: the fire is still being computed."
        return "Only days and wind are played: no fire is shown yet; start a plan, or show a run from the list."

    def _set_pace(self) -> None:
        """Set interval and frames of a turn, so that so many hours of fire pass in a second as the field says."""
        if not self._session.has_project:
            return
        frame_h = self.stride * self._session.project.calendar.hours_per_step
        self._frames = max(1, math.ceil(self.speed.value() / frame_h / _MOST_FRAMES))
        self._timer.setInterval(max(round(1000 * self._frames * frame_h / self.speed.value()), 1))

    def _advance(self) -> None:
        if self._session.step < self._n_steps:
            self.step_by(self._frames)
        elif self.loops:
            self._session.set_step(0)
        else:
            self.play(False)

    # -- stepping ----------------------------------------------------------------------------------------------------
    def step_by(self, frames: int) -> None:
        """Step by ``frames`` frames, backwards if negative."""
        stride, step = self.stride, self._session.step
        # From between two frames, the first step back goes to the earlier of them.
        base = step // stride if frames > 0 else -(-step // stride)
        self._session.set_step((base + frames) * stride)

    def step_days(self, days: int) -> None:
        """Go to the beginning of a day ``days`` days later or earlier.

        −1 inside a day is the beginning of this day.
        """
        if self._session.has_project:
            per_day = self._session.project.calendar.steps_per_day
            day, inside = divmod(self._session.step, per_day)
            back = days + 1 if days < 0 and inside else days
            self._session.set_step((day + back) * per_day)

    def to_start(self) -> None:
        """Show step 0."""
        self._session.set_step(0)

    def to_end(self) -> None:
        """Show the last step."""
        self._session.set_step(self._n_steps)

    @property
    def _n_steps(self) -> int:
        return self._session.project.calendar.n_steps if self._session.has_project else 0

    def _seek(self, step: int) -> None:
        self._session.set_step(step)

    # -- keys --------------------------------------------------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:
        """Filter the events of the window for keys that no other widget used."""
        super().showEvent(event)
        window = self.window()
        if window is not self and window is not self._watched:
            if self._watched is not None:
                self._watched.removeEventFilter(self)
            # Only keys that the focused widget did not use reach the window, so a table keeps its arrows.
            window.installEventFilter(self)
            self._watched = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys that no other widget used."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._on_key(event):
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of playback."""
        if not self._on_key(event):
            super().keyPressEvent(event)

    def _on_key(self, event: QKeyEvent) -> bool:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier):
            return False
        match event.key():
            case Qt.Key.Key_Space if not event.isAutoRepeat():
                self.toggle_play()
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                way = 1 if event.key() == Qt.Key.Key_Right else -1
                (self.step_days if shift else self.step_by)(way)
            case Qt.Key.Key_Home:
                self.to_start()
            case Qt.Key.Key_End:
                self.to_end()
            case _:
                return False
        return True

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _rebuild(self) -> None:
        if not self._session.has_project:
            self.play(False)
            self.track.set_data(None)
        else:
            project = self._session.project
            self._make_room(max(_USUAL_LENGTH, project.calendar, key=lambda calendar: calendar.n_steps))
            shown = self._session.result
            compared = shown.first_drops if shown.against else None
            # A fire without drops has no groundings of its own, and stays valid while those of the project change.
            made_from = shown.project if shown.plan is not None or shown.folder is not None else None
            self.track.set_data(TrackData.of(project, shown.drops, compared, made_from, shown.short_names))
        self.setEnabled(self._session.has_project)
        result = self._session.result
        self.film_button.setEnabled(result.baseline is not None or result.plan is not None)
        # Another result may have its frames at other distances.
        self._set_pace()
        self._show_step()

    def _show_step(self) -> None:
        self.track.set_step(self._session.step)
        has = self._session.has_project
        text = time_text(self._session.project.calendar, self._session.step) if has else ""
        whose = f"\n{_rows_text(*self._session.result.short_names)}" if has and self._session.result.against else ""
        self._time.setText(_two_lines(text) + whose)
        self._time.setToolTip(tooltip(day_text(self._session.project.calendar, self._session.step) if has else ""))

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(4)
        for name, text, pressed in (
            ("first", "To the start (Home)", self.to_start),
            ("back", "One frame back (←; Shift+← one day)", lambda: self.step_by(-1)),
            ("play", "Play or pause (Space)", self.toggle_play),
            ("next", "One frame forward (→; Shift+→ one day)", lambda: self.step_by(1)),
            ("loop", "Repeat from the start at the end", None),
            ("film", "Export the playback as a film or pictures…", self.film_requested.emit),
        ):
            button = tool_button("", text, checkable=pressed is None)
            button.setAccessibleName(text)
            button.setIconSize(QSize(18, 18))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if pressed is not None:
                button.clicked.connect(lambda _checked=False, pressed=pressed: pressed())
            self._buttons[name] = button
            row.addWidget(button)
        self.speed = WholeField(SLOWEST, FASTEST, value=USUAL, suffix=" h/s")
        self.speed.setToolTip("Hours of fire that pass in a second of playback")
        self.speed.setAccessibleName("Playback speed")
        self.speed.valueChanged.connect(lambda _value: self._set_pace())
        row.addWidget(self.speed)
        row.addWidget(self.track, 1)
        self._time = plain_label(alignment=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._time.setAccessibleName("Shown time")
        self._make_room(_USUAL_LENGTH)
        row.addWidget(self._time)
        self._set_icons()

    def _make_room(self, calendar: Calendar) -> None:
        """Give the time the width of its longest lines, so that the track keeps its width during playback."""
        steps = calendar.n_steps - 1, calendar.n_steps
        lines = [line for step in steps for line in _two_lines(time_text(calendar, step)).splitlines()]
        lines.append(_rows_text("Run 88", "Run 88"))
        self._time.setMinimumWidth(max(self.fontMetrics().horizontalAdvance(line) for line in lines))

    def _set_icons(self) -> None:
        for name, button in self._buttons.items():
            picture = icon({"play": "pause" if self.is_playing else "start"}.get(name, name))
            button.setIcon(picture)
            button.setText(_SIGNS[name] if picture.isNull() else "")

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._buttons:
            self._set_icons()


def _rows_text(above: str, below: str) -> str:
    """Return whose drops the two rows of bars are while two plans are compared."""
    return f"{above} above, {below} below"
