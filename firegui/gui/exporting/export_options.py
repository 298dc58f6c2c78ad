"""Options of the export dialog: formats, map sheet, and the preview of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QSizePolicy,
    QWidget,
)

from firegui.domain.units import Units
from firegui.gui.base.controls import scroll_to_opened
from firegui.gui.base.layouts import muted_label, plain_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors
from firegui.gui.widgets.fields import NoScrollComboBox, WholeField, narrow_combo, text_line
from firegui.io.exporters import FORMATS
from firegui.io.exporters.content import GROUND_TITLES, PAPER_TITLES, MapBackground, Orientation, Paper, Sheet

_INDENT = 19
_ABOVE_CHOSEN_PX = 60
"""Height shown above a chosen format: the heading of its group."""
_NO_NAMES = "nothing yet"
_NOTES_PLACE = "Radio frequencies and hazards are typed in the workspace Plan, under Rules of the operation."
FIRST_CHOICE = ("csv", "kml", "pdf")
"""Formats of a first export: a table, a map for a globe, and a map to print."""
FORMAT_GROUPS: Mapping[str, tuple[str, ...]] = {
    "Briefing: to print and share": ("pdf", "pdf-days", "ics220", "report", "png", "svg"),
    "Pilots: tables, receivers, globes": ("orders", "csv", "kml", "kmz", "gpx"),
    "GIS: layers": ("gpkg", "geojson", "geojson-areas", "geotiff", "netcdf"),
}
"""Formats by their use, in the order of the list: what most people hand over comes first."""

FORMAT_SYNONYMS: Mapping[str, str] = {
    "csv": "spreadsheet excel table",
    "geojson": "gis",
    "gpkg": "shapefile gis qgis",
    "kml": "google earth",
    "kmz": "google earth",
    "gpx": "gps garmin",
    "geotiff": "tif tiff raster",
    "png": "picture image",
    "pdf": "print paper",
    "ics220": "ics 220 briefing",
    "orders": "pilot order flight mission assignment kneeboard",
    "report": "html web email",
}
"""Other words that find a format in the command palette."""


def grouped_formats(formats: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the formats by the headings of the list; those without a heading are under ``Others``."""
    grouped = {name for names in FORMAT_GROUPS.values() for name in names}
    others = tuple(name for name in formats if name not in grouped)
    return {**FORMAT_GROUPS, "Others": others} if others else dict(FORMAT_GROUPS)


class FormatList(QWidget):
    """List with a check box per format, and its use or the reason why it is not available."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        self._notes: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.setColumnMinimumWidth(0, _INDENT)
        grid.setColumnStretch(1, 1)
        for title, names in grouped_formats(FORMATS).items():
            grid.addWidget(muted_label(title, "heading"), grid.rowCount(), 0, 1, 2)
            for name in names:
                self._add(grid, name)

    def _add(self, grid: QGridLayout, name: str) -> None:
        kind = FORMATS[name]
        box, note = QCheckBox(kind.title), plain_label(wordWrap=True)
        box.setObjectName(f"format-{name}")
        box.setChecked(name in FIRST_CHOICE)
        box.toggled.connect(self.changed)
        note.setProperty("role", "muted")
        self.boxes[name], self._notes[name] = box, note
        self._explain(name, kind.use)
        line = grid.rowCount()
        grid.addWidget(box, line, 0, 1, 2)
        grid.addWidget(note, line + 1, 1)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked formats that can be written."""
        # `isEnabledTo` ignores that the whole list may be disabled while an export is written.
        return tuple(name for name in FORMATS if self.boxes[name].isChecked() and self.boxes[name].isEnabledTo(self))

    @property
    def ticked(self) -> tuple[str, ...]:
        """The ticked formats, those among them that cannot be written now."""
        return tuple(name for name in FORMATS if self.boxes[name].isChecked())

    def set_ticked(self, names: object) -> None:
        """Tick the formats in the list ``names``, and no others; anything else than a list changes nothing."""
        if isinstance(names, list):
            for name, box in self.boxes.items():
                box.setChecked(name in names)

    def choose(self, name: str) -> None:
        """Tick a format besides the ticked ones, and move focus and view to it."""
        box = self.boxes[name]
        box.setChecked(True)
        box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # A list that was just made has its place after the next layout. The foot of the panel may grow after that, so
        # the format stands near the top.
        QTimer.singleShot(0, box, partial(scroll_to_opened, box, _ABOVE_CHOSEN_PX))

    def note(self, name: str) -> str:
        """Return the text next to a format."""
        return self._notes[name].text()

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Disable the formats in ``reasons``; their check marks are kept for when they become available."""
        for name, box in self.boxes.items():
            reason = reasons.get(name, "")
            box.setEnabled(not reason)
            self._explain(name, reason or FORMATS[name].use)
        self.changed.emit()

    def _explain(self, name: str, text: str) -> None:
        self.boxes[name].setToolTip(tooltip(f"{FORMATS[name].title}: {text}"))
        self._notes[name].setText(text)


class FileNames(QWidget):
    """List of file names, one a line.

    A long name is elided in the middle; the tooltip has all names whole.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_names(())

    @property
    def names(self) -> tuple[str, ...]:
        """The whole names."""
        return self._names

    def show_names(self, names: Sequence[str]) -> None:
        """Show names."""
        self._names = tuple(names)
        text = "\n".join(names)
        self.setToolTip(tooltip(text))
        self.setAccessibleName(text or _NO_NAMES)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of all lines, and no more width than there is."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the height of all lines, and the width of a few letters."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(_NO_NAMES) + 1, max(len(self._names), 1) * metrics.lineSpacing() + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the names."""
        painter = QPainter(self)
        painter.setPen(QColor(current_colors().muted))
        metrics = painter.fontMetrics()
        for line, name in enumerate(self._names or (_NO_NAMES,)):
            text = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, self.width())
            painter.drawText(0, line * metrics.lineSpacing() + metrics.ascent() + 1, text)


class MapSheetForm(QWidget):
    """Form for a :class:`~firegui.io.exporters.content.Sheet` of ``days`` days, texts in ``units``.

    The field for the author is not in the form: its owner puts it where it is seen.
    """

    changed = Signal()

    def __init__(self, days: int, units: Units = Units.METRIC) -> None:
        super().__init__()
        self._units = units
        self.first, self.last = _day_box("first day", days, 1), _day_box("last day", days, days)
        self.paper, self.orientation = NoScrollComboBox(), NoScrollComboBox()
        # Its titles are long, and the panel may be narrow.
        self.ground = narrow_combo("Background", "exportBackground")
        orientations = {item: item.value.capitalize() for item in Orientation}
        grounds = {item: GROUND_TITLES[item].capitalize() for item in MapBackground}
        for box, name, tip, entries in (
            (self.paper, "Paper", "Size of the paper of maps and forms", PAPER_TITLES),
            (self.orientation, "Orientation", "How the paper lies", orientations),
            (
                self.ground,
                "Background",
                "What maps show below the fire; canopy if the project has no elevation",
                grounds,
            ),
        ):
            box.setAccessibleName(name)
            box.setToolTip(tooltip(tip))
            for value, title in entries.items():
                box.addItem(title, value.value)
        self._boxes = {"paper": self.paper, "orientation": self.orientation, "ground": self.ground}
        self.whole_grid = QCheckBox("Whole modelled area")
        self.whole_grid.setToolTip(tooltip("Show the whole modelled area on maps, not only fire and drops"))
        self.author = text_line("exportAuthor", "name of who prepares it; stands on maps and forms")
        self.number = text_line("exportIncidentNumber", "such as CA-PNF-001308; left out when empty")
        self._days = plain_label(f"Days (of {days})")
        self._lay_out()

    @property
    def sheet(self) -> Sheet:
        """The chosen sheet."""
        return Sheet(
            author=self.author.text().strip(),
            incident_number=self.number.text().strip(),
            paper=Paper(self.paper.currentData()),
            orientation=Orientation(self.orientation.currentData()),
            ground=MapBackground(self.ground.currentData()),
            first_day=self.first.value() - 1,
            last_day=self.last.value() - 1,
            whole_grid=self.whole_grid.isChecked(),
            units=self._units,
        )

    @property
    def choices(self) -> dict[str, object]:
        """What is chosen for every plan alike: all but the days and the number of the incident."""
        boxes = {name: box.currentData() for name, box in self._boxes.items()}
        return {**boxes, "whole_grid": self.whole_grid.isChecked(), "author": self.author.text().strip()}

    def take_choices(self, kept: Mapping[str, object]) -> None:
        """Choose what is among ``kept`` and known here; the rest stays."""
        for name, box in self._boxes.items():
            index = box.findData(kept.get(name))
            box.setCurrentIndex(index if index >= 0 else box.currentIndex())
        self.whole_grid.setChecked(kept.get("whole_grid") is True)
        author = kept.get("author")
        self.author.setText(author if isinstance(author, str) else "")

    def set_days(self, days: int) -> None:
        """Offer ``days`` days, all of them where all were chosen."""
        has_all = self.last.value() == self.last.maximum()
        for box in (self.first, self.last):
            box.setMaximum(max(days, 1))
        self.last.setValue(days if has_all else self.last.value())
        self._days.setText(f"Days (of {days})")

    def _lay_out(self) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(self._days, row(self.first, plain_label("to"), self.last))
        form.addRow("Paper", self.paper)
        form.addRow("Orientation", self.orientation)
        form.addRow("Background", self.ground)
        form.addRow(self.whole_grid)
        form.addRow("Incident no.", self.number)
        form.addRow(muted_label(_NOTES_PLACE))
        # The other end moves along, so that at least one day remains.
        self.first.valueChanged.connect(lambda day: self.last.setValue(max(self.last.value(), day)))
        self.last.valueChanged.connect(lambda day: self.first.setValue(min(self.first.value(), day)))
        for day in (self.first, self.last):
            day.valueChanged.connect(self.changed)
        for box in (self.paper, self.orientation, self.ground):
            box.currentIndexChanged.connect(self.changed)
        self.whole_grid.toggled.connect(self.changed)
        for line in (self.author, self.number):
            line.textChanged.connect(self.changed)


def _day_box(name: str, days: int, value: int) -> WholeField:
    box = WholeField(1, max(days, 1), value=value)
    box.setAccessibleName(name)
    box.setToolTip(tooltip(f"the {name} on maps and forms; tables and layers always hold the whole plan"))
    return box


_EDGE = 6.0


class PagePreview(QWidget):
    """Preview of a page, as large as fits, with ``text`` over it or instead of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 280)
        self.setAccessibleName("Preview of the map page")
        self._image: QImage | None = None
        self._text = ""

    @property
    def image(self) -> QImage | None:
        """The page, ``None`` if there is none."""
        return self._image

    @property
    def text(self) -> str:
        """The text over the page or instead of it."""
        return self._text

    def sizeHint(self) -> QSize:
        """Return a size at which the map can be recognised."""
        return QSize(560, 460)

    def show_page(self, pixels: NDArray[np.uint8] | None) -> None:
        """Show ``pixels [H, W, 4]`` (red, green, blue, alpha), or nothing."""
        self._image = None
        if pixels is not None:
            height, width = pixels.shape[:2]
            kept = np.ascontiguousarray(pixels)
            # A copy, because the image does not own the memory of the array.
            self._image = QImage(kept.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
        self.update()

    def show_text(self, text: str) -> None:
        """Show ``text``; empty shows none."""
        self._text = text
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the page in the centre, and the text."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        if self._image is not None:
            size = self._image.size().scaled(area.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            place = QRectF(0.0, 0.0, size.width(), size.height())
            place.moveCenter(area.center())
            # A painter shrinks roughly below about a third of the size. `QImage.scaled` averages, in whole pixels.
            ratio = self.devicePixelRatioF()
            shrunk = self._image.scaled(size * ratio, Qt.AspectRatioMode.KeepAspectRatio,
                                        Qt.TransformationMode.SmoothTransformation)  # fmt: skip
            painter.drawImage(place, shrunk)
            painter.setPen(QColor(128, 128, 128))
            painter.drawRect(place)
        if self._text:
            box = QRectF(area.left(), area.center().y() - 14.0, area.width(), 28.0)
            if self._image is not None:
                painter.fillRect(box, QColor(255, 255, 255, 215))
                painter.setPen(QColor(30, 30, 30))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._text)
