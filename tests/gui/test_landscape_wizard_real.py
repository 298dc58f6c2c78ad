"""The wizard on real landscapes; the asserted values were also checked on screen."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import rasterio
from click.testing import CliRunner

from firegui.cli.main import main as firegui
from firegui.io.project.store import save_project
from tests.gui.landscape_scene import Hands
from tests.unit.io.builders import SHARED_DATA

TUBBS, LCP = SHARED_DATA / "tubbs2017", SHARED_DATA / "landscape" / "example_lcp.tif"

pytestmark = pytest.mark.slow


def needs(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path


def test_tubbs_becomes_a_project_with_the_wind_of_its_files(hands: Hands) -> None:
    hands.wizard.add_paths([needs(TUBBS)])
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


def test_the_landscape_file_becomes_a_project_that_starts_where_it_was_clicked_and_plans(
    hands: Hands, tmp_path: Path
) -> None:
    hands.wizard.add_paths([needs(LCP)])
    hands.settle()
    hands.go("Weather")
    hands.pick(hands.wizard.weather.kind, "The same")
    hands.type("windSpeed", "5")
    hands.type("windDirection", "315")
    hands.go("Fire")
    hands.pick(hands.wizard.fire.kind, "It starts")
    hands.click_map(100.5, 120.5)
    project = hands.make()
    event = project.scenario
    assert event.grid.crs == "EPSG:32611" and not event.missing_layers
    mask = event.ignition
    assert mask is not None and int(mask.sum()) == 1
    # The slopes of the file face downhill: uphill by its aspect is uphill by its elevation.
    south, east = np.gradient(event.layers["elevation"].astype(float), event.grid.cell_size_m)
    steep = event.layers["slope"] > 15.0
    facing = np.deg2rad(event.layers["aspect"].astype(float))
    down = -(east * np.sin(facing) - south * np.cos(facing))
    assert float((down[steep] > 0.0).mean()) > 0.95
    folder, run = tmp_path / "lcp.firegui", tmp_path / "run"
    save_project(project, folder)
    for words in (
        ["configure", folder, "--days", "2"],
        ["plan", folder, "--out", run, "--margin", "none", "--epochs", "20", "--allowance", "60", "--progress", "none"],
        ["audit", folder, "--schedule", run / "schedule.csv"],
        ["export", run, "--format", "csv,kml,gpkg", "--name", "plan", "--out", tmp_path / "out"],
    ):
        answer = CliRunner().invoke(firegui, [str(word) for word in words])
        assert answer.exit_code == 0, answer.output
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["nominal"]["drops_executed"] > 0
    assert metrics["nominal"]["final_extent_cells"] < metrics["baseline"]["final_extent_cells"]
    assert len(list((tmp_path / "out").iterdir())) == 3
