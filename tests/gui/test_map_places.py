"""Context menus of the map, zooming to things, coordinates, bookmarks, and the map alone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, QSettings, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QTransform
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.units import Units
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme
from firegui.gui.map.items import map_font
from firegui.gui.map.labels import Label, LabelPlacement, Rank, spots_around
from firegui.gui.map.layers.drop_layers import DROPS_SHOWN, UNTIL_NOW
from firegui.gui.map.map_places import BookmarksMenu, GoToDialog, ViewMemory
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.gui.window.main_window import MainWindow
from firegui.io.coordinates import CoordinateFormat, parse_place
from tests.gui.hands import show_widget, to_front
from tests.gui.map_scene import LEFT, RIGHT, Hand, drop_at, growing, placed_labels, regions_of
from tests.gui.plan_editor_scene import show_plan


def seen(hand: Hand) -> tuple[float, float, float, float]:
    return hand.view.camera.area


def holds(hand: Hand, top: float, left: float, bottom: float, right: float) -> bool:
    """Return whether the view shows this part of the grid, and not much more."""
    area = seen(hand)
    inside = area[0] <= top and area[1] <= left and area[2] >= bottom and area[3] >= right
    return inside and area[2] - area[0] < 3 * max(bottom - top, right - left) + 8


# -- context menus -----------------------------------------------------------------------------------------------------
@pytest.fixture
def more(hand: Hand) -> QAction:
    """Return an action that every context menu of the map ends with."""
    action = QAction("Identify here", hand.view)
    action.triggered.connect(hand.view.identify_here)
    hand.view.set_menu_actions([action])
    return action


def test_a_right_click_on_the_ground_opens_a_menu_whose_actions_know_the_place(hand: Hand, more: QAction) -> None:
    hand.click((30.5, 50.5), button=RIGHT)
    menu = hand.view.ground_menu
    assert menu is not None and menu.isVisible() and menu.actions() == [more]
    more.trigger()
    menu.hide()
    assert hand.view.sketch.pin == (30, 50)


def test_menus_of_drops_and_regions_end_with_the_actions_of_the_map(
    session: Session, hand: Hand, more: QAction
) -> None:
    hand.click((5.5, 15.5), button=RIGHT)
    assert hand.view.menu.menu is not None and hand.view.menu.menu.actions()[-1] is more
    hand.view.menu.menu.hide()
    show_plan(session)
    session.set_tool(Tool.PAN)
    hand.view.flush()
    y, x = session.plan_editor.rules.landing(session.plan_editor.drops.drops[0])
    hand.click((y + 0.5, x + 0.5), button=RIGHT)
    assert hand.view.drop_menu.menu is not None and hand.view.drop_menu.menu.actions()[-1] is more
    hand.view.drop_menu.menu.hide()


def test_the_menu_of_the_ground_has_the_actions_of_the_map_while_drops_are_edited(
    session: Session, hand: Hand, more: QAction
) -> None:
    show_plan(session)
    session.set_tool(Tool.DROP)
    hand.click((36.5, 10.5), button=RIGHT)
    menu = hand.view.drop_menu.menu
    assert menu is not None and menu.actions()[1].text() == "Add a drop here…" and menu.actions()[-1] is more
    # The actions know the place.
    more.trigger()
    menu.hide()
    assert hand.view.sketch.pin == (36, 10)


def test_the_menu_of_the_ground_keeps_its_submenu_however_often_it_is_opened(
    qtbot: QtBot, window: MainWindow, session: Session, project: Project
) -> None:
    session.open_project(project, None)
    show_widget(qtbot, window, 1280, 720)
    view, titles = window.workbench.map, []
    for _ in range(3):
        surface = view.camera.widget.viewport()
        QTest.mouseClick(surface, RIGHT, pos=surface.rect().center())
        menu = view.ground_menu
        assert menu is not None
        titles.append([action.text() for action in menu.actions()])
        menu.hide()
    assert titles[0] == titles[1] == titles[2]
    assert "Drops sho&wn" in titles[0]
    window.set_theme(Theme.LIGHT)
    window.set_theme(Theme.DARK)


def test_a_drop_that_is_not_drawn_is_not_hit(session: Session, hand: Hand, more: QAction) -> None:
    session.show_result(ShownResult(drops=(drop_at(30.0, 50.0, 0.0, step=120),)))
    session.set_step(10)
    hand.view.layers.set_option("drops", DROPS_SHOWN, UNTIL_NOW)
    hand.view.flush()
    hand.click((30.5, 50.5), button=RIGHT)
    assert hand.view.drop_menu.menu is None
    assert hand.view.ground_menu is not None
    hand.view.ground_menu.hide()


def test_a_corner_is_added_to_a_region_from_its_menu(session: Session, hand: Hand) -> None:
    triangle = Region("T", ((((10.0, 30.0), (30.0, 30.0), (30.0, 55.0)),),))
    session.set_regions("draw", (triangle,))
    hand.view.flush()
    hand.click((25.0, 35.0), button=RIGHT)
    menu = hand.view.menu.menu
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Add corner here").trigger()
    menu.hide()
    assert len(regions_of(session)["T"].parts[0][0]) == 4


def test_the_menu_of_a_layer_zooms_sets_opacity_and_opens_its_properties(qtbot: QtBot, hand: Hand) -> None:
    panel = LayersPanel(hand.view.layers)
    show_widget(qtbot, panel, 300, 500)
    wanted: list[str] = []
    panel.properties_requested.connect(wanted.append)
    panel.zoom_requested.connect(wanted.append)
    row = panel._rows["regions"]
    row.box.customContextMenuRequested.emit(row.box.rect().center())
    assert panel.menu is not None
    texts = {action.text(): action for action in panel.menu.actions()}
    texts["Zoom to layer"].trigger()
    texts["Properties…"].trigger()
    opacities = panel.menu.findChildren(QAction)
    next(action for action in opacities if action.text() == "50 %").trigger()
    panel.menu.hide()
    assert wanted == ["regions", "regions"] and hand.view.layers["regions"].opacity == 0.5


# -- zooming -----------------------------------------------------------------------------------------------------------
def test_zoom_to_the_fire_shows_the_fire_of_the_shown_time(session: Session, hand: Hand) -> None:
    hand.view.zoom_to_fire()
    cells = session.project.scenario.ignition
    assert cells is not None
    ignition = np.argwhere(cells)
    assert holds(hand, *ignition.min(axis=0), *(ignition.max(axis=0) + 1))
    session.show_result(ShownResult(baseline=growing(session.project, 4)))
    session.set_step(100)
    hand.view.zoom_to_fire()
    assert holds(hand, 0, 0, 20, 8)


def test_zoom_to_the_selection_shows_the_drops_or_the_region(session: Session, hand: Hand) -> None:
    session.select_region("R1")
    hand.view.zoom_to_selection()
    assert holds(hand, 2, 5, 10, 25)
    show_plan(session)
    session.plan_editor.select_all(session.plan_editor.drops.drops[1:])
    hand.view.zoom_to_selection()
    assert holds(hand, 8, 20, 32, 46)


def test_zoom_to_a_layer_shows_what_it_draws(session: Session, hand: Hand) -> None:
    session.show_result(ShownResult(baseline=growing(session.project, 4)))
    session.set_step(50)
    hand.view.zoom_to_layer("occupancy")
    assert holds(hand, 0, 0, 20, 4)
    hand.view.zoom_to_layer("wind")
    assert hand.view.camera.shows_whole


# -- coordinates -------------------------------------------------------------------------------------------------------
def test_copied_coordinates_lead_back_to_the_same_cell(session: Session, hand: Hand) -> None:
    hand.move((12.5, 33.5))
    for form in CoordinateFormat:
        session.drawing.set_coordinates(form)
        lon, lat = parse_place(hand.view.place_text)
        found = hand.view._place.cell(lon, lat)
        assert found is not None and [int(value) for value in found] == [12, 33]


def test_go_to_takes_any_format_and_refuses_in_one_message(qtbot: QtBot, session: Session, hand: Hand) -> None:
    hand.move((12.5, 33.5))
    text = hand.view.place_text
    dialog = GoToDialog(session.project.scenario.grid, hand.view.go_to)
    show_widget(qtbot, dialog, 420, 120)
    for wrong, why in (("here", "not a pair"), ("95 0", "at most 90"), ("10 10", "outside the map")):
        dialog.field.setText("")
        QTest.keyClicks(dialog.field, wrong)
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        assert why in dialog.trouble.text() and dialog.isVisible()
        needed = dialog.trouble.heightForWidth(dialog.trouble.width())
        qtbot.waitUntil(lambda needed=needed: dialog.trouble.height() >= needed)  # type: ignore[misc]
    dialog.field.setText(text)
    QTest.mouseClick(dialog.accept_button, LEFT)
    assert not dialog.isVisible() and hand.view.sketch.pin == (12, 33)
    top, left, bottom, right = seen(hand)
    assert ((top + bottom) / 2, (left + right) / 2) == pytest.approx((12.5, 33.5), abs=0.5)


def test_how_far_outside_a_place_lies_is_in_the_units_of_the_window(qtbot: QtBot, session: Session) -> None:
    dialog = GoToDialog(session.project.scenario.grid, lambda row, column: None, units=Units.US)
    qtbot.addWidget(dialog)
    dialog.field.setText("38 -122")
    dialog.accept()
    assert " mi from its edge" in dialog.trouble.text()


def test_a_grid_without_a_place_says_so(qtbot: QtBot, session: Session) -> None:
    grid = replace(session.project.scenario.grid, crs=None, transform=None)
    dialog = GoToDialog(grid, lambda row, column: None)
    show_widget(qtbot, dialog, 460, 200)
    dialog.field.setText("38 -122")
    dialog.accept()
    assert "no place on the Earth" in dialog.trouble.text()


# -- views that are kept -----------------------------------------------------------------------------------------------
def test_bookmarks_and_the_last_view_are_kept_for_a_project(
    session: Session, hand: Hand, tmp_path: Path, qtbot: QtBot
) -> None:
    preferences = Preferences(QSettings(str(tmp_path / "kept.ini"), QSettings.Format.IniFormat))
    views = ViewMemory(session, hand.view.camera, preferences)
    menu = BookmarksMenu(views, hand.view)
    hand.view.camera.fit_bounds(5, 5, 15, 20)
    views.add("Ridge, north")
    there = seen(hand)
    hand.view.camera.fit_bounds(20, 30, 30, 50)
    session.mark_saved(tmp_path / "one.firegui")
    last = seen(hand)
    session.open_project(session.project, tmp_path / "other.firegui")
    assert hand.view.camera.shows_whole and not views.bookmarks and not menu.isEnabled()
    session.open_project(session.project, tmp_path / "one.firegui")
    assert seen(hand) == pytest.approx(last, abs=0.01)
    menu.actions()[0].trigger()
    assert seen(hand) == pytest.approx(there, abs=0.01)
    views.remove("Ridge, north")
    assert not preferences.bookmarks(tmp_path / "one.firegui")


def test_damaged_views_in_the_settings_count_as_absent(tmp_path: Path) -> None:
    preferences = Preferences()
    preferences.set_bookmarks(tmp_path, {"a": (0.0, 0.0, 1.0, 1.0), "b": (1.0, 1.0, 0.0, 0.0)})
    assert list(preferences.bookmarks(tmp_path)) == ["a"]
    preferences.set_map_view(tmp_path, (0.0, float("nan"), 1.0, 1.0))
    assert preferences.map_view(tmp_path) is None


# -- the window --------------------------------------------------------------------------------------------------------
def test_the_window_has_the_actions_of_the_map_and_a_key_that_shows_the_map_alone(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    workbench = window.workbench
    to_front(qtbot, window)
    workbench.map.setFocus()
    shell, map_widget = workbench.shell, workbench.map.camera.widget
    QTest.keyClick(map_widget, Qt.Key.Key_F11)
    parts = (shell.side, shell.centre.bar, workbench.timeline, window.menuBar(), window.statusBar())
    assert shell.is_full_map and not any(part.isVisible() for part in parts) and map_widget.isVisible()
    QTest.keyClick(map_widget, Qt.Key.Key_Escape)
    assert not shell.is_full_map and all(part.isVisible() for part in parts[1:])
    Hand(workbench.map).move((12.5, 33.5))
    QTest.keyClick(map_widget, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert "°" in QGuiApplication.clipboard().text()
    workbench.actions["coordinates:utm"].trigger()
    assert workbench.actions["coordinates:utm"].isChecked()
    workbench.actions["copy_coordinates"].trigger()
    assert "°" not in QGuiApplication.clipboard().text()
    workbench.actions["go_to"].trigger()
    assert window.findChild(GoToDialog) is not None
    window.findChild(GoToDialog).reject()
    workbench.actions["add_bookmark"].trigger()
    dialog = window.findChild(QInputDialog)
    assert dialog is not None
    dialog.accept()
    assert list(workbench.views.bookmarks) == ["View 1"]


@pytest.mark.parametrize(
    ("width", "text"), [(200.0, "Nowhere (invented village)"), (150.0, "Nowhere\n(invented village)")]
)
def test_a_name_is_moved_or_broken_into_lines_to_end_on_the_landscape(qapp: object, width: float, text: str) -> None:
    grid = QRectF(200.0, 50.0, width, 200.0)
    spots = LabelPlacement(QRectF(0.0, 0.0, 600.0, 300.0), grid)
    for beside in (QRectF(0.0, 0.0, 200.0, 300.0), QRectF(grid.right(), 0.0, 400.0, 300.0)):
        spots.avoid(beside)
    symbol = QRectF(grid.center().x(), 150.0, 8.0, 8.0)
    spots.avoid(symbol)
    font, color = map_font(8.5, bold=True), QColor("white")
    label = Label("Nowhere (invented village)", font, color, Rank.PLACE, partial(spots_around, symbol))
    placed = spots.place(label)
    assert placed is not None
    form, box = placed
    assert form.text == text and box.size() == form.size
    assert grid.contains(box) and not box.intersects(symbol)


def test_the_name_of_a_selected_region_is_never_cut_off(qapp: object) -> None:
    screen = QRectF(0.0, 0.0, 200.0, 100.0)
    spots = LabelPlacement(screen, screen)
    font, color = map_font(9.5), QColor("white")
    name = Label("A long name", font, color, Rank.SELECTION, lambda _size: [QPointF(180.0, -9.0)], must_show=True)
    placed = spots.place(name)
    assert placed is not None and screen.contains(placed[1])


@pytest.mark.parametrize(("left", "has_room"), [(20.0, True), (180.0, False)])
def test_a_label_that_would_be_cut_off_is_left_out(qapp: object, left: float, has_room: bool) -> None:
    screen, font, color = QRectF(0.0, 0.0, 200.0, 100.0), map_font(9.5), QColor("white")
    creek = Label("A creek", font, color, Rank.LINE, lambda _size: [QPointF(left, 40.0)])
    assert (LabelPlacement(screen, screen).place(creek) is not None) is has_room


def test_a_name_leaves_the_drops_free_and_a_card_before_that(qapp: object) -> None:
    screen, font, color = QRectF(0.0, 0.0, 400.0, 100.0), map_font(9.5), QColor("white")
    left, right = QPointF(20.0, 40.0), QPointF(250.0, 40.0)

    def placed(cards: tuple[QRectF, ...], drops: QRectF) -> QPointF:
        spots = LabelPlacement(screen, screen)
        for card in cards:
            spots.block(card)
        spots.avoid(drops, 1)
        found = spots.place(Label("Camp", font, color, Rank.LINE, lambda _size: [left, right]))
        assert found is not None
        return found[1].topLeft()

    west, east = QRectF(0.0, 0.0, 200.0, 100.0), QRectF(200.0, 0.0, 200.0, 100.0)
    assert placed((), QRectF()) == left
    assert placed((), west) == right
    assert placed((east,), west) == left, "a name on drops can be read, one below a card cannot"


def test_the_drops_of_the_whole_plan_are_left_free_at_every_step(session: Session, hand: Hand) -> None:
    drops = (drop_at(20.0, 30.0, 0.0, step=10), drop_at(25.0, 40.0, 0.0, step=200))
    session.show_result(ShownResult(plan=growing(session.project, 4), drops=drops))
    session.set_step(10)
    hand.view.flush()
    boxes = [hand.view.layers.drops.crowd(QTransform())]
    assert boxes[0].contains(30.5, 20.5) and boxes[0].contains(40.5, 25.5)
    session.set_step(0)
    hand.view.flush()
    assert hand.view.layers.drops.crowd(QTransform()) == boxes[0], "names would jump during playback"
    hand.view.layers.set_visible("drops", False)
    assert hand.view.layers.drops.crowd(QTransform()).isEmpty()


def test_a_place_off_screen_has_no_name_at_the_edge(session: Session, hand: Hand) -> None:
    scenario = session.project.scenario
    places = (("village", "Far", ((2.0, 2.0),)), ("village", "Near", ((30.0, 40.0),)))
    session.open_project(replace(session.project, scenario=replace(scenario, markers=places)), None)
    hand.view.camera.fit_bounds(25.0, 35.0, 35.0, 45.0)
    hand.view.flush()
    names = {label.text for layer, label, _ in placed_labels(hand) if layer.key == "markers"}
    assert names == {"Near"}


def test_a_coordinate_that_a_card_hides_stands_on_the_other_side_of_the_map(session: Session, hand: Hand) -> None:
    hand.view.layers.set_visible("graticule", True)
    hand.view.flush()
    viewport = hand.view.camera.viewport

    def sides() -> set[bool]:
        middle = viewport.width() / 2
        return {box.center().x() > middle for _, label, box in placed_labels(hand) if label.text.endswith("N")}

    assert sides() == {False}
    left = QRect(0, 0, int(hand.view.camera.to_pixel(0.0, 0.0).x()), viewport.height())
    hand.view.set_overlays((left,), viewport)
    hand.view.flush()
    assert sides() == {True}


def test_names_of_places_are_never_cut_off_and_stand_on_the_map(session: Session, hand: Hand) -> None:
    scenario = session.project.scenario
    rows, columns = scenario.grid.shape
    places = tuple(
        ("village", f"A long name of a village {number}", ((row, column),))
        for number, (row, column) in enumerate([(5.0, 1.0), (rows / 2, columns / 2), (rows - 6.0, columns - 2.0)])
    )
    session.open_project(replace(session.project, scenario=replace(scenario, markers=places)), None)
    hand.view.setMinimumWidth(120)
    for width in (900, 440, 400, 240):
        hand.view.resize(width, 440)
        hand.view.fit()
        hand.view.flush()
        camera = hand.view.camera
        screen = QRectF(camera.viewport.rect())
        grid = QRectF(camera.to_pixel(0.0, 0.0), camera.to_pixel(float(rows), float(columns)))
        placed = placed_labels(hand)
        boxes = [box for layer, _, box in placed if layer.key == "markers"]
        assert bool(boxes) is (width > 260), "in a narrow map they would hide the fire"
        assert "R1" in [label.text for _, label, _ in placed], "regions keep their names"
        for box in boxes:
            assert screen.contains(box), "none is cut off at the edge of the map"
            assert grid.left() <= box.left() and box.right() <= grid.right(), "beside the grid it would be of no place"


@pytest.mark.parametrize("width", [900, 420])
def test_no_label_is_cut_off_by_a_card_or_the_colour_scale(session: Session, hand: Hand, width: int) -> None:
    scenario = session.project.scenario
    rows, columns = scenario.grid.shape
    places = tuple(
        ("reservoir", f"Reservoir intake {row} {column}", ((float(row), float(column)),))
        for row in range(2, rows, 6) for column in range(2, columns, 6)
    )  # fmt: skip
    session.open_project(replace(session.project, scenario=replace(scenario, markers=places)), None)
    session.show_result(ShownResult(baseline=growing(session.project, 4)))
    hand.view.layers.set_visible("graticule", True)
    hand.view.resize(width, 440)
    card = QRect(0, 100, width // 3, 120)
    hand.view.set_overlays((card,), hand.view.camera.viewport)
    for zoom in (1.0, 1.3, 1.3):
        hand.view.camera.zoom(zoom)
        hand.view.flush()
        parts = hand.view.decorations.boxes
        assert len(parts) == 4 and all(part.width() > 0 for part in parts), "captions, north, scale bar, colour scale"
        labels = [(label.text, box) for _, label, box in placed_labels(hand) if not label.must_show]
        assert any(text.startswith("Reservoir") for text, _ in labels)
        cut = [text for text, box in labels if any(box.intersects(part) for part in (QRectF(card), *parts))]
        assert cut == []
