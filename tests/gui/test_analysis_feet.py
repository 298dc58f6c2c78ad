"""Buttons of an analysis: visible without scrolling in the side panel and in the centre."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.uncertainty import UncertaintySettings
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.analyses.cost import simulations_text
from firegui.gui.analyses.registry import ANALYSES
from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from firegui.gui.base.layouts import column, plain_label, vertical
from firegui.gui.base.number_text import about_text
from firegui.gui.base.theme import Theme, apply_theme, current_theme
from firegui.gui.widgets.split_panel import Introduction, SplitPanel
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.vertical_scroll_area import FittedScrollArea
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import LEFT, show_widget
from tests.gui.shell_scene import settle

NAMES = (*(analysis.name for analysis in ANALYSES), "Exercise")
SIZES = (QSize(1280, 720), QSize(1440, 900))


def is_whole(widget: QWidget) -> bool:
    """Return whether all of a widget can be seen."""
    return widget.isVisible() and widget.visibleRegion().boundingRect() == widget.rect()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size.width()}x{size.height()}")
def test_the_start_of_every_analysis_is_seen_whatever_is_scrolled(window: MainWindow, size: QSize) -> None:
    workbench = window.workbench
    window.resize(size)
    for name in NAMES:
        workbench.show_panel(name)
        workbench.shell.set_mode(CentreMode.BOTH)
        settle()
        panel = workbench.panel(name, SplitPanel)
        column = workbench.shell.side.columns[workbench.shell.workspace]
        for place in (column.verticalScrollBar().maximum(), 0):
            column.verticalScrollBar().setValue(place)
            settle()
            assert is_whole(panel.button("start")), name  # type: ignore[attr-defined]
        first = panel.introduction
        assert is_whole(first.start if first.start.isVisible() else first.start_plan), name


def test_only_the_buttons_of_the_open_analysis_are_below_the_column(window: MainWindow) -> None:
    workbench = window.workbench
    side = workbench.shell.side
    for name in ("Stress", "Margin", "Stress"):
        workbench.show_panel(name)
        assert [each for each, foot in side.feet.items() if foot.isVisible()] == [name]
    workbench.show_panel("Regions")
    assert not any(foot.isVisible() for foot in side.feet.values())


def test_in_a_low_window_the_cost_of_a_start_scrolls_and_its_button_is_seen(window: MainWindow) -> None:
    workbench = window.workbench
    window.resize(956, 458)
    workbench.shell.set_drawer_visible(True)
    workbench.show_panel("Benchmark")
    settle()
    panel = workbench.panel("Benchmark", BenchmarkPanel)
    assert panel.cost.isVisible()
    assert panel.cost.height() >= panel.cost.heightForWidth(panel.cost.width())
    assert is_whole(panel.button("start"))
    workbench.shell.set_drawer_visible(False)
    window.resize(1440, 900)
    settle()
    assert is_whole(panel.cost)


def test_a_small_page_scrolls_the_text_of_an_introduction_and_not_its_button(qtbot: QtBot) -> None:
    page = QWidget()
    panel = SplitPanel(page)
    introduction = Introduction("What it does. " * 60, "Test", "Start it", lambda: None)
    made = QWidget()
    panel.fill_result(introduction, made, stretch=made)
    panel.show_introduction(on=True)
    panel.result.setParent(None)
    show_widget(qtbot, panel.result, 300, 130)
    settle()
    assert is_whole(introduction.start) and not is_whole(introduction.text)
    panel.result.resize(660, 600)
    settle()
    assert is_whole(introduction.text)
    below = introduction.text.mapTo(panel.result, QPoint(0, introduction.text.height())).y()
    assert introduction.start.mapTo(panel.result, QPoint()).y() - below < 40, "the button follows the text"


def test_pages_are_changed_and_the_progress_is_whole_while_a_test_runs(window: MainWindow) -> None:
    workbench = window.workbench
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel = workbench.panel("Stress", StressPanel)
    controller = panel._controller
    text = "9 of 9 · failures, repaired: draw 3 of 8, about 12 min left, day 5.5…"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(controller), "is_busy", property(lambda _self: True))
        patch.setattr(type(controller), "activity", property(lambda _self: text))
        controller.changed.emit()
        controller.result_changed.emit()
        settle()
        for number in (1, 2, 0):
            bar = panel.pages.tabBar()
            QTest.mouseClick(bar, LEFT, pos=bar.tabRect(number).center())
            controller.result_changed.emit()
            settle()
            assert panel.pages.currentIndex() == number
        label = panel._activity
        assert is_whole(label) and label.text() == text
        needed = label.fontMetrics().boundingRect(QRect(0, 0, label.width(), 1000), 0x1000, text)
        assert needed.height() <= label.height()


def test_what_a_start_costs_is_said_above_its_button_and_follows_the_form(window: MainWindow) -> None:
    workbench = window.workbench
    workbench.show_panel("Uncertainty")
    panel = workbench.panel("Uncertainty", UncertaintyPanel)
    said = []
    for members in (20, 4000):
        panel.form.set_settings(UncertaintySettings(members=members))
        settle()
        assert (
            is_whole(panel.cost)
            and panel.cost.mapTo(window, QPoint()).y() < panel.button("start").mapTo(window, QPoint()).y()
        )
        said.append(panel.cost.text())
    assert said == ["20 fire simulations.", "4,000 fire simulations."]


@pytest.mark.parametrize("theme", list(Theme))
def test_the_icon_of_the_green_start_button_is_white_in_every_theme(qapp: QApplication, theme: Theme) -> None:
    before = current_theme(qapp)
    apply_theme(qapp, theme)
    try:
        row = ButtonRow()
        button = row.add("start", "Start", "Start", lambda: None, show_text=True, is_primary=True)
        image = button.icon().pixmap(18, 18).toImage()
        pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        assert {pixel.name() for pixel in pixels if pixel.alpha() > 250} == {"#ffffff"}
    finally:
        apply_theme(qapp, before)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.0, "a few seconds"), (44.0, "about 40 s"), (700.0, "about 12 min"), (9e3, "about 2.5 h")],
)
def test_an_estimated_time_is_rounded(seconds: float, text: str) -> None:
    assert about_text(seconds) == text
    assert simulations_text(100, seconds / 100) == f"100 fire simulations: {text} at the pace of the plan on the map"
    assert simulations_text(1, None) == "1 fire simulation"


@pytest.mark.parametrize("words", range(8, 30, 7))
def test_a_foot_with_a_border_on_one_side_has_the_height_of_its_text(
    qtbot: QtBot, qapp: QApplication, words: int
) -> None:
    before = current_theme(qapp)
    apply_theme(qapp, Theme.DARK)
    text = plain_label(" ".join(["simulations"] * words), wordWrap=True)
    foot, side = FittedScrollArea(column(text)), QWidget()
    # The foot of the side panel, whose style has a line above it.
    foot.setObjectName("sideFoot")
    vertical(side, (QWidget(), 1), foot, margins=0, spacing=0)
    show_widget(qtbot, side, 300, 600)
    try:
        # At some widths the text just needs another line.
        for width in range(300, 400):
            side.resize(width, 600)
            settle()
            assert text.height() >= text.heightForWidth(text.width()), width
            assert not foot.verticalScrollBar().isVisible(), width
    finally:
        apply_theme(qapp, before)
