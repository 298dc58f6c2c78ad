"""A project that another window has is opened read-only: nothing is written to its folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.drop_edits import make, moved
from firegui.gui.planning.edited_plan_saver import BY_HAND
from firegui.gui.session.plan_editor import EDITED
from firegui.gui.session.session import Session
from firegui.gui.window import documents as documents_module
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project, save_project
from firegui.runs.lock import ProjectLock
from firegui.runs.run_folder import METRICS
from tests.gui.fake_runs import FakeExecute
from tests.gui.hands import LEFT, to_front
from tests.gui.plan_editor_scene import DROPS, show_plan
from tests.gui.saved_runs import stopped_run

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def folder(project: Project, tmp_path: Path) -> Path:
    """Return a saved project with a run that was stopped before it was scored."""
    made = tmp_path / "ridge.firegui"
    save_project(project, made)
    stopped_run(made, DROPS)
    return made


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute()


@pytest.fixture
def session(qapp: object) -> Session:
    return Session()


@pytest.fixture
def window(window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """Return a window that shows the project read-only, because another one holds it."""
    monkeypatch.setattr(documents_module, "ask_open_twice", lambda *_args: True)
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda _parent, error: pytest.fail(str(error)))
    holder = ProjectLock()
    assert holder.take(folder)
    assert window.workbench.documents.open(folder)
    yield window
    holder.release()


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file in a folder except the locks."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def save_into(monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    """Answer the question where to save; return what was proposed."""
    asked: list[str] = []

    def choose(_parent: object, _title: str, proposal: str, *_rest: object, **_more: object) -> tuple[str, str]:
        asked.append(Path(proposal).name)
        return str(folder), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    return asked


def test_its_title_says_so_and_its_runs_are_shown_but_nothing_can_be_written_to_them(
    qtbot: QtBot, window: MainWindow, folder: Path
) -> None:
    before = contents(folder)
    assert window.windowTitle() == "Test Ridge[*] (read-only) — firegui"
    (entry,) = window.workbench.queue.entries
    runs = window.workbench.runs
    runs.select(entry)
    assert not runs.button("delete").isEnabled() and not entry.is_resumable
    assert not runs.notes.field.isEnabled() and "another window" in runs.notes.field.placeholderText()
    QTest.mouseClick(runs.button("show"), LEFT)
    qtbot.waitUntil(lambda: window.workbench.session.result.plan is not None and not window.workbench.queue.activity)
    assert entry.nominal is not None
    window.workbench.queue.discard(entry)
    assert contents(folder) == before


def test_ctrl_s_asks_for_another_place_and_the_badge_goes_with_it(
    qtbot: QtBot, window: MainWindow, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, asked = contents(folder), save_into(monkeypatch, tmp_path / "mine.firegui")
    window.workbench.session.set_regions("clear", ())
    assert window.windowTitle().startswith("Test Ridge[*] (read-only)") and window.isWindowModified()
    QTest.keyClick(window, Qt.Key.Key_S, CTRL)
    qtbot.waitUntil(lambda: not window.isWindowModified())
    assert window.windowTitle() == "Test Ridge[*] — firegui" and asked == ["test-ridge.firegui"]
    assert window.workbench.session.folder == tmp_path / "mine.firegui" and not window.workbench.session.is_read_only
    assert load_project(tmp_path / "mine.firegui").regions == () and contents(folder) == before
    assert window.workbench.queue.entries == ()


def test_saving_over_what_the_other_window_has_is_refused(
    window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda *_args: None)
    window.workbench.session.refused.connect(lambda error: said.append(str(error)))
    before = contents(folder)
    save_into(monkeypatch, folder)
    window.workbench.session.set_regions("clear", ())
    assert not window.workbench.documents.save_as()
    assert "is open elsewhere" in said[0] and contents(folder) == before
    assert window.workbench.session.is_read_only


def test_f5_begins_a_run_in_the_place_that_was_asked_for(
    qtbot: QtBot, window: MainWindow, folder: Path, execute: FakeExecute, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    before = contents(folder)
    save_into(monkeypatch, tmp_path / "mine.firegui")
    to_front(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: bool(execute.runs) and not window.workbench.queue.is_busy)
    assert execute.runs[0].out.parent.parent == tmp_path / "mine.firegui"
    assert contents(folder) == before


def test_backing_out_of_the_place_begins_nothing(
    qtbot: QtBot, window: MainWindow, execute: FakeExecute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: ("", ""))
    to_front(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_F5)
    assert execute.runs == [] and window.workbench.session.is_read_only


def test_drops_changed_by_hand_are_kept_in_the_place_that_is_asked_for(
    qtbot: QtBot, window: MainWindow, folder: Path, execute: FakeExecute, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    session, before = window.workbench.session, contents(folder)
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    for x in (31.5, 33.0):
        show_plan(session)
        drop = session.plan_editor.drops.at(DROPS.drops[0].key)
        assert drop is not None and make(session, moved(session, drop, replace(drop, x=x)))
        assert EDITED in session.result.title
    assert window.workbench.plan_preview.saver.has_unsaved and contents(folder) == before
    save_into(monkeypatch, tmp_path / "mine.firegui")
    assert window.workbench.documents.save()
    assert len(list((tmp_path / "mine.firegui" / BY_HAND).glob("*.safetensors"))) == 2
    qtbot.waitUntil(lambda: len(execute.runs) == 2 and not window.workbench.queue.is_busy)
    assert contents(folder) == before and not window.workbench.plan_preview.saver.has_unsaved


def test_a_run_of_ones_own_that_was_not_scored_is_scored_when_it_is_shown(
    qtbot: QtBot, session: Session, execute: FakeExecute, folder: Path
) -> None:
    queue = RunQueue(session, execute=execute)
    session.open_project(load_project(folder), folder)
    (entry,) = queue.entries
    assert entry.is_unscored and not (entry.folder / METRICS).exists()
    said: list[str] = []
    queue.logged.connect(lambda text, _level: said.append(text))
    queue.show(entry)
    qtbot.waitUntil(lambda: entry.nominal is not None and not queue.activity)
    assert "is scored now" in said[0]
    session.open_project(load_project(folder), folder)
    (again,) = queue.entries
    assert again.nominal == entry.nominal and again.is_resumable and not again.is_unscored
    queue.shutdown()
