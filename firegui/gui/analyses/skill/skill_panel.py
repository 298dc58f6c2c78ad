"""The skill dock: how good the fire model's forecast of this event is, in numbers, curves and maps."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QImageWriter
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSlider,
    QSplitter,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.weights import NetworkWeights
from firegui.gui.analyses.forecast_comparison import FALSE, HIT, MISS, START, ComparisonMap
from firegui.gui.analyses.skill.skill_charts import METRICS, ReliabilityChart, SkillChart
from firegui.gui.analyses.skill.skill_controller import SkillController, SkillRequest
from firegui.gui.analyses.skill.skill_table import SkillModel
from firegui.gui.analyses.skill.skill_text import day_text, summary_html
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.tasks import wait_for
from firegui.gui.map.decorations import scale_image
from firegui.gui.map.map_colors import Ink, fire_scale
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.number_fields import WholeField
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.runs.engine import Engine
from firegui.runs.skill import FIT_DAYS, MOST_DAYS, available_days, fitted_days, skill_problems
from firegui.runs.skill_files import write_skill
from firegui.runs.spec import SkillSpec

STALE = "The event or its fire model has changed since: score the forecast again."
_ASK = (
    "Rolls the fire model out from the perimeter of the first day and compares it with every perimeter that follows. "
    "No later perimeter is read but to score."
)
_CONTROLS = 310
_MARKS = ((HIT, "hit"), (MISS, "missed"), (FALSE, "false alarm"), (START, "at the start"))
_KEY = (
    "hit: P ≥ 0.5 and burned\nmissed: burned, but P < 0.5\nfalse alarm: P ≥ 0.5, but not burned\n"
    "at the start: the perimeter that the forecast was started from\n"
    "observed: the perimeter of the day, an outline on the predicted map and filled on the observed one"
)


class SkillPanel(QWidget):
    """See the module. The shown day is the panel's own: table, curves and maps follow it."""

    enlarge_requested = Signal()
    """A person wants more room for it."""

    def __init__(self, session: Session, desk: SkillController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._desk = session, desk
        self._day = 0
        self._weights: NetworkWeights | None = None
        self.days, self.fit_days = WholeField(1, None), WholeField(0, None)
        self.model = SkillModel(self)
        self.chart, self.diagram, self.map = SkillChart(), ReliabilityChart(), ComparisonMap()
        self.table, self.measure, self.slider = QTableView(), QComboBox(), QSlider(Qt.Orientation.Horizontal)
        self.summary, self.notes, self.key = QLabel(), QLabel(wordWrap=True), QLabel()
        self.day_text, self._activity = ElidedLabel(), ElidedLabel(role="muted")
        self.pages = QTabWidget(documentMode=True)
        self._lay_out()
        self._connect()
        self._on_project()
        self._show_result()

    # -- for others --------------------------------------------------------------------------------------------------
    def button(self, name: str) -> QToolButton:
        """One of the buttons ``start``, ``stop``, ``export`` and ``fit``. Raises ``KeyError`` for another name."""
        return self._buttons[name]

    @property
    def day(self) -> int:
        """The shown day of the forecast, 0 at its start."""
        return self._day

    def score(self) -> None:
        """Score the forecast of the open project."""
        if self._session.has_project and self.button("start").isEnabled():
            self._desk.start(SkillRequest(self.days.value(), self.fit_days.value()))

    def show_day(self, day: int) -> None:
        """Show a day in the table, on the curves and on the maps."""
        result = self._desk.result
        self._day = 0 if result is None else min(max(day, 0), result.report.days)
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._day)
        self.map.set_day(self._day)
        self.chart.set_cursor(None if result is None else self._day)
        if result is not None:
            self.day_text.set_text(day_text(result.report, self._day))
        with QSignalBlocker(self.table.selectionModel()):
            if self._day:
                select_row(self.table, self.model.place(self._day - 1))
            else:
                self.table.clearSelection()

    def save(self, folder: Path) -> None:
        """Write tables, pictures and daily probabilities of the shown scores into ``folder``."""
        result, project = self._desk.result, self._desk.scored
        if result is None or project is None:
            return
        with refusing(self._session, str(folder)):
            files = wait_for(
                self.window(),
                f"Writing {folder.name}…",
                lambda: write_skill(result.report, result.states, project, folder, Engine()),
            )
            self._session.message.emit(f"Wrote {len(files)} files to {folder}")

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        for text, page in (("Days", self.table), ("Curves", self._curves()), ("Map", self._maps())):
            self.pages.addTab(page, text)
        show_table(self.table, self.model, "Scores by day")
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self._controls())
        parts.addWidget(self.pages)
        parts.setStretchFactor(1, 1)
        parts.setSizes([_CONTROLS, 2 * _CONTROLS])
        parts.setCollapsible(1, False)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 6, 4)
        column.addWidget(parts)

    def _controls(self) -> QWidget:
        row = ButtonRow()
        large = "Show this dock in a window of its own, or put it back"
        self._buttons: dict[str, QToolButton] = {
            "start": row.add("start", "Score the forecast", _ASK, self.score, show_text=True),
            "stop": row.add("stop", "Stop", "Give the scoring up", self._desk.stop),
            "export": row.add("export", "Save…", "Save tables, pictures and the daily probabilities", self._ask_folder),
            "fit": row.add("fit", "Enlarge", large, self.enlarge_requested.emit),
        }
        fields = QHBoxLayout()
        for text, box, help in (
            ("Days", self.days, "How many days are rolled out"),
            ("fitted", self.fit_days, "Days from the first whose perimeters may have been read in training"),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            box.setToolTip(help)
            box.setAccessibleName(help)
            fields.addWidget(label)
            fields.addWidget(box)
        fields.addStretch(1)
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary.setAccessibleName("Mean scores")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        column.addWidget(row)
        column.addLayout(fields)
        column.addWidget(self._activity)
        column.addWidget(self.notes)
        column.addWidget(self.summary)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(page)
        area.setMinimumWidth(_CONTROLS)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _curves(self) -> QWidget:
        self.measure.addItems([metric.title for metric in METRICS])
        self.measure.setAccessibleName("What is drawn by day")
        self.measure.setToolTip("What is drawn by day")
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.addWidget(self.measure, 0, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.chart, 1, 0)
        grid.addWidget(self.diagram, 0, 1, 2, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.setRowStretch(1, 1)
        return page

    def _maps(self) -> QWidget:
        self.key.setToolTip(_KEY)
        # Where there is no room for one line it takes two; its text must not decide how wide the dock is.
        self.key.setWordWrap(True)
        self.key.setMinimumWidth(1)
        self._write_key()
        whole = QToolButton()
        whole.setText("Fit")
        whole.setToolTip("Show the whole fire")
        whole.setAutoRaise(True)
        whole.clicked.connect(lambda _checked=False: self.map.fit())
        self.slider.setAccessibleName("Day of the forecast")
        self.slider.setToolTip("Day of the forecast")
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        time = QHBoxLayout()
        time.addWidget(self.slider, 1)
        time.addWidget(self.day_text, 2)
        time.addWidget(whole)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.map, 1)
        column.addWidget(self.key)
        column.addLayout(time)
        return page

    def _write_key(self) -> None:
        observed = (Ink.of(self.palette()).observed.name(), "□", "observed")
        marks = (*((color, "■", text) for color, text in _MARKS), observed)
        parts = [f"Probability of fire&nbsp;P&nbsp;0&nbsp;{_ramp()}&nbsp;1"]
        for color, sign, text in marks:
            # No entry is broken in two.
            parts.append(f'<span style="color:{color}">{sign}</span>&nbsp;{text.replace(" ", "&nbsp;")}')
        self.key.setText(" &nbsp;".join(parts))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette between dark and light."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "key"):
            self._write_key()

    def _connect(self) -> None:
        session, desk = self._session, self._desk
        session.project_opened.connect(self._on_project)
        session.project_edited.connect(self._on_edited)
        desk.changed.connect(self._refresh)
        desk.result_changed.connect(self._show_result)
        self.days.valueChanged.connect(self._refresh)
        self.fit_days.valueChanged.connect(self._refresh)
        self.slider.valueChanged.connect(self.show_day)
        self.chart.day_chosen.connect(self.show_day)
        self.measure.currentIndexChanged.connect(self._draw_curves)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._on_row())

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            most = available_days(project)
            self.days.setRange(1, max(most, 1))
            self.days.setValue(min(MOST_DAYS, most))
            self._note_weights()
        else:
            self.fit_days.setValue(FIT_DAYS)
        self._refresh()

    def _on_edited(self) -> None:
        if self._session.project.weights is not self._weights:
            self._note_weights()
        self._refresh()

    def _note_weights(self) -> None:
        """Other weights were trained on other days."""
        project = self._session.project
        self._weights = project.weights
        self.fit_days.setValue(fitted_days(project))

    def _on_row(self) -> None:
        if rows := selected_rows(self.table):
            self.show_day(self.model.row(rows[0]))

    def _ask_folder(self) -> None:
        start = self._session.folder or Path.home()
        chosen = QFileDialog.getExistingDirectory(self.window(), "Save the scores into", str(start))
        if chosen:
            self.save(Path(chosen))

    def _draw_curves(self) -> None:
        result = self._desk.result
        self.chart.show_report(None if result is None else result.report, METRICS[self.measure.currentIndex()])

    def _show_result(self) -> None:
        result, scored = self._desk.result, self._desk.scored
        report = None if result is None else result.report
        self.model.show(report)
        self._draw_curves()
        self.diagram.show_report(report)
        event = None if scored is None else scored.scenario
        self.map.show_forecast(event, None if result is None else result.states)
        self.slider.setRange(0, 0 if report is None else report.days)
        self.summary.setText("" if report is None else summary_html(report))
        self.summary.setVisible(report is not None)
        self.pages.setEnabled(report is not None)
        self.show_day(0 if report is None else report.days)
        self._refresh()

    def _refresh(self) -> None:
        desk, there = self._desk, self._session.has_project
        trouble = self._trouble() if there else ""
        self.button("start").setEnabled(there and not desk.is_busy and not trouble)
        self.button("stop").setEnabled(desk.is_busy)
        self.button("export").setEnabled(desk.result is not None and not desk.is_busy)
        self._activity.set_text(desk.activity)
        self._activity.setVisible(desk.is_busy)
        said = [trouble] if trouble else []
        if desk.result is not None:
            said = [*([STALE] if desk.is_stale else []), *said, *desk.result.report.notes]
        elif not trouble:
            said = [_ASK]
        self.notes.setText("\n".join(said))
        self._mark(warn=desk.is_stale or bool(trouble))

    def _mark(self, *, warn: bool) -> None:
        self.notes.setProperty("role", "warning" if warn else "muted")
        # A style sheet looks at properties only when the widget is polished.
        self.notes.style().unpolish(self.notes)
        self.notes.style().polish(self.notes)

    def _trouble(self) -> str:
        spec = SkillSpec(self._session.project, self.days.value(), self.fit_days.value())
        return "\n".join(f"{problem.what}: {problem.remedy}".capitalize() for problem in skill_problems(spec))


def _ramp() -> str:
    """The colours of the predicted map from 0 to 1, as an image within a text."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(scale_image(fire_scale()).scaled(70, 10))
    return f'<img src="data:image/png;base64,{bytes(data.toBase64().data()).decode()}"/>'
