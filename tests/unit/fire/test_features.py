from __future__ import annotations

import math

import numpy as np
import pytest

from firegui.domain.weights import LAYER_CHANNELS, OPTIONAL_LAYERS
from firegui.fire.features import NetworkFeatures, event_features, wind_inputs
from firegui.fire.landscape import Raster
from tests.unit.fire.events import event, layer

SHAPE = (4, 5)
FULL = {
    "elevation": 500.0,
    "slope": 30.0,
    "aspect": 90.0,
    "fuel": 183.0,
    "canopy_cover": 55.0,
    "canopy_height": 11.0,
    "canopy_density": 0.09,
}


def layers(**changes: float) -> dict[str, Raster]:
    return {key: layer(SHAPE, value) for key, value in (FULL | changes).items()}


def channel(features: NetworkFeatures, name: str) -> Raster:
    found: Raster = features.values[LAYER_CHANNELS.index(name)]
    return found


def flag(features: NetworkFeatures, key: str) -> Raster:
    found: Raster = features.present[OPTIONAL_LAYERS.index(key)]
    return found


def test_every_channel_has_the_published_scale() -> None:
    rising = layers()
    rising["elevation"][0, 0], rising["elevation"][0, 1] = 300.0, 1300.0

    found = event_features(event(SHAPE, layers=rising))

    assert channel(found, "elevation")[0, :3] == pytest.approx([0.0, 1.0, 0.2])
    for name, expected in (
        ("sin slope", 0.5),
        ("sin aspect", 1.0),
        ("cos aspect", 0.0),
        ("canopy density", 9.0 / 45.0),  # LANDFIRE's code 9 is 0.09 kg/m³
        ("canopy cover", 0.55),
        ("canopy height", 110.0 / 550.0),  # LANDFIRE's code 110 is 11 m
    ):
        assert channel(found, name)[1, 1] == pytest.approx(expected, abs=1e-6), name
    assert (found.fuel == 183).all()
    assert (found.present == 1.0).all()
    assert found.values.dtype == np.float32


def test_flat_ground_faces_nowhere_and_is_known_to() -> None:
    found = event_features(event(SHAPE, layers=layers(aspect=-1.0)))

    assert (channel(found, "sin aspect") == 0.0).all()
    assert (channel(found, "cos aspect") == 0.0).all()
    assert (flag(found, "aspect") == 1.0).all()


def test_an_event_of_one_height_has_no_relief() -> None:
    assert (channel(event_features(event(SHAPE, layers=layers())), "elevation") == 0.0).all()


@pytest.mark.parametrize("key", OPTIONAL_LAYERS)
def test_a_missing_layer_is_absent_everywhere_and_leaves_the_others_alone(key: str) -> None:
    whole = event_features(event(SHAPE, layers=layers()))

    found = event_features(event(SHAPE, layers={name: raster for name, raster in layers().items() if name != key}))

    assert (flag(found, key) == 0.0).all()
    others = [name for name in OPTIONAL_LAYERS if name != key]
    assert all((flag(found, name) == 1.0).all() for name in others)
    changed = {name for name in LAYER_CHANNELS if (channel(found, name) != channel(whole, name)).any()}
    assert all(key.replace("canopy_", "") in name for name in changed)
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("key", OPTIONAL_LAYERS)
def test_a_cell_without_data_is_absent_there_and_its_values_are_zero(key: str) -> None:
    holed = layers()
    holed["elevation"][3, 3] = 900.0
    holed[key][1, 2] = math.nan

    found = event_features(event(SHAPE, layers=holed))

    assert flag(found, key)[1, 2] == 0.0
    assert flag(found, key).sum() == 19.0
    part = key.replace("canopy_", "")
    assert all(channel(found, name)[1, 2] == 0.0 for name in LAYER_CHANNELS if part in name)
    assert key != "fuel" or found.fuel[1, 2] == 0


@pytest.mark.parametrize("code", [-9999.0, 256.0, math.inf])
def test_a_code_that_is_no_fuel_model_counts_as_no_data(code: float) -> None:
    coded = layers()
    coded["fuel"][0, 0] = code

    found = event_features(event(SHAPE, layers=coded))

    assert flag(found, "fuel")[0, 0] == 0.0
    assert found.fuel[0, 0] == 0


def test_a_layer_that_the_training_never_had_counts_as_missing() -> None:
    found = event_features(event(SHAPE, layers=layers()), known=("canopy_cover",))

    assert (flag(found, "canopy_cover") == 1.0).all()
    assert found.present.sum() == 20.0
    assert np.count_nonzero(found.values) == 20
    assert (found.fuel == 0).all()


def test_slopes_are_clipped_to_the_steepest_of_the_training() -> None:
    found = event_features(event(SHAPE, layers=layers(slope=60.0)), steepest_deg=30.0)

    assert channel(found, "sin slope")[0, 0] == pytest.approx(0.5)


def test_wind_is_eastward_and_northward_in_tens_of_metres_a_second() -> None:
    found = wind_inputs(layer(SHAPE, 5.0), layer(SHAPE, math.pi / 2.0))

    assert found.shape == (2, *SHAPE)
    assert found.dtype == np.float32
    assert found[0] == pytest.approx(0.0, abs=1e-6)
    assert found[1] == pytest.approx(0.5)


def test_strong_wind_is_clipped_to_that_of_the_training_and_keeps_its_direction() -> None:
    found = wind_inputs(layer(SHAPE, 20.0), layer(SHAPE, math.radians(120.0)), strongest_ms=2.0)

    assert np.hypot(*found) == pytest.approx(0.2)
    assert np.rad2deg(np.arctan2(found[1], found[0])) == pytest.approx(120.0, abs=1e-3)


def test_a_window_keeps_the_scales_of_the_whole_event() -> None:
    rising = layers()
    rising["elevation"][0, 0], rising["elevation"][3, 4] = 0.0, 1000.0
    whole = event_features(event(SHAPE, layers=rising))

    window = whole.cropped(slice(1, 3), slice(1, 4))

    assert window.fuel.shape == (2, 3)
    np.testing.assert_array_equal(window.values, whole.values[:, 1:3, 1:4])
    np.testing.assert_array_equal(window.present, whole.present[:, 1:3, 1:4])
    assert channel(window, "elevation")[0, 0] == pytest.approx(0.5)
