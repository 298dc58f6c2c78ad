"""S8: a user looks at the uncertainty of the plan and opens its worst case."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from tests.gui.hands import LEFT, type_into_field
from tests.gui.stories.person import Person

MEMBERS = 5


def column(panel: UncertaintyPanel, title: str) -> list[float]:
    """Return a column of the members as sorted on screen."""
    place = panel.tables.members.titles.index(title)
    table = panel.tables.members
    texts = [str(table.index(row, place).data()) for row in range(table.rowCount())]
    return [float(text.replace(",", "").replace("−", "-")) for text in texts]


def test_members_are_drawn_summed_up_and_the_worst_is_opened(person: Person) -> None:
    person.quick_plan()
    person.key(Qt.Key.Key_F10)
    panel = person.front("Uncertainty", UncertaintyPanel)
    person.see(panel.form.fields.box("members"))
    type_into_field(person.qtbot, panel.form.fields.box("members"), str(MEMBERS))
    person.press(panel.button("start"))
    person.until(lambda: not person.window.workbench.controller(UncertaintyController).is_busy)

    person.page(panel.pages, "Table")
    summary = panel.tables.summary
    assert summary.rowCount() > 0
    assert "Final size, ha" in str(summary.index(0, 0).data())
    person.page(panel.pages, "Fires")
    assert len(column(panel, "Fire")) == MEMBERS
    saved = column(panel, "Final size saved, ha")
    assert saved == sorted(saved), "the member that the plan helps least is not the first"

    worst = int(column(panel, "Fire")[0])
    view = panel.members_view
    person.double_click(view, view.visualRect(view.model().index(0, 0)).center())
    person.rests()
    result = person.session.result
    assert result.member
    assert result.title.startswith(f"Fire {worst} ")
    assert result.baseline is not None and result.plan is not None
    assert person.window.workbench.map.decorations.caption.title


def test_the_mean_maps_are_shown_and_left_again(person: Person) -> None:
    entry = person.quick_plan()
    person.key(Qt.Key.Key_F10)
    panel = person.front("Uncertainty", UncertaintyPanel)
    person.see(panel.form.fields.box("members"))
    type_into_field(person.qtbot, panel.form.fields.box("members"), str(MEMBERS))
    QTest.keyClick(panel.form.fields.box("members"), Qt.Key.Key_Tab)
    person.press(panel.button("start"))
    person.until(lambda: not person.window.workbench.controller(UncertaintyController).is_busy)
    QTest.mouseClick(panel.button("map"), LEFT)
    person.until(lambda: person.session.result.mean_of == MEMBERS)
    QTest.mouseClick(panel.button("map"), LEFT)
    person.rests()
    assert person.session.result.mean_of == 0
    assert person.queue.shown is entry
