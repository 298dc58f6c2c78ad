from __future__ import annotations

import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.errors import InputError
from firegui.io.importers.georeferencing import fingerprint, known_grids, recognise
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.vectors.perimeters import read_perimeters
from tests.unit.io.builders import PLACED, assert_each_said, refused_for, said
from tests.unit.io.vectors.test_perimeters import DATES, TWO, write

SIX = PLACED.transform
PLACE: dict[str, Any] = {"crs": PLACED.crs, "transform": SIX}


def example(folder: Path, **changes: Any) -> Path:
    """A folder in PyTorchFire's layout on 6 × 8 cells; a change of ``None`` leaves the file out."""
    rng = np.random.default_rng(3)
    arrays: dict[str, Any] = {
        "p_veg": np.round(rng.random((6, 8)), 2) - 0.4,
        "p_den": np.round(rng.random((6, 8)) * 0.6, 2) - 0.2,
        "wind_velocity": rng.random((4, 6, 8)) * 5,
        "wind_towards_direction": rng.random((4, 6, 8)) * 360,
        "initial_ignition": np.eye(6, 8) > 0,
        "target": np.ones((60, 6, 8), bool),
    }
    folder.mkdir(exist_ok=True)
    for key, value in (arrays | changes).items():
        if value is not None:
            np.savez(folder / f"{key}.npz", data=value)
    return folder


def test_canopy_and_wind_are_decoded(tmp_path: Path) -> None:
    cover = np.array([[0.0, 35.0, 100.0]] * 3)
    density = np.array([[0.0, 0.34, 0.05]] * 3)
    event = import_pytorchfire(
        example(
            tmp_path,
            p_veg=cover / 100 - 0.4,
            p_den=density * 100 / 50 - 0.2,
            wind_velocity=np.full((1, 3, 3), 2.5),
            wind_towards_direction=np.full((1, 3, 3), 90.0),
            initial_ignition=None,
        )
    )
    assert np.array_equal(event.layers["canopy_cover"], cover.astype(np.float32))
    assert np.array_equal(event.layers["canopy_density"], density.astype(np.float32))
    assert event.wind_speed.dtype == event.wind_dir.dtype == np.float32
    assert event.wind_speed[0, 0, 0] == 2.5
    assert event.wind_dir[0, 0, 0] == np.float32(np.pi / 2)


def test_an_example_without_a_place_imports_and_says_what_is_missing(tmp_path: Path) -> None:
    event = import_pytorchfire(example(tmp_path / "Fire_7"))
    assert event.name == "Fire_7"
    assert event.grid.cell_size_m == 30.0 and not event.grid.is_georeferenced
    assert event.start == datetime(2000, 1, 1, tzinfo=UTC)
    assert event.observed is None
    notes = "\n".join(event.notes)
    for part in (
        "No place on the map",
        "taken to be 30 m",
        "date of the fire is not known",
        "simulated run",
        "target.npz was left out",
        "Missing layers",
    ):
        assert part in notes


def test_an_ignition_without_a_burning_cell_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"initial_ignition\.npz: no cell burns at the start"):
        import_pytorchfire(example(tmp_path, initial_ignition=np.zeros((6, 8), bool)))


def test_a_file_that_is_no_archive_is_not_said_to_want_unsafe_loading(tmp_path: Path) -> None:
    folder = example(tmp_path)
    (folder / "p_veg.npz").write_bytes(b"not a zip at all")
    with pytest.raises(InputError, match=r"p_veg\.npz: is not an npz archive") as caught:
        import_pytorchfire(folder)
    assert "pickle" not in str(caught.value)


def test_an_example_without_ignition_or_perimeters_says_that_nothing_burns(tmp_path: Path) -> None:
    event = import_pytorchfire(example(tmp_path, initial_ignition=None, target=None))
    assert event.ignition is None
    assert "give perimeters to have a fire to plan for" in "\n".join(event.notes)
    assert "target" not in "\n".join(event.notes)


def test_with_perimeters_the_first_observed_date_is_day_0_from_local_midnight(tmp_path: Path) -> None:
    file = write(tmp_path / "p.gpkg", TWO, DATES)
    event = import_pytorchfire(example(tmp_path / "f"), perimeters=file, utc_offset_h=-7, **PLACE)
    assert event.start == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert event.date_of_day(0) == date(2020, 8, 19)
    observed = read_perimeters(file, event.grid).masks
    assert event.observed is not None and np.array_equal(event.observed, observed)
    assert event.ignition is None, "beside observations a simulated ignition must not be used"
    notes = "\n".join(event.notes)
    assert "first observed date" in notes and "2020-08-19" in notes
    assert "simulated" not in notes.replace("target.npz was left out: its perimeters come from a simulated run", "")


def test_without_an_offset_local_time_follows_from_the_longitude_and_is_noted(tmp_path: Path) -> None:
    event = import_pytorchfire(example(tmp_path / "f"), perimeters=write(tmp_path / "p.gpkg", TWO, DATES), **PLACE)
    assert event.utc_offset_h == -8.0
    assert event.start == datetime(2020, 8, 19, 8, tzinfo=UTC)
    assert "Local time taken to be UTC−8, a guess from the place (--utc-offset sets it)." in event.notes


def test_a_start_at_summer_midnight_settles_the_local_offset(tmp_path: Path) -> None:
    event = import_pytorchfire(example(tmp_path), start=datetime(2020, 8, 19, 7, tzinfo=UTC), **PLACE)
    assert event.utc_offset_h == -7.0
    assert event.date_of_day(0) == date(2020, 8, 19)


def test_a_start_without_an_offset_is_read_as_utc_and_noted(tmp_path: Path) -> None:
    event = import_pytorchfire(example(tmp_path), start=datetime(2020, 8, 19, 7))
    assert event.start == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert any("read as UTC" in note for note in event.notes)


def test_slope_becomes_steepness(tmp_path: Path) -> None:
    slope = np.zeros((6, 8, 3, 3))
    slope[..., 1, 2], slope[..., 1, 0] = 30.0, -30.0
    event = import_pytorchfire(example(tmp_path, slope=slope))
    assert np.allclose(event.layers["slope"], 30.0, atol=1e-4)
    assert "aspect" in event.missing_layers and "slope" not in event.missing_layers


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    wind = np.random.default_rng(1).random((4, 6, 8))
    wind[0, 0, 0] = np.nan
    example(
        tmp_path,
        p_den=np.zeros((6, 9)),
        wind_velocity=wind,
        wind_towards_direction=np.zeros((3, 6, 8)),
        initial_ignition=np.full((6, 8), 7),
        slope=np.zeros((6, 8)),
    )
    with refused_for(
        "p_den.npz: has shape [6, 9], not [6, 8]",
        "wind_velocity.npz: 1 of 192 values are NaN",
        "has 4 days and",
        "initial_ignition.npz: 48 values are neither",
        "slope.npz: has shape [6, 8], not [6, 8, 3, 3]",
        "none.gpkg: the file does not exist",
        "EPSG:999999' is unknown",
        "is not six numbers",
        "99 hours",
    ):
        import_pytorchfire(
            tmp_path,
            perimeters=tmp_path / "none.gpkg",
            crs="EPSG:999999",
            transform=(1.0, 2.0),
            utc_offset_h=99,
            name="x",
        )


def test_every_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        import_pytorchfire(tmp_path)
    assert len(said(caught.value)) >= 4
    assert_each_said(caught.value, ["p_veg.npz", "p_den.npz", "wind_velocity.npz", "wind_towards_direction.npz"])
    with pytest.raises(InputError, match="folder does not exist"):
        import_pytorchfire(tmp_path / "none")


def test_negative_wind_and_impossible_canopy_are_refused(tmp_path: Path) -> None:
    example(tmp_path, wind_velocity=np.full((4, 6, 8), -1.0), p_veg=np.full((6, 8), 0.7), p_den=np.full((6, 8), -0.3))
    with refused_for(
        "wind_velocity.npz: 192 of 192 values are below 0", "p_veg.npz: decodes to 110", "p_den.npz: decodes to -0.05"
    ):
        import_pytorchfire(tmp_path)


def test_a_transform_that_is_not_north_up_or_not_square_is_refused(tmp_path: Path) -> None:
    example(tmp_path)
    for six, part in (
        ((30, 0, 0, 0, 30, 0), "not north-up"),
        ((30, 0, 0, 0, -20, 0), "not square"),
        ((30, 1, 0, 0, -30, 0), "not north-up"),
    ):
        with pytest.raises(InputError, match=part):
            import_pytorchfire(tmp_path, crs="EPSG:32610", transform=six)
    with pytest.raises(InputError, match="a transform without a CRS"):
        import_pytorchfire(tmp_path, transform=(30, 0, 0, 0, -30, 0))


def test_perimeters_in_another_place_are_a_crs_mismatch(tmp_path: Path) -> None:
    file = write(tmp_path / "p.gpkg", TWO, DATES)
    with pytest.raises(InputError, match="likely a CRS mismatch"):
        import_pytorchfire(example(tmp_path / "f"), perimeters=file, crs="EPSG:3310", transform=SIX)


def test_perimeters_need_a_place(tmp_path: Path) -> None:
    file = write(tmp_path / "p.gpkg", TWO, DATES)
    with pytest.raises(InputError, match="has no place on the map"):
        import_pytorchfire(example(tmp_path / "f"), perimeters=file)


class _Dangerous:
    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path("unpickled"),)


def test_pickled_objects_are_refused_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example(tmp_path / "f")
    np.savez(tmp_path / "f" / "p_veg.npz", data=np.array([_Dangerous()], object))
    with pytest.raises(
        InputError, match=r"p_veg\.npz: the array data holds Python objects, which are not read for safety"
    ):
        import_pytorchfire(tmp_path / "f")
    assert not (tmp_path / "unpickled").exists()


def test_damaged_files_are_reported_not_raised(tmp_path: Path) -> None:
    example(tmp_path)
    (tmp_path / "p_veg.npz").write_bytes(b"PK\x03\x04 nonsense")
    (tmp_path / "p_den.npz").write_bytes(b"")
    np.save(tmp_path / "single.npy", np.zeros(3))
    (tmp_path / "wind_velocity.npz").write_bytes((tmp_path / "single.npy").read_bytes())
    with zipfile.ZipFile(tmp_path / "wind_towards_direction.npz", "w") as archive:
        archive.writestr("data.npy", b"\x93NUMPY broken")
    np.savez(tmp_path / "initial_ignition.npz", other=np.zeros(3))
    with refused_for(
        "p_veg.npz: is cut short or damaged",
        "p_den.npz: the file is empty",
        "wind_velocity.npz: is a single array",
        "wind_towards_direction.npz: the array data is damaged",
        "initial_ignition.npz: the array data is missing (the file holds other)",
    ):
        import_pytorchfire(tmp_path)


def test_a_published_raster_is_recognised_by_its_values_alone() -> None:
    known = known_grids()
    assert [entry.name for entry in known] == ["Bear 2020"]
    assert recognise(np.zeros((619, 748))) is None
    values = np.arange(6.0).reshape(2, 3)
    assert fingerprint(values) == fingerprint(np.asfortranarray(values)) == fingerprint(values.astype(">f8"))
    assert fingerprint(values) != fingerprint(values + 1e-12)


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (datetime(2020, 8, 17, 8, tzinfo=UTC), "a plan can start on day 2 at the earliest"),
        (datetime(2020, 8, 1, 8, tzinfo=UTC), "before the first perimeter: check the start"),
        (datetime(2021, 8, 1, 8, tzinfo=UTC), "after the last perimeter: check the start"),
    ],
)
def test_wind_and_perimeters_of_other_days_are_noted(tmp_path: Path, start: datetime, part: str) -> None:
    file = write(tmp_path / "p.gpkg", TWO, DATES)
    event = import_pytorchfire(example(tmp_path / "f"), perimeters=file, start=start, **PLACE)
    assert part in event.notes[-1]


def test_a_missing_folder_does_not_hide_what_is_wrong_beside_it(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        import_pytorchfire(
            tmp_path / "no", perimeters=tmp_path / "none.shp", crs="FOO", transform=(1.0, 2.0), utc_offset_h=99.0
        )
    parts = ["the folder does not exist", "none.shp: the file does", "'FOO' is unknown", "six numbers", "99.0 hours"]
    assert_each_said(caught.value, parts)
    assert len(caught.value.problems) == len(parts)
