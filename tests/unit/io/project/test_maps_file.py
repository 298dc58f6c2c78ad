from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.domain.stencil import SIXTEEN
from firegui.errors import InputError
from firegui.io.project.layers import maps_arrays
from firegui.io.project.maps_file import import_maps, read_maps, write_maps
from tests.unit.io.builders import BEAR, PLACED, START, UNPLACED, assert_same_bits, files_below, maps, refused_for


def arrays(grid: Grid = PLACED, **changes: Any) -> dict[str, Any]:
    """A file as another program would write it; a change of ``None`` leaves the entry out."""
    held = maps(grid)
    plain: dict[str, Any] = {
        "phi": held.phi,
        "gamma": held.gamma,
        "burnable": held.burnable,
        "wind_speed": held.wind_speed,
        "wind_dir": held.wind_dir,
        "ignition": held.ignition,
        "T_burn": 10.0,
        "S_day": 50,
        "dx": 30.0,
        "c_req": 2.7,
        "transform": np.array(PLACED.transform),
        "crs": "EPSG:32610",
        "start": "2020-08-19T07:00:00Z",
    }
    return {key: value for key, value in (plain | changes).items() if value is not None}


@pytest.mark.parametrize("grid", [PLACED, UNPLACED])
def test_written_maps_read_back_bit_for_bit(tmp_path: Path, grid: Grid) -> None:
    held = maps(grid)
    write_maps(tmp_path / "m.npz", held, grid, START)
    event, again = import_maps(tmp_path / "m.npz")
    for name in ("phi", "gamma", "burnable", "wind_speed", "wind_dir", "ignition"):
        assert_same_bits(getattr(again, name), getattr(held, name))
    assert (again.t_burn, again.steps_per_day, again.cell_size_m, again.c_req) == (10.0, 50, 30.0, 2.7)
    assert event.grid == grid
    assert event.start == START
    assert files_below(tmp_path) == {"m.npz"}


@pytest.mark.parametrize("steps", [24, 480, 5000])
def test_the_event_of_a_maps_file_has_its_wind_its_steps_its_ignition_and_no_layers(tmp_path: Path, steps: int) -> None:
    np.savez(tmp_path / "my fire.npz", **arrays(S_day=steps))
    event, held = import_maps(tmp_path / "my fire.npz")
    assert event.name == "my fire"
    assert event.days == 3 and event.steps_per_day == steps == held.steps_per_day
    assert event.layers == {} and event.observed is None
    assert event.ignition is not None and event.ignition.sum() == 1
    assert_same_bits(event.wind_speed, held.wind_speed)
    assert event.utc_offset_h == -7.0
    assert any("Missing layers" in note for note in event.notes)


def test_maps_of_sixteen_neighbours_come_back_bit_for_bit(tmp_path: Path) -> None:
    plain = arrays()
    np.savez(tmp_path / "m.npz", **plain | {"phi": np.concatenate([plain["phi"]] * 2, axis=1), "periods_per_day": 1})
    event, held = import_maps(tmp_path / "m.npz")
    assert held.stencil is SIXTEEN and not any("Not used" in note for note in event.notes)
    write_maps(tmp_path / "again.npz", held, event.grid, START)
    assert_same_bits(import_maps(tmp_path / "again.npz")[1].phi, held.phi)


def test_maps_by_period_come_back_bit_for_bit_and_the_event_has_the_mean_wind_of_a_day(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", **arrays(periods_per_day=3, S_day=48))
    event, held = import_maps(tmp_path / "m.npz")
    assert (held.periods_per_day, held.days, held.n_steps, held.steps_per_period) == (3, 1, 48, 16)
    assert event.days == 1 and any("3 periods a day" in note for note in event.notes)
    east, north = held.wind_speed * np.cos(held.wind_dir), held.wind_speed * np.sin(held.wind_dir)
    blown = event.wind_speed[0] * np.cos(event.wind_dir[0]), event.wind_speed[0] * np.sin(event.wind_dir[0])
    np.testing.assert_allclose(blown, (east.mean(axis=0), north.mean(axis=0)), atol=1e-5)
    write_maps(tmp_path / "again.npz", held, event.grid, START)
    again = read_maps(tmp_path / "again.npz").maps
    assert again.periods_per_day == 3
    assert_same_bits(again.wind_dir, held.wind_dir)


def test_a_front_in_motion_comes_back_and_a_maps_file_without_it_has_none(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", **arrays(moving_start=1))
    event, held = import_maps(tmp_path / "m.npz")
    assert held.moving_start and not any("Not used" in note for note in event.notes)
    write_maps(tmp_path / "again.npz", held, event.grid, START)
    assert read_maps(tmp_path / "again.npz").maps.moving_start
    still = replace(held, moving_start=False)
    write_maps(tmp_path / "still.npz", still, event.grid, START)
    assert not read_maps(tmp_path / "still.npz").maps.moving_start
    assert set(maps_arrays(held)) - set(maps_arrays(still)) == {"moving_start"}


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"moving_start": 0.5}, "moving_start: is 0.5 — give the number 1 for a front in motion at the start, else 0"),
        ({"phi": np.zeros((3, 9, 6, 8), np.float32)}, r"phi: has shape \[3, 9, 6, 8\], not .*N = 8 neighbours or 16"),
        ({"periods_per_day": 2}, "periods_per_day: is 2, and there are 3 maps in a row: no whole number of days"),
        ({"periods_per_day": 3, "S_day": 50}, "periods_per_day: is 3, and a day of 50 steps cannot be divided into"),
        ({"periods_per_day": 3, "S_day": 2}, "is 3, and a day of 2 steps has fewer steps than periods"),
        ({"gamma": -np.ones((3, 6, 8), np.float32)}, "gamma: "),
        ({"phi": -np.ones((3, 16, 6, 8), np.float32)}, "phi: 2,304 of 2,304 values are below 0"),
        ({"phi": np.full((3, 8, 6, 8), np.nan, np.float32)}, "phi: "),
        ({"gamma": np.full((3, 6, 8), np.inf, np.float32)}, "gamma: 144 of 144 values are NaN or infinite"),
        ({"periods_per_day": 25}, "periods_per_day: is 25 — give the periods of a day, a whole number, 1 to 24"),
        ({"periods_per_day": 1.5}, "periods_per_day: is 1.5"),
    ],
)
def test_another_stencil_and_periods_are_refused(tmp_path: Path, changes: dict[str, Any], part: str) -> None:
    np.savez(tmp_path / "m.npz", **arrays(**changes))
    with pytest.raises(InputError, match=part) as refused:
        import_maps(tmp_path / "m.npz")
    assert len(refused.value.problems) == 1


def too_fast(neighbours: int) -> dict[str, Any]:
    """Changes after which every gain is 1.5 or more."""
    return {"phi": np.full((3, neighbours, 6, 8), 3.0, np.float32), "gamma": np.full((3, 6, 8), 0.5, np.float32)}


def test_sixteen_neighbours_that_need_more_steps_a_day_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", **arrays(**too_fast(16)))
    with pytest.raises(
        InputError, match=r"phi: .* are 1 or more \(up to 1\.5\): .* more steps a day \(S_day\)"
    ) as refused:
        import_maps(tmp_path / "m.npz")
    assert len(refused.value.problems) == 1


def test_eight_neighbours_as_fast_open_unchanged(tmp_path: Path) -> None:
    plain = arrays(**too_fast(8))
    np.savez(tmp_path / "m.npz", **plain)
    assert_same_bits(import_maps(tmp_path / "m.npz")[1].phi, plain["phi"])


def test_without_a_start_the_date_is_noted_as_unknown(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", **arrays(start=None, transform=None, crs=None))
    event, _ = import_maps(tmp_path / "m.npz")
    assert event.start == datetime(2000, 1, 1, tzinfo=UTC)
    assert any("date of the fire is not known" in note for note in event.notes)
    assert any("No place on the map" in note for note in event.notes)


def test_other_number_types_are_converted_and_unknown_arrays_are_noted(tmp_path: Path) -> None:
    plain = arrays()
    changed = {
        "phi": plain["phi"].astype(np.float64),
        "burnable": plain["burnable"].astype(np.uint8),
        "extra": np.zeros(3),
    }
    np.savez(tmp_path / "m.npz", **arrays(**changed))
    event, held = import_maps(tmp_path / "m.npz")
    assert_same_bits(held.phi, plain["phi"])
    assert_same_bits(held.burnable, plain["burnable"])
    assert "Not used: extra." in event.notes


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    plain = arrays()
    gamma = plain["gamma"].copy()
    gamma[0, 0, 0] = np.nan
    np.savez(
        tmp_path / "m.npz",
        **arrays(
            phi=plain["phi"][:, :7],
            gamma=gamma,
            wind_speed=-plain["wind_speed"],
            wind_dir=plain["wind_dir"][:2],
            ignition=np.zeros((6, 8), bool),
            burnable=np.full((6, 8), 3),
            T_burn=0.5,
            S_day=12.5,
            dx=-30.0,
            c_req=None,
            crs="EPSG:999999",
            start="yesterday",
            transform=np.zeros(5),
        ),
    )
    with refused_for(
        "phi: has shape [3, 7, 6, 8], not [3, 8, 6, 8]",
        "gamma: 1 of 144 values are NaN",
        "wind_speed: ",
        "below 0",
        "wind_dir: has shape [2, 6, 8], not [3, 6, 8]",
        "ignition: no cell burns",
        "burnable: 48 values are neither",
        "T_burn: is 0.5",
        "S_day: is 12.5",
        "dx: is -30",
        "c_req is missing",
        "start: 'yesterday'",
        "transform: is not six numbers",
    ):
        import_maps(tmp_path / "m.npz")


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"dx": 20.0}, "cell size 20 m, but the transform makes cells of 30 m"),
        ({"crs": "EPSG:999999"}, "unknown to PROJ"),
        ({"crs": "EPSG:4326"}, "counts in degrees"),
        ({"S_day": 0}, "S_day: is 0"),
        ({"S_day": np.int64(2**62)}, r"S_day: is 4.6\d+e\+18.* 1 to 5000"),
        ({"T_burn": np.int64(2**62)}, r"T_burn: is 4.6\d+e\+18.* 1 to 18,250,000"),
        ({"dx": 1e-9}, "dx: is 1e-09.* 0.1 to 100,000"),
        ({"c_req": 1e300}, r"c_req: is 1e\+300.* 0.1 to 20"),
        ({"phi": np.full((3, 8, 6, 8), 1e30, np.float32)}, r"phi: 1,152 .* above 1e\+06.* 0 to 1,000,000"),
        ({"gamma": np.full((3, 6, 8), 1e30, np.float32)}, r"gamma: 144 .* above 1e\+06.* 0 to 1,000,000"),
        ({"S_day": np.array([50, 50])}, "S_day: is not one number"),
        ({"T_burn": np.nan}, "T_burn: is nan"),
        ({"phi": np.zeros((3, 8, 6, 8), complex)}, "phi: holds complex128 values"),
        ({"phi": np.full((3, 8, 6, 8), 1e300)}, r"above 1e\+06 \(1e\+300\)"),
        ({"wind_dir": np.full((3, 6, 8), 1e300)}, "do not fit float32"),
        ({"gamma": np.zeros((6, 8))}, r"gamma: has shape \[6, 8\], not \[3, 6, 8\]"),
        ({"start": 5.0}, "start: is not one text"),
        ({"burnable": np.array([["a"] * 8] * 6)}, "burnable: holds <U1 values"),
        ({"phi": np.array([{}], object)}, "Python objects"),
    ],
)
def test_one_wrong_entry_is_refused(tmp_path: Path, changes: dict[str, Any], part: str) -> None:
    np.savez(tmp_path / "m.npz", **arrays(**changes))
    with pytest.raises(InputError, match=part):
        read_maps(tmp_path / "m.npz")


def test_a_file_of_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", logits=np.zeros(3), poses=np.zeros((3, 3)))
    with pytest.raises(InputError) as refused:
        read_maps(tmp_path / "m.npz")
    (problem,) = refused.value.problems
    assert problem.what == "is not a maps file: it holds logits, poses"


def test_a_file_without_days_or_with_a_tiny_raster_is_refused(tmp_path: Path) -> None:
    none: dict[str, Any] = {
        key: np.zeros(shape, np.float32) for key, shape in (("phi", (0, 8, 6, 8)), ("gamma", (0, 6, 8)))
    }
    np.savez(tmp_path / "m.npz", **arrays(**none, wind_speed=np.zeros((0, 6, 8)), wind_dir=np.zeros((0, 6, 8))))
    with pytest.raises(InputError, match="holds no day"):
        read_maps(tmp_path / "m.npz")
    write_maps(tmp_path / "t.npz", maps(Grid(4, 4, 30.0)), Grid(4, 4, 30.0), None)
    assert read_maps(tmp_path / "t.npz").grid == Grid(4, 4, 30.0)


def test_a_missing_file_and_a_file_of_another_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        import_maps(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(InputError, match="not an npz archive"):
        import_maps(tmp_path / "text.npz")


@pytest.mark.skipif(not BEAR.is_dir(), reason="the Bear 2020 data are not beside the checkout (../shared/data)")
def test_the_shape_written_by_the_yardstick_script_is_read(tmp_path: Path) -> None:
    lit = np.zeros((619, 748), bool)
    lit[300, 300] = True
    ones = np.ones((1, 619, 748), np.float32)
    np.savez(
        tmp_path / "m.npz",
        phi=np.ones((1, 8, 619, 748), np.float32),
        gamma=ones,
        burnable=np.ones((619, 748), bool),
        wind_speed=ones,
        wind_dir=ones,
        ignition=lit,
        T_burn=10.0,
        S_day=50,
        dx=30.0,
        c_req=2.7,
        transform=np.array([30, 0, -104430, 0, -30, 210000], float),
        crs="EPSG:3310",
        start="2020-08-19T07:00:00Z",
    )
    event, _ = import_maps(tmp_path / "m.npz")
    assert event.utc_offset_h == -7.0 and event.date_of_day(0).isoformat() == "2020-08-19"
