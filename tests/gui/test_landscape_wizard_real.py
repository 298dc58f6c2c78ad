"""The wizard on real landscapes; what is asserted was looked at on screen as well."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import rasterio
from pytestqt.qtbot import QtBot

from tests.gui.landscape_scene import Hands, opened
from tests.unit.io.builders import SHARED_DATA

TUBBS, LCP = SHARED_DATA / "tubbs2017", SHARED_DATA / "landscape" / "example_lcp.tif"

pytestmark = pytest.mark.slow


@pytest.fixture
def hands(qtbot: QtBot) -> Iterator[Hands]:
    yield from opened(qtbot)


def needs(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def test_tubbs_becomes_a_project_with_the_wind_of_its_files(hands: Hands) -> None:
    hands.wizard.bring([needs(TUBBS)])
    hands.settle()
    assert hands.wizard.problems == ()
    hands.go("Weather")
    scene = hands.wizard.preview.map.scene
    assert scene is not None and scene.arrows is not None
    with rasterio.open(TUBBS / "ws.tif") as speeds, rasterio.open(TUBBS / "wd.tif") as origins:
        speed, origin = speeds.read()[:24], np.deg2rad(origins.read()[:24])
    eastward, northward = -speed * np.sin(origin), -speed * np.cos(origin)
    wanted = math.atan2(float(northward.mean()), float(eastward.mean()))
    v, psi = scene.arrows.speed, scene.arrows.towards
    found = math.atan2(float((v * np.sin(psi)).mean()), float((v * np.cos(psi)).mean()))
    assert abs(math.degrees(found - wanted)) < 3.0, "the mean arrow agrees with the file"
    project = hands.make()
    event = project.scenario
    assert event.grid.shape == (900, 700) and not event.missing_layers
    assert event.ignition is not None and event.ignition.any()
    assert project.problems() == []


def test_the_landscape_file_becomes_a_project_that_starts_where_it_was_clicked(hands: Hands) -> None:
    hands.wizard.bring([needs(LCP)])
    hands.settle()
    hands.go("Weather")
    hands.pick(hands.wizard.weather.kind, "The same")
    hands.type("windSpeed", "5")
    hands.type("windDirection", "315")
    hands.go("Fire")
    hands.pick(hands.wizard.fire.kind, "It starts")
    hands.click_map(100.5, 120.5)
    event = hands.make().scenario
    assert event.grid.crs == "EPSG:32611" and not event.missing_layers
    mask = event.ignition
    assert mask is not None and int(mask.sum()) == 1
    # The slopes of the file face downhill: uphill by its aspect is uphill by its elevation.
    south, east = np.gradient(event.layers["elevation"].astype(float), event.grid.cell_size_m)
    steep = event.layers["slope"] > 15.0
    facing = np.deg2rad(event.layers["aspect"].astype(float))
    down = -(east * np.sin(facing) - south * np.cos(facing))
    assert float((down[steep] > 0.0).mean()) > 0.95
