"""S10: a user replans from today's perimeter."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from firegui.domain.schedule import DropRecord
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.replan_dialog import ReplanDialog
from tests.gui.hands import LEFT
from tests.gui.stories.person import CONTROL, Person

DAY = 2
"""Day of the plan, from 0, with the second perimeter."""


def test_what_was_flown_stays_and_the_rest_is_planned_anew(person: Person) -> None:
    first = person.quick_plan()
    flown = before(person, person.session.result.drops)
    about: list[str] = []

    def fill(dialog: ReplanDialog) -> None:
        QTest.keyClick(dialog.day, Qt.Key.Key_Home)
        about.append(dialog.about.text())
        assert not dialog.go.isEnabled()
        QTest.keyClick(dialog.day, Qt.Key.Key_Down)
        assert dialog.day.currentData() == DAY
        for name in ("epochs", "patience"):
            # Tab, because Enter would replan at once.
            box = dialog.search.box(name)
            box.setFocus()
            box.selectAll()
            QTest.keyClicks(box, "3")
            QTest.keyClick(box, Qt.Key.Key_Tab)
            assert box.value() == 3
        QTest.mouseClick(dialog.go, LEFT)

    person.answering(ReplanDialog, fill)
    person.key(Qt.Key.Key_F5, CONTROL)
    person.rests()
    assert "no perimeter of that day" in about[0]
    entry = person.queue.entries[-1]
    assert entry is not first and entry.replans
    assert person.row(entry)["Run"].startswith("Run 2, replanned")
    assert person.row(entry)["State"] == "finished"
    assert before(person, person.session.result.drops) == flown

    live = person.front("Progress", ProgressPanel)
    assert isinstance(live, ProgressPanel)
    person.press(next(each for each in live.findChildren(QToolButton) if each.text() == "Result"))
    person.until(lambda: "new plan" in live.result.text)
    for words in ("old plan continued", "no further drops", f"from day {DAY + 1} on"):
        assert words in live.result.text


def before(person: Person, drops: tuple[DropRecord, ...]) -> set[tuple[int, str]]:
    """Return step and aircraft of the drops before the day."""
    first = DAY * person.session.project.calendar.steps_per_day
    return {(drop.step, drop.aircraft) for drop in drops if drop.executed and drop.step < first}
