"""Properties of layers: colours, classes, threshold, and the dialog that sets them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QSlider
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.results import Frames
from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.preferences import Preferences
from firegui.gui.map.layer_properties import LayerPropertiesDialog
from firegui.gui.map.layers.drop_layers import DROPS_SHOWN, THIS_DAY
from firegui.gui.map.layers.fire_layers import OccupancyLayer
from firegui.gui.map.map_colors import difference_scale, fire_scale, from_threshold, in_classes
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session.session import FireView, Session, ShownResult
from tests.gui.hands import choose, show_widget
from tests.gui.map_scene import Hand, only
from tests.gui.shell_scene import workbench
from tests.unit.domain.samples import untreated


@pytest.fixture
def hand(session: Session, hand: Hand) -> Hand:
    """Return a map of a fire with P = 0.2 in the west and P = 0.8 in the east."""
    only(hand.view, "extent", "occupancy")
    fire = np.full((2, *session.project.scenario.grid.shape), 51, np.uint8)
    fire[:, :, 30:] = 204
    film = Film.of(fire)
    session.show_result(ShownResult(baseline=Frames(200, film, film, untreated(film))))
    session.set_view(FireView.BASELINE)
    hand.view.flush()
    return hand


def opened(qtbot: QtBot, hand: Hand) -> LayerPropertiesDialog:
    dialog = LayerPropertiesDialog(hand.view.layers)
    show_widget(qtbot, dialog, 420, 300)
    dialog.choose("occupancy")
    return dialog


def test_the_threshold_slider_hides_lower_values_and_the_legend_says_so(qtbot: QtBot, hand: Hand) -> None:
    only(hand.view, "extent")
    ground = hand.color((20.5, 15.5))
    only(hand.view, "extent", "occupancy")
    slider = opened(qtbot, hand).fields["threshold"]
    assert isinstance(slider, QSlider)
    slider.setFocus()
    assert hand.color((20.5, 15.5)) != ground
    for _ in range(5):
        QTest.keyClick(slider, Qt.Key.Key_PageUp)
    assert hand.color((20.5, 15.5)) == ground
    assert hand.color((20.5, 45.5)) != ground
    assert hand.view.layers["occupancy"].legend.note == "drawn from 0.5"


def test_another_colour_map_and_classes_change_the_fire_and_its_legend(qtbot: QtBot, hand: Hand) -> None:
    dialog, before = opened(qtbot, hand), hand.color((20.5, 45.5))
    layer = hand.view.layers["occupancy"]
    assert isinstance(layer, OccupancyLayer)
    colors, classes = dialog.fields["colors"], dialog.fields["classes"]
    assert isinstance(colors, QComboBox) and isinstance(classes, QComboBox)
    choose(colors, "inferno")
    assert hand.color((20.5, 45.5)) != before
    choose(classes, "4")
    assert len(np.unique(layer.scale.rgba[10:, :3], axis=0)) == 4
    QTest.mouseClick(dialog.reset_button, Qt.MouseButton.LeftButton)
    assert hand.color((20.5, 45.5)) == before
    assert (colors.currentData(), classes.currentData()) == ("fire", "0")


def test_every_layer_can_be_chosen_and_shows_its_own_properties(qtbot: QtBot, hand: Hand) -> None:
    dialog = opened(qtbot, hand)
    for layer in hand.view.layers:
        dialog.choose(layer.key)
        assert list(dialog.fields) == ["opacity", *(option.name for option in layer.options)]


def test_a_signed_scale_is_transparent_around_zero_and_classes_keep_what_is_not_drawn() -> None:
    signed = from_threshold(difference_scale(), 0.5, is_signed=True).rgba[:, 3]
    assert not signed[70:186].any() and signed[0] and signed[255]
    assert not in_classes(fire_scale(), 4).rgba[0, 3]


def test_unknown_and_impossible_properties_are_ignored(hand: Hand) -> None:
    layers = hand.view.layers
    layers.restore_styles(
        {"occupancy": {"threshold": 7, "colors": "pink", "x": 1, "opacity": 0.3}, "nothing": {}, "wind": 3}
    )
    assert layers.styles == {"occupancy": {"opacity": 0.3}}


def test_properties_are_kept_by_the_window_and_the_menus_choose_the_drops_shown(tmp_path: Path) -> None:
    with workbench(tmp_path) as window:
        actions, layers = window.workbench.actions, window.workbench.map.layers
        assert actions["drops_shown:now"].isChecked()
        assert "Drops shown" in [without_mnemonic(action.text()) for action in actions.map_menu()]
        actions["drops_shown:plan"].trigger()
        panel = window.findChild(LayersPanel)
        assert isinstance(panel, LayersPanel) and panel.drops_shown.currentText() == "Whole plan"
        panel.drops_shown.setFocus()
        QTest.keyClick(panel.drops_shown, Qt.Key.Key_Up)
        assert layers["drops"].option_values[DROPS_SHOWN] == THIS_DAY and actions["drops_shown:day"].isChecked()
        window.workbench.map.layers.set_option("occupancy", "threshold", 0.25)
    with workbench(tmp_path) as window:
        assert window.workbench.actions["drops_shown:day"].isChecked()
        assert window.workbench.map.layers["occupancy"].option_values["threshold"] == 0.25
        window.workbench.actions["layer_properties"].trigger()
        dialog = window.findChild(LayerPropertiesDialog)
        assert isinstance(dialog, LayerPropertiesDialog) and dialog.isVisible()


def test_a_damaged_entry_of_the_settings_counts_as_absent() -> None:
    preferences = Preferences()
    preferences.layer_styles = {"fire": 1}
    assert preferences.layer_styles == {"fire": 1}
    preferences._store.setValue("layers/styles", "{broken")
    assert preferences.layer_styles == {}
