"""Behaviour shared by the panels of all analyses: buttons, messages, saved results and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QTableView, QTabWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.errors import Problem
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.analyses.registry import Analysis, Controller
from firegui.gui.analyses.study.study_panel import StudyPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.runs.events import RunEvent, SkillReady
from firegui.runs.spec import RunSpec
from tests.gui.analyses.scene import CASES, FakeRun, every, every_export, every_store
from tests.gui.hands import show_widget
from tests.gui.layout_shares import cut_titles
from tests.gui.readouts import wait_for_same
from tests.gui.shell_scene import settle

PATIENCE = 20_000
BESIDE_THE_MAP = (590, 420)
"""Room of a result beside the map in a window of 1280×720."""
Panel = AnalysisPanel[Any, Any]
Scene = tuple[Panel, Controller, FakeRun]
Make = Callable[..., Scene]


@pytest.fixture
def make(qtbot: QtBot, session: Session, queue: RunQueue, analysis: Analysis) -> Iterator[Make]:
    """Return a function that shows a panel with fake runs; wait for its threads after the test."""
    made: list[Controller] = []

    def events(spec: RunSpec) -> Sequence[RunEvent]:
        # The contract's scores have no report to draw.
        return [event for event in CASES[analysis.name].events(spec) if not isinstance(event, SkillReady)]

    def scene() -> Scene:
        run = FakeRun(events, endless=True)
        controller = analysis.controller(session, execute=run)
        made.append(controller)
        panel = analysis.make_panel(session, queue, controller)
        assert isinstance(panel, AnalysisPanel)
        if isinstance(panel, StudyPanel):
            panel.form.set_study(CASES[analysis.name].request.study)
        show_widget(qtbot, panel, 1100, 500)
        return panel, controller, run

    yield scene
    for each in made:
        each.shutdown()
        each.deleteLater()


@pytest.fixture
def opened(make: Make, analysis: Analysis, folder: Path, project: Project) -> Scene:
    """Return a panel that shows the unfinished result in the project's folder."""
    save = CASES[analysis.name].save
    assert save is not None
    panel, controller, run = make()
    save(controller, project, folder)
    controller.saved_changed.emit()
    choose(panel)
    return panel, controller, run


def choose(panel: Panel, entry: int = 1) -> None:
    """Select a saved result, as a user does."""
    panel.saved_list.setCurrentIndex(entry)
    panel.saved_list.activated.emit(entry)


# -- tables ------------------------------------------------------------------------------------------------------------
@every_store
def test_beside_the_map_of_a_small_window_every_title_of_every_table_can_be_read(qtbot: QtBot, opened: Scene) -> None:
    result = opened[0].result
    result.setParent(None)
    show_widget(qtbot, result, *BESIDE_THE_MAP)
    pages, tables = result.findChild(QTabWidget), set()
    for page in range(pages.count() if pages is not None else 1):
        if pages is not None:
            pages.setCurrentIndex(page)
        settle()
        tables |= {table.accessibleName() for table in result.findChildren(QAbstractItemView) if table.isVisible()}
        assert list(cut_titles(result)) == []
    assert tables


# -- before the first result -------------------------------------------------------------------------------------------
@every
def test_before_the_first_result_a_text_says_what_it_is_for_and_starts_it(
    qtbot: QtBot, make: Make, analysis: Analysis, folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, controller, run = make()
    introduction = panel.introduction
    assert introduction.isVisible() and len(introduction.text.text()) > 100
    lasting = panel.lasting_page
    tables = [each for each in panel.result.findChildren(QTableView) if each.isVisible()]
    assert all(lasting is not None and lasting.isAncestorOf(table) for table in tables)
    monkeypatch.setattr(panel, "_find_problems", lambda: [Problem("Here", "is wrong", "mend it")])
    session.project_edited.emit()
    assert introduction.trouble.text() == "⚠ Here: is wrong — mend it" and not introduction.start.isEnabled()
    monkeypatch.setattr(panel, "_find_problems", lambda: [])
    session.project_edited.emit()
    with qtbot.waitSignal(panel.start_requested):
        introduction.start.click()
    controller.start(CASES[analysis.name].request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    assert not introduction.isVisible()


@every
def test_below_an_empty_chart_it_says_that_the_result_is_being_computed_while_it_is(
    qtbot: QtBot, make: Make, analysis: Analysis, folder: Path
) -> None:
    panel, controller, run = make()
    if not panel.texts.nothing:
        pytest.skip("says it elsewhere")
    assert panel.head.text() == panel.texts.nothing
    controller.start(CASES[analysis.name].request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    controller._show(None)
    assert panel.head.text() == f"The {panel.texts.thing} is being computed…"


@every_store
def test_a_saved_result_takes_the_place_of_the_introduction(opened: Scene) -> None:
    panel = opened[0]
    assert not panel.introduction.isVisible()
    assert panel.lasting_page is None or panel.pages.currentWidget() is not panel.lasting_page


# -- buttons and messages ----------------------------------------------------------------------------------------------
@every
def test_the_buttons_follow_a_run_from_start_to_end(qtbot: QtBot, make: Make, analysis: Analysis, folder: Path) -> None:
    panel, controller, run = make()
    ready = not panel.problems
    assert (panel.button("start").isEnabled(), panel.button("stop").isEnabled(), panel.activity) == (ready, False, "")
    controller.start(CASES[analysis.name].request)
    qtbot.waitUntil(run.working.is_set, timeout=PATIENCE)
    assert not panel.button("start").isEnabled() and panel.button("stop").isEnabled()
    assert panel._form is None or not panel._form.isEnabled()
    qtbot.waitUntil(lambda: panel.activity == controller.activity != "")
    assert panel._work.isVisible()
    panel.start()
    panel.button("stop").click()
    assert panel.activity == "Stopping…" and not panel.button("stop").isEnabled()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE)
    assert len(run.specs) == 1
    assert panel.button("start").isEnabled() is ready and not panel._work.isVisible()


@every
def test_what_keeps_a_run_from_starting_is_a_warning(
    make: Make, folder: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, _controller, run = make()
    monkeypatch.setattr(panel, "_find_problems", lambda: [Problem("Here", "is wrong", "mend it")])
    session.project_edited.emit()
    assert "⚠ Here: is wrong — mend it" in panel.notes.text() and panel.notes.property("role") == "warning"
    assert not panel.button("start").isEnabled()
    panel.start()
    assert not run.specs
    monkeypatch.setattr(panel, "_find_problems", lambda: [])
    session.project_edited.emit()
    assert panel.button("start").isEnabled()
    assert "⚠" not in panel.notes.text()


@every
def test_the_window_is_asked_to_start(qtbot: QtBot, make: Make, folder: Path) -> None:
    panel, _controller, _run = make()
    panel.button("start").setEnabled(True)
    with qtbot.waitSignal(panel.start_requested):
        panel.button("start").click()


@every
def test_every_button_says_what_it_does(make: Make, folder: Path) -> None:
    panel, _controller, _run = make()
    for name, button in panel._buttons.items():
        assert button.objectName() == f"{name}Button"
        assert button.toolTip() and button.accessibleName()
    with pytest.raises(KeyError):
        panel.button("no such button")


@every
def test_a_panel_that_is_built_after_a_run_shows_the_same_as_one_built_before(
    qtbot: QtBot, make: Make, analysis: Analysis, session: Session, queue: RunQueue, folder: Path
) -> None:
    panel, controller, run = make()
    run.endless = False
    controller.start(CASES[analysis.name].request)
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE)
    late = analysis.make_panel(session, queue, controller)
    if isinstance(late, StudyPanel):
        late.form.set_study(CASES[analysis.name].request.study)
    show_widget(qtbot, late, 1100, 500)
    for early_part, late_part in ((panel.settings, late.settings), (panel.result, late.result)):
        # Charts are drawn a little later.
        wait_for_same(qtbot, early_part, late_part)


# -- earlier results ---------------------------------------------------------------------------------------------------
@every_store
def test_the_list_is_off_without_earlier_results(make: Make, folder: Path) -> None:
    panel, _controller, _run = make()
    assert not panel.saved_list.isEnabled()
    assert panel.saved_list.currentText() == panel.texts.no_saved_results


@every_store
def test_an_earlier_result_is_listed_opened_and_resumed(qtbot: QtBot, opened: Scene) -> None:
    panel, controller, run = opened
    (saved,) = controller.saved()
    assert panel.saved_list.itemText(0) == f"{panel.texts.saved_results}…"
    assert panel.saved_list.currentText() == saved.title(controller.today)
    assert controller.shown is not None and controller.shown.folder == saved.folder
    assert panel.button("resume").isEnabled()
    panel.button("resume").click()
    qtbot.waitUntil(lambda: len(run.specs) == 1, timeout=PATIENCE)
    assert run.specs[0].resume and run.specs[0].out == saved.folder
    assert not panel.button("resume").isEnabled()


@every_store
def test_an_earlier_result_is_not_resumed_in_a_read_only_project(
    opened: Scene, session: Session, project: Project, folder: Path
) -> None:
    panel, controller, _run = opened
    session.open_project(project, None, folder)
    choose(panel)
    assert controller.shown is not None and panel.saved_list.currentIndex() == 1
    assert not panel.button("resume").isEnabled()
    session.open_project(project, folder)
    choose(panel)
    assert panel.button("resume").isEnabled()


@every_store
def test_another_project_clears_the_panel(opened: Scene, session: Session, project: Project) -> None:
    panel, controller, _run = opened
    text = panel.head.text()
    session.open_project(project, None)
    assert controller.shown is None and panel.saved_list.count() == 1
    assert panel.head.text() != text and panel.head.text().startswith("No ")
    assert not any(panel.button(name).isEnabled() for name in ("resume", "copy", "export"))


# -- tables and files --------------------------------------------------------------------------------------------------
@every_store
def test_the_table_in_front_is_copied(opened: Scene, session: Session) -> None:
    panel, _controller, _run = opened
    said: list[str] = []
    session.message.connect(said.append)
    panel.copy()
    head = QGuiApplication.clipboard().text().splitlines()[0]
    assert len(head.split("\t")) > 2
    assert said == ["The table is on the clipboard."]


@every_export
def test_the_export_goes_to_the_folder_that_is_chosen(
    opened: Scene, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel, controller, _run = opened
    out: list[Path] = []
    monkeypatch.setattr(type(controller), "export", lambda _self, folder: out.append(folder))
    for chosen in ("", str(tmp_path / "out")):
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args, chosen=chosen: chosen)
        panel.button("export").click()
    assert out == [tmp_path / "out"]


@every
def test_a_panel_is_made_before_a_project_is_open(qtbot: QtBot, analysis: Analysis) -> None:
    # The panel of the last session is shown while the window is still loading.
    empty = Session()
    controller = analysis.controller(empty)
    panel = analysis.make_panel(empty, RunQueue(empty), controller)
    assert isinstance(panel, AnalysisPanel)
    show_widget(qtbot, panel, 1100, 500)
    panel._refresh()
    assert panel.cost.text() == ""
    controller.shutdown()
