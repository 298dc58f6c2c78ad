"""Fixtures of the user stories: the small event in a folder, the real engine, and a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window import documents as documents_module
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import save_project
from tests.gui.stories.person import Person

Pick = Callable[[str, Path], None]


@pytest.fixture
def folder(project: Project, tmp_path: Path) -> Path:
    """Return the folder of the small event."""
    place = tmp_path / "ridge.firegui"
    save_project(project, place)
    return place


@pytest.fixture
def bare(qtbot: QtBot, qapp: object, preferences_store: QSettings, tmp_path: Path) -> Iterator[Person]:
    """Return a user at a window without a project."""
    session = Session()
    window = MainWindow(session, RunQueue(session), Preferences(preferences_store, tmp_path / "recent"))
    window.resize(1440, 900)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield Person(qtbot, window)
    session.undo_stack.setClean()
    window.stop_work()
    window.close()
    window.deleteLater()


@pytest.fixture
def person(bare: Person, folder: Path) -> Person:
    """Return a user with the small event open and its fire without drops on the map."""
    assert bare.window.workbench.documents.open(folder)
    bare.rests()
    bare.window.workbench.map.flush()
    return bare


@pytest.fixture
def pick(monkeypatch: pytest.MonkeyPatch) -> Pick:
    """Answers the next file dialog of the system, which no test can operate."""

    def answer(method: str, path: Path) -> None:
        if method == "ask_project":
            monkeypatch.setattr(documents_module, method, lambda *_args: path)
            return
        given = str(path) if method == "getExistingDirectory" else (str(path), "")
        monkeypatch.setattr(QFileDialog, method, lambda *_args, **_named: given)

    return answer
