"""Number fields on their own: text, steps, wheel."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.options import limits_text, plain_number
from firegui.gui.widgets.number_fields import DecimalField, WholeField


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (50.0, "50"),
        (0.003, "0.003"),
        (1e-6, "1e-6"),
        (2.5e-7, "2.5e-7"),
        (0.999999, "0.999999"),
        (-0.04, "-0.04"),
        (0.0, "0"),
    ],
)
def test_numbers_are_written_short_and_exact(value: float, text: str) -> None:
    assert plain_number(value) == text
    assert float(text) == value


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0.0, 1.0, "0 to 1"), (0.0, None, "0 or more"), (None, 5.0, "at most 5"), (None, None, "any number")],
)
def test_limits_are_said_in_words(low: float | None, high: float | None, text: str) -> None:
    assert limits_text(low, high) == text


@pytest.mark.parametrize(
    ("value", "steps", "after"),
    [(0.003, 1, 0.004), (0.001, -1, 0.0009), (50.0, 1, 60.0), (0.0, 1, 0.1), (1e-6, 1, 2e-6), (9.0, 1, 10.0)],
)
def test_a_step_changes_the_leading_digit(qtbot: QtBot, value: float, steps: int, after: float) -> None:
    box = DecimalField(0.0, None)
    qtbot.addWidget(box)
    box.setValue(value)
    box.stepBy(steps)
    assert box.value() == pytest.approx(after, rel=1e-9)


@pytest.mark.parametrize("text", ["abc", "1_0", "--1", "1e5e5"])
def test_letters_do_not_get_into_a_number_field(qtbot: QtBot, text: str) -> None:
    box = DecimalField(0.0, 10.0)
    qtbot.addWidget(box)
    box.setValue(5.0)
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert 0.0 <= box.value() <= 10.0
    assert float(box.text()) == box.value()


@pytest.mark.parametrize("text", ["--5", "+-5", "²", "9" * 5_000, "-"])
def test_what_is_no_whole_number_leaves_the_field_as_it_was(qtbot: QtBot, text: str) -> None:
    box = WholeField(-10, 10)
    qtbot.addWidget(box)
    box.setValue(5)
    # Put in at once, as from the clipboard or letter by letter at the front.
    QApplication.clipboard().setText(text)
    box.selectAll()
    box.lineEdit().paste()
    for letter in ("-", "-"):
        box.lineEdit().setCursorPosition(0)
        QTest.keyClicks(box.lineEdit(), letter)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert -10 <= box.value() <= 10
    assert int(box.text()) == box.value()


def test_an_offset_is_for_people_only(qtbot: QtBot) -> None:
    box = WholeField(0, 5, offset=1)
    qtbot.addWidget(box)
    box.setValue(2)
    assert box.text() == "3"
    box.selectAll()
    QTest.keyClicks(box, "6")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert box.value() == 5


def test_the_wheel_scrolls_past_a_field_without_the_focus(qtbot: QtBot) -> None:
    box = WholeField(0, 5)
    qtbot.addWidget(box)
    box.show()
    box.setValue(2)
    box.clearFocus()
    here = QPointF(5, 5)
    turn = QWheelEvent(
        here, box.mapToGlobal(here), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(box, turn)
    assert box.value() == 2
    assert not turn.isAccepted()
