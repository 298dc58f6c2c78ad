"""Layers below and above the fire: labels, dropped files, a base map, and the series of a cell."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from rasterio import Affine
from shapely import LineString

from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.gui.base.preferences import Preferences
from firegui.gui.scenario.layers_panel import BaseMapSelector
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from firegui.io.project.regions_file import write_regions_toml
from tests.gui.map_scene import Hand, growing, only, painted, placed_labels, undo_steps
from tests.unit.io.importers.test_base_map import write_raster, write_vector
from tests.unit.io.rasters.test_mbtiles import text_file, write_tiles


def name_places(session: Session, *markers: tuple[str, str, tuple[tuple[float, float], ...]]) -> None:
    scenario = replace(session.project.scenario, markers=markers)
    session.open_project(replace(session.project, scenario=scenario), None)


def boxes(hand: Hand) -> dict[str, QRectF]:
    """Return the boxes of the labels, in pixels."""
    hand.view.flush()
    return {label.text: box for _, label, box in placed_labels(hand)}


def overlapping(found: dict[str, QRectF]) -> list[tuple[str, str]]:
    return [(one, other) for one, other in combinations(found, 2) if found[one].intersects(found[other])]


# -- names -----------------------------------------------------------------------------------------------------------
def test_names_of_places_close_together_do_not_overlap(session: Session, hand: Hand) -> None:
    name_places(
        session, ("village", "Nowhere", ((20.0, 30.0),)), ("village", "Village", ((20.5, 30.8),)),
        ("reservoir", "Lake", ((21.0, 29.0),)), ("road", "Invented road", ((20.0, 10.0), (20.5, 30.0), (21.0, 50.0))),
    )  # fmt: skip
    only(hand.view, "extent", "markers")
    found = boxes(hand)
    assert set(found) == {"Nowhere", "Village", "Lake", "Invented road"}
    assert overlapping(found) == []


def test_labels_of_regions_isochrones_and_places_do_not_overlap_and_the_selected_region_keeps_its_name(
    session: Session, hand: Hand
) -> None:
    places = tuple(("village", f"Village {k}", ((4.0 + k, 7.0 + k),)) for k in range(4))
    name_places(session, *places, ("road", "Invented road", ((4.0, 2.0), (5.0, 30.0))))
    regions = tuple(Region.rectangle(f"Region {k}", (2 + k, 5 + k), (9 + k, 12 + k)) for k in range(4))
    session.set_regions("draw", regions)
    frames = growing(session.project, 5, stride=25)
    session.show_result(ShownResult(baseline=frames))
    session.set_view(FireView.BASELINE)
    hand.view.layers.set_visible("isochrones", True)
    hand.view.layers.set_visible("graticule", True)
    found = boxes(hand)
    assert overlapping(found) == []
    assert sum(name.startswith("Region") for name in found) >= 2
    assert any(layer.key == "isochrones" for layer, _, _ in placed_labels(hand))
    assert found == boxes(hand), "the same labels have the same places"
    for k in range(4):
        session.select_region(f"Region {k}")
        chosen = boxes(hand)
        assert f"Region {k}" in chosen and overlapping(chosen) == []


def test_hiding_a_layer_makes_room_for_the_labels_of_others(session: Session, hand: Hand) -> None:
    name_places(session, ("village", "Nowhere", ((5.0, 15.0),)))
    only(hand.view, "extent", "markers")
    alone = boxes(hand)
    at = hand.view.camera.to_cell(alone["Nowhere"].topLeft())
    session.set_regions("draw", (Region.rectangle("A region there", (at[0], at[1]), (at[0] + 6, at[1] + 12)),))
    hand.view.layers.set_visible("regions", True)
    both = boxes(hand)
    assert both["Nowhere"] != alone["Nowhere"] and overlapping(both) == []
    picture = hand.view.snapshot()
    hand.view.layers.set_visible("regions", False)
    assert boxes(hand) == alone
    assert hand.view.snapshot() != picture


def test_where_there_is_no_room_a_name_is_left_out_and_comes_back_closer(session: Session, hand: Hand) -> None:
    crowd = tuple(
        ("village", f"Village number {k}", ((20.0 + 0.1 * (k % 6), 30.0 + 0.1 * (k // 6)),)) for k in range(36)
    )
    name_places(session, *crowd)
    only(hand.view, "extent", "markers")
    far = len(boxes(hand))
    assert 0 < far < 36
    hand.view.camera.fit_bounds(19.5, 29.5, 21.0, 31.0)
    assert len(boxes(hand)) > far


# -- files -----------------------------------------------------------------------------------------------------------
def drop_file(hand: Hand, *paths: Path) -> bool:
    """Drag files onto the map like a window system; return whether the map accepted them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    at = QPoint(200, 200)
    words = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(at, *words)
    QApplication.sendEvent(hand.viewport, enter)
    if not enter.isAccepted():
        return False
    dropped = QDropEvent(at.toPointF(), *words)
    QApplication.sendEvent(hand.viewport, dropped)
    return dropped.isAccepted()


def test_regions_are_imported_from_a_file_that_is_dropped_on_the_map(
    session: Session, hand: Hand, tmp_path: Path
) -> None:
    write_regions_toml(session.project.regions, tmp_path / "more.toml")
    assert drop_file(hand, tmp_path / "more.toml")
    assert len(session.project.regions) == 2 and undo_steps(session) == 1
    session.undo_stack.undo()
    assert len(session.project.regions) == 1


def test_a_bad_file_is_refused_with_one_message(
    session: Session, hand: Hand, refusals: list[InputError], tmp_path: Path
) -> None:
    (tmp_path / "bad.geojson").write_text("{")
    assert drop_file(hand, tmp_path / "bad.geojson")
    assert len(refusals) == 1 and undo_steps(session) == 0


def test_what_is_the_windows_is_left_to_the_window(hand: Hand, tmp_path: Path) -> None:
    for name in ("project.toml", "fire.tif", "maps.npz"):
        (tmp_path / name).write_text("")
        assert not drop_file(hand, tmp_path / name)
    assert not drop_file(hand, tmp_path / "a.toml", tmp_path / "b.toml")


# -- the base map ----------------------------------------------------------------------------------------------------
def test_a_base_map_lies_above_the_landscape_that_would_hide_it_and_below_the_fire(hand: Hand) -> None:
    order = hand.view.layers.order
    assert all(order.index(below) < order.index("basemap") for below in ("extent", "canopy", "fuel", "hillshade"))
    assert all(order.index("basemap") < order.index(above) for above in ("occupancy", "burning"))


def test_a_base_map_is_drawn_under_everything_and_sharper_closer(
    qtbot: QtBot, session: Session, hand: Hand, tmp_path: Path
) -> None:
    only(hand.view, "extent", "basemap")
    assert "no base map is open" in hand.view.layers["basemap"].missing()
    assert drop_file(hand, write_tiles(tmp_path / "own.mbtiles"))
    qtbot.waitUntil(lambda: session.ground.whole is not None)
    hand.view.flush()
    assert hand.view.layers["basemap"].missing() == "" and "Own map" in hand.view.layers["basemap"].legend.note
    assert painted(hand.view, "basemap").mean() > 0.3
    assert hand.color((20.0, 30.0)).blue() in (120, 140)
    hand.view.camera.fit_bounds(18.0, 28.0, 22.0, 32.0)
    hand.view.flush()
    hand.view.snapshot()
    qtbot.waitUntil(lambda: session.ground.sharp is not None)
    sharp, whole = session.ground.sharp, session.ground.whole
    assert sharp is not None and whole is not None and sharp.pixels_per_cell > 1.3 * whole.pixels_per_cell
    session.ground.close()
    assert session.ground.whole is None
    session.ground.shutdown()


def test_a_raster_and_a_vector_file_are_base_maps_too(
    qtbot: QtBot, session: Session, hand: Hand, tmp_path: Path
) -> None:
    grid = session.project.scenario.grid
    assert grid.transform is not None
    only(hand.view, "extent", "basemap")
    photo = write_raster(tmp_path / "photo.tif", np.full((3, *grid.shape), 90, np.uint8), Affine(*grid.transform))
    x, y = grid.to_world(20.0, 0.0)
    end_x, _ = grid.to_world(20.0, float(grid.columns))
    road = write_vector(tmp_path / "road.gpkg", [LineString([(x, y), (end_x, y)])], grid.crs)
    for path, row, shade in ((photo, 10.0, 90), (road, 20.0, 66)):
        session.ground.choose(path)
        qtbot.waitUntil(lambda: session.ground.whole is not None)
        hand.view.flush()
        assert path.stem in hand.view.layers["basemap"].legend.note
        seen = min(hand.color((row + 0.04 * k, 30.0)).blue() for k in range(-20, 21))
        assert abs(seen - shade) < 40, path.name
    session.ground.shutdown()


def test_a_bad_base_map_is_refused_and_the_one_before_stays(
    qtbot: QtBot, session: Session, hand: Hand, refusals: list[InputError], tmp_path: Path
) -> None:
    assert drop_file(hand, write_tiles(tmp_path / "own.mbtiles"))
    text_file(tmp_path / "bad.mbtiles")
    assert drop_file(hand, tmp_path / "bad.mbtiles")
    assert len(refusals) == 1
    assert session.ground.file is not None and session.ground.file.path.name == "own.mbtiles"
    session.ground.shutdown()


def test_the_base_map_comes_back_with_its_project_and_one_that_has_gone_is_told(
    qtbot: QtBot, session: Session, hand: Hand, tmp_path: Path
) -> None:
    preferences, said = Preferences(), list[str]()
    keeper = BaseMapSelector(session, preferences, hand.view)
    session.message.connect(said.append)
    first, second = tmp_path / "one.firegui", tmp_path / "two.firegui"
    session.mark_saved(first)
    file = write_tiles(tmp_path / "own.mbtiles")
    session.ground.choose(file)
    session.open_project(session.project, second)
    assert session.ground.file is None
    session.open_project(session.project, first)
    assert session.ground.file is not None
    file.unlink()
    session.open_project(session.project, first)
    assert session.ground.file is None and said[-1].startswith("Without its base map: ")
    session.ground.shutdown()
    keeper.deleteLater()


# -- the series of a cell --------------------------------------------------------------------------------------------
def test_the_probe_shows_how_the_cell_burns_with_and_without_the_plan(session: Session, hand: Hand) -> None:
    session.show_result(
        ShownResult("run", baseline=growing(session.project, 8), plan=growing(session.project, 2))
    )  # fmt: skip
    session.set_tool(Tool.PROBE)
    hand.click((3.5, 5.5))
    hand.view.flush()
    series = hand.view.card.chart.series
    assert series is not None and [line.name for line in series.lines] == ["no drops", "plan"]
    # Eight columns a day without the plan, two with it: column 5 burns from day 2, and from day 4.
    assert np.flatnonzero(series.lines[0].values)[0] == 1 and np.flatnonzero(series.lines[1].values)[0] == 3
    assert series.lines[0].values.max() == pytest.approx(127 / 255)
    assert hand.view.card.chart.isVisible() and "on day 2" in hand.view.card.chart.accessibleDescription()
    session.show_result(ShownResult())
    hand.view.flush()
    assert hand.view.card.chart.series is None and not hand.view.card.chart.isVisible()
