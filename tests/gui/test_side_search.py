"""Search of the side panel: what it finds, where it leads, and what it leaves as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from firegui.domain.units import Units
from firegui.gui.base.controls import FoundFrame
from firegui.gui.scenario.fleet_panel import FleetPanel
from firegui.gui.widgets.settings_form import FoldedSection
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.side_panel import SEARCHING
from firegui.gui.window.workspaces import WorkspaceName
from tests.gui.hands import LEFT
from tests.gui.shell_scene import build_panels, settle, workbench


@pytest.fixture(scope="module")
def _built(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window with all of its panels, which take longer to build than to search."""
    with workbench(tmp_path_factory.mktemp("search")) as window:
        build_panels(window)
        yield window


@pytest.fixture
def searched(_built: MainWindow) -> MainWindow:
    """A window all of whose panels are built, in its first layout, with all advanced settings folded."""
    shell = _built.workbench.shell
    shell.side.search.clear()
    shell.reset()
    for fold in shell.side.findChildren(FoldedSection):
        fold.set_open(False)
    _built.workbench.session.set_units(Units.METRIC)
    _built.activateWindow()
    settle()
    return _built


# -- in a window whose panels are built as they are searched -----------------------------------------------------------
def test_a_search_without_a_match_on_the_page_leads_to_the_page_that_has_it(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_panel("Runs")
    shell = window.workbench.shell
    side, outcome = shell.side, shell.side.outcome
    side.search.setText("turnaround")
    assert outcome.isVisible() and outcome.text.text() == SEARCHING, "the panel is never blank"
    qtbot.waitUntil(lambda: bool(outcome.links), timeout=20_000)
    assert outcome.text.text() == "Not on this page. Found in:"
    link = next(each for each in outcome.links if each.text().startswith("Plan › Fleet"))
    QTest.mouseClick(link, Qt.MouseButton.LeftButton)
    assert shell.workspace is WorkspaceName.PLAN and window.workbench.panels["Fleet"].isVisible()
    assert outcome.isHidden() and not side.search.text()
    assert [frame for frame in side.sections["Fleet"].findChildren(FoundFrame) if frame.isVisible()]


def test_enter_in_a_search_without_a_setting_lists_its_commands(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_panel("Runs")
    side = window.workbench.shell.side
    side.search.setFocus()
    QTest.keyClicks(side.search, "units")
    QTest.keyClick(side.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.workbench.guide.palette is not None, timeout=20_000)
    palette = window.workbench.guide.palette
    assert palette is not None and palette.field.text() == "units"


def test_a_text_on_the_page_is_not_the_last_word_while_the_search_goes_on(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_panel("Runs")
    side = window.workbench.shell.side
    side.search.setText("at night")
    assert " so far: " in side.chosen_hit.text()
    qtbot.waitUntil(lambda: " so far: " not in side.chosen_hit.text(), timeout=20_000)
    assert "Drops only in daylight" in side.chosen_hit.text()


def test_the_frame_of_what_was_found_leaves_its_text_free(window: MainWindow) -> None:
    window.workbench.show_panel("Fleet")
    label = window.workbench.panel("Fleet", FleetPanel).form.drawn
    frame = FoundFrame(label)
    host = frame.parentWidget()
    assert host is not None
    inner = QRect(label.mapTo(host, label.rect().topLeft()), label.size())
    assert not frame.mask().translated(frame.pos()).intersects(inner)
    label.hide()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(frame)


def test_enter_goes_to_another_page_once_it_was_searched(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.show_panel("Runs")
    shell = window.workbench.shell
    shell.side.search.setFocus()
    QTest.keyClicks(shell.side.search, "turnaround")
    QTest.keyClick(shell.side.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not shell.side.search.text(), timeout=20_000)
    focus = QApplication.focusWidget()
    assert shell.workspace is WorkspaceName.PLAN
    assert focus is not None and window.workbench.panels["Fleet"].isAncestorOf(focus)


def test_the_search_leads_from_every_workspace_to_the_setting_before_a_column_with_the_word(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.workbench.show_panel("Runs")
    shell = window.workbench.shell
    assert not shell.side.sections["Constraints"].is_built
    QTest.keyClick(shell.side.entry, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(shell.side.search, "night")
    QTest.keyClick(shell.side.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not shell.side.search.text(), timeout=20_000)
    boxes = window.workbench.panels["Constraints"].findChildren(QCheckBox)
    rule = next(box for box in boxes if box.text() == "Drops only in daylight")
    assert shell.workspace is WorkspaceName.PLAN and QApplication.focusWidget() is rule
    assert not rule.visibleRegion().isEmpty()
    assert [frame for frame in shell.side.findChildren(FoundFrame) if frame.isVisible()]


# -- in a window whose panels are all built ---------------------------------------------------------------------------
def test_the_search_shows_only_sections_with_the_words_and_escape_shows_all_again(searched: MainWindow) -> None:
    searched.workbench.show_panel("Regions")
    side = searched.workbench.shell.side
    side.search.setFocus()
    QTest.keyClicks(side.search, "payload")
    shown = [name for name, section in side.sections.items() if section.isVisible()]
    assert shown == ["Fleet"] and searched.workbench.panels["Fleet"].isVisible()
    QTest.keyClick(side.search, Qt.Key.Key_Escape)
    assert {"Regions", "Fleet", "Objective"} <= {n for n, section in side.sections.items() if section.isVisible()}
    assert not searched.workbench.panels["Constraints"].isVisible(), "a folded section is folded again"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("night", "Rules of the operation › Drops only in daylight"),
        ("dark", "Rules of the operation › Drops only in daylight"),
        ("grounded hours", "Rules of the operation › Groundings of part of a day"),
        ("cost", "Goal and search › Number of drops"),
        ("money", "Goal and search › Weight of number of drops"),
        ("water", "Goal and search › Water"),
        ("retardant", "Goal and search › Retardant"),
        ("refill", "Fleet › Fleet"),
        ("turnaround", "Fleet › Turnaround"),
        ("houses", "Protected regions"),
        ("powerline", "Protected regions"),
    ],
)
def test_the_search_finds_a_setting_by_other_words(qtbot: QtBot, searched: MainWindow, typed: str, found: str) -> None:
    searched.workbench.show_panel("Regions")
    side = searched.workbench.shell.side
    side.search.setText(typed)
    qtbot.waitUntil(lambda: all(each.is_built for each in side.columns[WorkspaceName.PLAN].sections.values()))
    settle()
    side.search.setFocus()
    named: list[str] = []
    for _hit in range(12):
        named.append(side.chosen_hit.text())
        QTest.keyClick(side.search, Qt.Key.Key_Down)
    assert any(f": {found}" in name for name in named), named
    side.search.clear()


def test_the_word_wind_leads_to_the_fire_from_the_page_of_plans(qtbot: QtBot, searched: MainWindow) -> None:
    searched.workbench.show_panel("Regions")
    side = searched.workbench.shell.side
    side.search.setText("wind")
    hit = side.chosen_hit
    qtbot.waitUntil(lambda: "(Enter)" in hit.text() and " so far: " not in hit.text(), timeout=20_000)
    named: list[str] = []
    while not named or hit.text() != named[0]:
        named.append(hit.text())
        QTest.keyClick(side.search, Qt.Key.Key_Down)
    assert any(": Fire › Fire model" in name for name in named), named
    side.search.clear()
    searched.workbench.show_panel("Scenario")
    side.search.setText("wind")
    qtbot.waitUntil(lambda: "Fire model" in hit.text())
    side.search.clear()


def test_words_of_other_pages_alone_are_offered_as_links(qtbot: QtBot, searched: MainWindow) -> None:
    searched.workbench.show_panel("Regions")
    side = searched.workbench.shell.side
    side.search.setText("moisture")
    qtbot.waitUntil(lambda: bool(side.outcome.links), timeout=20_000)
    titles = [link.text() for link in side.outcome.links]
    assert any(title.startswith("Fire › Scenario") for title in titles), titles
    side.search.clear()


def test_the_search_lists_the_commands_that_the_palette_finds(qtbot: QtBot, searched: MainWindow) -> None:
    searched.workbench.show_panel("Runs")
    workbench, side = searched.workbench, searched.workbench.shell.side
    QTest.keyClicks(side.search, "units")
    titles = [link.text() for link in side.commands.links]
    assert side.commands.isVisible() and any(title.startswith("View › US field units") for title in titles), titles
    qtbot.waitUntil(lambda: side.outcome.text.text() == "No setting for “units”", timeout=20_000)
    QTest.mouseClick(next(link for link in side.commands.links if "US field units" in link.text()), LEFT)
    assert workbench.session.units is Units.US and not side.search.text() and side.commands.isHidden()
    side.search.setText("wind")
    titles = [link.text() for link in side.commands.links]
    assert titles[0].startswith("View › Layers")
    assert not [title for title in titles if "Stress test" in title], "a section is found as a section"
    QTest.mouseClick(side.commands.links[-1], LEFT)
    palette = workbench.guide.palette
    assert palette is not None and palette.field.text() == "wind" and not side.search.text()


def test_a_search_for_what_is_nowhere_says_so_and_offers_to_clear_it(qtbot: QtBot, searched: MainWindow) -> None:
    searched.workbench.show_panel("Runs")
    side = searched.workbench.shell.side
    outcome = side.outcome
    QTest.keyClicks(side.search, "xyzzy")
    qtbot.waitUntil(lambda: outcome.text.text() != SEARCHING, timeout=20_000)
    assert outcome.text.text().startswith("No matches for “xyzzy”. Try another word") and not outcome.links
    assert side.commands.isHidden()
    QTest.mouseClick(outcome.clear_button, Qt.MouseButton.LeftButton)
    assert not side.search.text() and outcome.isHidden() and side.sections["Runs"].isVisible()


def test_the_search_unfolds_the_advanced_settings_that_it_finds(searched: MainWindow) -> None:
    searched.workbench.show_panel("Objective")
    side, weight = (
        searched.workbench.shell.side,
        searched.workbench.panels["Objective"].findChild(QWidget, "weights_burn"),
    )
    assert weight is not None and not weight.isVisible()
    QTest.keyClicks(side.search, "burned area day by day")
    assert weight.isVisible()
    QTest.keyClick(side.search, Qt.Key.Key_Escape)
    assert not weight.isVisible() and searched.workbench.panels["Objective"].isVisible(), "folded as before the search"


def test_the_search_leaves_open_what_was_open_before(searched: MainWindow) -> None:
    searched.workbench.show_panel("Objective")
    side, weight = (
        searched.workbench.shell.side,
        searched.workbench.panels["Objective"].findChild(QWidget, "weights_burn"),
    )
    assert weight is not None
    folds = searched.workbench.panels["Objective"].findChildren(FoldedSection)
    fold = next(each for each in folds if each.isAncestorOf(weight))
    fold.set_open(True)
    QTest.keyClicks(side.search, "burned area day by day")
    side.search.clear()
    assert weight.isVisible()


def test_enter_in_the_search_goes_to_the_setting_and_leaves_its_fold_open(searched: MainWindow) -> None:
    searched.workbench.show_panel("Regions")
    side, weight = (
        searched.workbench.shell.side,
        searched.workbench.panels["Objective"].findChild(QWidget, "weights_burn"),
    )
    assert weight is not None and not weight.isVisible()
    side.search.setFocus()
    QTest.keyClicks(side.search, "burned area day by day")
    assert "Burned area day by day" in side.chosen_hit.text()
    QTest.keyClick(side.search, Qt.Key.Key_Return)
    focus = QApplication.focusWidget()
    assert focus is not None and (focus is weight or weight.isAncestorOf(focus))
    assert not side.search.text() and not side.chosen_hit.isVisible()
    assert side.sections["Objective"].is_open and weight.isVisible()


def test_the_arrow_keys_choose_among_the_settings_found(searched: MainWindow) -> None:
    searched.workbench.show_panel("Fleet")
    side = searched.workbench.shell.side
    side.search.setFocus()
    QTest.keyClicks(side.search, "drops")
    first = side.chosen_hit.text()
    assert first.startswith("1 of ")
    QTest.keyClick(side.search, Qt.Key.Key_Down)
    assert side.chosen_hit.text().startswith("2 of ")
    QTest.keyClick(side.search, Qt.Key.Key_Up)
    assert side.chosen_hit.text() == first
    QTest.keyClick(side.search, Qt.Key.Key_Up)
    # The other workspaces are searched after a pause in typing, and add to the number.
    total = side.chosen_hit.text().split()[2].rstrip(":")
    assert side.chosen_hit.text().startswith(f"{total} of {total}"), "round the end"
    before = QApplication.focusWidget()
    QTest.keyClick(side.search, Qt.Key.Key_Escape)
    assert not side.search.text() and QApplication.focusWidget() is not before


def test_the_search_lists_settings_of_the_workspace_then_those_of_others_then_what_is_only_read(
    qtbot: QtBot, searched: MainWindow
) -> None:
    searched.workbench.show_panel("Runs")
    side = searched.workbench.shell.side
    side.search.setFocus()
    QTest.keyClicks(side.search, "night")
    qtbot.waitUntil(lambda: ": Plan › Drops only in daylight (Enter)" in side.chosen_hit.text())
    total = int(side.chosen_hit.text().split()[2].rstrip(":"))
    named = []
    for _hit in range(total):
        named.append(side.chosen_hit.text())
        QTest.keyClick(side.search, Qt.Key.Key_Down)
    texts = [place for place, name in enumerate(named) if "At night" in name]
    settings = [place for place, name in enumerate(named) if "daylight" in name or "Minutes" in name]
    assert len(settings) == 5 and max(settings) < min(texts), named
    searched.workbench.show_panel("Regions")
    side.search.setFocus()
    QTest.keyClicks(side.search, "night")
    assert ": Rules of the operation › Drops only in daylight" in side.chosen_hit.text()
    qtbot.waitUntil(lambda: not side.chosen_hit.text().startswith("1 of 4:"))
    assert ": Rules of the operation › Drops only in daylight" in side.chosen_hit.text(), "still the first"
    side.search.clear()


def test_a_heading_that_is_typed_ranks_before_texts_that_mention_it(searched: MainWindow) -> None:
    searched.workbench.show_panel("Regions")
    side = searched.workbench.shell.side
    QTest.keyClicks(side.search, "turnar")
    assert side.chosen_hit.text().startswith("1 of ") and "Fleet › Turnaround min (" in side.chosen_hit.text()
    for title in ("fleet", "protected regions"):
        side.search.clear()
        QTest.keyClicks(side.search, title)
        assert side.chosen_hit.text().split(": ")[1].lower().startswith(title)
    QTest.keyClick(side.search, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is side.sections["Regions"].heading


def test_the_arrow_of_a_section_that_the_search_opens_points_down_until_it_is_folded_again(
    searched: MainWindow,
) -> None:
    searched.workbench.show_panel("Fleet")
    shell = searched.workbench.shell
    section = shell.side.sections["Constraints"]
    QTest.keyClicks(shell.side.search, "no-drop zones")
    assert section.content.isVisible()
    assert section.heading.isChecked() and section.heading.arrowType() is Qt.ArrowType.DownArrow
    QTest.keyClick(section.heading, Qt.Key.Key_Space)
    assert section.content.isHidden() and section.heading.arrowType() is Qt.ArrowType.RightArrow
    shell.side.search.clear()
    assert not section.is_open and section.content.isHidden()
    assert not section.heading.isChecked() and section.heading.arrowType() is Qt.ArrowType.RightArrow
