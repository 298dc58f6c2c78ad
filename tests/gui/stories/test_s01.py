"""S1: a user opens an event and sees its facts and missing layers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from firegui.gui.base.dialogs import ProblemsDialog
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.io.paths import PROJECT_FILE
from tests.gui.readouts import fact_of
from tests.gui.stories.conftest import Pick
from tests.gui.stories.person import CONTROL, Person


def test_an_event_is_opened_and_says_what_it_is_and_what_it_lacks(bare: Person, folder: Path, pick: Pick) -> None:
    assert bare.window.start_page.isVisible()
    pick("ask_project", folder)
    bare.key(Qt.Key.Key_O, CONTROL)
    bare.rests()
    assert not bare.window.start_page.isVisible()
    assert bare.window.windowTitle().startswith("Test Ridge")
    facts = bare.front("Scenario", ScenarioPanel)
    assert fact_of(facts, "Grid").startswith("60 × 40 cells (width × height)")
    assert fact_of(facts, "CRS") == "EPSG:32610"
    assert fact_of(facts, "Observed") == "2 perimeters, 19 Aug – 21 Aug 2020"
    assert "fuel model" in fact_of(facts, "Layers")
    assert "leaves the slope term out" in facts.notes
    assert bare.session.result.baseline is not None


def test_the_mouse_reads_places_and_values_and_the_probe_tells_all_of_a_cell(person: Person) -> None:
    person.hand.move((12.5, 33.5))
    place = person.window.workbench.status.place
    person.until(lambda: "row 12 col 33" in place.text())
    assert "°" in place.text()
    person.press(person.tool(person.window.workbench.actions["tool:probe"]))
    person.hand.click((12.5, 33.5))
    card = person.window.workbench.map.card
    person.until(card.isVisible)
    assert "Elevation" in card.text
    assert "Wind 3.0 m/s" in card.text
    assert "Chance burned so far" in card.text
    QTest.keyClick(person.window.workbench.map.camera.widget, Qt.Key.Key_Escape)
    person.until(lambda: not card.isVisible())


def test_a_damaged_event_is_refused_with_every_fault_and_the_open_one_stays(
    person: Person, folder: Path, pick: Pick
) -> None:
    text = (folder / PROJECT_FILE).read_text(encoding="utf-8")
    damaged = text.replace("payload_gal = 1200.0", 'payload_gal = "much"').replace("epochs = 3", "epochs = 0.5")
    (folder / PROJECT_FILE).write_text(damaged, encoding="utf-8")
    pick("ask_project", folder)
    lines: list[str] = []

    def read(dialog: ProblemsDialog) -> None:
        lines.extend(dialog.problems.toPlainText().splitlines())
        QTest.keyClick(dialog, Qt.Key.Key_Return)

    before = person.session.project
    person.answering(ProblemsDialog, read)
    person.key(Qt.Key.Key_O, CONTROL)
    person.until(lambda: lines)
    assert any("payload_gal" in line for line in lines)
    assert any("epochs" in line for line in lines)
    assert person.session.project is before
