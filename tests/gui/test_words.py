"""The window uses the words of an analyst; terms of the paper are in tooltips and under Advanced."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QGroupBox,
    QLabel,
    QTableView,
    QTabWidget,
    QWidget,
)

from firegui.domain.benchmark import PLANNERS
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.action_registry import ACTIONS, SUBMENUS
from firegui.gui.window.main_window import MainWindow
from tests.gui.shell_scene import build_panels, ridge, workbench

OLD = re.compile(
    r"[ληρσ]|\b(?:Prot|Burn|Final|Budget) λ|\b[Ee]pochs?\b|\b[Pp]atience\b|\b[Ll]earning rate\b|\b[Rr]ollouts?\b"
    r"|\b[Rr]ollout-equivalents?\b|\bStage [12]\b|\b[Ff]irst stage\b|\b[Ss]econd stage\b|\b[Pp]run(?:e|ed|ing)\b"
    r"|\b[Bb]aseline\b|\b[Oo]ccupancy\b|\b[Bb]urning probability\b|\bFuel factor\b|\b[Tt]actical\b|\b[Tt]ornado\b"
    r"|\bFan\b|\bWhich planner\b|\bMembers?\b|\bKeep drawn\b|\bFreeze\b|\bReshape\b|\bProbe\b|\bWarm start\b"
    r"|\bDiscard\b|\bGraticule\b|\b[Ss]etting [AB]\b|\bScore the\b|\bsd of log\b|\bThreshold P\b|\bJ_fire\b"
    r"|\bactive-front kernels\b|\bKeep running\b|\bnominal η\b|\bdesign η\b"
)
"""Words that the screens do not use. Tooltips, help, and what is folded under Advanced may."""


@pytest.fixture(scope="module")
def shared(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """Return a window with a project."""
    with workbench(tmp_path_factory.mktemp("words")) as window:
        build_panels(window)
        window.workbench.session.open_project(ridge(), None)
        yield window


def is_advanced(widget: QWidget | None) -> bool:
    """Return whether a widget is inside a folded section."""
    while widget is not None:
        if isinstance(widget, FoldedSection):
            return True
        widget = widget.parentWidget()
    return False


def texts_of(widget: QWidget) -> Iterator[str]:
    """Yield the texts that a widget shows, without those of its children."""
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield widget.text()
    elif isinstance(widget, QGroupBox):
        yield widget.title()
    elif isinstance(widget, QComboBox):
        yield from (widget.itemText(index) for index in range(widget.count()))
    elif isinstance(widget, QTabWidget):
        yield from (widget.tabText(index) for index in range(widget.count()))
    elif isinstance(widget, QTableView) and (model := widget.model()) is not None:
        columns = range(model.columnCount())
        yield from (str(model.headerData(index, Qt.Orientation.Horizontal) or "") for index in columns)


def old_words(texts: Iterator[str]) -> set[str]:
    """Return the texts in which there is an old word."""
    return {text for text in texts if OLD.search(text)}


def test_no_old_word_is_in_the_window_and_its_panels(shared: MainWindow) -> None:
    widgets = [widget for widget in shared.findChildren(QWidget) if not is_advanced(widget)]
    assert len(widgets) > 500
    assert old_words(text for widget in widgets for text in texts_of(widget)) == set()


def test_no_old_word_is_in_the_menus() -> None:
    titles = [*(spec.title for spec in ACTIONS.values()), *(menu.text for menu in SUBMENUS.values())]
    assert old_words(iter(titles)) == set()
    assert old_words(spec.help for spec in ACTIONS.values()) == set()


def test_no_old_word_is_in_the_layers_of_the_map(shared: MainWindow) -> None:
    layers = list(shared.workbench.map.layers)
    assert len(layers) > 15
    assert old_words(layer.title for layer in layers) == set()


def test_no_old_word_is_in_the_names_of_planners() -> None:
    assert old_words(text for card in PLANNERS.values() for text in (card.title, card.short)) == set()


@pytest.mark.parametrize("text", ["η retardant", "400 epochs", "Stage 1", "Prune this plan", "Baseline − plan", "Fan"])
def test_an_old_word_is_found(text: str) -> None:
    assert old_words(iter([text])) == {text}
