"""A sound input for every importer, on a small raster that is not square."""

from __future__ import annotations

import json
from pathlib import Path

from firegui.domain.schedule import Schedule
from firegui.io.georeference import Georeference
from firegui.io.project.scenario_toml import write_fleet
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.weights_file import write_weights
from tests.support import GRID, make_project, small_fleet, tiny_project, write_random_maps, write_schedule
from tests.unit.domain.samples import weights
from tests.unit.io.builders import PLACED
from tests.unit.io.faults.cases import Make, Rng, Sound
from tests.unit.io.faults.ground import MAKERS
from tests.unit.io.landscape_files import event_arrays, write_events
from tests.unit.io.test_pytorchfire import example

PLACE = ("--crs", str(PLACED.crs), "--transform", ",".join(str(value) for value in PLACED.transform or ()))
FOLDER_FILES = ("p_veg", "p_den", "wind_velocity", "wind_towards_direction", "initial_ignition")


def _pytorchfire(folder: Path, rng: Rng) -> Sound:
    event = example(folder / "event")
    chosen = event / f"{FOLDER_FILES[rng.integers(len(FOLDER_FILES))]}.npz"
    return Sound(chosen, ("import", "pytorchfire", str(event), *PLACE, "--out", "OUT"))


def _maps(folder: Path, rng: Rng) -> Sound:
    path = folder / "maps.npz"
    write_random_maps(path, int(rng.integers(1000)))
    return Sound(path, ("import", "maps", str(path), "--out", "OUT"))


def _events(folder: Path, rng: Rng) -> Sound:
    path = write_events(folder / "six.hdf5", {"Bear_2020": event_arrays(int(rng.integers(3, 6)))})
    return Sound(path, ("import", "events", str(path), *PLACE, "--out", "OUT"))


def _configured(folder: Path, path: Path, option: str) -> Sound:
    return Sound(path, ("configure", str(tiny_project(folder)), option, str(path)))


def _regions_geojson(folder: Path, rng: Rng) -> Sound:
    path = folder / "regions.geojson"
    features = [_feature(f"Village {number}", rng) for number in range(int(rng.integers(2, 5)))]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return _configured(folder, path, "--regions")


def _feature(name: str, rng: Rng) -> object:
    row, column = rng.uniform(1.0, 6.0, 2)
    height, width = rng.uniform(3.0, 6.0, 2)
    corners = [(row, column), (row + height, column), (row + height, column + width), (row, column + width)]
    ring = [lonlat(*corner) for corner in (*corners, corners[0])]
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return {"type": "Feature", "properties": {"name": name, "weight": 1.5}, "geometry": geometry}


def lonlat(row: float, column: float) -> list[float]:
    """Longitude and latitude of a corner of the small project's raster."""
    found = Georeference(GRID).lonlat(row - 0.5, column - 0.5)
    assert found is not None
    return list(found)


def _regions_toml(folder: Path, rng: Rng) -> Sound:
    path = folder / "regions.toml"
    top, left = (int(value) for value in rng.integers(0, 6, 2))
    text = (
        f'[[region]]\nname = "Dörfli"\nweight = 2.0\nrows = [{top}, {top + 5}]\ncolumns = [{left}, {left + 6}]\n\n'
        f'[[region]]\nname = "odd"\npolygon = [[1.0, 1.0], [1.0, 9.5], [8.5, 9.5], [8.5, 1.0]]\n'
    )
    path.write_text(text, encoding="utf-8")
    return _configured(folder, path, "--regions")


def _fleet(folder: Path, rng: Rng) -> Sound:
    path = folder / "fleet.toml"
    write_fleet(small_fleet(), path)
    return _configured(folder, path, "--fleet")


def _operations(folder: Path, rng: Rng) -> Sound:
    path = folder / "operations.toml"
    text = (
        f"hard_cap = {rng.integers(10, 90)}\n\n[daylight]\nafter_sunrise_min = 30.0\nbefore_sunset_min = 30.0\n\n"
        "[sorties_per_day]\nR = 6\n\n"
        '[[grounding]]\naircraft = "R-1"\nstart = 2020-08-19T14:00:00-07:00\nend = 2020-08-19T18:30:00-07:00\n\n'
        '[[no_drop_zone]]\nname = "Reservoir"\npolygon = [[2.0, 2.0], [2.0, 6.5], [6.5, 6.5], [6.5, 2.0]]\n\n'
        '[[pinned]]\ntime = 2020-08-19T12:00:00-07:00\naircraft = "W-1"\ny = 9.5\nx = 12.0\ntheta = 0.8\n'
    )
    path.write_text(text, encoding="utf-8")
    return _configured(folder, path, "--operations")


def _schedule_csv(folder: Path, rng: Rng) -> Sound:
    rows = [(int(step), "R-1", float(rng.uniform(0, 15)), float(rng.uniform(0, 19)), 0.5) for step in (1, 6, 13)]
    path = write_schedule(folder / "schedule.csv", [*rows, (2, "W-1", 3.25, 4.5, 1.0)])
    return Sound(path, ("evaluate", str(tiny_project(folder)), "--backend", "reference", "--schedule", str(path)))


def _schedule_plan(folder: Path, rng: Rng) -> Sound:
    path, project = folder / "plan.safetensors", make_project()
    size = (project.calendar.n_steps, project.planned_fleet.n_aircraft)
    logits, poses = rng.normal(size=size), rng.uniform(0.0, 15.0, (*size, 3))
    write_plan_safetensors(path, Schedule(logits, poses))
    return Sound(path, ("audit", str(tiny_project(folder)), "--schedule", str(path)))


def _weights(folder: Path, rng: Rng) -> Sound:
    path = folder / "fire.safetensors"
    write_weights(path, weights(int(rng.integers(1000))))
    return _configured(folder, path, "--fire-weights")


def _project(folder: Path, rng: Rng) -> Sound:
    project = tiny_project(folder)
    inside = ("project.toml", "maps.npz", "layers/wind_speed.tif", "layers/ignition.tif")
    return Sound(project / inside[rng.integers(len(inside))], ("info", str(project)))


def _project_text(folder: Path, rng: Rng) -> Sound:
    project = tiny_project(folder)
    return Sound(project / "project.toml", ("info", str(project)))


IMPORTERS: dict[str, Make] = {
    "pytorchfire": _pytorchfire,
    "maps npz": _maps,
    "events hdf5": _events,
    "regions geojson": _regions_geojson,
    "regions toml": _regions_toml,
    "fleet toml": _fleet,
    "operations toml": _operations,
    "schedule csv": _schedule_csv,
    "schedule plan": _schedule_plan,
    "weights": _weights,
    "project": _project,
    "project text": _project_text,
    **MAKERS,
}
