"""Animation export: the film shows what the map shows, and is written completely or not at all."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.exporting import animation_dialog as export_animation
from firegui.gui.exporting.animation_dialog import AnimationDialog
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.map.map_board import pixels_of
from firegui.gui.session.export_folder import hyphened
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.gui.window.main_window import MainWindow
from firegui.io.exporters.animation import ffmpeg, with_notice
from tests.gui.fake_runs import drop, frames, metrics
from tests.gui.hands import LEFT, type_into_field


@pytest.fixture(autouse=True)
def result(qtbot: QtBot, session: Session, project: Project, window: MainWindow) -> None:
    """Return both fires, once the window's own computations have finished."""
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    drops = (drop(3), drop(60, "water"), drop(61))
    session.show_result(ShownResult("run", frames(project, 12), metrics(), frames(project, 4), metrics(), drops))


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> Iterator[AnimationDialog]:
    """Return the dialog, opened by the button of the timeline."""
    QTest.mouseClick(window.workbench.timeline.film_button, LEFT)
    (made,) = window.findChildren(AnimationDialog)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    yield made
    made.close()


def choose_kind(dialog: AnimationDialog, ending: str, path: Path) -> None:
    dialog.kind.setCurrentIndex(dialog.kind.findData(ending))
    dialog.file.setText(str(path))


def save(qtbot: QtBot, dialog: AnimationDialog) -> None:
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: dialog.written is not None, timeout=60_000)


def shown(window: MainWindow) -> NDArray[np.int16]:
    return with_notice(pixels_of(window.workbench.maps.snapshot())).astype(np.int16)


def looks_like(kept: NDArray[np.int16], wanted: NDArray[np.int16]) -> bool:
    """Return whether pictures are equal except for shades, and for a line of pixels at edges of cells."""
    return kept.shape == wanted.shape and float((np.abs(kept - wanted).max(axis=2) > 2).mean()) < 0.01


@pytest.mark.parametrize(
    ("against", "wanted"),
    [
        ("", ["No drops alone", "Plan alone", "Saved alone", "No drops | Plan | Saved"]),
        ("First", ["First alone", "Second alone", "Difference alone", "First | Second | Difference"]),
    ],
)
def test_the_maps_have_the_names_that_the_window_gives_them(
    session: Session, window: MainWindow, against: str, wanted: list[str]
) -> None:
    session.show_result(replace(session.result, against=against, plan_name="Second" if against else ""))
    dialog = AnimationDialog(session, window.workbench.maps)
    assert [dialog.sides.itemText(k) for k in range(dialog.sides.count())] == ["As on screen", *wanted]
    dialog.deleteLater()


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_png_is_what_is_on_screen_with_the_notice_below(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, tmp_path: Path, side_by_side: bool
) -> None:
    window.workbench.session.set_step(60)
    window.workbench.map.layers.set_visible("graticule", False)
    window.workbench.map.camera.zoom(1.5)
    window.workbench.session.set_side_by_side(side_by_side)
    qtbot.waitUntil(lambda: not side_by_side or all(pane.drawn_step >= 0 for pane in window.workbench.maps.panes))
    choose_kind(dialog, ".png", tmp_path / "f.png")
    save(qtbot, dialog)
    kept = np.asarray(Image.open(tmp_path / "f.png").convert("RGB")).astype(np.int16)
    assert looks_like(kept, shown(window))


def test_a_gif_has_every_frame_of_the_chosen_days_as_it_was_shown(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, tmp_path: Path
) -> None:
    type_into_field(qtbot, dialog.first, "2")
    type_into_field(qtbot, dialog.last, "2")
    type_into_field(qtbot, dialog.fps, "10")
    choose_kind(dialog, ".gif", tmp_path / "f.gif")
    steps = dialog.steps
    assert steps == tuple(range(50, 101, 5))
    save(qtbot, dialog)
    with Image.open(tmp_path / "f.gif") as film:
        assert getattr(film, "n_frames", 1) == len(steps)
        assert film.info["duration"] == 100
        for number in (0, 6, len(steps) - 1):
            film.seek(number)
            window.workbench.session.set_step(steps[number])
            window.workbench.maps.snapshot()
            kept = np.asarray(film.convert("RGB")).astype(np.int16)
            # 256 colours for the whole film: nearly equal everywhere.
            assert np.abs(kept - shown(window)).mean() < 4.0


def test_what_is_played_and_shown_meanwhile_does_not_come_into_the_film(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, project: Project, tmp_path: Path
) -> None:
    choose_kind(dialog, ".gif", tmp_path / "f.gif")
    window.workbench.session.set_step(0)
    window.workbench.maps.snapshot()
    first = shown(window)
    QTest.mouseClick(dialog.save_button, LEFT)
    window.workbench.session.set_view(FireView.BASELINE)
    window.workbench.session.set_step(120)
    qtbot.waitUntil(lambda: dialog.written is not None, timeout=60_000)
    with Image.open(tmp_path / "f.gif") as film:
        assert np.abs(np.asarray(film.convert("RGB")).astype(np.int16) - first).mean() < 4.0


@pytest.mark.skipif(ffmpeg() is None, reason="MP4 needs ffmpeg: install firegui[video]")
def test_an_mp4_has_its_frames_and_its_pace(qtbot: QtBot, dialog: AnimationDialog, tmp_path: Path) -> None:
    type_into_field(qtbot, dialog.last, "1")
    type_into_field(qtbot, dialog.fps, "20")
    choose_kind(dialog, ".mp4", tmp_path / "f.mp4")
    save(qtbot, dialog)
    program = ffmpeg()
    assert program is not None
    told = subprocess.run([program, "-i", str(tmp_path / "f.mp4"), "-f", "null", "-"], capture_output=True, text=True)
    assert "20 fps" in told.stderr and "h264" in told.stderr
    assert "not for operational use" in told.stderr


def test_cancelling_ends_within_a_second_and_leaves_nothing(
    qtbot: QtBot, dialog: AnimationDialog, tmp_path: Path
) -> None:
    choose_kind(dialog, ".gif", tmp_path / "f.gif")
    QTest.mouseClick(dialog.save_button, LEFT)
    qtbot.waitUntil(lambda: dialog.bar.value() >= 2, timeout=30_000)
    began = time.monotonic()
    QTest.mouseClick(dialog._buttons.button(QDialogButtonBox.StandardButton.Cancel), LEFT)
    qtbot.waitUntil(lambda: not dialog.is_busy and dialog.save_button.isEnabled())
    assert time.monotonic() - began < 1.0
    assert list(tmp_path.glob("*.gif")) == [] and list(tmp_path.glob(".*tmp*")) == []


def test_closing_the_window_gives_the_film_up(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, tmp_path: Path
) -> None:
    choose_kind(dialog, ".gif", tmp_path / "f.gif")
    QTest.mouseClick(dialog.save_button, LEFT)
    window.close()
    assert not dialog.is_busy and not dialog.isVisible()
    assert list(tmp_path.glob("*.gif")) == []


def test_an_unknown_ending_is_refused_in_words(
    dialog: AnimationDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(export_animation, "show_problems", lambda _parent, error: told.append(str(error)))
    dialog.file.setText(str(tmp_path / "f.avi"))
    QTest.mouseClick(dialog.save_button, LEFT)
    assert "f.avi" in told[0] and ".mp4" in told[0]
    assert not dialog.is_busy


def test_a_picture_has_the_chosen_size_and_the_file_the_name_of_the_run(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, project: Project, tmp_path: Path
) -> None:
    title = window.workbench.session.result.title
    assert title and Path(dialog.file.text()).stem == hyphened(f"{project.scenario.name} {title}")
    dialog.size_box.setCurrentIndex(1)
    choose_kind(dialog, ".png", tmp_path / "f.png")
    save(qtbot, dialog)
    with Image.open(tmp_path / "f.png") as picture:
        assert picture.width == 1280


def test_film_and_plan_have_one_name_and_never_go_to_a_hidden_folder(
    window: MainWindow, project: Project, tmp_path: Path
) -> None:
    session = window.workbench.session
    session.open_project(project, tmp_path / ".hidden" / "ridge.firegui")
    film, plan = AnimationDialog(session, window.workbench.maps, window), ExportDialog(session)
    assert Path(film.file.text()).stem == plan.stem.text()
    for proposed in (film.file.text(), plan.folder.line.text()):
        assert ".hidden" not in Path(proposed).parts


def test_the_film_goes_where_plans_are_exported_and_the_chosen_folder_is_remembered(
    qtbot: QtBot, window: MainWindow, dialog: AnimationDialog, project: Project, tmp_path: Path
) -> None:
    session = window.workbench.session
    window._preferences.demos = tmp_path / "own" / "demos"
    session.open_project(project, tmp_path / "own" / "demos" / "ridge.firegui")
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    other = AnimationDialog(session, window.workbench.maps, window)
    plan = ExportDialog(session, preferences=window._preferences)
    assert Path(other.file.text()).parent == Path(plan.folder.line.text())
    assert Path(other.file.text()).is_relative_to(documents or Path.home())
    choose_kind(other, ".png", tmp_path / "handed" / "new" / "f.png")
    other.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    other.show()
    save(qtbot, other)
    assert (tmp_path / "handed" / "new" / "f.png").exists(), "a folder that does not exist is made"
    again = AnimationDialog(session, window.workbench.maps, window)
    plan_again = ExportDialog(session, preferences=window._preferences)
    for text in (str(Path(again.file.text()).parent), plan_again.folder.line.text()):
        assert text == str(tmp_path / "handed" / "new")
    for made in (other, again, plan, plan_again):
        made.close()
        made.deleteLater()
