"""Layers of fire behaviour: only with the physical model, by period, computed in a thread."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from firegui.domain.behaviour_classes import INTENSITY, SPREAD_RATE
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.units import Units
from firegui.domain.weather import PeriodWeather
from firegui.fire.physical import PhysicalGround, with_physical_model
from firegui.gui.map.layers import behaviour_layers
from firegui.gui.map.layers.layer import RasterLayer
from firegui.gui.map.map_board import MapBoard, MapRenderer
from firegui.gui.map.map_content import MapState
from firegui.gui.map.map_view import MapView
from firegui.gui.map.readout import probe_rows
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session import fire_behaviour
from firegui.gui.session.session import Session
from tests.gui.map_scene import Hand, only, painted
from tests.unit.domain.samples import weights

KEYS = ("spread_rate", "flame_length", "intensity")
ROWS = ("Rate of spread", "Flame length", "Fireline intensity", "Crowns that burn")


def physical(project: Project) -> Project:
    """The project with grass, brush and bare ground, and a wind that doubles in the second half of every day."""
    event = project.scenario
    fuel = np.full(event.grid.shape, 99.0, np.float32)
    fuel[:, 20:] = 145.0
    fuel[:, 40:] = 101.0
    speed = np.tile(np.array([2.0, 6.0], np.float32), event.days).reshape(-1, 1, 1)
    weather = PeriodWeather(2, max(event.grid.shape), speed, np.zeros_like(speed))
    event = replace(event, layers={**event.layers, "fuel": fuel}, weather=weather)
    return with_physical_model(replace(project, scenario=event), PhysicalSettings(periods_per_day=2))


@pytest.fixture
def own(session: Session, hand: Hand) -> Session:
    """A session with the physical model, and the map on its ground alone."""
    session.open_project(physical(session.project), None)
    only(hand.view, "extent")
    return session


def is_known(session: Session, period: int) -> bool:
    return session.behaviour.known(session.project, period) is not None


def shown_codes(hand: Hand, key: str) -> np.ndarray:
    layer, shown = hand.view.layers[key], MapState.of(hand.view._session)
    assert isinstance(layer, RasterLayer) and shown is not None
    codes = layer.codes(shown)
    assert codes is not None
    return codes


@pytest.mark.parametrize("key", KEYS)
def test_a_layer_shows_the_classes_of_the_shown_period(qtbot: QtBot, own: Session, hand: Hand, key: str) -> None:
    hand.view.layers.set_visible(key, True)
    hand.view.flush()
    qtbot.waitUntil(partial(is_known, own, 0))
    hand.view.flush()
    assert painted(hand.view, key).any()
    ground = PhysicalGround.of(own.project.scenario, own.project.fire_model.physical)
    layer = hand.view.layers[key]
    assert isinstance(layer, behaviour_layers.BehaviourLayer)
    for step, period in ((0, 0), (own.project.calendar.steps_per_day - 1, 1)):
        own.set_step(step)
        hand.view.flush()
        qtbot.waitUntil(partial(is_known, own, period))
        fire = ground.fire(period, ground.wind(period))
        wanted = {"spread_rate": fire.head, "flame_length": fire.flame_length, "intensity": fire.intensity}[key]
        found = shown_codes(hand, key)
        assert not found[:, :20].any(), "bare ground"
        classes = np.searchsorted(layer.classes.limits, wanted[:, 20:], side="right")
        assert np.array_equal(np.unique(found[:, 20:]), np.unique(layer.class_codes[classes]))
        assert np.array_equal(found[:, 20:], layer.class_codes[classes])


def test_the_layers_show_crown_fire_where_it_is_on(qtbot: QtBot, own: Session, hand: Hand) -> None:
    event = own.project.scenario
    crowns = {"canopy_base_height": 0.5, "canopy_density": 0.3, "canopy_height": 15.0}
    layers = {key: np.full(event.grid.shape, value, np.float32) for key, value in crowns.items()}
    forest = replace(own.project, scenario=replace(event, layers={**event.layers, **layers}))
    hand.view.layers.set_visible("flame_length", True)
    shown = []
    for is_on in (False, True):
        own.open_project(with_physical_model(forest, PhysicalSettings(periods_per_day=2, crown_fire=is_on)), None)
        hand.view.flush()
        qtbot.waitUntil(partial(is_known, own, 0))
        picture = own.behaviour.known(own.project, 0)
        assert picture is not None
        shown.append(picture)
    without, crown = (part.flame_length[:, 20:40] for part in shown)
    assert (crown > without).all()
    assert (shown[1].spread_rate[:, 20:40] >= shown[0].spread_rate[:, 20:40]).all()
    assert shown[0].crown_fraction is None
    hand.view.go_to(20.5, 30.5)
    hand.view.flush()
    assert dict(behaviour_rows(hand))["Crowns that burn"].endswith(" %")


def test_it_is_computed_once_for_a_period_and_not_in_the_thread_of_the_window(
    qtbot: QtBot, own: Session, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    periods: list[int] = []
    real = fire_behaviour._computed

    def computed(*arguments: object) -> object:
        periods.append(arguments[2])  # type: ignore[arg-type]
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(fire_behaviour, "_computed", computed)
    for key in KEYS:
        hand.view.layers.set_visible(key, True)
    hand.view.flush()
    assert periods == [], "nothing is computed while the map is drawn"
    qtbot.waitUntil(partial(is_known, own, 0))
    for step in (1, 2, own.project.calendar.steps_per_day - 1, 0):
        own.set_step(step)
        hand.view.flush()
        qtbot.waitUntil(lambda: not own.behaviour._worker.is_busy)
    assert periods == [0, 1]


def test_another_model_has_no_behaviour_and_says_what_it_needs(session: Session, hand: Hand) -> None:
    for key in KEYS:
        hand.view.layers.set_visible(key, True)
        assert "needs the physical fire model" in hand.view.layers[key].missing()
    panel = LayersPanel(hand.view.layers)
    assert panel.behaviour_note.text().endswith("needs the physical fire model (Fire model… in the workspace Fire)")
    assert not panel.behaviour_note.isHidden()
    hand.view.flush()
    assert not session.behaviour._worker.is_busy
    assert not any(painted(hand.view, key).any() for key in KEYS)


def test_an_edit_of_the_model_computes_it_again(qtbot: QtBot, own: Session, hand: Hand) -> None:
    hand.view.layers.set_visible("spread_rate", True)
    hand.view.flush()
    qtbot.waitUntil(partial(is_known, own, 0))
    dry = own.behaviour.known(own.project, 0)
    settings = own.project.fire_model.physical
    wet = replace(settings, moisture=replace(settings.moisture, dead_1h=12.0))
    own.edit("wetter", with_physical_model(own.project, wet))
    assert own.behaviour.known(own.project, 0) is None
    hand.view.flush()
    qtbot.waitUntil(partial(is_known, own, 0))
    now = own.behaviour.known(own.project, 0)
    assert dry is not None and now is not None
    assert np.nanmax(now.spread_rate) < np.nanmax(dry.spread_rate)


def test_the_legend_and_the_identified_cell_follow_the_units(qtbot: QtBot, own: Session, hand: Hand) -> None:
    hand.view.layers.set_visible("flame_length", True)
    hand.view.flush()
    qtbot.waitUntil(partial(is_known, own, 0))
    layer = hand.view.layers["flame_length"]
    assert layer.legend.title == "Flame length, m" and layer.legend.entries[1].label == "0.3 – 1.2"
    assert hand.view.layers["spread_rate"].legend.title == "Rate of spread, m/min"
    hand.view.go_to(20.5, 50.5)
    hand.view.flush()
    own.set_units(Units.US)
    hand.view.flush()
    assert layer.legend.title == "Flame length, ft" and layer.legend.entries[1].label == "1 – 4"
    rows = dict(behaviour_rows(hand))
    assert set(rows) == {"Rate of spread", "Flame length", "Fireline intensity"}
    assert rows["Rate of spread"].endswith("ch/h") and rows["Flame length"].endswith("ft")
    hand.view.go_to(20.5, 5.5)
    assert not behaviour_rows(hand), "bare ground"


def behaviour_rows(hand: Hand) -> list[tuple[str, str]]:
    shown = MapState.of(hand.view._session)
    assert shown is not None and hand.view._pinned is not None
    rows = probe_rows(shown, hand.view._place, hand.view._pinned)
    return [(name, value) for name, value in rows if name in ROWS]


def test_identify_names_layers_that_the_network_does_not_use(session: Session, hand: Hand) -> None:
    session.open_project(session.project.with_network(weights()), None)
    hand.view.go_to(20.5, 50.5)
    shown = MapState.of(session)
    assert shown is not None and hand.view._pinned is not None
    rows = dict(probe_rows(shown, hand.view._place, hand.view._pinned))
    assert rows["Not used by the model"] == "elevation"


def test_a_film_has_the_period_of_every_picture(qtbot: QtBot, own: Session) -> None:
    board = MapBoard(own, MapView(own))
    qtbot.addWidget(board)
    board.resize(500, 400)
    board.show()
    only(board.main, "extent", "spread_rate")
    renderer = MapRenderer(own, board)
    qtbot.addWidget(renderer)
    day = own.project.calendar.steps_per_day
    pictures = [renderer.picture(step) for step in (0, day - 1, day)]
    assert own.behaviour.known(own.project, 1) is not None
    assert not np.array_equal(pictures[0], pictures[1])


def test_the_classes_are_written_with_two_digits() -> None:
    assert SPREAD_RATE.texts(Units.METRIC) == ["< 0.67", "0.67 – 1.7", "1.7 – 6.7", "6.7 – 17", "17 – 50", "> 50"]
    assert INTENSITY.texts(Units.METRIC) == ["< 350", "350 – 1,700", "1,700 – 3,500", "> 3,500"]


def test_nothing_of_a_former_project_is_kept(qtbot: QtBot, own: Session, hand: Hand) -> None:
    hand.view.layers.set_visible("intensity", True)
    hand.view.flush()
    before = own.project
    qtbot.waitUntil(lambda: own.behaviour.known(before, 0) is not None)
    own.open_project(replace(before, scenario=replace(before.scenario, name="other")), None)
    assert own.behaviour.known(before, 0) is None
