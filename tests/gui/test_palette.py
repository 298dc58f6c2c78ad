"""Command palette: a few letters and Enter run any action."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.help.command_palette import NO_MATCHES, Palette, best_matches, match_score
from firegui.gui.session.session import FireView, Tool
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from firegui.io.exporters import FORMATS
from firegui.io.project.store import save_project
from tests.gui.hands import LEFT
from tests.gui.shell_scene import ridge

Keys = Qt.KeyboardModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def open_palette(window: MainWindow, keys: Keys = CTRL) -> Palette:
    """Press the keys of the palette; Ctrl+K, or with Shift Ctrl+Shift+P."""
    QTest.keyClick(window, Qt.Key.Key_K if keys == CTRL else Qt.Key.Key_P, keys)
    palette = window.workbench.guide.palette
    assert palette is not None and palette.isVisible()
    return palette


def choose(window: MainWindow, text: str, keys: Keys = CTRL) -> None:
    """Open the palette, type, press Enter."""
    palette = open_palette(window, keys)
    QTest.keyClicks(palette.field, text)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.workbench.guide.palette is None


def test_a_command_is_found_by_a_few_letters_and_done_by_enter(window: MainWindow) -> None:
    window.workbench.map.setFocus()
    choose(window, "reshape")
    assert tool_of(window) is Tool.EDIT
    choose(window, "prob", CTRL | SHIFT)
    assert tool_of(window) is Tool.PROBE


def tool_of(window: MainWindow) -> Tool:
    return window.workbench.session.tool


def test_a_panel_is_shown_and_takes_the_focus(window: MainWindow) -> None:
    choose(window, "grounded da")
    focus = QApplication.focusWidget()
    assert focus is not None and window.workbench.panels["Calendar"].isAncestorOf(focus)


def test_a_page_of_the_help_is_opened(window: MainWindow) -> None:
    choose(window, "keyboard shortcuts")
    assert window.workbench.help.page == "shortcuts"
    assert not window.workbench.panels["Help"].isHidden()


def test_a_recent_project_is_opened(window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "crooked.firegui"
    save_project(ridge("Crooked Creek"), folder)
    window._preferences.add_recent(folder)
    choose(window, "crooked")
    assert window.workbench.session.project.scenario.name == "Crooked Creek"


def test_arrows_choose_and_a_click_does_it(window: MainWindow) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "no-drop")
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentRow() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentRow() == palette.list.count() - 1, "round the end"
    row = next(row for row, entry in enumerate(palette.shown) if entry.title == "No-drop polygon")
    assert palette.shown[row].keys == "7"
    QTest.mouseClick(palette.list.viewport(), LEFT, pos=palette.list.visualItemRect(palette.list.item(row)).center())
    assert window.workbench.session.tool is Tool.ZONE_POLYGON


def test_escape_gives_up_changes_nothing_and_gives_the_focus_back(window: MainWindow) -> None:
    window.workbench.show_panel("Fleet")
    before, tool = QApplication.focusWidget(), window.workbench.session.tool
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "rectangle")
    assert any("rectangle" in entry.title.lower() for entry in palette.shown)
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert window.workbench.guide.palette is None
    assert window.workbench.session.tool is tool
    assert QApplication.focusWidget() is before


def test_a_click_elsewhere_gives_up_too(window: MainWindow) -> None:
    open_palette(window)
    window.workbench.timeline.speed.setFocus(Qt.FocusReason.MouseFocusReason)
    assert window.workbench.guide.palette is None
    assert window.workbench.timeline.speed.hasFocus()


def test_keys_of_commands_are_letters_while_one_types(window: MainWindow) -> None:
    tool = window.workbench.session.tool
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "2 ")
    assert palette.field.text() == "2 "
    assert window.workbench.session.tool is tool
    assert not window.workbench.timeline.is_playing


def test_what_cannot_be_done_now_says_so_and_is_not_done(window: MainWindow) -> None:
    window.workbench.session.set_view(FireView.PLAN)
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "saved")
    assert palette.help.text() == "not now"
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert window.workbench.session.view is FireView.PLAN


def test_commands_of_the_selected_run_are_found_and_say_why_they_cannot_be_run(window: MainWindow) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "open folder")
    entry = palette.shown[0]
    assert (entry.title, entry.why_not) == ("Open folder", "select a run first")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    done: list[bool] = []
    button = next(each for each in window.workbench.runs.menu_buttons if each.accessibleName() == entry.title)
    button.clicked.disconnect()
    button.clicked.connect(lambda: done.append(True))
    button.setEnabled(True)
    choose(window, "open folder")
    assert done == [True]
    titles = {each.title for each in window.workbench.guide.entries() if each.kind == "Selected run"}
    assert titles == {"Remove drops not needed", "Open folder", "Delete"}


def test_a_command_of_the_menus_is_not_offered_for_the_selected_run_again(window: MainWindow) -> None:
    entries = window.workbench.guide.entries()
    of_runs = {entry.title for entry in entries if entry.kind == "Selected run"}
    of_menus = {entry.title for entry in entries if entry.kind not in ("Selected run", "Project", "Help")}
    assert "Continue from this plan" in of_menus and not of_runs & of_menus


def test_letters_that_fit_nothing_say_so(window: MainWindow) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "qqqq")
    assert palette.shown == ()
    assert palette.help.text() == NO_MATCHES
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_it_offers_every_command_panel_and_page(window: MainWindow) -> None:
    entries = window.workbench.guide.entries()
    kinds = {entry.kind for entry in entries}
    assert {"File", "Edit", "View", "Plan", "Help", "Tool", "Panel"} <= kinds
    titles = {entry.title for entry in entries}
    assert {ACTIONS[f"show_{name.lower()}"].title for name in PLACES} <= titles
    assert {f"{page.title} (help page)" for page in window.workbench.help.pages} <= {
        entry.title for entry in entries if entry.kind == "Help"
    }
    assert [action.objectName() for action in window.actions()] == list(ACTIONS)
    assert sum(entry.kind != "Project" for entry in entries) >= len(ACTIONS)


WORDS = {
    "water": "Fleet", "helicopter": "Fleet", "retardant": "Fleet", "ground": "Grounded days",
    "night": "Rules of the operation", "cost": "Cost of margin", "pdf": "Export", "wind": "Fire model", "save": "Save",
    "compare": "Compare runs", "undo": "Undo", "units": "Metric", "region": "Region", "tanker": "Fleet",
    "payload": "Fleet", "turnaround": "Fleet", "weather": "Scenario", "fuel": "Identify", "slope": "Layers",
    "sunset": "Rules of the operation", "village": "Protected regions", "houses": "Protected regions",
    "hectares": "Result", "priority": "Goal and search", "effectiveness": "Goal and search", "video": "Timeline",
    "email": "Export", "preferences": "Metric", "theme": "Dark", "manual": "Getting started",
    "version": "About firegui", "perimeter": "Scenario", "forecast": "Fire model",
    "accuracy": "Run model check", "no-fly": "No-drop polygon", "constraints": "Rules of the operation",
    "warnings": "Before you start", "results": "Result", "gpu": "Goal and search", "confidence": "Uncertainty",
    "tomorrow": "Replan", "exit": "Quit", "excel": "Export", "graph": "Charts", "basemap": "Base map",
    "training": "Exercise", "example": "New demo", "new fire": "Import landscape",
}  # fmt: skip
"""Words that an analyst types, and a title that must be among the first."""


def test_words_of_an_analyst_find_what_the_program_has(window: MainWindow) -> None:
    palette = open_palette(window)
    missed = {}
    for typed, title in WORDS.items():
        palette.field.setText(typed)
        found = [entry.title for entry in palette.shown][:6]
        if title not in found:
            missed[typed] = found
    palette.close_palette()
    assert missed == {}


FORMAT_WORDS = {
    "kmz": "KMZ", "kml": "KML", "csv": "CSV table", "pdf": "PDF map", "geojson": "GeoJSON", "ics": "ICS 220 briefing",
    "png": "PNG map", "geotiff": "GeoTIFF", "shapefile": "GeoPackage", "briefing": "ICS 220 briefing",
    "kneeboard": "Order sheets",
}  # fmt: skip
"""Words for formats, and the format that they find."""


@pytest.mark.parametrize("typed", FORMAT_WORDS)
def test_a_format_is_found_and_opens_hand_over_with_it_ticked(qtbot: QtBot, window: MainWindow, typed: str) -> None:
    title = f"Export as {FORMAT_WORDS[typed]}…"
    palette = open_palette(window)
    QTest.keyClicks(palette.field, typed)
    titles = [entry.title for entry in palette.shown]
    assert title in titles[:6]
    palette.list.setCurrentRow(titles.index(title))
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.workbench.shell.workspace is WorkspaceName.HAND_OVER
    dialog = window.workbench.panel("Export", HandOverPanel).dialog
    name = next(name for name, kind in FORMATS.items() if kind.title == FORMAT_WORDS[typed])
    assert dialog is not None and name in dialog.formats.ticked
    # The list scrolls once its layout is settled.
    box = dialog.formats.boxes[name]
    qtbot.waitUntil(lambda: not box.visibleRegion().isEmpty())


def test_one_entry_is_called_export_and_pages_of_the_help_say_so(window: MainWindow) -> None:
    entries = window.workbench.guide.entries()
    assert [entry.kind for entry in entries if entry.title == "Export"] == ["File"]
    assert [entry.kind for entry in entries if entry.title == "Export (help page)"] == ["Help"]


# -- the score ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("typed", ["xyz", "planstartx", "nalp"])
def test_letters_that_are_not_there_in_order_fit_nothing(typed: str) -> None:
    assert match_score(typed, "Start plan") is None


@pytest.mark.parametrize(
    ("typed", "better", "worse"),
    [
        ("exp", "Export", "Fit map, expand"),
        ("sp", "Start plan", "Wisp"),
        ("plan", "Plan", "Replan"),
        ("plan start", "Start plan", "Start the long planting"),
        ("reg", "Region", "Import a wide range"),
    ],
)
def test_beginnings_of_words_and_runs_of_letters_come_first(typed: str, better: str, worse: str) -> None:
    assert best_matches(typed, [worse, better], str, lambda _title: "") == [better, worse]


def test_nothing_typed_keeps_the_order() -> None:
    assert best_matches("  ", ["b", "a"], str, lambda _title: "") == ["b", "a"]


def test_a_kind_helps_to_find_but_titles_come_first() -> None:
    kinds = {"Quit": "File", "Filed away": "Edit"}
    assert best_matches("file", list(kinds), str, kinds.__getitem__) == ["Filed away", "Quit"]


def test_a_command_comes_before_the_help_page_of_its_name(window: MainWindow) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, "stress")
    assert [(entry.kind, entry.title) for entry in palette.shown][:2] == [
        ("Plan", "Stress test"),
        ("Help", "Stress test (help page)"),
    ]


@pytest.mark.parametrize("typed", ["grounded", "inspect", "acres", "landfire"])
def test_synonyms_find_an_action_and_leave_unlike_words_out(window: MainWindow, typed: str) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, typed)
    wanted = next(spec.title for spec in ACTIONS.values() if typed in spec.synonyms.split())
    assert wanted in [entry.title for entry in palette.shown][:3]
    palette.field.clear()
    QTest.keyClicks(palette.field, "zzq")
    assert not palette.shown
    palette.close_palette()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("wind", {"Layers", "Scenario", "Fire model", "Stress test"}),
        ("wind speed", {"Layers", "Scenario"}),
        ("weather", {"Layers", "Scenario", "Fire model"}),
        ("units", {"Metric", "US field units"}),
        ("imperial", {"US field units"}),
    ],
)
def test_words_of_the_weather_and_of_units_find_what_shows_and_changes_them(
    window: MainWindow, typed: str, wanted: set[str]
) -> None:
    palette = open_palette(window)
    QTest.keyClicks(palette.field, typed)
    assert wanted <= {entry.title for entry in palette.shown[:10]}
    palette.close_palette()


def test_whole_titles_and_beginnings_of_words_come_before_the_middle_of_a_word() -> None:
    titles = ["Replan from today", "Preplanned lines, a plan for each", "Start plan", "Plan settings", "Plan"]
    found = best_matches("plan", titles, lambda title: title, lambda _title: "Run")
    assert found[:3] == ["Plan", "Plan settings", "Start plan"] and found[-1] == "Replan from today"
