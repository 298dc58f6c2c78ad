"""The map has most of the window in every workspace, and no text is cut off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QComboBox

from firegui.gui.window.main_window import MainWindow
from tests.gui.layout_shares import cut_dialogs, cut_texts, lengthen, room_of, run_scaled, shares
from tests.gui.shell_scene import build_panels, settle, workbench

WITH_SIDE, WITHOUT_SIDE = 0.60, 0.75
SMALL = QSize(956, 458)
"""What a screen of 1920×1080 at 200 % leaves of a window, without task bar and frame."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """Return one window for all of these tests."""
    with workbench(tmp_path_factory.mktemp("shares")) as window:
        yield window


@pytest.mark.parametrize("size", [QSize(1440, 900), QSize(1920, 1080)], ids=["1440x900", "1920x1080"])
def test_the_map_has_most_of_the_window_in_every_workspace(shared: MainWindow, size: QSize) -> None:
    shared.resize(size)
    shared.workbench.shell.reset()
    settle()
    assert shared.size() == size
    poor = [each for each in shares(shared) if each.with_side < WITH_SIDE or each.without_side < WITHOUT_SIDE]
    assert poor == []


@pytest.mark.parametrize("size", [QSize(1280, 800), QSize(1440, 900)], ids=["1280x800", "1440x900"])
def test_the_longest_choices_of_the_goal_can_be_read(shared: MainWindow, size: QSize) -> None:
    shared.resize(size)
    shared.workbench.shell.reset()
    shared.workbench.show_panel("Objective")
    settle()
    boxes = {box.accessibleName(): box for box in shared.workbench.panels["Objective"].findChildren(QComboBox)}
    for name in ("How much must hold", "What the run does"):
        assert max(boxes[name].fontMetrics().horizontalAdvance(text) for text in _texts(boxes[name])) <= room_of(
            boxes[name]
        )


def _texts(box: QComboBox) -> list[str]:
    return [box.itemText(index) for index in range(box.count())]


def test_in_a_small_window_the_side_panel_is_hidden_at_first_and_nothing_is_cut_off(shared: MainWindow) -> None:
    shared.resize(1280, 720)
    shared.workbench.shell.reset()
    settle()
    assert not shared.workbench.shell.is_side_visible
    assert list(cut_texts(shared)) == []


@pytest.mark.slow
def test_in_the_room_of_a_screen_at_200_percent_nothing_is_cut_off(shared: MainWindow) -> None:
    shared.resize(SMALL)
    shared.workbench.shell.reset()
    settle()
    assert shared.size() == SMALL
    assert list(cut_texts(shared)) == []
    assert list(cut_dialogs(shared, SMALL)) == []


@pytest.mark.slow
def test_on_a_screen_at_200_percent_every_window_fits_and_nothing_is_cut_off() -> None:
    done = run_scaled()
    assert "screen 960x540: 0 faults" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0


@pytest.mark.slow
def test_texts_that_are_a_third_longer_are_not_cut_off(shared: MainWindow) -> None:
    build_panels(shared)
    lengthen(shared)
    for size in (QSize(1280, 720), SMALL):
        shared.resize(size)
        shared.workbench.shell.reset()
        settle()
        assert list(cut_texts(shared)) == []
    assert list(cut_dialogs(shared, SMALL, longer=True)) == []
