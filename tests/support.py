"""Small projects for tests: random fire maps on a raster that is simulated in a blink, all from a seed. No torch."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import numpy as np

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import Margin, MarginSettings, ObjectiveWeights, OptimizerSettings, PlanSettings, Setting
from firegui.errors import CancelledError
from firegui.io.exporters import FORMATS
from firegui.io.project.maps_file import write_maps
from firegui.io.project.store import save_project

SHAPE = (16, 20)
DAYS = 2
STEPS_PER_DAY = 10
START = datetime(2020, 8, 19, 7, tzinfo=UTC)
DATA_FORMATS = tuple(
    name for name, kind in FORMATS.items()
    if not any(product.printed or product.ending == "html" for product in kind.products)
)  # fmt: skip
"""Formats without pages, which are slow to draw."""
GRID = Grid(*SHAPE, 30.0, (30.0, 0.0, -104430.0, 0.0, -30.0, 210000.0), "EPSG:3310")


def stop() -> NoReturn:
    """Check that always asks for a stop."""
    raise CancelledError("stopped")


class StopAt:
    """Check that counts its calls and asks for a stop at one of them."""

    def __init__(self, call: int) -> None:
        self.call, self.calls = call, 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == self.call:
            stop()


def random_maps(
    seed: int = 0, shape: tuple[int, int] = SHAPE, days: int = DAYS, steps_per_day: int = STEPS_PER_DAY
) -> FireMaps:
    """A lively random fire from the middle of the raster; a tenth of the cells does not burn."""
    rng = np.random.default_rng(seed)
    ignition = np.zeros(shape, bool)
    ignition[shape[0] // 2 - 1 : shape[0] // 2 + 1, shape[1] // 2 - 1 : shape[1] // 2 + 1] = True
    return FireMaps(
        phi=rng.uniform(0.0, 0.35, (days, 8, *shape)).astype(np.float32),
        gamma=rng.uniform(0.3, 1.2, (days, *shape)).astype(np.float32),
        burnable=(rng.uniform(size=shape) > 0.1) | ignition,
        wind_speed=rng.uniform(0.0, 8.0, (days, *shape)).astype(np.float32),
        wind_dir=rng.uniform(-np.pi, np.pi, (days, *shape)).astype(np.float32),
        ignition=ignition,
        t_burn=6.0,
        steps_per_day=steps_per_day,
        cell_size_m=30.0,
        c_req=2.7,
    )


def write_random_maps(path: Path, seed: int = 0) -> FireMaps:
    """Write :func:`random_maps` as a maps npz and return them."""
    maps = random_maps(seed)
    write_maps(path, maps, GRID, START)
    return maps


def small_fleet() -> Fleet:
    """Two retardant aircraft of one type, a larger one that is grounded on day 1, and a scooper."""
    return Fleet(
        (
            _aircraft("R", Material.RETARDANT, 2, 900.0, 3.0),
            replace(_aircraft("BIG", Material.RETARDANT, 1, 3000.0, 6.0), grounded_days=(1,)),
            _aircraft("W", Material.WATER, 1, 700.0, 3.0),
        )
    )


def make_project(seed: int = 0, *, epochs: int = 6, maps: FireMaps | None = None) -> Project:
    """A project on imported random maps, with one region, custom weights and no margin; runs in well under a second."""
    fire = random_maps(seed) if maps is None else maps
    grid = GRID if fire.shape == SHAPE else Grid(*fire.shape, fire.cell_size_m)
    scenario = Scenario(
        name="Tiny",
        grid=grid,
        start=START,
        utc_offset_h=-7.0,
        wind_speed=np.asarray(fire.wind_speed),
        wind_dir=np.asarray(fire.wind_dir),
        layers={},
        ignition=fire.ignition,
        steps_per_day=fire.steps_per_day,
    )
    plan = PlanSettings(
        days=fire.days,
        setting=Setting.CUSTOM,
        weights=ObjectiveWeights(burn=50.0, final=50.0, prot=10.0, budget=1e-6),
        optimizer=OptimizerSettings(epochs=epochs, learning_rate=0.05, exclusion_cells=3.0, jitter_cells=1.0, seed=3),
        margin=MarginSettings(kind=Margin.NONE),
    )
    region = Region.rectangle("Village", (0, 4), (0, 6))
    model = FireModel("maps", "random test maps", {})
    return Project(scenario, Fleet(()), {}, (region,), plan, model, fire).with_fleet(small_fleet())


def watched_project(days: int = 4, skipped: tuple[int, ...] = ()) -> Project:
    """:func:`make_project` for ``days`` days, with a perimeter that grows by a cell a day; ``skipped`` have none."""
    project = make_project(maps=random_maps(days=days))
    kept = [day for day in range(days + 1) if day not in skipped]
    rows, columns = np.indices(SHAPE)
    far = np.maximum(np.abs(rows - SHAPE[0] // 2 + 0.5), np.abs(columns - SHAPE[1] // 2 + 0.5))
    observed = np.stack([far < day + 1 for day in kept])
    dates = tuple(project.scenario.date_of_day(day) for day in kept)
    return replace(project, scenario=replace(project.scenario, observed=observed, observed_dates=dates))


def tiny_project(tmp_path: Path, project: Project | None = None) -> Path:
    """Save ``project`` (else :func:`make_project`) as ``tmp_path/tiny.firegui`` and return that folder."""
    folder = tmp_path / "tiny.firegui"
    save_project(make_project() if project is None else project, folder)
    return folder


def csv_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file: one mapping a line, from the names of its columns to its texts."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def assert_same_files(one: Path, other: Path, *names: str) -> None:
    """Check that files of two folders are the same byte for byte."""
    assert [name for name in names if (one / name).read_bytes() != (other / name).read_bytes()] == []


def forget_checksums(run: Path) -> None:
    """Make a finished run one of a version without checksums, whose files may be edited."""
    path = run / "run.toml"
    text = re.sub(r"\[files\]\n(?:\".*\n)*\n", "", path.read_text("utf-8"))
    path.write_text(text.removeprefix(text.partition("\n")[0]), encoding="utf-8")


def write_schedule(path: Path, rows: list[tuple[int, str, float, float, float]]) -> Path:
    """Write a schedule CSV with only the required columns: ``(step, aircraft, y, x, theta)``."""
    lines = ["step,aircraft,y,x,theta", *(",".join(str(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _aircraft(name: str, material: Material, count: int, payload: float, turnaround: float) -> AircraftType:
    return AircraftType(
        id=name,
        type=f"Type {name}",
        count=count,
        material=material,
        payload_gal=payload,
        turnaround_h=turnaround,
        speed_ms=60.0,
        drop_duration_s=3.0,
        drop_height_m=50.0,
        sigma_parallel_m=70.0,
        sigma_perpendicular_m=12.0,
    )
