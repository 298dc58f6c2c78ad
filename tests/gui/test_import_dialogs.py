"""Story S11: import of an event of an HDF5 file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.fire.first_project import first_project
from firegui.gui.importing import event_dialogs as dialogs_module
from firegui.gui.importing.event_dialogs import ImportEventDialog, ImportEventsDialog
from firegui.gui.widgets.fields import PathField
from firegui.gui.window.main_window import MainWindow
from firegui.io.importers.events import import_events
from tests.gui.hands import LEFT, show_widget
from tests.gui.test_dialogs import escape, press, when_open
from tests.unit.io.landscape_files import event_arrays, full, write_events, write_layer
from tests.unit.io.vectors.test_perimeters import DATES, TWO, write


def line(dialog: QWidget, name: str) -> QLineEdit:
    found = dialog.findChild(QLineEdit, name)
    assert isinstance(found, QLineEdit), f"no line {name}"
    return found


def type_in(dialog: QWidget, name: str, text: object) -> None:
    """Click into a field and replace its text."""
    field = line(dialog, name)
    QTest.mouseClick(field, LEFT)
    field.selectAll()
    QTest.keyClicks(field, str(text))


def browse(dialog: QWidget, name: str) -> None:
    button = dialog.findChild(QPushButton, f"{name}Browse")
    assert isinstance(button, QPushButton)
    QTest.mouseClick(button, LEFT)


def nothing_to_import(_source: object) -> Project:
    raise AssertionError("the form let something through")


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[InputError]:
    """Return what the dialogs would list."""
    found: list[InputError] = []
    monkeypatch.setattr(dialogs_module, "show_problems", lambda _parent, error: found.append(error))
    return found


@pytest.fixture
def slope(tmp_path: Path) -> Path:
    return write_layer(tmp_path / "slope.tif", full(12, np.int16))


@pytest.fixture
def perimeters(tmp_path: Path) -> Path:
    return write(tmp_path / "p.gpkg", TWO, DATES)


@pytest.fixture
def six_fires(tmp_path: Path) -> Path:
    return write_events(tmp_path / "six.hdf5", {"Bear_2020": event_arrays(3), "Pier_2017": event_arrays(2)})


@pytest.mark.parametrize("name", ["events", "folder"])
def test_enter_in_a_line_imports_and_does_not_cancel(qtbot: QtBot, shown: list[InputError], name: str) -> None:
    made: dict[str, Callable[[], QWidget]] = {
        "events": lambda: ImportEventsDialog(nothing_to_import),
        "folder": ImportEventDialog,
    }
    dialog = made[name]()
    show_widget(qtbot, dialog, 640, 480)
    QTest.keyClick(line(dialog, "name"), Qt.Key.Key_Return)
    assert len(shown) == 1
    assert dialog.isVisible()


# -- events ------------------------------------------------------------------------------------------------------------
def take_file(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (str(path), ""))


def test_an_event_is_chosen_from_those_in_the_file(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, six_fires: Path
) -> None:
    take_file(monkeypatch, six_fires)
    offered: list[str] = []

    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, ImportEventsDialog)
        browse(dialog, "file")
        offered.extend(dialog.events.itemText(index) for index in range(dialog.events.count()))
        dialog.events.setFocus()
        QTest.keyClick(dialog.events, Qt.Key.Key_Down)
        press("Import")(dialog)

    when_open(answer)
    window.workbench.actions["import_events"].trigger()
    assert offered == [
        "Bear_2020 · 8 × 6 cells (width × height) · 19 Aug – 21 Aug 2020",
        "Pier_2017 · 8 × 6 cells (width × height) · 19 Aug – 20 Aug 2020",
    ]
    assert window.workbench.session.project.scenario.name == "Pier 2017"
    assert window.workbench.session.project.scenario.days == 2


def test_a_typed_path_is_looked_into_when_the_line_is_left(qtbot: QtBot, six_fires: Path) -> None:
    dialog = ImportEventsDialog(nothing_to_import)
    show_widget(qtbot, dialog, 640, 480)
    assert not dialog.events.isEnabled()
    type_in(dialog, "file", six_fires)
    QTest.keyClick(line(dialog, "file"), Qt.Key.Key_Tab)
    assert dialog.events.isEnabled()
    assert dialog.events.currentData() == "Bear_2020"


def test_a_file_that_is_none_is_said_beside_the_line_and_cannot_be_imported(
    qtbot: QtBot, shown: list[InputError], tmp_path: Path
) -> None:
    (tmp_path / "a.hdf5").write_text("text")
    dialog = ImportEventsDialog(lambda source: first_project(import_events(source)))
    show_widget(qtbot, dialog, 640, 480)
    type_in(dialog, "file", tmp_path / "a.hdf5")
    QTest.keyClick(line(dialog, "file"), Qt.Key.Key_Tab)
    assert dialog.said.startswith("a.hdf5: is not an HDF5 file")
    assert not dialog.events.isEnabled()
    press("Import")(dialog)
    assert ["is not an HDF5 file" in str(error) for error in shown] == [True]
    assert dialog.isVisible() and dialog.project is None


def test_a_path_that_does_not_exist_is_told_apart_from_its_problem(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    dialog = ImportEventsDialog(nothing_to_import)
    show_widget(qtbot, dialog, 640, 480)
    type_in(dialog, "file", "5")
    QTest.keyClick(line(dialog, "file"), Qt.Key.Key_Tab)
    assert dialog.said == "5: the file does not exist — check the path"


def test_entries_of_the_event_form_that_cannot_be_read_are_listed(
    qtbot: QtBot, shown: list[InputError], six_fires: Path
) -> None:
    dialog = ImportEventsDialog(nothing_to_import, None, six_fires)
    show_widget(qtbot, dialog, 640, 480)
    type_in(dialog, "transform", "30 0 1")
    type_in(dialog, "utc_offset_h", "west")
    press("Import")(dialog)
    assert [problem.where for problem in shown[0].problems] == ["transform", "UTC offset"]


@pytest.mark.parametrize("take_answer", [press("Import"), escape])
def test_an_event_file_dropped_on_the_window_is_looked_into(
    window: MainWindow, six_fires: Path, take_answer: Callable[[QWidget], None]
) -> None:
    before = window.workbench.session.project
    seen: list[str] = []

    def answer(dialog: QWidget) -> None:
        seen.append(line(dialog, "file").text())
        take_answer(dialog)

    when_open(answer)
    imported = window.workbench.documents.open_dropped(six_fires)
    assert seen == [str(six_fires)]
    assert imported is (window.workbench.session.project is not before)


def test_a_file_dropped_on_a_line_counts_as_its_path(qtbot: QtBot, slope: Path) -> None:
    field = PathField("slope", "a raster")
    qtbot.addWidget(field)
    assert field.path is None
    field.line.setText(slope.as_uri())
    assert field.path == slope


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (ImportEventDialog, "folder: no folder is chosen — choose the folder that holds p_veg.npz"),
        (lambda: ImportEventsDialog(nothing_to_import), "file: no file is chosen — choose the HDF5 file"),
    ],
)
def test_a_path_that_is_not_given_is_called_not_chosen(
    qtbot: QtBot, shown: list[InputError], make: Callable[[], QWidget], said: str
) -> None:
    dialog = make()
    show_widget(qtbot, dialog, 640, 480)
    press("Import")(dialog)
    assert [said in str(error) for error in shown] == [True]
