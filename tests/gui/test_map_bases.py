"""Bases on the map: set by a click, dragged, renamed and deleted, with mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.bases import Base, BaseKind
from firegui.gui.map.layers.bases_layer import BasesLayer
from firegui.gui.map.map_board import MapBoard
from firegui.gui.map.map_view import MapView
from firegui.gui.scenario.bases_panel import KIND, NAME, RELOAD, SERVES, BasesPanel
from firegui.gui.session.session import Session, ShapeKind, ShownResult, Tool
from firegui.gui.widgets.table_view import selected_rows
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import cell_text, show_widget
from tests.gui.map_scene import RIGHT, Hand, growing, undo_steps

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier
HOME = Base("Home", BaseKind.AIRTANKER, 19.5, 39.5)
"""Its symbol is at row 20, column 40 of the map's corner coordinates."""


def bases_of(session: Session) -> tuple[Base, ...]:
    return session.project.operations.bases


def put(session: Session, *bases: Base) -> None:
    session.set_operations("put", replace(session.project.operations, bases=bases))


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> BasesPanel:
    found = BasesPanel(session)
    show_widget(qtbot, found, 360, 320)
    return found


def test_a_click_sets_a_base_that_the_table_shows(session: Session, hand: Hand, panel: BasesPanel) -> None:
    session.set_tool(Tool.BASE)
    hand.click((20.5, 40.5))
    (base,) = bases_of(session)
    assert (base.name, base.kind, base.reload_min, base.serves) == ("Base 1", BaseKind.AIRTANKER, 15.0, ())
    assert (base.y, base.x) == pytest.approx((20.0, 40.0), abs=0.1)
    assert session.tool is Tool.PAN and undo_steps(session) == 1
    assert session.selected_name(ShapeKind.BASE) == "Base 1"
    assert cell_text(panel.view, 0, NAME) == "Base 1" and cell_text(panel.view, 0, SERVES) == "none"
    assert selected_rows(panel.view) == [0]
    session.undo_stack.undo()
    assert bases_of(session) == () and session.selected_name(ShapeKind.BASE) == ""


def test_with_shift_several_bases_are_set_with_different_names(session: Session, hand: Hand) -> None:
    put(session, replace(HOME, name="base 1"))
    session.set_tool(Tool.BASE)
    hand.click((10.5, 40.5), SHIFT)
    hand.click((12.5, 50.5))
    assert [base.name for base in bases_of(session)] == ["base 1", "Base 2", "Base 3"]


def test_a_drag_with_the_tool_moves_the_map_and_sets_nothing(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.BASE)
    area = hand.view.camera.area
    hand.drag((20.0, 40.0), (25.0, 45.0))
    assert bases_of(session) == () and hand.view.camera.area != area


def test_a_base_may_be_set_beside_the_raster(session: Session, hand: Hand) -> None:
    hand.view.camera.fit_bounds(-20.0, -20.0, 60.0, 80.0)
    session.set_tool(Tool.BASE)
    hand.click((-8.0, 30.5))
    assert (bases_of(session)[0].y, bases_of(session)[0].x) == pytest.approx((-8.5, 30.0), abs=0.2)


def test_escape_leaves_the_tool(window: MainWindow) -> None:
    session, view = window.workbench.session, window.workbench.map
    window.workbench.actions["tool:base"].trigger()
    assert session.tool.value == "base"
    QTest.keyClick(view.camera.widget, KEY.Key_Escape)
    assert session.tool.value == "pan" and bases_of(session) == ()


def test_the_kind_sets_a_reload_time_that_nobody_typed(session: Session, hand: Hand, panel: BasesPanel) -> None:
    session.set_tool(Tool.BASE)
    hand.click((20.5, 40.5))
    assert panel.model.setData(panel.model.index(0, KIND), "dip_site")
    assert (bases_of(session)[0].kind, bases_of(session)[0].reload_min) == (BaseKind.DIP, 2.0)
    assert panel.model.setData(panel.model.index(0, RELOAD), "7")
    assert panel.model.setData(panel.model.index(0, KIND), "scooping_lake")
    assert bases_of(session)[0].reload_min == 7.0


def test_a_drag_moves_a_base_as_one_step_and_the_table_has_its_place(
    session: Session, hand: Hand, panel: BasesPanel
) -> None:
    put(session, HOME)
    session.set_tool(Tool.EDIT)
    tip = panel.model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    hand.press((20.0, 40.0))
    hand.move((22.0, 42.0), (30.0, 50.0))
    outline = hand.view.sketch.outline
    assert outline is not None and "°" in outline.text, "the coordinates are told during the drag"
    assert bases_of(session) == (HOME,)
    hand.release((30.0, 50.0))
    (moved,) = bases_of(session)
    assert (moved.y, moved.x) == pytest.approx((29.5, 49.5), abs=0.1)
    assert replace(moved, y=HOME.y, x=HOME.x) == HOME and undo_steps(session) == 2
    assert panel.model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole) != tip
    session.undo_stack.undo()
    assert bases_of(session) == (HOME,)


def test_a_click_selects_a_base_and_moves_nothing(session: Session, hand: Hand, panel: BasesPanel) -> None:
    put(session, HOME, replace(HOME, name="Away", y=5.0, x=14.0))
    for tool in (Tool.PAN, Tool.EDIT):
        session.set_tool(tool)
        session.select_region("R1")
        hand.click((5.5, 14.5))
        assert (session.selected_name(ShapeKind.BASE), session.selected_region) == ("Away", "")
        assert selected_rows(panel.view) == [1] and undo_steps(session) == 1
        hand.click((30.0, 50.0))
        assert session.selected_shape.name == "" and selected_rows(panel.view) == []
    panel.view.selectRow(0)
    assert session.selected_name(ShapeKind.BASE) == "Home"


def test_a_base_in_a_region_is_picked_up_before_it(session: Session, hand: Hand) -> None:
    put(session, replace(HOME, y=5.5, x=15.5))
    session.set_tool(Tool.EDIT)
    hand.drag((6.0, 16.0), (20.0, 40.0))
    assert (bases_of(session)[0].y, bases_of(session)[0].x) == pytest.approx((19.5, 39.5), abs=0.1)
    assert session.project.regions[0].bounds == (2, 5, 10, 25)


def test_escape_takes_a_drag_back(session: Session, hand: Hand) -> None:
    put(session, HOME)
    session.set_tool(Tool.EDIT)
    hand.press((20.0, 40.0))
    hand.move((30.0, 50.0))
    hand.key(KEY.Key_Escape)
    hand.release((30.0, 50.0))
    assert bases_of(session) == (HOME,) and hand.view.sketch.outline is None


def test_arrows_and_enter_move_a_base(session: Session, hand: Hand) -> None:
    put(session, HOME)
    session.set_tool(Tool.EDIT)
    hand.view.camera.fit_bounds(15.0, 30.0, 25.0, 50.0)
    hand.key(KEY.Key_Right)
    hand.key(KEY.Key_Left)
    hand.key(KEY.Key_Return)
    for _ in range(3):
        hand.key(KEY.Key_Down)
    hand.key(KEY.Key_Return)
    (moved,) = bases_of(session)
    assert moved.y > HOME.y and moved.x == HOME.x and undo_steps(session) == 2


def test_the_keyboard_sets_a_base(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.BASE)
    hand.key(KEY.Key_Return)
    assert len(bases_of(session)) == 1


def test_the_menu_renames_and_deletes(session: Session, hand: Hand) -> None:
    put(session, HOME, replace(HOME, name="Away", y=5.0, x=5.0))
    hand.click((20.0, 40.0), button=RIGHT)
    menu = hand.view.menu.menu
    assert menu is not None and session.selected_name(ShapeKind.BASE) == "Home"
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == ["Rename…", "Delete"]
    actions["Rename…"].trigger()
    dialog = hand.view.menu.name_dialog
    assert dialog is not None
    dialog.field.setText("away")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert dialog.isVisible() and "differ only in letter case" in dialog.trouble.text()
    dialog.field.setText("Chester")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert [base.name for base in bases_of(session)] == ["Chester", "Away"]
    assert session.selected_name(ShapeKind.BASE) == "Chester"
    session.undo_stack.undo()
    actions["Delete"].trigger()
    assert [base.name for base in bases_of(session)] == ["Away"]
    menu.close()


def test_a_base_renamed_in_the_table_stays_selected(session: Session, panel: BasesPanel) -> None:
    put(session, HOME)
    panel.view.selectRow(0)
    assert panel.model.setData(panel.model.index(0, NAME), "Chester")
    assert session.selected_name(ShapeKind.BASE) == "Chester"


def test_delete_removes_the_selected_base(window: MainWindow) -> None:
    session, workbench = window.workbench.session, window.workbench
    put(session, HOME)
    session.select_shape(ShapeKind.BASE, "Home")
    assert workbench.actions["delete_shape"].isEnabled() and not workbench.actions["zoom_selection"].isEnabled()
    assert workbench.handle_key(KEY.Key_Delete)
    assert bases_of(session) == ()


def test_the_layer_draws_the_dragged_base_and_marks_the_selected_one(session: Session, hand: Hand) -> None:
    put(session, HOME)
    layer = hand.view.layers["bases"]
    assert isinstance(layer, BasesLayer)
    before = hand.view.snapshot()
    session.select_shape(ShapeKind.BASE, "Home")
    assert hand.view.snapshot() != before
    layer.preview("Home", replace(HOME, y=5.0))
    assert [base.y for base in layer._bases] == [5.0]
    layer.preview("", None)
    assert [base.y for base in layer._bases] == [HOME.y]


def test_maps_side_by_side_share_the_selection(qtbot: QtBot, session: Session) -> None:
    put(session, HOME)
    board = MapBoard(session, MapView(session))
    show_widget(qtbot, board, 1200, 640)
    fire = growing(session.project, 4)
    session.show_result(ShownResult("run", baseline=fire, plan=fire, project=session.project))
    session.set_side_by_side(True)
    view = board.shown_maps[1]
    view.flush()
    session.set_tool(Tool.EDIT)
    Hand(view).click((20.0, 40.0))
    assert session.selected_name(ShapeKind.BASE) == "Home"
    assert all(each._session.selected_name(ShapeKind.BASE) == "Home" for each in board.shown_maps)
