"""Number fields alone: text, steps, wheel."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QComboBox, QLineEdit, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.options import limits_text, plain_number
from firegui.gui.widgets.fields import (
    DecimalField,
    NoScrollDateTimeEdit,
    NoScrollSlider,
    WholeField,
    narrow_combo,
)
from firegui.gui.widgets.settings_form import SettingsForm, in_two_lines
from tests.example_settings import Colour, ExampleSettings, Part
from tests.gui.hands import show_widget, shown_tip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (50.0, "50"),
        (0.003, "0.003"),
        (1e-6, "0.000001"),
        (-0.000025, "-0.000025"),
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
    [
        (0.0, 1.0, "0 to 1"),
        (0.0, None, "0 or more"),
        (None, 5.0, "at most 5"),
        (None, None, "any number"),
        (0, 10**9, "0 to 1,000,000,000"),
    ],
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
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert float(box.text()) == box.value()


@pytest.mark.parametrize("text", ["--5", "+-5", "²", "9" * 5_000, "-"])
def test_what_is_no_whole_number_leaves_the_field_as_it_was(qtbot: QtBot, text: str) -> None:
    box = WholeField(-10, 10)
    qtbot.addWidget(box)
    box.setValue(5)
    # Entered at once, as from the clipboard, or letter by letter at the front.
    QApplication.clipboard().setText(text)
    box.selectAll()
    box.lineEdit().paste()
    for letter in ("-", "-"):
        box.lineEdit().setCursorPosition(0)
        QTest.keyClicks(box.lineEdit(), letter)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert -10 <= box.value() <= 10
    QTest.keyClick(box, Qt.Key.Key_Escape)
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


def turn_wheel(over: QWidget) -> None:
    """Turn the wheel one notch, as the window system reports it: such an event may give the focus away first."""
    window = over.window()
    QTest.wheelEvent(window.windowHandle(), QPointF(over.mapTo(window, over.rect().center())), QPoint(0, 120))
    QApplication.processEvents()


@pytest.mark.parametrize(
    "make",
    [
        lambda: WholeField(0, 5, value=2), lambda: DecimalField(0.0, 5.0), lambda: narrow_combo("Choice", "choice"),
        lambda: NoScrollSlider(Qt.Orientation.Horizontal), NoScrollDateTimeEdit,
    ],
)  # fmt: skip
def test_the_wheel_scrolls_past_a_field_without_the_focus(qtbot: QtBot, make: Callable[[], QWidget]) -> None:
    field, other = make(), QLineEdit()
    if isinstance(field, QComboBox):
        field.addItems(["one", "two", "three"])
        field.setCurrentIndex(1)
    page, area = QWidget(), QScrollArea()
    column = QVBoxLayout(page)
    for widget in (other, field):
        column.addWidget(widget)
    page.setMinimumHeight(1000)
    area.setWidget(page)
    area.setWidgetResizable(True)
    show_widget(qtbot, area, 300, 600)
    area.verticalScrollBar().setValue(120)
    other.setFocus()
    before, place = value_of(field), area.verticalScrollBar().value()
    turn_wheel(field)
    assert value_of(field) == before
    assert other.hasFocus()
    assert area.verticalScrollBar().value() < place


def test_the_wheel_changes_a_field_that_has_the_focus(qtbot: QtBot) -> None:
    field = WholeField(0, 5, value=2)
    show_widget(qtbot, field, 120, 40)
    field.setFocus()
    turn_wheel(field)
    assert field.value() == 3


def value_of(field: QWidget) -> object:
    if isinstance(field, QComboBox):
        return field.currentIndex()
    return (
        field.value() if isinstance(field, (QAbstractSlider, WholeField, DecimalField)) else field.property("dateTime")
    )


def test_a_name_is_elided_in_its_middle_and_whole_in_the_tooltip_and_the_list(qtbot: QtBot) -> None:
    box = narrow_combo("Schedule", "schedule")
    names = [f"Keep the fire out of the regions, 26 Nov 12:0{number}" for number in range(3)]
    box.addItems(names)
    show_widget(qtbot, box, 140, 30)
    pictures = []
    for number in range(2):
        box.setCurrentIndex(number)
        assert names[number] in shown_tip(box)
        pictures.append(box.grab().toImage())
    assert pictures[0] != pictures[1], "the end tells them apart"
    box.showPopup()
    assert box.view().width() > box.fontMetrics().horizontalAdvance(names[0])
    box.hidePopup()


def test_a_declared_setting_is_in_the_form_without_further_code(qtbot: QtBot) -> None:
    form = SettingsForm(ExampleSettings())
    page = QWidget()
    qtbot.addWidget(page)
    column = QVBoxLayout(page)
    column.addLayout(form.grid(form.names(group=""), columns=2))
    column.addLayout(form.grid(form.names("part"), units=True))
    column.addWidget(form.folded("Rarely changed"))
    assert form.value() == ExampleSettings()
    assert form.box("part_angle").text() == f"{plain_number(math.degrees(0.5))} °"
    form.box("count").setValue(5)
    form.box("swift").click()
    form.box("colour").setCurrentIndex(1)
    form.box("sizes").setText("4, 0.5")
    form.box("part_angle").setValue(90.0)
    wanted = ExampleSettings(5, 0.25, False, Colour.BLUE, (4.0, 0.5), Part(math.radians(90.0)))
    assert form.value() == wanted
    form.set_value(ExampleSettings(share=0.123456789012345))
    assert form.value() == ExampleSettings(share=0.123456789012345)
    assert "part of it" in form.box("share").toolTip() and "0 to 1" in form.box("share").toolTip()
    form.box("sizes").setText("1, x")
    (problem,) = form.editors["sizes"].problems()
    assert str(problem) == "sizes: 'x' cannot be read — see the tooltip of the field"
    assert form.value().sizes == (1.0, 2.5)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Search steps", ["Search steps"]),
        ("Stop after steps without gain", ["Stop after steps", "without gain"]),
        ("Donaudampfschifffahrtsgesellschaft", ["Donaudampfschifffahrtsgesellschaft"]),
    ],
)
def test_a_long_label_breaks_near_its_middle(text: str, lines: list[str]) -> None:
    assert in_two_lines(text).split("\n") == lines


def test_a_refused_number_is_told_with_the_value_that_stays(qtbot: QtBot) -> None:
    field = DecimalField(0.0001, 1.0)
    qtbot.addWidget(field)
    field.setValue(0.05)
    said: list[str] = []
    field.refused.connect(said.append)
    line = field.lineEdit()
    assert line is not None
    line.setText("-7")
    field.interpretText()
    assert said[-1].startswith("-7 was refused, it stays 0.05;") and field.value() == 0.05
    field.setAccessibleName("Limit, share of growth")
    line.setText("-7")
    field.interpretText()
    assert said[-1].startswith("Limit: -7 was refused, it stays 0.05;"), "a refused number names its field"


def test_a_letter_typed_into_a_number_is_answered_beside_the_field(qtbot: QtBot) -> None:
    page, below = QWidget(), QLineEdit()
    field = WholeField(0, 10**9, value=7)
    layout = QVBoxLayout(page)
    layout.addSpacing(120)
    for part in (field, below):
        layout.addWidget(part)
    show_widget(qtbot, page, 300, 300)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "x")
    assert field.note is not None and field.note.isVisible() and field.text() == "7"
    assert field.note.text() == "x was not taken: a number is needed; use 0 to 1,000,000,000"
    assert not field.note.geometry().intersects(below.geometry())
    assert not field.note.geometry().intersects(field.geometry())
    QTest.keyClicks(field, "8")
    assert not field.note.isVisible() and field.text() == "8"


def test_a_refused_number_keeps_text_and_focus_until_it_is_mended_or_given_up(qtbot: QtBot) -> None:
    page, below = QWidget(), QLineEdit()
    field = DecimalField(0.01, 100.0)
    field.setValue(5.0)
    layout = QVBoxLayout(page)
    layout.addSpacing(120)
    for part in (field, below):
        layout.addWidget(part)
    show_widget(qtbot, page, 300, 300)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Tab):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "700")
        QTest.keyClick(field, key)
        assert field.text() == "700" and field.value() == 5.0 and field.hasFocus()
        assert field.property("role") == "refused" and field.note is not None and field.note.isVisible()
        assert field.note.text() == "700 was refused; use 0.01 to 100. Esc keeps 5."
        QTest.keyClick(field, Qt.Key.Key_Escape)
        assert field.text() == "5" and not field.note.isVisible() and not field.property("role")
    QTest.keyClicks(field, "700")
    QTest.keyClick(field, Qt.Key.Key_Return)
    below.setFocus()
    assert field.text() == "5" and field.note is not None and not field.note.isVisible()
