"""Editing of drops by mouse and key: move, turn, add, remove, retime, preview and pin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QDialogButtonBox, QLabel
from pytestqt.qtbot import QtBot

from firegui.domain.drops import Drop, DropList
from firegui.domain.operations import Operations
from firegui.domain.regions import Region
from firegui.domain.settings import Margin
from firegui.domain.units import percent_text
from firegui.gui.base.theme import COLORS, Theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.drop_edits import _effect_rows, card_rows, make, moved, removed, when_text
from firegui.gui.map.drop_menu import DropDialog
from firegui.gui.map.layers.drop_layers import bounds_of, handle_of
from firegui.gui.map.layers.layer import RasterLayer
from firegui.gui.map.map_board import MapBoard
from firegui.gui.map.map_view import MapView
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.scenario.constraint_tables import clock_text, pin_columns
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from firegui.io.coordinates import format_place
from firegui.io.georeference import Georeference
from tests.gui.hands import choose, show_widget
from tests.gui.map_scene import RIGHT, Hand, open_map, painted, undo_steps
from tests.gui.plan_editor_scene import (
    DROPS,
    FakePreviewer,
    extent_of,
    preview_of,
    settled,
    show_plan,
    shows_preview_of,
)

FIRST = DROPS.drops[0]


@pytest.fixture
def live() -> FakePreviewer:
    return FakePreviewer()


@pytest.fixture
def plan_preview(session: Session, queue: RunQueue, live: FakePreviewer) -> Iterator[PlanPreview]:
    with preview_of(session, queue, live) as made:
        yield made


@pytest.fixture
def hand(qtbot: QtBot, session: Session, plan_preview: PlanPreview) -> Hand:
    view = open_map(qtbot, session)
    show_plan(session)
    view.flush()
    return Hand(view)


def place_of(session: Session, drop: Drop) -> tuple[float, float]:
    """Return the landing point of a drop, in corner coordinates."""
    y, x = session.plan_editor.rules.landing(drop)
    return y + 0.5, x + 0.5


def opened(qtbot: QtBot, hand: Hand) -> DropDialog:
    """Return the dialog of a drop, once it has the keyboard focus."""
    dialog = hand.view.drop_menu.dialog
    assert dialog is not None
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def enter(box: QAbstractSpinBox, text: str) -> None:
    """Focus a field, replace its text, and leave it with Tab: Enter would accept the dialog."""
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Tab)
    assert not box.hasFocus()


def drag(hand: Hand, start: tuple[float, float], end: tuple[float, float], *, release: bool = True) -> None:
    pixels = [hand.pixel(place) for place in (start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)]
    QTest.mousePress(hand.viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, pixels[0])
    for pixel in pixels[1:]:
        hand._move(pixel)
    if release:
        QTest.mouseRelease(hand.viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, pixels[2])


# -- dragging --------------------------------------------------------------------------------------------------------
def test_a_dragged_drop_is_released_that_many_cells_further_and_undo_brings_it_back(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    before, start = session.result, place_of(session, FIRST)
    drag(hand, start, (start[0] - 5.0, start[1] + 8.0))
    (moved,) = [drop for drop in session.plan_editor.drops.drops if drop.key == FIRST.key]
    assert [moved.y, moved.x, moved.theta] == pytest.approx([15.0, 38.0, 0.0], abs=0.1)
    assert session.plan_editor.drops.drops[1:] == DROPS.drops[1:]
    settled(qtbot, session)
    assert session.result.by_hand and "edited by hand" in session.result.title and session.result.folder is None
    assert session.result.plan_metrics is not None
    assert session.result.plan_metrics.final_extent_cells == pytest.approx(extent_of(session.plan_editor.drops))
    assert session.undo_stack.undoText() == "Move a drop of S-2T-1" and session.is_dirty
    session.undo_stack.undo()
    assert session.result is before and session.plan_editor.plan is None and session.plan_editor.drops == DROPS
    session.undo_stack.redo()
    settled(qtbot, session)
    assert session.plan_editor.drops.at(FIRST.key) == moved


def test_undo_of_the_first_drop_edit_says_which_edit_of_the_project_comes_next(session: Session, hand: Hand) -> None:
    session.set_regions("delete R1", ())
    told: list[str] = []
    session.undone.connect(told.append)
    for shift in (-5.0, 5.0):
        start = place_of(session, session.plan_editor.drops.drops[0])
        drag(hand, start, (start[0] + shift, start[1] + 8.0))
    last, first = (session.undo_stack.text(number) for number in (2, 1))
    for _ in range(3):
        session.undo()
    assert told == [last, f"{first}. Next undo, in the project: delete R1", "delete R1"]


def test_a_drag_after_a_double_click_whose_release_a_dialog_took_moves_its_drop(session: Session, hand: Hand) -> None:
    start = place_of(session, FIRST)
    # This double click has no release on the map, as when the dialog opens below the mouse.
    hand.double_click(start)
    dialog = hand.view.drop_menu.dialog
    assert dialog is not None
    dialog.reject()
    drag(hand, start, (start[0] - 5.0, start[1] + 8.0))
    assert session.result.by_hand and session.plan_editor.drops != DROPS


def test_undo_of_a_dragged_drop_brings_back_the_selected_drop_its_handle_and_its_card(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    editor, start = session.plan_editor, place_of(session, FIRST)
    drag(hand, start, (start[0] - 5.0, start[1] + 8.0))
    settled(qtbot, session)
    QTest.keyClick(hand.view.camera.widget, Qt.Key.Key_Escape)
    hand.click(place_of(session, editor.drops.at(FIRST.key) or FIRST))
    drag(hand, place_of(session, editor.drops.at(FIRST.key) or FIRST), (start[0] - 1.0, start[1] + 2.0))
    settled(qtbot, session)
    assert editor.change is not None
    session.undo_stack.undo()
    session.undo_stack.undo()
    hand.view.flush()
    assert editor.selected == FIRST and editor.change is None
    assert f"row {FIRST.y:.1f}, column {FIRST.x:.1f}" in hand.view.drop_card.text
    assert "Burned at end" not in hand.view.drop_card.text


@pytest.mark.parametrize("waits", [False, True])
def test_a_removed_drop_leaves_no_card_and_no_marker_after_it_was_dragged(
    qtbot: QtBot, session: Session, hand: Hand, waits: bool
) -> None:
    editor, start = session.plan_editor, place_of(session, FIRST)

    def shows_nothing() -> bool:
        hand.view.flush()
        nothing = editor.change is None and editor.selected is None and not hand.view.drop_card.isVisible()
        return nothing and not painted(hand.view, "chosen").any()

    drag(hand, start, (start[0] - 5.0, start[1] + 8.0))
    if waits:
        settled(qtbot, session)
    assert not shows_nothing()
    hand.key(Qt.Key.Key_Delete)
    assert len(editor.drops.drops) == 2 and shows_nothing()
    settled(qtbot, session)
    # The effect of the former drag may have been computed since.
    assert shows_nothing()
    for _ in range(2):
        session.undo_stack.undo()
        assert shows_nothing()
    assert editor.drops == DROPS
    # What is selected then is shown where it is, and goes when the removal is repeated.
    hand.click(start)
    assert editor.selected == FIRST
    session.undo_stack.redo()
    hand.view.flush()
    dragged = editor.drops.at(FIRST.key)
    assert dragged is not None and dragged != FIRST and editor.selected == dragged
    assert f"row {dragged.y:.1f}, column {dragged.x:.1f}" in hand.view.drop_card.text
    session.undo_stack.redo()
    assert shows_nothing()


def test_a_drop_removed_while_the_fire_without_it_is_shown_leaves_no_card(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    hand.click(place_of(session, FIRST))
    hand.key(Qt.Key.Key_Question)
    qtbot.waitUntil(lambda: session.plan_editor.preview is not None)
    hand.key(Qt.Key.Key_Delete)
    hand.view.flush()
    assert session.plan_editor.change is None and not hand.view.drop_card.isVisible()


def test_undo_of_one_drop_leaves_the_card_on_it_and_not_on_the_drop_edited_before(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    editor, last = session.plan_editor, DROPS.drops[1]
    for drop in (FIRST, last):
        session.set_step(drop.step)
        start = place_of(session, drop)
        drag(hand, start, (start[0] + 3.0, start[1] + 4.0))
        settled(qtbot, session)
        qtbot.waitUntil(lambda: editor.preview is not None and editor.preview.request.after == editor.drops)
    session.undo_stack.undo()
    hand.view.flush()
    assert editor.selected == last
    assert f"row {last.y:.1f}, column {last.x:.1f}" in hand.view.drop_card.text


def test_the_card_of_a_drop_shows_its_whole_title_and_its_coordinates_as_the_table_does(
    session: Session, hand: Hand
) -> None:
    card = hand.view.drop_card
    session.plan_editor.select(FIRST)
    hand.view.flush()
    for part in card.findChildren(QLabel):
        assert part.width() >= part.sizeHint().width() and card.rect().contains(part.geometry())
    lonlat = Georeference(session.project.scenario.grid).lonlat(FIRST.y, FIRST.x)
    assert lonlat is not None and format_place(*lonlat, session.drawing.coordinates) in card.text
    kind = session.plan_editor.rules.tails[FIRST.column].type
    assert kind.drawn_text(session.units) in card.text


@pytest.mark.parametrize("width", [330, 900])
def test_the_card_of_a_drop_covers_neither_captions_nor_scales(session: Session, hand: Hand, width: int) -> None:
    hand.view.setMinimumWidth(120)
    hand.view.resize(width, 640)
    for drop, above in product(DROPS.drops, (2.0, 8.0, 15.0, 22.0, 28.0)):
        session.plan_editor.select(drop)
        y, x = session.plan_editor.rules.landing(drop)
        hand.view.camera.fit_bounds(y - above, x - 8.0, y + 30.0 - above, x + 8.0)
        hand.view.flush()
        card, scales = hand.view.drop_card, hand.view.decoration_boxes
        assert card.isVisible() and len(scales) == 4
        assert not any(card.geometry().intersects(part) for part in scales)


def test_the_card_of_a_drop_chosen_with_pan_offers_the_tool_that_moves_it(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.PAN)
    hand.click(place_of(session, FIRST))
    hand.view.flush()
    assert hand.view.drop_card.isVisible() and session.plan_editor.selected == FIRST
    QTest.mouseClick(hand.view.edit_button, Qt.MouseButton.LeftButton)
    hand.view.flush()
    assert session.tool is Tool.DROP and session.plan_editor.selected == FIRST
    assert hand.view.drop_card.isVisible() and not hand.view.edit_button.isVisible()


def drop_box(hand: Hand, drop: Drop) -> QRect:
    """Return the pixels of a drop, its handle and its release point."""
    top, left, bottom, right = bounds_of(hand.view._session.plan_editor.rules, drop)
    return QRect(hand.pixel((top, left)), hand.pixel((bottom, right)))


@pytest.mark.parametrize("place", [(2.0, 3.0), (2.0, 57.0), (20.0, 30.0), (37.0, 3.0), (37.0, 57.0)])
def test_the_card_of_a_drop_lies_beside_the_drop_also_after_moves(
    qtbot: QtBot, session: Session, hand: Hand, place: tuple[float, float]
) -> None:
    editor, card = session.plan_editor, hand.view.drop_card
    legend, layers = QRect(8, 330, 248, 240), QRect(600, 56, 290, 200)
    hand.view.set_overlays([legend, layers], hand.view)
    drops = DropList((Drop(10, 0, *place, 1.2),))
    show_plan(session, drops)
    editor.select(drops.drops[0])

    def check() -> None:
        hand.view.flush()
        drop = editor.change.drop if editor.change is not None else editor.selected
        assert drop is not None
        there = card.geometry()
        assert card.isVisible() and hand.viewport.rect().contains(there)
        assert not any(there.intersects(each) for each in (drop_box(hand, drop), legend, layers))

    check()
    near = card.geometry().center() - drop_box(hand, drops.drops[0]).center()
    assert near.manhattanLength() < 420
    for key in (Qt.Key.Key_Left, Qt.Key.Key_BracketLeft, Qt.Key.Key_Up):
        hand.key(key)
        check()
    settled(qtbot, session)
    check()
    (dropped,) = editor.drops.drops
    drag(hand, place_of(session, dropped), (15.0, 40.0), release=False)
    check()
    drag(hand, place_of(session, dropped), (15.0, 40.0))
    settled(qtbot, session)
    check()
    hand.view.camera.pan(QPointF(120.0, 60.0))
    check()


def test_the_cards_of_maps_side_by_side_keep_clear_of_what_covers_the_board(
    qtbot: QtBot, session: Session, plan_preview: PlanPreview
) -> None:
    board = MapBoard(session, MapView(session))
    show_widget(qtbot, board, 1500, 500)
    show_plan(session)
    session.set_side_by_side(True)
    plan, saved = board.shown_maps[1:]
    session.plan_editor.select(FIRST)

    def places() -> list[QRect]:
        for each in (plan, saved):
            each.flush()
            assert each.drop_card.isVisible()
        return [QRect(each.drop_card.mapTo(board, QPoint()), each.drop_card.size()) for each in (plan, saved)]

    before = places()
    board.set_overlays(before)
    assert not any(one.intersects(other) for one in places() for other in before)


def test_the_card_of_a_pinned_drop_says_so_and_gives_the_heading_of_the_table(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.view.flush()
    assert "pinned" not in hand.view.drop_card.text
    hand.key(Qt.Key.Key_P)
    hand.view.flush()
    assert "pinned" in hand.view.drop_card.text and "090° / 270°" in hand.view.drop_card.text
    (pin,) = session.project.operations.pinned
    heading = next(column for column in pin_columns(session) if column.title.startswith("Heading"))
    assert heading.text(pin) == "090"


def test_undo_of_a_retimed_drop_selects_it_at_its_former_time(session: Session, hand: Hand) -> None:
    editor = session.plan_editor
    editor.select(FIRST)
    later = replace(FIRST, step=FIRST.step + 4)
    assert make(session, moved(session, FIRST, later))
    assert editor.selected == later
    session.undo_stack.undo()
    assert editor.selected == FIRST
    session.undo_stack.redo()
    assert editor.selected == later


def test_while_a_drop_is_dragged_the_fire_the_difference_and_the_card_follow_and_nothing_is_edited(
    qtbot: QtBot, session: Session, hand: Hand, live: FakePreviewer
) -> None:
    start = place_of(session, FIRST)
    drag(hand, start, (start[0], start[1] + 10.0), release=False)
    change = session.plan_editor.change
    assert change is not None and undo_steps(session) == 0
    qtbot.waitUntil(lambda: shows_preview_of(session, change))
    hand.view.flush()
    occupancy, layer = hand.view.layers["occupancy"], hand.view.layers["change"]
    assert isinstance(occupancy, RasterLayer) and isinstance(layer, RasterLayer)
    fire, seen = occupancy.raster.pixels, layer.raster.pixels
    assert fire is not None and fire[:5, :5].all() and not fire[5:].any()
    assert seen is not None and seen[30:, :10].all() and not seen[:30].any()
    text = hand.view.drop_card.text
    assert "Difference made by this change:" in text
    assert "−0.90 ha · −10.0 cells" in text and "9.0 ha · 100 cells" in text
    assert hand.view.drop_card.heading.startswith("Drop 1 · S-2T-1 · 19 Aug")
    assert all(request.step == 10 for request in live.requests)
    assert not layer.missing()


def test_escape_puts_a_dragged_drop_back(session: Session, hand: Hand) -> None:
    start = place_of(session, FIRST)
    drag(hand, start, (start[0], start[1] + 10.0), release=False)
    hand.key(Qt.Key.Key_Escape)
    hand.release((start[0], start[1] + 10.0))
    assert session.plan_editor.drops == DROPS and session.plan_editor.change is None and undo_steps(session) == 0
    assert session.plan_editor.selected == FIRST
    hand.key(Qt.Key.Key_Escape)
    assert session.plan_editor.selected is None and session.tool is Tool.DROP


def test_the_handle_turns_the_drop(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    landing = place_of(session, FIRST)
    handle = handle_of(session.plan_editor.rules, FIRST)
    drag(hand, handle, (landing[0] - 9.0, landing[1]))
    (turned,) = [drop for drop in session.plan_editor.drops.drops if drop.key == FIRST.key]
    assert turned.theta == pytest.approx(math.pi / 2, abs=0.02)
    assert (turned.y, turned.x) == (FIRST.y, FIRST.x)
    assert session.undo_stack.undoText() == "Turn a drop of S-2T-1"


def test_a_click_beside_drops_lets_go_and_a_drag_there_moves_the_map(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.click((36.0, 5.0))
    assert session.plan_editor.selected is None
    pixel = hand.pixel((30.0, 10.0))
    hand.drag((36.0, 5.0), (33.0, 9.0))
    assert (hand.pixel((30.0, 10.0)) - pixel).manhattanLength() > 20


def test_of_two_drops_in_one_place_the_shown_day_is_taken_unless_the_other_is_chosen(
    session: Session, hand: Hand
) -> None:
    both = DropList((FIRST, replace(FIRST, step=60, column=1)))
    show_plan(session, both)
    hand.click(place_of(session, FIRST))
    assert session.plan_editor.selected == both.drops[0]
    session.set_step(60)
    session.plan_editor.select(None)
    hand.click(place_of(session, FIRST))
    assert session.plan_editor.selected == both.drops[1]
    session.set_step(10)
    hand.click(place_of(session, FIRST))
    assert session.plan_editor.selected == both.drops[1]


def test_a_footprint_of_the_shown_day_is_taken_before_a_nearer_line_of_another_day(
    session: Session, hand: Hand
) -> None:
    # The line of a later drop, and that of an earlier one, lie nearer to the click than the centre of the footprint.
    last = session.project.calendar.n_steps
    near = replace(FIRST, x=FIRST.x + 1.0)
    day = session.project.calendar.steps_per_day
    for shown, step, other in ((10, 10, 60), (last, last - 20, 10), (day + 20, day + 10, day + 40)):
        footprint = replace(FIRST, step=step)
        show_plan(session, DropList((footprint, replace(near, step=other, column=1))))
        session.set_step(shown)
        hand.view.flush()
        session.plan_editor.select(None)
        hand.click(place_of(session, near))
        assert session.plan_editor.selected is not None and session.plan_editor.selected.step == step


# -- rules -----------------------------------------------------------------------------------------------------------
def test_a_drop_that_would_break_a_rule_says_so_at_once_and_is_put_back(
    session: Session, hand: Hand, messages: list[str]
) -> None:
    zone = Region.rectangle("Z1", (0, 8), (0, 60))
    session.set_operations("zone", Operations(no_drop_zones=(zone,)))
    session.show_result(replace(session.result, project=session.project))
    start, steps = place_of(session, FIRST), undo_steps(session)
    drag(hand, start, (start[0] - 16.0, start[1]), release=False)
    hand.view.flush()
    assert session.plan_editor.change is not None and session.plan_editor.change.broken
    assert "⚠" in hand.view.drop_card.text and "Z1" in hand.view.drop_card.text
    hand.release((start[0] - 16.0, start[1]))
    assert session.plan_editor.drops == DROPS and undo_steps(session) == steps
    assert messages[-1].startswith("Not done: ") and "Z1" in messages[-1]


def test_an_ensemble_and_a_run_at_work_are_left_alone(session: Session, hand: Hand, messages: list[str]) -> None:
    start = place_of(session, FIRST)
    session.plan_editor.block("the shown run is still running")
    drag(hand, start, (start[0], start[1] + 5.0))
    assert session.plan_editor.drops == DROPS and "still running" in messages[-1]
    session.plan_editor.block("")
    session.show_result(replace(session.result, member=True))
    drag(hand, start, (start[0], start[1] + 5.0))
    assert session.plan_editor.drops == DROPS and "an analysis is shown" in messages[-1]


# -- the keyboard ----------------------------------------------------------------------------------------------------
def test_everything_goes_by_keyboard_too(qtbot: QtBot, session: Session, hand: Hand) -> None:
    hand.key(Qt.Key.Key_N)
    assert session.plan_editor.selected == FIRST
    hand.key(Qt.Key.Key_N)
    assert session.plan_editor.selected == DROPS.drops[1] and session.step == 60
    hand.key(Qt.Key.Key_B)
    for _ in range(3):
        hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_Up)
    hand.key(Qt.Key.Key_BracketLeft)
    chosen = session.plan_editor.selected
    assert chosen is not None
    assert [chosen.y, chosen.x, chosen.theta] == pytest.approx([19.0, 33.0, math.radians(5.0)])
    # Keyboard steps of one drop are one edit.
    assert undo_steps(session) == 1
    hand.key(Qt.Key.Key_Delete)
    assert len(session.plan_editor.drops.drops) == 2 and session.plan_editor.selected is None
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.plan_editor.drops == DROPS


def test_the_card_shows_the_effect_of_an_edit_with_keys_as_of_one_with_the_mouse(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    editor, card = session.plan_editor, hand.view.drop_card
    hand.key(Qt.Key.Key_N)
    for _ in range(3):
        hand.key(Qt.Key.Key_Right)
    settled(qtbot, session)
    qtbot.waitUntil(lambda: editor.preview is not None and editor.preview.request.after == editor.drops)
    hand.view.flush()
    # The effect is that of the whole edit, which one undo takes back, not of its last step.
    assert editor.change is not None and editor.change.before == DROPS
    assert "Difference made by this change:" in card.text and "Burned at end" in card.text
    hand.key(Qt.Key.Key_N)
    hand.view.flush()
    assert editor.change is None and "Burned at end" not in card.text


def test_the_effect_of_an_edit_says_whether_the_plan_holds_its_limit_in_the_model(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    plan = session.project.plan
    show_plan(session)
    assert session.result.baseline is not None and plan.weights.counts_growth
    start = float(session.result.baseline.fire.picture(0).sum()) / 255.0
    share = (extent_of(DROPS.minus(FIRST)) - start) / (1000.0 - start)

    def rows(limit: float, kind: Margin = Margin.STRESS) -> list[tuple[str, str]]:
        margin = replace(plan.margin, kind=kind, limit=limit)
        session.edit("limit", replace(session.project, plan=replace(plan, margin=margin)))
        show_plan(session)
        session.plan_editor.request_preview(removed(session, FIRST))
        qtbot.waitUntil(lambda: session.plan_editor.preview is not None)
        card = card_rows(session)
        assert card is not None
        place = [name for name, _ in card[1]].index("Growth left")
        return card[1][place : place + 2]

    text = percent_text(share)
    assert rows(1.0) == [("Growth left", f"{text}, limit 100 %"), ("", "holds in the model; stress test not repeated")]
    assert rows(0.05) == [("Growth left", f"{text}, limit 5.0 %"), ("", "⚠ does not hold in the model")]
    # A plan for the model alone has no limit.
    assert rows(0.05, Margin.NONE)[:1] == [("Growth left", text)]
    assert not any("hold" in value for _name, value in rows(0.05, Margin.NONE))
    # Without the fire without drops the growth is not known.
    session.show_result(replace(session.result, baseline_metrics=None))
    session.plan_editor.request_preview(removed(session, FIRST))
    qtbot.waitUntil(lambda: session.plan_editor.preview is not None)
    card = card_rows(session)
    assert card is not None and "Growth left" not in dict(card[1])


def test_p_pins_and_unpins_the_chosen_drop_as_it_was_edited(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_P)
    (pin,) = session.project.operations.pinned
    assert (pin.aircraft, pin.y, pin.x) == ("S-2T-1", 20.0, 31.0)
    hand.key(Qt.Key.Key_P)
    assert session.project.operations.pinned == ()


# -- menus and numbers -----------------------------------------------------------------------------------------------
def test_the_question_shows_the_fire_without_the_drop_and_changes_nothing(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    hand.click(place_of(session, FIRST), button=RIGHT)
    menu = hand.view.drop_menu.menu
    assert menu is not None
    titles = [action.text() for action in menu.actions()]
    assert titles[1:] == ["Preview without this drop", "Edit…", "Pin this drop", "", "Remove"]
    menu.actions()[1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: session.plan_editor.preview is not None)
    hand.view.flush()
    assert "+40.0 cells" in hand.view.drop_card.text
    preview = session.plan_editor.preview
    assert preview is not None
    rows = dict(_effect_rows(session, removed(session, FIRST), replace(preview, changed=0)))
    assert rows["Changed ≥ 10 %"] == "no cell; the colours show smaller changes"
    assert session.plan_editor.drops == DROPS and undo_steps(session) == 0
    hand.key(Qt.Key.Key_Escape)
    hand.view.flush()
    assert session.plan_editor.preview is None


def test_a_drop_is_retimed_given_to_another_and_placed_by_numbers(qtbot: QtBot, session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Return)
    dialog = opened(qtbot, hand)
    # A step is 28.8 minutes.
    assert dialog.step.toolTip() == "Steps from the start of the plan, about 29 minutes each"
    enter(dialog.step, "15")
    choose(dialog.aircraft, 2)
    enter(dialog.row, "12.5")
    enter(dialog.heading, "30")
    assert dialog.easting.value() == pytest.approx(30.5 * 30.0)
    enter(dialog.easting, "1215")
    qtbot.waitUntil(lambda: "burned at the end" in dialog.note.text())
    QTest.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    found = session.plan_editor.drops.at((15, 2))
    assert found is not None
    assert [found.y, found.x] == pytest.approx([12.5, 40.0])
    assert found.theta == pytest.approx(math.radians(60.0))
    assert session.plan_editor.selected == found and undo_steps(session) == 1


def test_a_time_is_the_step_that_holds_it(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Return)
    dialog = hand.view.drop_menu.dialog
    assert dialog is not None
    start = session.project.calendar.time_of_step(15).timestamp()
    dialog.time.setDateTime(
        dialog.time.dateTime().addSecs(round(start - dialog.time.dateTime().toSecsSinceEpoch()) + 60)
    )
    assert dialog.step.value() == 15
    dialog.reject()
    assert session.plan_editor.drops == DROPS and session.plan_editor.change is None


def test_numbers_that_break_a_rule_cannot_be_accepted(qtbot: QtBot, session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Return)
    dialog = opened(qtbot, hand)
    enter(dialog.step, "110")
    assert "grounded" in dialog.trouble.text()
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    dialog.accept()
    assert dialog.isVisible() and session.plan_editor.drops == DROPS
    dialog.reject()


def test_a_double_click_beside_drops_adds_one_by_whoever_may_fly_across_the_wind(
    qtbot: QtBot, session: Session, hand: Hand
) -> None:
    hand.double_click((36.5, 10.5))
    dialog = hand.view.drop_menu.dialog
    assert dialog is not None
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    (new,) = set(session.plan_editor.drops.drops) - set(DROPS.drops)
    # S-2T-1 already drops at the shown step.
    assert (new.step, new.column) == (10, 1)
    assert [new.y, new.x] == pytest.approx([36.0, 10.0], abs=0.1)
    assert new.theta == pytest.approx(0.5 + math.pi / 2, abs=1e-3)
    assert session.plan_editor.selected == new


def test_the_ground_menu_adds_here(session: Session, hand: Hand) -> None:
    hand.click((36.5, 10.5), button=RIGHT)
    menu = hand.view.drop_menu.menu
    assert menu is not None
    menu.actions()[1].trigger()
    menu.close()
    dialog = hand.view.drop_menu.dialog
    assert dialog is not None and dialog.row.value() == pytest.approx(36.0, abs=0.1)
    dialog.reject()


# -- what is shown ---------------------------------------------------------------------------------------------------
def test_the_chosen_drop_is_outlined_where_it_lands(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    hand.view.flush()
    rows, columns = np.nonzero(painted(hand.view, "chosen"))
    middle = hand.view.camera.to_pixel(*place_of(session, FIRST))
    assert abs(rows.mean() - middle.y()) < 12 and abs(columns.mean() - middle.x()) < 30
    session.set_view(FireView.BASELINE)
    assert not painted(hand.view, "chosen").any()


def test_a_dragged_drop_has_an_outline_unlike_the_fire(session: Session, hand: Hand) -> None:
    start, outline = place_of(session, FIRST), hand.view.layers["chosen"].ink.text
    drag(hand, start, (start[0], start[1] + 10.0))
    hand.view.flush()
    where, picture = painted(hand.view, "chosen"), hand.view.snapshot()
    colors = [picture.pixelColor(int(x), int(y)) for y, x in zip(*np.nonzero(where), strict=True)]
    alike = [each for each in colors if abs(each.lightness() - outline.lightness()) < 10 and each.saturation() < 80]
    assert len(alike) > 60, "the outline has another colour"


@pytest.mark.parametrize("several", [False, True])
def test_selected_drops_show_what_they_carry(session: Session, hand: Hand, several: bool) -> None:
    editor = session.plan_editor
    editor.select_all(editor.drops.drops[:2] if several else (FIRST,))
    hand.view.layers.set_visible("drops", False)
    hand.view.flush()
    where, picture = painted(hand.view, "chosen"), hand.view.snapshot()
    colors = [picture.pixelColor(int(x), int(y)) for y, x in zip(*np.nonzero(where), strict=True)]
    material = session.project.fleet.tails[FIRST.column].type.material
    wanted = QColor(getattr(COLORS[Theme.DARK], material.value))
    alike = [each for each in colors if each.saturation() > 80 and abs(each.hue() - wanted.hue()) < 15]
    assert len(alike) > 60, "the colour of the material is not seen"


def test_another_plan_takes_the_edited_one_from_the_screen_and_a_project_forgets_it(
    session: Session, hand: Hand
) -> None:
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Right)
    assert session.plan_editor.plan is not None
    session.show_result(ShownResult("other", plan=session.result.plan, project=session.project))
    assert (
        session.plan_editor.plan is None
        and session.plan_editor.drops == DropList()
        and session.plan_editor.selected is None
    )
    show_plan(session)
    session.plan_editor.select(FIRST)
    hand.key(Qt.Key.Key_Right)
    session.open_project(session.project, None)
    assert session.plan_editor.plan is None and session.plan_editor.selected is None


def test_a_drop_is_picked_up_and_put_down_at_the_crosshair(session: Session, hand: Hand) -> None:
    session.set_step(FIRST.step)
    while hand.view.camera.pixels_per_cell < 12.0:
        hand.key(Qt.Key.Key_Plus)
    hand.view.camera.centre_on(*place_of(session, FIRST))
    hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_Left)
    hand.key(Qt.Key.Key_Return)
    assert session.plan_editor.selected == FIRST
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        hand.key(key)
    moved_drop = session.plan_editor.selected
    assert moved_drop is not None and moved_drop.y == pytest.approx(FIRST.y + 2.0) and undo_steps(session) == 1
    # What is put down stays selected, and the keys are those of the selected drop.
    hand.key(Qt.Key.Key_Down)
    assert session.plan_editor.selected is not None and session.plan_editor.selected.y == pytest.approx(FIRST.y + 3.0)
    assert hand.view.sketch.cursor is None


def test_the_handle_of_a_drop_is_shown_only_while_it_turns_the_drop(session: Session, hand: Hand) -> None:
    session.plan_editor.select(FIRST)
    place = handle_of(session.plan_editor.rules, FIRST)
    with_handle = hand.color(place)
    session.set_tool(Tool.PAN)
    session.plan_editor.select(FIRST)
    assert hand.color(place) != with_handle


def test_a_drop_that_is_shown_is_enlarged_in_view_and_the_map_stays_if_it_is(session: Session, hand: Hand) -> None:
    camera = hand.view.camera
    camera.fit_bounds(30.0, 50.0, 38.0, 58.0)
    hand.view.show_drop(FIRST)
    assert camera.viewport.rect().adjusted(90, 90, -90, -90).contains(hand.pixel(place_of(session, FIRST)))
    area = camera.area
    hand.view.show_drop(FIRST)
    assert camera.area == area
    # Far away, the drop is a few pixels.
    for _ in range(8):
        camera.zoom(0.6)
    small = camera.pixels_per_cell
    hand.view.show_drop(FIRST)
    assert camera.pixels_per_cell > 2.0 * small


def test_the_map_and_the_card_of_a_drop_give_the_minute_of_the_exports(session: Session, hand: Hand) -> None:
    calendar = session.project.calendar
    when = calendar.time_of_step(1)
    assert when.second, "a step that begins at a whole minute shows nothing"
    minute = calendar.clock_text(when)
    session.set_step(1)
    hand.view.flush()
    assert minute in hand.view.decorations.caption.title
    assert minute in when_text(session, 1)
    assert clock_text(when, session.project).endswith(minute)
