"""Required coverage: the levels of the fuel models in a table, or one value for all, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QRadioButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.coverage import HIGHEST, LOWEST, RequiredCoverage
from firegui.gui.widgets.coverage_table import LEVEL, CoverageChoice, CoverageModel, chosen_coverage
from firegui.gui.widgets.number_fields import DecimalField
from firegui.gui.widgets.table_panel import dress_table
from firegui.io.coverage_toml import CoverageTable, shipped_table


class CoverageForm(QWidget):
    """Edits a :class:`CoverageChoice`; it keeps none: what was edited comes back through :meth:`show_fuel`."""

    edited = Signal(object)
    """The :class:`CoverageChoice` that a person has made."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._published: CoverageTable = shipped_table()
        self._cells: Mapping[int, int] = {}
        self._choice = CoverageChoice()
        self.model = CoverageModel(self._published, self)
        self.view = QTableView()
        self.by_model, self.by_value = QRadioButton("By &fuel model"), QRadioButton("One value for &all fuel")
        self.value = DecimalField(LOWEST, HIGHEST)
        self.reset = QPushButton("As p&ublished")
        self.said, self._refused = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self._lay_out()
        self.show_fuel({}, CoverageChoice())

    @property
    def coverage(self) -> RequiredCoverage:
        """What the shown choice makes."""
        return chosen_coverage(self._choice, self._cells, self._published)

    @property
    def choice(self) -> CoverageChoice:
        """What is shown."""
        return self._choice

    @property
    def refused(self) -> str:
        """Why the level that was typed last was not taken; empty when it was."""
        return "" if self._refused.isHidden() else self._refused.text()

    def show_fuel(self, cells: Mapping[int, int], choice: CoverageChoice) -> None:
        """Show the fuel models that ``cells`` counts, with what was chosen of them."""
        if (dict(cells), choice) != (dict(self._cells), self._choice) or not self.said.text():
            self._cells, self._choice = cells, choice
            self.model.show(cells, choice.levels)
        one = choice.value is not None
        with QSignalBlocker(self.by_model), QSignalBlocker(self.by_value), QSignalBlocker(self.value):
            self.by_model.setChecked(not one)
            self.by_value.setChecked(one)
            self.value.setValue(choice.value if choice.value is not None else round(self.coverage.c_req, 2))
        self.value.setEnabled(one)
        self.view.setEnabled(not one)
        self.reset.setEnabled(not choice.is_published)
        coverage = self.coverage
        self.said.setText(f"<b>{coverage.c_req:.2f} gal/100 ft²</b> — {coverage.source}")

    def _lay_out(self) -> None:
        self._set_up_table()
        self.value.setSuffix(" gal/100 ft²")
        self.value.setMinimumWidth(150)
        self.value.setAccessibleName("Required coverage of all fuel")
        self.value.setToolTip("Retardant that every fuel needs for full effect (gal per 100 ft²)")
        self.by_model.setToolTip("Each fuel model needs what the table says")
        self.by_value.setToolTip("All fuel needs the same")
        self.reset.setToolTip("Put the published levels back")
        self.reset.setAutoDefault(False)
        self._refused.setProperty("role", "error")
        self._refused.hide()
        one = QHBoxLayout()
        one.addWidget(self.by_value)
        one.addWidget(self.value)
        one.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        for part in (self.said, self.by_model, self.view, self._refused):
            column.addWidget(part, 1 if part is self.view else 0)
        column.addLayout(one)
        column.addWidget(self.reset)
        self.model.edited.connect(self._on_levels)
        self.model.refused.connect(self._on_refused)
        self.by_value.toggled.connect(self._on_kind)
        self.value.valueChanged.connect(lambda value: self._choose(CoverageChoice(value=value)))
        self.reset.clicked.connect(lambda _checked=False: self._choose(CoverageChoice()))

    def _set_up_table(self) -> None:
        view = self.view
        view.setModel(self.model)
        dress_table(view, "Required coverage by fuel model", view.fontMetrics().height() + 8)
        trigger = QAbstractItemView.EditTrigger
        view.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)
        view.setTabKeyNavigation(False)
        view.verticalHeader().hide()
        view.setMinimumHeight(180)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        # The keyboard comes in where there is something to edit.
        self.model.modelReset.connect(self._to_first_level)

    def _to_first_level(self) -> None:
        if self.model.rowCount() and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, LEVEL))

    def _on_levels(self, levels: Mapping[int, float]) -> None:
        self._choose(CoverageChoice(levels=levels or None))

    def _on_kind(self, one: bool) -> None:
        self._choose(CoverageChoice(value=round(self.coverage.c_req, 2) if one else None))

    def _on_refused(self, text: str) -> None:
        self._refused.setText(f"⚠ {text}")
        self._refused.show()

    def _choose(self, choice: CoverageChoice) -> None:
        self._refused.hide()
        if choice != self._choice:
            self.edited.emit(choice)
