"""Numbers that nobody means: a slip of the keyboard is refused where it is read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.fleet import Fleet, Material
from firegui.domain.options import title_of
from firegui.io.project.maps_file import import_maps
from firegui.io.project.scenario_toml import read_fleet, write_fleet
from firegui.io.times import start_problems
from tests.numerics.cases import aircraft
from tests.support import write_random_maps


@pytest.mark.parametrize(
    "slip",
    [{"turnaround_h": 1e300}, {"sigma_parallel_m": 1e9}, {"payload_gal": -5.0}, {"drop_height_m": float("nan")}],
)
def test_an_impossible_aircraft_is_refused_by_the_name_of_the_field(slip: dict[str, float]) -> None:
    kind = replace(aircraft("R", Material.RETARDANT, 2), **slip)  # type: ignore[arg-type]
    assert [problem.what.partition(" is ")[0] for problem in kind.problems()] == [title_of(kind, name) for name in slip]


def test_a_fleet_of_millions_and_a_grounded_day_beyond_every_plan_are_refused() -> None:
    kind = replace(aircraft("R", Material.RETARDANT, 2_000_000), grounded_days=(99_999_999,))
    assert len(kind.problems()) == 2


def test_ordinary_aircraft_pass(tmp_path: Path) -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 2),))
    write_fleet(fleet, tmp_path / "fleet.toml")
    assert read_fleet(tmp_path / "fleet.toml") == fleet


@pytest.mark.parametrize(("year", "refused"), [(1899, True), (1900, False), (2020, False), (9999, True)])
def test_a_year_without_room_for_the_days_of_a_plan_is_refused(year: int, refused: bool) -> None:
    assert bool(start_problems(datetime(year, 12, 31, tzinfo=UTC), "start")) is refused


@pytest.mark.parametrize("alone", ["transform", "crs"])
def test_half_a_place_is_left_out_and_said(tmp_path: Path, alone: str) -> None:
    write_random_maps(tmp_path / "whole.npz")
    with np.load(tmp_path / "whole.npz") as archive:
        arrays = dict(archive)
    del arrays["crs" if alone == "transform" else "transform"]
    np.savez(tmp_path / "half.npz", **arrays)
    scenario, _ = import_maps(tmp_path / "half.npz")
    assert not scenario.grid.is_georeferenced
    assert any(alone in note and "without" in note for note in scenario.notes)


def test_the_whole_affine_matrix_is_read_as_its_six_coefficients(tmp_path: Path) -> None:
    write_random_maps(tmp_path / "six.npz")
    with np.load(tmp_path / "six.npz") as archive:
        arrays = dict(archive)
    arrays["transform"] = np.append(arrays["transform"], [0.0, 0.0, 1.0])
    np.savez(tmp_path / "nine.npz", **arrays)
    assert import_maps(tmp_path / "nine.npz")[0].grid == import_maps(tmp_path / "six.npz")[0].grid
