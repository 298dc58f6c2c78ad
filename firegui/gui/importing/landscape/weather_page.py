"""Step 3: the wind, and the conventions of its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit

from firegui.domain.options import plain_number
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.units import Units
from firegui.errors import Problems
from firegui.gui.base.plain_text import tooltip
from firegui.gui.importing.landscape.survey import ASK_DATE, ImportDraft, SurveyResult
from firegui.gui.importing.landscape.wizard_page import (
    WizardPage,
    copyable_label,
    flush_form,
    form,
    group,
    put_text,
    show_text,
)
from firegui.gui.widgets.fields import NoScrollComboBox, PathField, number, read_entry, text_line
from firegui.io.weather.conventions import Components, Height, North, Sense, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.wind import WindSource, WindSurvey

_FILES = "Wind (*.csv *.txt *.wxs *.fw9 *.fw13 *.fw21 *.nc *.nc4 *.tif *.tiff *_vel.asc);;All files (*)"
_CONSTANT, _FROM_FILES = "constant", "files"
_NO_START = "not known: enter it, such as 2017-10-08T19:00"
_TIME = "write it as 2017-10-08T19:00 or 2017-10-08T19:00-07:00"

TRAITS: Mapping[str, tuple[str, tuple[tuple[Any, str], ...]]] = MappingProxyType(
    {
        "components": ("&Numbers", ((Components.SPEED_DIRECTION, "speed and direction"), (Components.U_V, "u and v"))),
        "speed_unit": ("&Unit", tuple((unit, unit.value) for unit in SpeedUnit)),
        "height": ("&Height", ((Height.M10, "10 m above the ground"), (Height.FT20, "20 ft above the vegetation"))),
        "sense": ("&Direction", ((Sense.FROM, "where it blows from"), (Sense.TOWARDS, "where it blows to"))),
        "north": ("N&orth", ((North.TRUE, "true north"), (North.GRID, "the top of its own raster"))),
        "clock": ("Times &in", ((TimeBasis.UTC, "UTC"), (TimeBasis.LOCAL, "local time at the fire"))),
    }
)
"""Field of :class:`WindConventions` → its title and its possible values with their texts."""


class WeatherPage(WizardPage):
    """Step for the wind, the conventions of its numbers and the days of the event."""

    title = "Weather"
    overlays = frozenset({"wind"})
    about = (
        "One wind for every day, or files: a CSV table, records of a station (.wxs, .fw9), a NetCDF file, WindNinja's "
        "grids (…_vel.asc), or GeoTIFFs with a band an hour or a day. The physical fire model burns by the hours of "
        "a file, the others by the means of days. Arrows in the preview point where the wind of a day blows to."
    )

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.kind = NoScrollComboBox()
        self.speed = text_line("windSpeed", "such as 3", "in the unit below, m/s unless said")
        self.direction = text_line("windDirection", "such as 270", "degrees clockwise from north: 270 is a west wind")
        self.file = PathField("windFile", "table, NetCDF or raster", files=_FILES, place=self._start_folder)
        self.second = PathField("windFile2", "where direction or v has its own", files=_FILES, place=self._start_folder)
        self.conventions: dict[str, QComboBox] = {}
        self.first = text_line("windFirst", "only for files that carry no times", _TIME)
        self.step = text_line("windStep", "hours between two, such as 1")
        self.start = text_line("start", "as derived", f"when day 0 begins; {_TIME}; UTC unless it says otherwise")
        self.offset = text_line("utcOffset", "as derived", "local time at the fire in hours from UTC, such as -7")
        self.days = text_line("days", "as derived", "how many days of weather")
        self._found, self._date = copyable_label(), copyable_label("warning")
        self._lay_out()
        self.show_answers()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.kind.addItem("The same everywhere, on every day", _CONSTANT)
        self.kind.addItem("From files", _FROM_FILES)
        self.kind.setAccessibleName("Kind of wind")
        self.kind.setToolTip("Where the wind is taken from")
        self._constant = flush_form(("&Speed", self.speed), ("Di&rection (°)", self.direction))
        self._files = flush_form(("&File", self.file), ("S&econd file", self.second))
        times_note = self.note("first time", "step", field=self.first)
        self._times = group(
            "Times, for files without any",
            form(("Firs&t time", self.first), ("Ste&p (h)", self.step), ("", times_note)),
        )
        event_note = self.note("start", "utc offset", "days", field=self.start)
        event = form(
            ("Day 0 &begins", self.start), ("UTC offset (h)", self.offset), ("Days", self.days), ("", event_note),
            ("", self._date),
        )  # fmt: skip
        self.add(
            self.kind, self._constant, self._files, self.note("wind", field=self.file.line, files=self._wind_files),
            self._found, group("What the numbers mean", self._meaning()), self._times,
            group("Days of the event", event),
        )  # fmt: skip
        self.column.addStretch(1)
        self.kind.activated.connect(lambda _index: self._on_kind())
        typed = (self.speed, self.direction, self.first, self.step, self.start, self.offset, self.days)
        self._lines = (*typed, self.file.line, self.second.line)
        for line in typed:
            line.editingFinished.connect(self._on_entry)
        for path in (self.file, self.second):
            path.settled.connect(self._on_entry)

    def _meaning(self) -> QFormLayout:
        for name, (title, choices) in TRAITS.items():
            box = self.conventions[name] = NoScrollComboBox()
            box.setToolTip(tooltip(f"{title.replace('&', '')}: what the numbers in the file mean"))
            box.addItem("as recognised")
            box.addItems([words for _, words in choices])
            box.activated.connect(lambda _index: self._on_entry())
        return form(*((title, self.conventions[name]) for name, (title, _) in TRAITS.items()))

    # -- the draft ---------------------------------------------------------------------------------------------------
    @property
    def is_constant(self) -> bool:
        """Whether one constant wind is entered instead of files."""
        return bool(self.kind.currentData() == _CONSTANT)

    def show_answers(self) -> None:
        """Fill the fields, unless an entry is invalid."""
        source = self.draft.source
        wind = source.wind
        if wind.is_given:
            self.kind.setCurrentIndex(self.kind.findData(_FROM_FILES if wind.files else _CONSTANT))
        self._arrange()
        if self.entry_problems:
            return
        for name, box in self.conventions.items():
            with QSignalBlocker(box):
                values = [value for value, _ in TRAITS[name][1]]
                said = getattr(wind.conventions, name)
                box.setCurrentIndex(0 if said is None else values.index(said) + 1)
        texts: dict[QLineEdit, object] = {
            self.file.line: wind.files[0] if wind.files else None,
            self.second.line: wind.files[1] if len(wind.files) > 1 else None,
            self.speed: wind.speed, self.direction: wind.direction, self.first: wind.first, self.step: wind.step_h,
            self.start: source.start, self.offset: source.utc_offset_h, self.days: source.days,
        }  # fmt: skip
        for line, value in texts.items():
            put_text(line, _text(value))

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show what was recognised."""
        super().show_survey(survey_result)
        survey = survey_result.survey.wind if self.draft.source.wind.is_given else None
        show_text(self._found, "" if survey is None else wind_text(survey, self.draft.units))
        for name, box in self.conventions.items():
            value = None if survey is None else getattr(survey.conventions, name)
            words = dict(TRAITS[name][1])
            box.setItemText(0, "as recognised" if value is None else f"as recognised: {words[value]}")
        start = survey_result.survey.start
        known = start is not None
        undated = start == UNKNOWN_START
        derived = "as derived" if start is None else f"as derived: {start:%Y-%m-%dT%H:%MZ}"
        self.start.setPlaceholderText(_NO_START if undated else derived)
        show_text(self._date, ASK_DATE if undated else "")
        self.offset.setPlaceholderText(f"as derived: {survey_result.survey.utc_offset_h:g}" if known else "as derived")
        self.days.setPlaceholderText(f"as derived: {survey_result.survey.days}" if known else "as derived")

    def _arrange(self) -> None:
        constant = self.is_constant
        self._constant.setVisible(constant)
        self._files.setVisible(not constant)
        self._times.setVisible(not constant)
        for name in ("components", "clock"):
            self.conventions[name].setEnabled(not constant)

    def _on_kind(self) -> None:
        self._arrange()
        self._on_entry()

    def _on_entry(self) -> None:
        """Apply the fields; an invalid entry is marked and changes nothing."""
        for line in self._lines:
            line.setModified(False)
        problems = Problems()
        start = _time(self.start, "start", problems)
        offset = read_entry(self.offset.text().strip(), number, "UTC offset", "use hours such as -7", problems)
        days = read_entry(self.days.text().strip(), int, "days", "give a whole number", problems)
        wind = self._wind(problems)
        if self.check_entries(problems):
            self.draft.change(wind=wind if wind.is_given else WindSource(), start=start, utc_offset_h=offset, days=days)

    def _wind(self, problems: Problems) -> WindSource:
        conventions = WindConventions(**{name: self._chosen(name) for name in self.conventions})
        if self.is_constant:
            speed = read_entry(self.speed.text().strip(), number, "wind speed", "give a number, such as 3", problems)
            text, remedy = self.direction.text().strip(), "give degrees, such as 270"
            came = read_entry(text, number, "wind direction", remedy, problems)
            return WindSource(speed, came, conventions=replace(conventions, components=None, clock=None))
        files = tuple(path for field in (self.file, self.second) if (path := field.path) is not None)
        step = read_entry(self.step.text().strip(), number, "step", "give hours, such as 1", problems)
        return WindSource(
            files=files, conventions=conventions, first=_time(self.first, "first time", problems), step_h=step
        )

    def _chosen(self, name: str) -> Any:
        # By position, because Qt returns an enumeration member as plain text.
        index = self.conventions[name].currentIndex()
        return None if index == 0 else TRAITS[name][1][index - 1][0]

    def _wind_files(self) -> tuple[Path, ...]:
        return self.draft.source.wind.files

    def _start_folder(self) -> str:
        return self.start_folder(self._wind_files())


def wind_text(survey: WindSurvey, units: Units = Units.METRIC) -> str:
    """Return the facts found about the wind, one line each."""
    lines = [survey.kind] if survey.kind else []
    if survey.samples:
        count = f"{survey.samples} times" if survey.samples != 1 else "1 time"
        span = (
            f", {survey.first:%Y-%m-%d %H:%M} to {survey.last:%Y-%m-%d %H:%M}" if survey.first and survey.last else ""
        )
        every = f", every {survey.step_h:g} h" if survey.step_h is not None and survey.samples > 1 else ""
        lines.append(f"{count}{span}{every}" + (f" · {survey.places}" if survey.places else ""))
    if survey.speed_range is not None:
        lines.append(
            f"{units.wind(survey.speed_range[0])} to {units.wind(survey.speed_range[1])} at {units.length(10.0)}"
        )
    return "\n".join([*lines, *(f"• {note}" for note in survey.notes)])


def _time(line: QLineEdit, where: str, problems: Problems) -> datetime | None:
    return read_entry(line.text().strip(), datetime.fromisoformat, where, _TIME, problems)


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return "" if value is None else plain_number(value) if isinstance(value, float) else str(value)
