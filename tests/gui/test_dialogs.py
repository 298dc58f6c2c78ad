"""The small dialogs, opened and answered with mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QMessageBox, QPushButton, QStyle, QWidget
from pytestqt.qtbot import QtBot

from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.base.dialogs import ProblemsDialog, confirm_replace, show_problems
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.session.reporting import as_input_error, refusing
from firegui.gui.session.session import Session
from firegui.gui.window.documents import RunningAnswer, UnsavedAnswer, ask_running, ask_unsaved

ERROR = InputError(
    [Problem("row 3", "payload is negative", "use a number above 0"), Problem("row 9", "no such aircraft")],
    "The schedule cannot be used",
)


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def when_open(do: Callable[[QWidget], None]) -> None:
    """Call ``do`` with the modal dialog that opens next."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is None:
            QTimer.singleShot(5, look)
        else:
            do(dialog)

    QTimer.singleShot(0, look)


def press(text: str) -> Callable[[QWidget], None]:
    """Press the button whose label begins with ``text``."""

    def do(dialog: QWidget) -> None:
        labels = {button.text().replace("&", ""): button for button in dialog.findChildren(QPushButton)}
        found = next((button for label, button in labels.items() if label.startswith(text)), None)
        if found is None:
            # The dialog would wait for ever.
            dialog.close()
        assert found is not None, f"no button {text}: {sorted(labels)}"
        QTest.mouseClick(found, LEFT)

    return do


LEFT = Qt.MouseButton.LeftButton


def nothing() -> None:
    """Do nothing."""


RUN = UnfinishedWork(
    "The run “Whole fire, 24 Nov 14:20”",
    "best plan so far",
    nothing,
    nothing,
    "the run and all that lies in its folder",
    queued_runs=2,
)


def escape(dialog: QWidget) -> None:
    QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_every_problem_is_listed_with_its_place_and_remedy(parent: QWidget) -> None:
    dialog = ProblemsDialog(ERROR, parent)
    shown = dialog.problems.toPlainText()
    assert shown == "row 3: payload is negative\n→ use a number above 0\n\nrow 9: no such aircraft"


def test_long_paths_and_remedies_are_shown_to_their_end(qtbot: QtBot, parent: QWidget) -> None:
    path, remedy = (
        "C:\\" + "weather_of_the_ridge" * 8,
        "open the project that it was made for, or choose another one " * 8,
    )
    dialog = ProblemsDialog(InputError([Problem(path, "is a file, not the folder of a project", remedy)], path), parent)
    qtbot.addWidget(dialog)
    dialog.show()
    QTest.qWait(20)
    assert dialog.width() < 700
    text = dialog.problems
    assert text.verticalScrollBar().maximum() == text.horizontalScrollBar().maximum() == 0


def test_the_problems_can_be_copied(qtbot: QtBot, parent: QWidget) -> None:
    def copy_and_close(dialog: QWidget) -> None:
        press("Copy all")(dialog)
        press("OK")(dialog)

    when_open(copy_and_close)
    show_problems(parent, ERROR)
    assert QGuiApplication.clipboard().text() == str(ERROR)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(press("S"), UnsavedAnswer.SAVE), (press("Discard"), UnsavedAnswer.DISCARD), (escape, UnsavedAnswer.CANCEL)],
)
def test_the_question_about_unsaved_edits(
    parent: QWidget, answer: Callable[[QWidget], None], expected: UnsavedAnswer
) -> None:
    when_open(answer)
    assert ask_unsaved(parent, "Bear") is expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (press("Stop"), RunningAnswer.STOP_AND_SAVE),
        (press("Delete"), RunningAnswer.DISCARD),
        (escape, RunningAnswer.KEEP),
    ],
)
def test_the_question_about_a_run(parent: QWidget, answer: Callable[[QWidget], None], expected: RunningAnswer) -> None:
    when_open(answer)
    assert ask_running(parent, RUN) is expected


def test_the_buttons_that_go_on_answer_as_escape_does(parent: QWidget) -> None:
    when_open(press("Cancel"))
    assert ask_unsaved(parent, "Bear") is UnsavedAnswer.CANCEL
    when_open(press("Cancel"))
    assert ask_running(parent, RUN) is RunningAnswer.KEEP


def question(parent: QWidget, work: UnfinishedWork) -> tuple[str, list[str]]:
    """Return the text on ``work``, and the offered answers."""
    seen: list[tuple[str, list[str]]] = []

    def read(dialog: QWidget) -> None:
        assert isinstance(dialog, QMessageBox)
        said = f"{dialog.text()} {dialog.informativeText()}"
        seen.append((said, sorted(button.text().replace("&", "") for button in dialog.buttons())))
        escape(dialog)

    when_open(read)
    assert ask_running(parent, work) is RunningAnswer.KEEP
    return seen[0]


@pytest.mark.parametrize(
    ("work", "text", "discards"),
    [
        (
            RUN,
            "The run “Whole fire, 24 Nov 14:20” is still working. Stopping keeps the best plan so far; it can be "
            "resumed later. Deleting removes the run and all that lies in its folder. The 2 runs that wait behind it "
            "will "
            "not begin.",
            True,
        ),
        (
            UnfinishedWork("The ensemble", "finished fires", nothing),
            "The ensemble is still working. Stopping keeps the finished fires; it can be resumed later. Nothing "
            "is deleted.",
            False,
        ),
        (
            UnfinishedWork("The robustness table", "finished rows", nothing, can_resume=False),
            "The robustness table is still working. Stopping keeps the finished rows. Nothing is deleted.",
            False,
        ),
    ],
)
def test_the_question_about_a_run_says_what_becomes_of_it_and_of_those_behind_it(
    parent: QWidget, work: UnfinishedWork, text: str, discards: bool
) -> None:
    said, offered = question(parent, work)
    assert said == text
    assert offered == ["Cancel", *["Delete and close"] * discards, "Stop, save and close"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ERROR, "row 9: no such aircraft"),
        (FileNotFoundError(2, "No such file or directory", "/data/x.toml"), "/data/x.toml: No such file"),
        (FireguiError("the weights are missing"), "there: the weights are missing"),
        (MemoryError(), "there: ran out of memory"),
        (FireguiError(), "there: FireguiError"),
        (OSError(), "there: OSError"),
    ],
)
def test_whatever_goes_wrong_with_a_file_becomes_a_list_of_problems(error: Exception, said: str) -> None:
    assert said in str(as_input_error(error, "there"))


def test_a_programming_error_is_not_taken_for_bad_input(session: Session, refusals: list[InputError]) -> None:
    with pytest.raises(ZeroDivisionError), refusing(session, "there"):
        raise ZeroDivisionError
    assert refusals == []


@pytest.mark.parametrize(
    ("key", "answer"),
    [("S", UnsavedAnswer.SAVE), ("D", UnsavedAnswer.DISCARD), ("C", UnsavedAnswer.CANCEL)],
)
def test_the_question_about_unsaved_edits_names_them_and_takes_letters(
    parent: QWidget, key: str, answer: UnsavedAnswer
) -> None:
    texts: list[str] = []

    def type_letter(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        texts.append(box.informativeText())
        QTest.keyClicks(box, key)
        # A question that takes no letters would wait for ever.
        QTimer.singleShot(2000, box, box.close)

    when_open(type_letter)
    assert ask_unsaved(parent, "Bear", [f"change {number}" for number in range(12)]) is answer
    assert "• Change 11" in texts[0] and "Change 0" not in texts[0] and "4 earlier" in texts[0]


@pytest.mark.parametrize(("answer", "replaces"), [(press("Replace"), True), (press("Cancel"), False), (escape, False)])
def test_a_question_names_what_its_button_does_and_cancel_is_preset(
    parent: QWidget, tmp_path: Path, answer: Callable[[QWidget], None], replaces: bool
) -> None:
    (tmp_path / "runs.csv").touch()
    seen: list[tuple[set[str], str]] = []

    def look(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        preset = box.defaultButton()
        seen.append(({button.text() for button in box.buttons()}, preset.text()))
        answer(box)

    when_open(look)
    assert confirm_replace(parent, tmp_path, ["runs.csv"]) is replaces
    assert seen == [({"Replace", "Cancel"}, "Cancel")]


def test_the_buttons_of_dialogs_have_no_icons_of_the_style(qtbot: QtBot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_theme(app, Theme.DARK)
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    box.ensurePolished()
    assert box.style().styleHint(QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons, None, box) == 0
    assert all(button.icon().isNull() for button in box.buttons())
