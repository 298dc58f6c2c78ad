"""S9: a user compares planners."""

from __future__ import annotations

from PySide6.QtTest import QTest

from firegui.domain.benchmark import PlannerName
from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.session.session import FireView
from tests.gui.hands import LEFT, type_into_field
from tests.gui.map_scene import NONE
from tests.gui.stories.person import CONTROL, Person

WANTED = (PlannerName.NONE, PlannerName.UNIFORM, PlannerName.TACTICAL)


def test_planners_are_ticked_run_ranked_and_two_of_them_put_on_the_map(person: Person) -> None:
    panel = person.front("Benchmark", BenchmarkPanel)
    for boxes, wanted in ((panel.form.planners, WANTED), (panel.form.matched, ())):
        for name, box in boxes.items():
            if box.isChecked() != (name in wanted):
                person.press(box)
    for field, value in (
        (panel.form.fields.box("seeds"), 1), (panel.form.fields.box("allowance"), 60),
        (panel.form.fields.box("budget"), 10), (panel.form.processes, 1),
    ):  # fmt: skip
        person.see(field)
        type_into_field(person.qtbot, field, str(value))
    assert panel.form.settings().planners == tuple(sorted(WANTED, key=list(PlannerName).index))
    person.press(panel.button("start"))
    person.until(lambda: not person.window.workbench.controller(BenchmarkController).is_busy)
    shown = person.window.workbench.controller(BenchmarkController).shown
    assert shown is not None and shown.table is not None and shown.table.complete

    person.page(panel.pages, "Table")
    table = panel.table
    assert table.model().rowCount() == len(WANTED)
    spots = [table.visualRect(table.model().index(row, 0)).center() for row in (0, 2)]
    for spot, modifier in zip(spots, (NONE, CONTROL), strict=True):
        QTest.mouseClick(table.viewport(), LEFT, modifier, spot)
    assert len(table.best) == 2
    person.press(panel.button("compare"))
    person.rests()
    result = person.session.result
    assert result.against and result.plan_name
    assert person.session.view is FireView.DIFFERENCE
    person.until(lambda: person.window.workbench.map.decorations.caption.title.split(" · ")[0].count(" − ") == 1)
