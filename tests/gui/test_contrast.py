"""Text and controls have a contrast of 4.5 or more, in the palettes and in what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from firegui.gui.base.theme import COLORS, Theme, apply_theme, palette
from firegui.gui.window.main_window import MainWindow
from tests.gui.contrast import ENOUGH, of_colors, poor
from tests.gui.shell_scene import settle, workbench

_ROLES = QPalette.ColorRole
_PAIRS = (
    (_ROLES.WindowText, _ROLES.Window), (_ROLES.Text, _ROLES.Base), (_ROLES.Text, _ROLES.AlternateBase),
    (_ROLES.ButtonText, _ROLES.Button), (_ROLES.HighlightedText, _ROLES.Highlight),
    (_ROLES.ToolTipText, _ROLES.ToolTipBase), (_ROLES.PlaceholderText, _ROLES.Base), (_ROLES.Link, _ROLES.Window),
    (_ROLES.Link, _ROLES.Base),
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def theme_restored(qapp: QApplication) -> Iterator[None]:
    """Restore the dark theme for other tests."""
    yield
    apply_theme(qapp, Theme.DARK)


@pytest.mark.parametrize("theme", list(Theme))
def test_the_primary_button_of_a_panel_looks_like_the_one_of_the_tool_bar(
    qapp: QApplication, qtbot: QtBot, theme: Theme
) -> None:
    apply_theme(qapp, theme)
    button = QPushButton("Start plan")
    button.setProperty("role", "primary")
    qtbot.addWidget(button)
    button.resize(140, 30)
    button.show()
    ground = button.grab().toImage().pixelColor(8, 15).name()
    assert ground == COLORS[theme].go and of_colors(ground, "#ffffff") >= ENOUGH


@pytest.mark.parametrize("theme", list(Theme))
def test_every_pair_of_the_palette_can_be_read(theme: Theme) -> None:
    colors = palette(theme)
    assert colors.window().color().name() == COLORS[theme].window
    found = {(text.name, ground.name): of_colors(colors.color(text).name(), colors.color(ground).name())
             for text, ground in _PAIRS}  # fmt: skip
    assert {pair: value for pair, value in found.items() if value < ENOUGH} == {}


@pytest.mark.parametrize("theme", list(Theme))
def test_every_named_colour_can_be_read_where_it_is_used(theme: Theme) -> None:
    colors = COLORS[theme]
    grounds = ("window", "base", "alternate")
    pairs = [(ink, ground) for ink in ("text", "muted", "outline", "accent", "warning", "error", "water", "retardant")
             for ground in grounds]  # fmt: skip
    pairs += [("text", ground) for ground in ("raised", "chosen", "grounded", "flying")]
    pairs += [("muted", "raised"), ("muted", "chosen"), ("on_accent", "accent")]
    poor_pairs = {pair: of_colors(getattr(colors, pair[0]), getattr(colors, pair[1])) for pair in pairs}
    assert {pair: value for pair, value in poor_pairs.items() if value < ENOUGH} == {}
    assert min(of_colors("#ffffff", colors.go), of_colors("#ffffff", colors.go_hover)) >= ENOUGH


@pytest.mark.parametrize("theme", list(Theme))
def test_an_unchecked_box_of_a_menu_has_a_frame(qapp: QApplication, theme: Theme) -> None:
    apply_theme(qapp, theme)
    menu = QMenu()
    action = menu.addAction("S-2T")
    action.setCheckable(True)
    menu.resize(menu.sizeHint())
    row, picture = menu.actionGeometry(action), menu.grab().toImage()
    colors = {picture.pixelColor(x, row.center().y()).name() for x in range(4, menu.width() - 4)}
    assert COLORS[theme].outline in colors and COLORS[theme].base in colors


@pytest.mark.parametrize("theme", [Theme.DARK, pytest.param(Theme.LIGHT, marks=pytest.mark.slow)])
def test_everything_drawn_in_the_window_can_be_read(qapp: QApplication, tmp_path: Path, theme: Theme) -> None:
    apply_theme(qapp, theme)
    with workbench(tmp_path, size=(1440, 900)) as window:
        window.set_theme(theme)
        settle()
        assert poor(window) == []
        for title, dock in window.workbench.panels.items():
            window.workbench.show_panel(title)
            settle()
            assert poor(dock) == [], title
        assert poor(start_page_of(window)) == []
        window.hide_start_page()
        window.workbench.guide.open_palette()
        settle()
        commands = window.workbench.guide.palette
        assert commands is not None and poor(commands) == []
        commands.close_palette()


def start_page_of(window: MainWindow) -> QWidget:
    """Return the start page, in front."""
    window.show_start_page()
    settle()
    return window.start_page


# -- what would be found -----------------------------------------------------------------------------------------------
def grey_form(text: str, style: str) -> QWidget:
    form = QWidget()
    form.resize(300, 120)
    column = QVBoxLayout(form)
    for widget in (QLabel(text), QLineEdit(text), QCheckBox(text)):
        column.addWidget(widget)
    form.setStyleSheet(style)
    form.show()
    settle()
    return form


def test_text_and_frames_that_cannot_be_seen_are_found(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, Theme.DARK)
    form = grey_form("Height", "QWidget { background: #444444; color: #777777; } QLineEdit { border: 1px solid #666; }")
    qtbot.addWidget(form)
    kinds = [line.split()[0] for line in poor(form)]
    assert kinds.count("text") >= 2
    assert "control" in kinds


def test_a_form_in_the_colours_of_the_theme_is_not(qtbot: QtBot, qapp: QApplication) -> None:
    apply_theme(qapp, Theme.LIGHT)
    form = grey_form("Height", "")
    qtbot.addWidget(form)
    assert poor(form) == []


@pytest.mark.parametrize("theme", list(Theme))
def test_the_frame_of_the_focus_stands_out_from_all_beside_it(theme: Theme) -> None:
    colors = COLORS[theme]
    beside = ("window", "base", "alternate", "raised", "chosen", "go", "go_hover", "border")
    assert {name: ratio for name in beside if (ratio := of_colors(colors.focus, getattr(colors, name))) < 3.0} == {}


@pytest.mark.parametrize("theme", list(Theme))
def test_what_f6_stops_at_has_a_frame_of_two_pixels(
    window: MainWindow, qapp: QApplication, qtbot: QtBot, theme: Theme
) -> None:
    apply_theme(qapp, theme)
    parts = window.workbench
    bars = (parts.actions.bar, parts.timeline, parts.shell.panes[0][0], parts.shell.centre.bar)
    buttons = [button for bar in bars for button in bar.findChildren(QToolButton)]
    for part in (parts.map.camera.widget, parts.timeline.track, *buttons):
        if not part.isVisible() or not part.isEnabled():
            continue
        parts.maps.setFocus()
        part.setFocus()
        settle()
        picture = part.grab().toImage()
        wide, high = picture.width(), picture.height()
        edge = [(x, y) for x in range(4, wide - 4) for y in (0, 1, high - 2, high - 1)]
        edge += [(x, y) for y in range(4, high - 4) for x in (0, 1, wide - 2, wide - 1)]
        framed = sum(picture.pixelColor(*place).name() == COLORS[theme].focus for place in edge)
        assert framed >= 0.85 * len(edge), f"{part.accessibleName()}: {framed} of {len(edge)}"
        part.clearFocus()


@pytest.mark.parametrize("theme", Theme)
def test_the_tab_of_a_drawer_that_has_the_focus_is_framed(qtbot: QtBot, qapp: QApplication, theme: Theme) -> None:
    apply_theme(qapp, theme)
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.setDocumentMode(True)
    for name in ("Charts", "Log"):
        tabs.addTab(QWidget(), name)
    tabs.show()
    tabs.activateWindow()
    qtbot.waitUntil(tabs.isActiveWindow)
    tabs.tabBar().setFocus()
    settle()
    picture, chosen = tabs.tabBar().grab().toImage(), tabs.tabBar().tabRect(0)
    edge = [(chosen.center().x(), chosen.top() + 1), (chosen.left() + 1, chosen.center().y())]
    assert {picture.pixelColor(*place).name() for place in edge} == {COLORS[theme].focus}
