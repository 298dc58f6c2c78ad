"""The charts of a study, each with the choices of what it shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from firegui.domain.study import CASE
from firegui.domain.study_table import MEASURES, StudyTable, levels_of
from firegui.gui.analyses.study.study_charts import HeatChart, ParetoChart, StudyChart, TornadoChart

_DROPS, _FIRE = "drops_executed", "final_extent_ha"


class ChosenView(QWidget):
    """A chart of a study with the choices of what it shows above it."""

    opened = Signal(object)
    """The ``Cell`` to be shown on the map."""

    def __init__(self, chart: StudyChart, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """``choices`` are the names of the choices, with what they are for."""
        super().__init__(parent)
        self.chart = chart
        self.table: StudyTable | None = None
        self.choices = {name: QComboBox() for name, _ in choices}
        line = QHBoxLayout()
        for name, tip in choices:
            box, label = self.choices[name], QLabel(name)
            label.setBuddy(box)
            label.setProperty("role", "muted")
            box.setAccessibleName(name)
            box.setToolTip(tip)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.currentIndexChanged.connect(self._on_choice)
            line.addWidget(label)
            line.addWidget(box)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addLayout(line)
        column.addWidget(chart, 1)
        chart.opened.connect(self.opened)
        chart.setToolTip("Double-click a point to see its plan on the map")

    def chosen(self, name: str) -> str:
        """The key of what is chosen, empty for nothing."""
        return str(self.choices[name].currentData() or "")

    def offer(self, name: str, entries: Sequence[tuple[str, str]], first: str = "") -> None:
        """Offer other ``(key, text)`` entries; what is chosen stays, if it is among them, else ``first`` is chosen."""
        box = self.choices[name]
        there = [(str(box.itemData(k)), box.itemText(k)) for k in range(box.count())]
        if there == list(entries):
            return
        wanted = self.chosen(name) or first
        with QSignalBlocker(box):
            box.clear()
            for key, text in entries:
                box.addItem(text, key)
            box.setCurrentIndex(max(box.findData(wanted), 0) if entries else -1)

    def show_table(self, table: StudyTable | None) -> None:
        """Show another study, or more of the same."""
        self.table = table
        self._offer(table)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        """Numbers on the picture have colours of their own."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "choices"):
            self._draw()

    def _on_choice(self, _index: int) -> None:
        self._draw()

    def _offer(self, table: StudyTable | None) -> None:
        """Fill the choices."""
        raise NotImplementedError

    def _draw(self) -> None:
        """Draw what is chosen."""
        raise NotImplementedError


def measure_entries(table: StudyTable | None) -> list[tuple[str, str]]:
    """What can be shown of a study: what it measures first, then everything else."""
    if table is None:
        return []
    names = dict.fromkeys((*table.settings.measure, *MEASURES))
    return [(name, MEASURES[name].label) for name in names]


class TornadoView(ChosenView):
    """What each factor or case does to a measure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.tornado = TornadoChart()
        super().__init__(self.tornado, (("Measure", "what the bars are of"),), parent)

    def _offer(self, table: StudyTable | None) -> None:
        self.offer("Measure", measure_entries(table))

    def _draw(self) -> None:
        self.tornado.show_table(self.table, self.chosen("Measure"))


class HeatView(ChosenView):
    """A measure over two factors."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.map = HeatChart()
        choices = (("Across", "the factor along the map"), ("Up", "the factor up the map"),
                   ("Measure", "what the colours are of"))  # fmt: skip
        super().__init__(self.map, choices, parent)

    def _offer(self, table: StudyTable | None) -> None:
        names = [] if table is None else [name for name in table.settings.names if len(levels_of(table, name)) > 1]
        entries = [(name, "Case" if name == CASE else name) for name in names]
        ordered = [name for name in names if name != CASE] + [name for name in names if name == CASE]
        self.offer("Across", entries, ordered[0] if ordered else "")
        self.offer("Up", entries, ordered[1] if len(ordered) > 1 else "")
        self.offer("Measure", measure_entries(table))

    def _draw(self) -> None:
        table, across, down = self.table, self.chosen("Across"), self.chosen("Up")
        enough = table is not None and across != down
        self.map.show_table(table if enough else None, across, down, self.chosen("Measure"))


class ParetoView(ChosenView):
    """One measure against another, at first drops against fire."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.cloud = ParetoChart()
        super().__init__(self.cloud, (("Across", "the measure along"), ("Up", "the measure up")), parent)

    def _offer(self, table: StudyTable | None) -> None:
        self.offer("Across", measure_entries(table), _DROPS)
        self.offer("Up", measure_entries(table), _FIRE)

    def _draw(self) -> None:
        if self.table is None or not self.table.rows:
            self.cloud.show_table(None, "", "")
            return
        self.cloud.show_table(self.table, self.chosen("Across"), self.chosen("Up"))
