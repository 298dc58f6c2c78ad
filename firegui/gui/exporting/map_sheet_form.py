"""Paper, days and author of a map and a briefing."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QSpinBox, QWidget

from firegui.gui.widgets.path_fields import text_line
from firegui.io.exporters.map_sheet import GROUND_TITLES, PAPER_TITLES, Ground, Orientation, Paper, Sheet


class MapSheetForm(QWidget):
    """Fields that make a :class:`~firegui.io.exporters.map_sheet.Sheet` for a plan of ``days`` days."""

    changed = Signal()

    def __init__(self, days: int) -> None:
        super().__init__()
        self.first, self.last = _day_box("first day", days, 1), _day_box("last day", days, days)
        self.paper, self.orientation, self.ground = QComboBox(), QComboBox(), QComboBox()
        for box, entries in (
            (self.paper, PAPER_TITLES),
            (self.orientation, {item: item.value.capitalize() for item in Orientation}),
            (self.ground, {item: GROUND_TITLES[item].capitalize() for item in Ground}),
        ):
            for value, title in entries.items():
                box.addItem(title, value.value)
        self.whole_grid = QCheckBox("Show the whole modelled area, not only fire and drops")
        self.author = text_line("exportAuthor", "name of who prepares it; stands on maps and forms")
        self.number = text_line("exportIncidentNumber", "such as CA-PNF-001308; left out when empty")
        self._lay_out(days)

    @property
    def sheet(self) -> Sheet:
        """What is chosen."""
        return Sheet(
            author=self.author.text().strip(),
            incident_number=self.number.text().strip(),
            paper=Paper(self.paper.currentData()),
            orientation=Orientation(self.orientation.currentData()),
            ground=Ground(self.ground.currentData()),
            first_day=self.first.value() - 1,
            last_day=self.last.value() - 1,
            whole_grid=self.whole_grid.isChecked(),
        )

    def _lay_out(self, days: int) -> None:
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow("Days", _side_by_side(self.first, QLabel("to"), self.last, QLabel(f"of {days}")))
        form.addRow("Paper", _side_by_side(self.paper, self.orientation))
        form.addRow("Ground", self.ground)
        form.addRow("", self.whole_grid)
        form.addRow("Author", self.author)
        form.addRow("Incident no.", self.number)
        # The other end follows, so that there is always a day to show.
        self.first.valueChanged.connect(lambda day: self.last.setValue(max(self.last.value(), day)))
        self.last.valueChanged.connect(lambda day: self.first.setValue(min(self.first.value(), day)))
        for day in (self.first, self.last):
            day.valueChanged.connect(self.changed)
        for box in (self.paper, self.orientation, self.ground):
            box.currentIndexChanged.connect(self.changed)
        self.whole_grid.toggled.connect(self.changed)
        for line in (self.author, self.number):
            line.textChanged.connect(self.changed)


def _day_box(name: str, days: int, value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, max(days, 1))
    box.setValue(value)
    box.setAccessibleName(name)
    box.setToolTip(f"the {name} on maps and forms; tables and layers always hold the whole plan")
    return box


def _side_by_side(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row
