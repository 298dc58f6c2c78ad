"""S2: a user draws, reshapes, names, imports and undoes protected regions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from firegui.domain.regions import Region
from firegui.gui.scenario.regions_panel import NAME, RegionsPanel
from firegui.gui.session.session import Tool
from firegui.io.project.regions_file import write_regions_geojson
from tests.gui.hands import cell_text, type_into_cell
from tests.gui.map_scene import regions_of
from tests.gui.stories.conftest import Pick
from tests.gui.stories.person import Person

CORNERS = ((22.0, 34.0), (22.0, 48.0), (33.0, 48.0), (33.0, 38.0))


def test_a_rectangle_is_drawn_moved_and_reshaped(person: Person) -> None:
    panel = person.front("Regions", RegionsPanel)
    person.press(person.button(panel, "rectangle"))
    assert person.session.tool is Tool.RECTANGLE
    person.hand.drag((20.4, 30.6), (25.5, 38.2))
    assert regions_of(person.session)["R2"].as_rectangle == ((20, 26), (30, 39))
    person.press(person.tool(person.window.workbench.actions["tool:edit"]))
    person.hand.drag((23.0, 34.5), (28.0, 39.5))
    assert regions_of(person.session)["R2"].as_rectangle == ((25, 31), (35, 44))
    person.hand.drag((31.0, 44.0), (35.2, 50.1))
    assert regions_of(person.session)["R2"].as_rectangle == ((25, 35), (35, 50))
    assert panel.footer.startswith("2 regions · ")


def test_a_polygon_is_drawn_corner_by_corner_and_esc_gives_another_up(person: Person) -> None:
    person.key(Qt.Key.Key_3)
    for corner in CORNERS[:3]:
        person.hand.click(corner)
    person.hand.double_click(CORNERS[3])
    ring = regions_of(person.session)["R2"].parts[0][0]
    assert len(ring) == 4
    assert ring[2] == pytest.approx(CORNERS[2], abs=0.2)
    person.key(Qt.Key.Key_3)
    for corner in CORNERS[:2]:
        person.hand.click(corner)
    person.hand.key(Qt.Key.Key_Escape)
    assert set(regions_of(person.session)) == {"R1", "R2"}


def test_a_region_is_named_weighed_and_deleted_by_hand_and_every_step_is_undone(person: Person) -> None:
    panel = person.front("Regions", RegionsPanel)
    type_into_cell(person.qtbot, panel.view, 0, NAME, "Village")
    weight = next(k for k in range(panel.model.columnCount()) if "eight" in str(_head(panel, k)))
    type_into_cell(person.qtbot, panel.view, 0, weight, "2.5")
    (region,) = person.session.project.regions
    assert (region.name, region.weight) == ("Village", 2.5)
    person.key(Qt.Key.Key_4)
    person.hand.click((6.0, 12.0))
    assert person.session.selected_region == "Village"
    person.hand.key(Qt.Key.Key_Delete)
    assert not person.session.project.regions
    assert panel.footer.startswith("No region yet")
    person.undo(3)
    (region,) = person.session.project.regions
    assert (region.name, region.weight) == ("R1", 1.0)
    assert cell_text(panel.view, 0, NAME) == "R1"
    assert not person.window.isWindowModified()


def test_regions_are_imported_from_a_file_and_a_taken_name_gets_a_number(
    person: Person, pick: Pick, tmp_path: Path
) -> None:
    drawn = (Region.rectangle("R1", (30, 35), (2, 9)), Region.rectangle("Bridge", (12, 15), (40, 44)))
    write_regions_geojson(drawn, tmp_path / "seen.geojson", person.session.project.scenario.grid)
    pick("getOpenFileName", tmp_path / "seen.geojson")
    panel = person.front("Regions", RegionsPanel)
    person.press(person.button(panel, "import"))
    assert len(panel.model.rows) == 3
    assert "Bridge" in regions_of(person.session)
    assert panel.footer.startswith("3 regions")
    person.undo()
    assert set(regions_of(person.session)) == {"R1"}


def _head(panel: RegionsPanel, column: int) -> object:
    return panel.model.headerData(column, Qt.Orientation.Horizontal)
