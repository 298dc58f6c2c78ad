"""Stories S1, S11 and S13 at the file menu: demo, import, save, recent projects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QLineEdit, QListView, QMessageBox, QTreeView
from pytestqt.qtbot import QtBot

from firegui.domain.operations import Operations
from firegui.errors import InputError
from firegui.gui.importing import event_dialogs as import_event_module
from firegui.gui.importing.event_dialogs import EventFolderSource, ImportEventDialog, read_form
from firegui.gui.window import documents as documents_module
from firegui.gui.window.documents import ChangedAnswer, ask_replace
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.map_notices import DemoNotice
from firegui.gui.window.project_dialog import ProjectDialog, project_of
from firegui.io.paths import PROJECT_FILE
from firegui.io.project.store import load_project, save_project
from firegui.io.project.weights_file import write_weights
from firegui.runs.lock import editing
from tests.gui.hands import LEFT
from tests.unit.domain.samples import weights

SHAPE, DAYS = (12, 14), 3


def write_event_folder(folder: Path) -> Path:
    """Return a small folder in the PyTorchFire layout, which is no published example."""
    folder.mkdir()
    ignition = np.zeros(SHAPE, bool)
    ignition[5:7, 6:8] = True
    arrays = {
        "p_veg": np.full(SHAPE, 0.1),
        "p_den": np.full(SHAPE, 0.0),
        "wind_velocity": np.full((DAYS, *SHAPE), 3.0),
        "wind_towards_direction": np.full((DAYS, *SHAPE), 45.0),
        "initial_ignition": ignition,
    }
    for name, array in arrays.items():
        np.savez(folder / f"{name}.npz", data=array)
    return folder


def write_maps(path: Path, days: int = DAYS) -> Path:
    """Write a maps file of a fire model."""
    rng = np.random.default_rng(1)
    ignition = np.zeros(SHAPE, bool)
    ignition[5, 6] = True
    np.savez(
        path,
        phi=rng.random((days, 8, *SHAPE), np.float32),
        gamma=rng.random((days, *SHAPE), np.float32),
        burnable=np.ones(SHAPE, bool),
        wind_speed=np.ones((days, *SHAPE), np.float32),
        wind_dir=np.zeros((days, *SHAPE), np.float32),
        ignition=ignition,
        T_burn=10.0,
        S_day=50,
        dx=30.0,
        c_req=2.7,
    )
    return path


@pytest.fixture
def refusals(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[InputError]:
    """Return what the window would show in its dialog."""
    found: list[InputError] = []
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda _parent, error: found.append(error))
    return found


def test_the_demo_opens_marked_as_synthetic_and_needs_no_saving_yet(window: MainWindow) -> None:
    assert window.workbench.documents.new_demo()
    assert window.workbench.session.project.scenario.synthetic
    assert window.workbench.session.folder is None
    assert not window.workbench.session.is_dirty
    assert window.workbench.session.project.problems() == []


@pytest.fixture
def proposals(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """Return the proposed project files; each is accepted."""
    asked: list[Path] = []

    def choose(_parent: object, _title: str, proposal: str, *_rest: object, **_more: object) -> tuple[str, str]:
        asked.append(Path(proposal))
        return str(tmp_path / Path(proposal).stem), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    return asked


def test_the_first_save_asks_where_and_later_ones_do_not(
    window: MainWindow, proposals: list[Path], tmp_path: Path
) -> None:
    assert window.workbench.documents.save()
    window.workbench.session.set_regions("clear", ())
    assert window.workbench.documents.save()
    assert [path.name for path in proposals] == ["test-ridge.firegui"]
    assert load_project(tmp_path / "test-ridge.firegui").regions == ()
    assert window.workbench.session.folder == tmp_path / "test-ridge.firegui"


def test_save_as_over_something_else_is_refused_and_the_mark_stays(
    qtbot: QtBot, window: MainWindow, refusals: list[InputError], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.firegui"
    other.mkdir()
    (other / "letter.txt").write_text("do not touch")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(other), ""))
    window.workbench.session.set_regions("clear", ())
    assert not window.workbench.documents.save_as()
    qtbot.waitUntil(lambda: len(refusals) == 1)
    assert window.workbench.session.is_dirty
    assert [entry.name for entry in other.iterdir()] == ["letter.txt"]


def second_import(window: MainWindow, monkeypatch: pytest.MonkeyPatch, folder: Path, *, yes: bool) -> list[Path]:
    """Save the open project in ``folder``, then its event again without regions; return the questions."""
    asked: list[Path] = []

    def ask(_parent: object, place: Path) -> bool:
        asked.append(place)
        return yes

    monkeypatch.setattr("firegui.gui.window.documents.ask_replace", ask)
    save_project(window.workbench.session.project, folder)
    window.workbench.session.open_project(replace(window.workbench.session.project, regions=()), None)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(folder), ""))
    return asked


@pytest.mark.parametrize("yes", [False, True])
def test_another_project_of_the_same_event_is_kept_unless_the_person_gives_it_up(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, yes: bool
) -> None:
    folder = tmp_path / "ridge.firegui"
    regions = window.workbench.session.project.regions
    assert regions != ()
    asked = second_import(window, monkeypatch, folder, yes=yes)
    assert window.workbench.documents.save() is yes
    assert asked == [folder]
    assert window.workbench.session.folder == (folder if yes else None)
    assert load_project(folder).regions == (() if yes else regions)


def test_saving_as_what_it_is_called_already_asks_nothing(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "ridge.firegui"
    asked = second_import(window, monkeypatch, folder, yes=False)
    window.workbench.session.open_project(load_project(folder), folder)
    window.workbench.session.set_regions("clear", ())
    assert window.workbench.documents.save_as()
    assert asked == []
    assert load_project(folder).regions == ()


def test_the_proposed_name_is_one_that_is_free(window: MainWindow, proposals: list[Path], tmp_path: Path) -> None:
    window.workbench.session.mark_saved(tmp_path / "first.firegui")
    for _ in range(3):
        assert window.workbench.documents.save_as()
    assert proposals == [tmp_path / f"test-ridge{number}.firegui" for number in ("", "-2", "-3")]


@pytest.mark.parametrize(("button", "answer"), [("Replace", True), ("Keep", False)])
def test_the_question_about_another_project_says_what_is_lost(
    monkeypatch: pytest.MonkeyPatch, qapp: object, tmp_path: Path, button: str, answer: bool
) -> None:
    texts: list[str] = []

    def press(box: QMessageBox) -> int:
        texts.append(f"{box.text()} {box.informativeText()}")
        next(one for one in box.buttons() if one.text() == button).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    assert ask_replace(None, tmp_path / "bear.firegui") is answer
    assert all(word in texts[0] for word in ("bear.firegui", "regions", "fleet", "plan"))


def test_backing_out_of_the_file_question_saves_nothing(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: ("", ""))
    assert not window.workbench.documents.save()
    assert window.workbench.session.folder is None


def test_an_imported_folder_becomes_a_project_with_the_papers_fleet(window: MainWindow, tmp_path: Path) -> None:
    folder = write_event_folder(tmp_path / "hill")
    assert window.workbench.documents.import_event(EventFolderSource(folder, name="Hill"))
    project = window.workbench.session.project
    assert project.scenario.name == "Hill"
    assert project.fleet.n_aircraft == 21
    assert project.planned_fleet.types[0].grounded_days == (2,)  # The fourth day is outside a plan of three.
    assert project.plan.days == DAYS
    assert project.fire_model.kind == "network"
    assert window.workbench.session.folder is None


@pytest.mark.parametrize("way", ["import_maps", "open_dropped"])
def test_imported_or_dropped_maps_become_a_project_with_their_own_fire_model(
    window: MainWindow, tmp_path: Path, way: str
) -> None:
    assert getattr(window.workbench.documents, way)(write_maps(tmp_path / "model.npz"))
    project = window.workbench.session.project
    assert project.fire_model.kind == "maps"
    assert project.maps is not None and project.maps.days == DAYS
    assert project.problems() == []


def test_a_bad_folder_is_refused_with_every_problem_and_the_open_project_stays(
    qtbot: QtBot, window: MainWindow, refusals: list[InputError], tmp_path: Path
) -> None:
    folder = write_event_folder(tmp_path / "hill")
    (folder / "p_den.npz").unlink()
    np.savez(folder / "wind_velocity.npz", data=np.full((DAYS, *SHAPE), np.nan))
    before = window.workbench.session.project
    assert not window.workbench.documents.import_event(EventFolderSource(folder))
    qtbot.waitUntil(lambda: len(refusals) == 1)
    assert {"p_den.npz", "wind_velocity.npz"} <= {Path(problem.where).name for problem in refusals[0].problems}
    assert window.workbench.session.project is before


def test_recent_projects_are_offered_newest_first_while_they_are_there(window: MainWindow, tmp_path: Path) -> None:
    for name in ("one", "two", "one"):
        window.workbench.session.open_project(window.workbench.session.project, None)
        window.workbench.documents._save_to(tmp_path / f"{name}.firegui", replacing=True)
    assert [folder.name for folder in window.workbench.documents.recent] == ["one.firegui", "two.firegui"]
    (tmp_path / "one.firegui" / "project.toml").unlink()
    assert [folder.name for folder in window.workbench.documents.recent] == ["two.firegui"]


# -- the import form ---------------------------------------------------------------------------------------------------
EMPTY = dict.fromkeys(("folder", "perimeters", "name", "crs", "transform", "start", "utc_offset_h"), "")


def test_what_is_left_empty_is_left_to_the_importer() -> None:
    assert read_form(EMPTY | {"folder": "/data/bear"}) == EventFolderSource(Path("/data/bear"))


def test_every_entry_that_cannot_be_read_is_listed() -> None:
    bad = {"transform": "30, 0, 1", "start": "last summer", "utc_offset_h": "west"}
    with pytest.raises(InputError) as caught:
        read_form(EMPTY | bad)
    assert [problem.where for problem in caught.value.problems] == ["folder", "transform", "start", "UTC offset"]


def test_the_form_stays_open_until_it_can_be_read(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[InputError] = []
    monkeypatch.setattr(import_event_module, "show_problems", lambda _parent, error: shown.append(error))
    dialog = ImportEventDialog(None, Path("/data/bear"))
    qtbot.addWidget(dialog)
    transform = dialog.findChild(QLineEdit, "transform")
    offset = dialog.findChild(QLineEdit, "utc_offset_h")
    assert isinstance(transform, QLineEdit) and isinstance(offset, QLineEdit)
    transform.setText("30 0 1")
    dialog.accept()
    assert len(shown) == 1
    assert dialog.source is None
    transform.setText("30, 0, 500000, 0, -30, 4000000")
    offset.setText("−7")
    dialog.accept()
    expected = EventFolderSource(
        Path("/data/bear"), transform=(30.0, 0.0, 500000.0, 0.0, -30.0, 4000000.0), utc_offset_h=-7.0
    )
    assert dialog.source == expected


# -- weights -----------------------------------------------------------------------------------------------------------
def test_weights_from_a_file_become_the_fire_model_and_undo_takes_them_back(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "mine.safetensors"
    write_weights(file, weights())
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(file), ""))
    before = window.workbench.session.project
    window.workbench.actions["load_weights"].trigger()
    project = window.workbench.session.project
    assert project.fire_model.kind == "network"
    assert project.weights is not None
    assert project.weights.training == weights().training
    window.workbench.session.undo_stack.undo()
    assert window.workbench.session.project is before


def test_a_file_without_weights_is_refused_and_nothing_changes(
    qtbot: QtBot, window: MainWindow, refusals: list[InputError], tmp_path: Path
) -> None:
    file = tmp_path / "mine.safetensors"
    file.write_bytes(b"no weights")
    before = window.workbench.session.project
    assert not window.workbench.documents.load_weights(file)
    qtbot.waitUntil(lambda: bool(refusals))
    assert "mine.safetensors" in str(refusals[0])
    assert window.workbench.session.project is before


def test_a_double_click_on_a_project_chooses_it_and_its_inner_folders_lead_to_it(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    folder, plain = tmp_path / "ridge.firegui", tmp_path / "plain"
    plain.mkdir()
    save_project(window.workbench.session.project, folder)
    dialog = ProjectDialog(str(tmp_path), window)
    qtbot.addWidget(dialog)
    dialog.open()
    view = dialog.findChild(QTreeView, "treeView") or dialog.findChild(QListView, "listView")
    assert isinstance(view, QAbstractItemView)
    dialog.directoryEntered.emit(str(plain))
    assert dialog.isVisible()
    dialog.directoryEntered.emit(str(folder))
    assert not dialog.isVisible() and dialog.chosen == folder
    assert project_of(folder / "layers") == folder == project_of(folder)
    assert project_of(plain) == plain


def test_the_path_of_a_file_can_be_opened_and_is_refused_unless_it_lies_in_a_project(
    window: MainWindow, qtbot: QtBot, refusals: list[InputError], tmp_path: Path
) -> None:
    folder, notes = tmp_path / "ridge.firegui", tmp_path / "notes.txt"
    save_project(window.workbench.session.project, folder)
    notes.write_text("no project")

    def typed(path: Path) -> Path:
        dialog = ProjectDialog(str(tmp_path), window)
        qtbot.addWidget(dialog)
        dialog.open()
        line = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(line, QLineEdit)
        line.setText(str(path))
        qtbot.wait(50)
        QTest.mouseClick(dialog.open_button, LEFT)
        assert not dialog.isVisible()
        return project_of(dialog.chosen)

    assert typed(folder / PROJECT_FILE) == folder
    assert not window.workbench.documents.open(typed(notes))
    qtbot.waitUntil(lambda: bool(refusals))
    assert "notes.txt: is a file, not the folder of a project" in str(refusals[0])


def test_open_begins_beside_the_last_project_even_beside_a_demo(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[str] = []
    monkeypatch.setattr(documents_module, "ask_project", lambda _parent, folder: begun.append(folder))
    bench = window.workbench
    monkeypatch.setattr(bench.documents._preferences, "demos", tmp_path)
    folder = tmp_path / "demo.firegui"
    save_project(bench.session.project, folder)
    assert bench.documents.open(folder)
    bench.actions["open"].trigger()
    assert begun == [str(tmp_path)]


def test_a_project_without_a_folder_says_so_in_the_title_and_why_it_is_saved_first(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    titles: list[str] = []

    def choose(_parent: object, title: str, *_args: object, **_named: object) -> tuple[str, str]:
        titles.append(title)
        return str(tmp_path / "first.firegui"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    assert "not saved yet" in window.windowTitle()
    window.workbench.plan.start()
    assert "first" in titles[0] and "plans" in titles[0]
    assert "not saved yet" not in window.windowTitle()


def test_a_demo_is_planned_without_a_question_and_says_where_it_is_kept(
    window: MainWindow, proposals: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bench, told = window.workbench, list[str]()
    monkeypatch.setattr(window._preferences, "demos", tmp_path / "own" / "demos")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert bench.documents.new_demo()
    bench.session.message.connect(told.append)
    bench.plan.start()
    folder = tmp_path / "own" / "demos" / "demo-fire-synthetic.firegui"
    assert proposals == [] and bench.session.folder == folder and load_project(folder).scenario.synthetic
    assert not any("demo" in text.replace(str(folder), "").lower() for text in told), "told once, over the map"
    notice = window.findChild(DemoNotice)
    assert isinstance(notice, DemoNotice) and notice.isVisible()
    assert notice.label.text() == f"The demo project is saved in {Path('~') / folder.relative_to(tmp_path)}"
    assert all(button.width() >= button.sizeHint().width() for button in notice.buttons)
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    QTest.mouseClick(notice.open_button, Qt.MouseButton.LeftButton)
    assert [Path(url.toLocalFile()) for url in opened] == [folder]
    assert bench.queue.entries[-1].folder.is_relative_to(folder)
    # A copy of the user's own is not proposed there.
    QTest.mouseClick(notice.save_button, Qt.MouseButton.LeftButton)
    assert proposals[0].parent == Path.home() and not notice.isVisible()


def test_an_archive_of_other_arrays_is_refused_in_one_line(
    window: MainWindow, tmp_path: Path, refusals: list[InputError]
) -> None:
    window.workbench.session.refused.connect(refusals.append)
    np.savez(tmp_path / "other.npz", temperature=np.ones(3))
    assert not window.workbench.documents.import_maps(tmp_path / "other.npz")
    (problem,) = refusals[0].problems
    assert "not a maps file" in problem.what and "temperature" in problem.what and problem.remedy


def test_a_project_whose_folder_was_moved_asks_where_to_save_and_leaves_no_half_folder(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "ridge.firegui"
    save_project(window.workbench.session.project, folder)
    assert window.workbench.documents.open(folder)
    titles: list[str] = []

    def give_up(_parent: object, title: str, *_args: object, **_named: object) -> tuple[str, str]:
        titles.append(title)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", give_up)
    folder.rename(tmp_path / "elsewhere")
    window.workbench.plan.start()
    assert titles and folder.name in titles[0]
    assert not folder.exists() and not window.workbench.queue.entries


@pytest.fixture
def on_disk(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the open project, which another program then changed: it has no region any more."""
    folder = tmp_path / "shared.firegui"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(folder), ""))
    assert window.workbench.documents.save_as()
    save_project(replace(load_project(folder), regions=()), folder, replacing=True)
    return folder


def answering(monkeypatch: pytest.MonkeyPatch, answer: ChangedAnswer) -> list[Path]:
    asked: list[Path] = []

    def ask(_parent: object, folder: Path) -> ChangedAnswer:
        asked.append(folder)
        return answer

    monkeypatch.setattr("firegui.gui.window.documents.ask_changed", ask)
    return asked


def test_changes_of_another_program_are_taken_in_as_one_step(
    window: MainWindow, on_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, session = answering(monkeypatch, ChangedAnswer.TAKE), window.workbench.session
    scenario, regions = session.project.scenario, session.project.regions
    session.set_planned_fleet("edit", session.project.planned_fleet.replace_type(0, session.project.fleet.types[1]))
    window.workbench.documents.check_disk()
    assert asked == [on_disk]
    assert session.project.regions == () and session.project.scenario is scenario
    assert not session.is_dirty
    window.workbench.documents.check_disk()
    assert len(asked) == 1
    session.undo_stack.undo()
    assert session.project.regions == regions and session.is_dirty
    assert window.workbench.documents.save()
    assert load_project(on_disk).regions == regions


def test_a_save_never_overwrites_changes_of_another_program_unasked(
    window: MainWindow, on_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, session = answering(monkeypatch, ChangedAnswer.LATER), window.workbench.session
    session.set_operations("cap", Operations(hard_cap=9))
    assert not window.workbench.documents.save()
    assert load_project(on_disk).regions == () and session.is_dirty
    window.workbench.documents.check_disk()
    assert asked == [on_disk]  # once it was put off, only a save asks again
    answering(monkeypatch, ChangedAnswer.KEEP)
    assert window.workbench.documents.save()
    saved = load_project(on_disk)
    assert saved.regions == session.project.regions != () and saved.operations.hard_cap == 9
    assert not session.is_dirty


def test_keeping_the_version_in_the_window_leaves_it_to_be_saved(
    window: MainWindow, on_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, ChangedAnswer.KEEP)
    window.workbench.documents.check_disk()
    assert window.workbench.session.is_dirty
    assert window.workbench.documents.save()
    assert load_project(on_disk).regions != ()
    assert asked == [on_disk]


def test_a_project_that_is_being_changed_is_not_saved_over(
    window: MainWindow, on_disk: Path, refusals: list[InputError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.runs.lock._EDIT_WAIT_S", 0.1)
    with editing(on_disk):
        assert not window.workbench.documents.save()
    QApplication.processEvents()
    assert "is being changed by process" in str(refusals)
