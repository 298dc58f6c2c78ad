"""Edited drops of an unsaved project are recovered after a crash, and saved with the project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.map.drop_edits import make, moved
from firegui.gui.planning.edited_plan_saver import BY_HAND, drafts_in
from firegui.gui.window import documents as documents_module
from firegui.gui.window.documents import UnsavedAnswer
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.autosave import recoverable_projects
from tests.gui.fake_runs import FakeExecute
from tests.gui.hands import to_front
from tests.gui.plan_editor_scene import DROPS, show_plan
from tests.gui.test_recovery import answer, autosave_of, click_recover, offer, opened

FIRST = DROPS.drops[0]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the folder for unsaved work."""
    return tmp_path / "recovery"


def nudge(qtbot: QtBot, window: MainWindow, x: float) -> None:
    """Move the first drop of a plan to column ``x``, and wait until the change is in a draft."""
    session, drafts = window.workbench.session, autosave_of(window).slot / BY_HAND
    before = len(drafts_in(drafts))
    show_plan(session)
    drop = session.plan_editor.drops.at(FIRST.key)
    assert drop is not None and make(session, moved(session, drop, replace(drop, x=x)))
    qtbot.waitUntil(lambda: len(drafts_in(drafts)) == before + 1, timeout=20_000)


@contextmanager
def killed(qtbot: QtBot, place: Path, project: Project) -> Iterator[MainWindow]:
    """Return a window with a project that was never saved, which is killed in the end."""
    with opened(place, execute=FakeExecute()) as window:
        window.workbench.session.open_project(project, None)
        qtbot.waitUntil(lambda: not window.workbench.queue.activity)
        yield window
        qtbot.waitUntil(lambda: (autosave_of(window).slot / "open.toml").is_file(), timeout=20_000)
        draft = window.workbench.plan_preview.saver._draft
        draft._file, draft._waiting = None, None
        draft._earlier.clear()


def places_of(window: MainWindow, files: list[Path]) -> list[float]:
    """Return the column of the first drop in each file."""
    project, found = window.workbench.session.project, []
    for file in files:
        schedule = read_schedule(file, project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)
        assert schedule.proposed.sum() == len(DROPS.drops)
        found.append(float(schedule.poses[schedule.proposed][0][1]))
    return sorted(found)


def test_they_are_shown_again_and_kept_as_runs_once_the_project_is_saved(
    qtbot: QtBot, place: Path, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with killed(qtbot, place, project) as window:
        nudge(qtbot, window, 31.5)
        nudge(qtbot, window, 33.0)
    execute = FakeExecute()
    with opened(place, execute=execute) as window:
        answer(click_recover)
        assert offer(window)
        session, saver = window.workbench.session, window.workbench.plan_preview.saver
        assert session.folder is None and window.isWindowModified() and saver.has_unsaved
        qtbot.waitUntil(lambda: session.result.plan_name == "drops changed by hand" and session.result.plan is not None)
        (spec,) = [spec for spec in execute.evaluations if spec.schedule is not None]
        assert spec.schedule is not None
        assert np.isclose(spec.schedule.poses[spec.schedule.proposed], 33.0).any()
        folder = tmp_path / "mine.firegui"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(folder), ""))
        to_front(qtbot, window)
        QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: len(execute.runs) == 2 and not window.workbench.queue.is_busy)
        assert places_of(window, list((folder / BY_HAND).glob("*.safetensors"))) == [31.5, 33.0]
        assert not saver.has_unsaved and drafts_in(autosave_of(window).slot / BY_HAND) == ()


@pytest.mark.slow
def test_a_window_that_is_shut_on_a_no_to_saving_leaves_none(
    qtbot: QtBot, place: Path, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def discard(_parent: object, name: str, _edits: object) -> UnsavedAnswer:
        asked.append(name)
        return UnsavedAnswer.DISCARD

    monkeypatch.setattr(documents_module, "ask_unsaved", discard)
    with opened(place, execute=FakeExecute()) as window:
        window.workbench.session.open_project(project, None)
        qtbot.waitUntil(lambda: not window.workbench.queue.activity)
        nudge(qtbot, window, 31.5)
        assert window.close()
        assert asked == ["Test Ridge"]
        assert recoverable_projects(place) == [] and list(place.rglob("*.safetensors")) == []


@pytest.mark.slow
def test_what_is_taken_back_leaves_no_draft(qtbot: QtBot, place: Path, project: Project) -> None:
    with opened(place, execute=FakeExecute()) as window:
        window.workbench.session.open_project(project, None)
        qtbot.waitUntil(lambda: not window.workbench.queue.activity)
        nudge(qtbot, window, 31.5)
        QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert drafts_in(autosave_of(window).slot / BY_HAND) == ()
        assert not window.workbench.plan_preview.saver.has_unsaved
