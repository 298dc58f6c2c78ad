"""Drops that the second stage removes fade out on the map."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from firegui.domain.schedule import DropRecord
from firegui.gui.map.layers.drop_layers import FADE_SECONDS, RemovedLayer
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.runs.stages import Stage
from tests.gui.map_scene import Hand, drop_at, only, painted

GONE = drop_at(20.0, 30.0, 0.0, step=10)
KEPT = drop_at(32.0, 12.0, 0.0, step=20)


class Clock:
    """Clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hand(session: Session, hand: Hand) -> Hand:
    only(hand.view, "extent", "removed")
    session.set_step(30)
    return hand


@pytest.fixture
def clock(hand: Hand) -> Clock:
    made = Clock()
    layer(hand)._clock = made
    return made


def layer(hand: Hand) -> RemovedLayer:
    return hand.view.layers.removed


def show(session: Session, hand: Hand, *drops: DropRecord, stage: Stage = Stage.PRUNE, title: str = "run") -> None:
    session.show_result(ShownResult(title, drops=drops, stage=stage))
    hand.view.flush()


def strength(hand: Hand) -> float:
    """Return the contrast of the removed drop with the background."""
    ground, color = hand.color((38.0, 57.0)), hand.color((20.5, 30.5 + 9.9))
    return abs(color.red() - ground.red()) + abs(color.green() - ground.green()) + abs(color.blue() - ground.blue())


def test_a_removed_drop_fades_where_it_was_and_is_gone_after_a_second_and_a_half(
    session: Session, hand: Hand, clock: Clock
) -> None:
    show(session, hand, GONE, KEPT)
    assert not painted(hand.view, "removed").any()
    show(session, hand, KEPT)
    fresh = strength(hand)
    clock.now += 0.6 * FADE_SECONDS
    layer(hand).dirty = True
    faint = strength(hand)
    assert fresh > faint > 0
    clock.now += 0.5 * FADE_SECONDS
    layer(hand).dirty = True
    hand.view.flush()
    assert not painted(hand.view, "removed").any()
    assert not layer(hand).is_fading


def test_the_map_redraws_by_itself_while_something_fades(qtbot: QtBot, session: Session, hand: Hand) -> None:
    show(session, hand, GONE, KEPT)
    show(session, hand, KEPT)
    assert layer(hand).is_fading
    qtbot.waitUntil(lambda: not layer(hand).is_fading, timeout=5000)
    assert layer(hand).strokes.strokes == ()


@pytest.mark.parametrize("before", [(Stage.OPTIMIZE, "run"), (Stage.PRUNE, "another run")])
def test_only_what_the_second_stage_takes_from_its_own_plan_was_removed(
    session: Session, hand: Hand, before: tuple[Stage, str]
) -> None:
    show(session, hand, GONE, KEPT, stage=before[0], title=before[1])
    show(session, hand, KEPT)
    assert not layer(hand).is_fading


def test_drops_that_come_and_go_in_the_first_stage_were_not_removed(session: Session, hand: Hand) -> None:
    show(session, hand, GONE, KEPT, stage=Stage.OPTIMIZE)
    show(session, hand, KEPT, stage=Stage.OPTIMIZE)
    assert not layer(hand).is_fading


def test_a_drop_removed_from_another_day_is_quieter(session: Session, hand: Hand, clock: Clock) -> None:
    show(session, hand, GONE, KEPT)
    show(session, hand, KEPT)
    today = strength(hand)
    session.set_step(130)
    assert 0 < strength(hand) < today


def test_the_baseline_has_no_drops_to_remove(session: Session, hand: Hand) -> None:
    show(session, hand, GONE, KEPT)
    show(session, hand, KEPT)
    session.set_view(FireView.BASELINE)
    hand.view.flush()
    assert not painted(hand.view, "removed").any()


def test_what_went_while_the_layer_was_hidden_is_not_shown_later(session: Session, hand: Hand, clock: Clock) -> None:
    show(session, hand, GONE, KEPT)
    hand.view.layers.set_visible("removed", False)
    show(session, hand, KEPT)
    clock.now += FADE_SECONDS
    hand.view.flush()
    assert not layer(hand).is_fading
    hand.view.layers.set_visible("removed", True)
    assert not painted(hand.view, "removed").any()


def test_proposals_that_were_blocked_anyway_are_not_missed(session: Session, hand: Hand) -> None:
    show(session, hand, replace(GONE, executed=False), KEPT)
    show(session, hand, KEPT)
    assert not layer(hand).is_fading


def test_the_list_switches_it_and_the_legend_names_it(qtbot: QtBot, session: Session, hand: Hand) -> None:
    panel = LayersPanel(hand.view.layers)
    qtbot.addWidget(panel)
    panel.show()
    box = next(each for each in panel.findChildren(QCheckBox) if each.text() == "Drops removed")
    assert "shown while drops are removed" in box.toolTip()
    show(session, hand, GONE)

    def named() -> bool:
        return "Drops removed" in [label.text() for label in panel.findChildren(QLabel) if not label.isHidden()]

    assert not named()
    show(session, hand, KEPT)
    assert named()
    box.click()
    assert not layer(hand).visible
