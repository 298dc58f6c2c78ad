"""Skill panel: quality of the forecast of the open event, in tables, curves and maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QTableView, QToolButton, QWidget

from firegui.analyses.skill.results import write_skill
from firegui.analyses.skill.run import available_days, default_settings, fitted_days, skill_problems
from firegui.domain.fit import SkillSettings
from firegui.domain.scenario import Scenario
from firegui.domain.weights import NetworkWeights
from firegui.errors import Problem
from firegui.fire.skill import LIKELY
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.saved_results import SavedResult
from firegui.gui.analyses.skill.skill_charts import METRICS, ReliabilityChart, SkillChart
from firegui.gui.analyses.skill.skill_controller import SkillController, SkillRequest
from firegui.gui.analyses.skill.skill_table import SkillModel, conclusion_text, day_text, summary_html
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.export_place import ask_export_folder
from firegui.gui.base.layouts import column, describe, fill_column, rich_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.map.camera import area_around
from firegui.gui.map.decorations import Caption, Decorations, scale_html
from firegui.gui.map.items import RasterItem, Stroke, StrokesItem, cosmetic, mask_path
from firegui.gui.map.map_colors import Ink, fire_scale
from firegui.gui.session.reporting import refusing
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollSlider
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.runs.engine import Engine
from firegui.runs.spec import SkillSpec

Bools = NDArray[np.bool_]

START, HIT, MISS, FALSE = "#c9cdd4", "#7d8796", "#e5793a", "#4a9be8"
"""Colours of: burning at the start, predicted and burned, burned only, predicted only.

No red stands next to green, and all have a different lightness.
"""

_TITLES = ("Predicted", "Observed", "Compared")
_LOW_PX = 170
"""Below this height the names stand above the maps, and north arrow and scale are hidden."""


STALE = f"{WARNING}The event or its fire model has changed since: run the check again."
_ASK = (
    "Rolls the fire model out from the perimeter of the first day and compares it with every perimeter that follows. "
    "No later perimeter is read but to score."
)
_MARKS = ((HIT, "hit"), (MISS, "missed"), (FALSE, "false alarm"), (START, "at the start"))
_KEY = (
    "hit: P ≥ 0.5 and burned\nmissed: burned, but P < 0.5\nfalse alarm: P ≥ 0.5, but not burned\n"
    "at the start: the perimeter that the forecast was started from\n"
    "observed: the perimeter of the day, an outline on the predicted map and filled on the observed one"
)


@dataclass(frozen=True, slots=True, eq=False)
class _Pane:
    box: pg.ViewBox
    ground: StrokesItem
    raster: RasterItem
    line: StrokesItem
    decorations: Decorations


class ComparisonMap(QWidget):
    """Three linked maps, north up, one unit per cell. The wheel zooms and a drag moves all of them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._event: Scenario | None = None
        self._states: NDArray[np.float32] | None = None
        self._day = 0
        self._scale = fire_scale().packed
        self._whole = True
        self._ink = Ink.of(self.palette())
        self.widget = pg.GraphicsLayoutWidget(self)
        self.widget.setAccessibleName("Predicted, observed and compared")
        self.widget.ci.layout.setContentsMargins(0, 0, 0, 0)
        self.widget.ci.layout.setSpacing(4)
        names = tuple(map(QLabel, _TITLES))
        self._names = row(*names, stretch=names)
        # The panes show and hide it: without a place in a window it would be a window of its own.
        fill_column(self, self._names, self.widget, stretch=self.widget, spacing=0)
        self._panes = tuple(self._make_pane(column) for column in range(len(_TITLES)))
        for pane in self._panes[1:]:
            pane.box.setXLink(self._panes[0].box)
            pane.box.setYLink(self._panes[0].box)
        self.setMinimumSize(240, 90)
        self._set_ink()

    # -- for others --------------------------------------------------------------------------------------------------
    def show_forecast(self, event: Scenario | None, states: NDArray[np.float32] | None) -> None:
        """Show another forecast ``[D + 1, H, W]`` of ``event``, or none, and zoom to the fire."""
        self._event, self._states = event, states
        self._day = 0
        self._draw_ground()
        self._draw()
        self.fit()

    def set_day(self, day: int) -> None:
        """Show another day."""
        if day != self._day:
            self._day = day
            self._draw()

    def fit(self) -> None:
        """Zoom to everything that burns on any day, and keep it in view while the window is resized."""
        self._whole = True
        if self._event is not None and self._states is not None:
            self._panes[0].box.setRange(rect=_burned(self._event, self._states), padding=0.0)

    @property
    def view(self) -> tuple[QRectF, ...]:
        """The cells in view on each of the maps."""
        return tuple(pane.box.viewRect() for pane in self._panes)

    def pixels(self, column: int) -> NDArray[np.uint32] | None:
        """Return the pixels of a map: 0 predicted, 1 observed, 2 comparison."""
        return self._panes[column].raster.pixels

    # -- putting together --------------------------------------------------------------------------------------------
    def _make_pane(self, column: int) -> _Pane:
        box = pg.ViewBox(lockAspect=True, invertY=True, enableMenu=False, defaultPadding=0.0)
        box.disableAutoRange()
        self.widget.ci.addItem(box, row=0, col=column)
        pane = _Pane(box, StrokesItem(), RasterItem(), StrokesItem(), Decorations())
        for item in (pane.ground, pane.raster, pane.line):
            box.addItem(item, ignoreBounds=True)
        self.widget.scene().addItem(pane.decorations)
        box.sigRangeChanged.connect(lambda *_: self._decorate(pane, column))
        box.sigResized.connect(lambda *_: self._on_resized(pane, column))
        box.sigRangeChangedManually.connect(self._on_moved)
        return pane

    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_panes"):
            self._set_ink()

    def _set_ink(self) -> None:
        self._ink = Ink.of(self.palette())
        self.widget.setBackground(self._ink.ground)
        for number, pane in enumerate(self._panes):
            pane.decorations.ink = self._ink
            self._decorate(pane, number)
        self._draw_ground()
        self._draw()

    def _on_resized(self, pane: _Pane, column: int) -> None:
        # The other maps are linked to the first.
        if self._whole and column == 0:
            self.fit()
        self._decorate(pane, column)

    def _on_moved(self, *_: object) -> None:
        self._whole = False

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _draw_ground(self) -> None:
        path = QPainterPath()
        if self._event is not None:
            path.addRect(QRectF(0, 0, self._event.grid.columns, self._event.grid.rows))
        for pane in self._panes:
            pane.ground.set_strokes([Stroke(path, cosmetic(self._ink.frame), QBrush(self._ink.land), smooth=False)])

    def _draw(self) -> None:
        event, states = self._event, self._states
        seen = None if event is None else event.observed_on(self._day)
        start = None if event is None else event.observed_on(0)
        if event is None or states is None or seen is None or start is None:
            for pane in self._panes:
                pane.raster.set_pixels(None)
                pane.line.set_strokes(())
        else:
            state = states[self._day]
            likely = state >= LIKELY
            predicted, observed, compared = self._panes
            predicted.raster.set_pixels(self._scale[np.round(255.0 * np.clip(state, 0.0, 1.0)).astype(np.uint8)])
            observed.raster.set_pixels(_painted((seen, self._ink.observed), (start, QColor(START))))
            classes = (likely & seen, HIT), (start & seen, START), (seen & ~likely, MISS), (likely & ~seen, FALSE)
            compared.raster.set_pixels(_painted(*((mask, QColor(color)) for mask, color in classes)))
            self._draw_outline(predicted, seen)
        for number, pane in enumerate(self._panes):
            self._decorate(pane, number)

    def _draw_outline(self, pane: _Pane, seen: Bools) -> None:
        path = mask_path(seen)
        pens = cosmetic(self._ink.halo, 3.0), cosmetic(self._ink.observed, 1.5)
        pane.line.set_strokes([Stroke(path, pen) for pen in pens])

    def _decorate(self, pane: _Pane, column: int) -> None:
        area = pane.box.sceneBoundingRect()
        pane.decorations.setPos(QPointF(area.topLeft()))
        across = pane.box.viewRect().width()
        low = area.height() < _LOW_PX
        if column == 0:
            self._names.setVisible(low)
        if self._event is None or across <= 0 or area.width() <= 0 or low:
            pane.decorations.show_caption(Caption(), 1.0, QRectF())
            return
        caption = Caption(title=_TITLES[column], cell_size_m=self._event.grid.cell_size_m)
        pane.decorations.show_caption(caption, area.width() / across, QRectF(0, 0, area.width(), area.height()))


def _painted(*classes: tuple[Bools, QColor]) -> NDArray[np.uint32]:
    """Return the pixels of masks ``[H, W]`` in their colours; later masks cover earlier ones."""
    found = np.zeros(classes[0][0].shape, np.uint32)
    for mask, color in classes:
        found[mask] = color.rgba()
    return found


def _burned(event: Scenario, states: NDArray[np.float32]) -> QRectF:
    # P never falls, and a perimeter contains those before it: the last day contains them all.
    touched = states[-1] >= LIKELY
    last = event.observed_on(len(states) - 1)
    return area_around(touched if last is None else touched | last)


class SkillPanel(AnalysisPanel[SkillController, SavedResult[Any]]):
    """Scores of the forecast. Table, curves and maps follow the shown day of this panel."""

    texts = AnalysisTexts(
        thing="scores",
        start="Run model check",
        start_tip=_ASK,
        stop_tip="Stop the scoring; nothing is kept",
        introduction=_ASK + " It needs two observed perimeters and takes about as long as one fire simulation.",
    )
    needs_folder = False

    def _build(self) -> None:
        self._day = 0
        self._weights: NetworkWeights | None = None
        self.form = SettingsForm(SkillSettings())
        self.days, self.fit_days = self.form.box("days"), self.form.box("fit_days")
        self.model, self.table = SkillModel(self), QTableView()
        self.chart, self.diagram, self.map = SkillChart(), ReliabilityChart(), ComparisonMap()
        self.measure, self.slider = NoScrollComboBox(), NoScrollSlider(Qt.Orientation.Horizontal)
        self.summary, self.key, self.day_text = rich_label(), rich_label(wordWrap=True), ElidedLabel()
        self._lay_out()
        self._session.project_edited.connect(self._note_weights)
        self.form.changed.connect(self._check)
        self.slider.valueChanged.connect(self.show_day)
        self.chart.day_chosen.connect(self.show_day)
        self.measure.currentIndexChanged.connect(self._draw_curves)
        self.table.selectionModel().selectionChanged.connect(self._on_row)

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def day(self) -> int:
        """The shown day of the forecast, 0 at its start."""
        return self._day

    def show_day(self, day: int) -> None:
        """Show a day in the table, on the curves and on the maps."""
        result = self._controller.result
        self._day = 0 if result is None else min(max(day, 0), result.report.days)
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._day)
        self.map.set_day(self._day)
        self.chart.set_cursor(None if result is None else self._day)
        if result is not None:
            self.day_text.set_text(day_text(result.report, self._day, self._session.units, self._cell_ha))
        with QSignalBlocker(self.table.selectionModel()):
            if self._day:
                select_row(self.table, self.model.place(self._day - 1))
            else:
                self.table.clearSelection()

    def save(self, path: Path) -> None:
        """Write tables, pictures and daily probabilities of the shown scores to the folder ``path``."""
        result, project = self._controller.result, self._controller.scored
        if result is None or project is None:
            return
        with refusing(self._session, str(path)):
            files = wait_for(
                self.window(),
                f"Writing {path.name}…",
                lambda: write_skill(result.report, result.states, project, path, Engine()),
            )
            self._session.message.emit(f"Wrote {len(files)} files to {path}")

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Scores by day", is_sortable=False)
        self._add_pages(("Days", self.table), ("Curves", self._curves()), ("Map", self._maps()))
        fields = [part for pair in self.form.pairs(self.form.editors) for part in pair]
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary.setAccessibleName("Mean scores")
        self._lay_out_beside(self.pages, row(*fields), self.notes, self.summary)

    def _work_buttons(self) -> tuple[PanelButton, ...]:
        help = "Save tables, pictures and the daily probabilities"
        return (*super()._work_buttons(), PanelButton("export", "Save…", help, self._ask_folder))

    def _curves(self) -> QWidget:
        self.measure.addItems([metric.title for metric in METRICS])
        describe(self.measure, "What is drawn by day")
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
        self.key.setToolTip(tooltip(_KEY))
        # The text wraps to two lines in a narrow panel. It must not set the minimum width of the panel.
        self.key.setMinimumWidth(1)
        self._write_key()
        whole = QToolButton(autoRaise=True)
        whole.setText("Fit")
        whole.setToolTip("Show the whole fire")
        whole.clicked.connect(self.map.fit)
        describe(self.slider, "Day of the forecast")
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        time = row(self.slider, self.day_text, whole, stretch=(self.slider, self.day_text))
        return column(self.map, self.key, time, stretch=self.map, margins=(0, 2, 0, 0))

    def _write_key(self) -> None:
        observed = (Ink.of(self.palette()).observed.name(), "□", "observed")
        parts = [f"Chance burned so far&nbsp;0&nbsp;{scale_html(fire_scale())}&nbsp;1"]
        for color, sign, text in (*((color, "■", text) for color, text in _MARKS), observed):
            # No entry is broken over two lines.
            parts.append(f'<span style="color:{color}">{sign}</span>&nbsp;{text.replace(" ", "&nbsp;")}')
        self.key.setText(" &nbsp;".join(parts))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "key"):
            self._write_key()

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _request(self) -> SkillRequest:
        return SkillRequest(self.days.value(), self.fit_days.value())

    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            self.days.setMaximum(max(available_days(project), 1))
            self._weights = project.weights
            self.form.set_value(default_settings(project))
        else:
            self.form.set_value(SkillSettings())

    def _find_problems(self) -> Sequence[Problem]:
        return skill_problems(SkillSpec(self._session.project, self.days.value(), self.fit_days.value()))

    def _conclusion(self) -> str:
        result = self._controller.result
        return "" if result is None else conclusion_text(result.report)

    def _remarks(self) -> Sequence[str]:
        result = self._controller.result
        if result is None:
            return () if self.problems else (_ASK,)
        return (*([STALE] if self._controller.is_stale else []), *result.report.notes)

    def _enabled(self) -> dict[str, bool]:
        return {"export": self._controller.result is not None and not self._controller.is_busy}

    # -- events ------------------------------------------------------------------------------------------------------
    def _note_weights(self) -> None:
        """Show the fitted days of other weights."""
        project = self._session.project
        if project.weights is not self._weights:
            self._weights = project.weights
            self.fit_days.setValue(fitted_days(project))

    def _on_row(self) -> None:
        if rows := selected_rows(self.table):
            self.show_day(self.model.row(rows[0]))

    def _ask_folder(self) -> None:
        chosen = ask_export_folder(self, "Save the scores into")
        if chosen is not None:
            self.save(chosen)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show(self) -> None:
        result, scored = self._controller.result, self._controller.scored
        report = None if result is None else result.report
        self.model.show(report, self._session.units, self._cell_ha)
        self._draw_curves()
        self.diagram.show_report(report)
        self.map.show_forecast(None if scored is None else scored.scenario, None if result is None else result.states)
        self.slider.setRange(0, 0 if report is None else report.days)
        self.summary.setText("" if report is None else summary_html(report, self._session.units, self._cell_ha))
        self.summary.setVisible(report is not None)
        self.pages.setEnabled(report is not None)
        self.show_day(0 if report is None else report.days)

    @property
    def _cell_ha(self) -> float:
        return self._session.project.scenario.grid.cell_area_ha if self._session.has_project else 1.0

    def _draw_curves(self) -> None:
        result = self._controller.result
        report, metric = None if result is None else result.report, METRICS[self.measure.currentIndex()]
        self.chart.show_report(report, metric, self._cell_ha, self._session.units)
