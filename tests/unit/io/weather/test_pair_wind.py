"""WindNinja's pairs of ASCII grids, of one wind and of a row of times."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from pyproj import CRS

from firegui.io.importers.folder import recognise
from firegui.io.weather.conventions import Height, SpeedUnit
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.weather.weather_files import GRID, OFFSET, read, refused, turned

PRJ = CRS("EPSG:32610").to_wkt("WKT1_ESRI")
BOX = "ncols 5\nnrows 4\nxllcorner 499000\nyllcorner 4393000\ncellsize 2000\nNODATA_value -9999\n"


def grid(path: Path, value: float, rows: int = 4) -> Path:
    text = BOX.replace("nrows 4", f"nrows {rows}")
    path.write_text(text + (" ".join([f"{value:g}"] * 5) + "\n") * rows)
    path.with_suffix(".prj").write_text(PRJ)
    return path


def pair(folder: Path, run: str, speed: float, direction: float) -> tuple[Path, Path]:
    return grid(folder / f"{run}_vel.asc", speed), grid(folder / f"{run}_ang.asc", direction)


@pytest.mark.parametrize("given", ["both", "swapped", "speed"])
def test_a_pair_is_one_wind_in_mph_at_20_ft(tmp_path: Path, given: str) -> None:
    speed, direction = pair(tmp_path, "dem_270_10_2000m", 10.0, 270.0)
    files = {"both": (speed, direction), "swapped": (direction, speed), "speed": (speed,)}[given]
    source = WindSource(files=files)
    said = survey_wind(source).conventions
    assert (said.speed_unit, said.height) == (SpeedUnit.MPH, Height.FT20)
    winds = read(source)
    assert winds.speed[0] == pytest.approx(10.0 * 0.44704 * 1.15)
    assert turned(winds.towards[0], 0.0).max() < 0.07
    assert any("WindNinja" in note and "mph at 20 ft" in note for note in winds.notes)


def test_one_file_stands_for_all_times_of_its_run(tmp_path: Path) -> None:
    for hour in range(24):
        pair(tmp_path, f"dem_08-19-2020_{hour:02d}00_2000m", 5.0 + hour, 180.0)
    pair(tmp_path, "other_08-19-2020_0000_2000m", 50.0, 0.0)
    source = WindSource(files=(tmp_path / "dem_08-19-2020_0500_2000m_vel.asc",))
    survey = survey_wind(source)
    assert (survey.samples, survey.step_h, survey.first_date(OFFSET)) == (24, 1.0, date(2020, 8, 19))
    weather = read(source).weather
    assert weather is not None and weather.speed.shape[0] == 24
    assert weather.speed[:, 0, 0] == pytest.approx([(5.0 + hour) * 0.44704 * 1.15 for hour in range(24)])
    assert turned(weather.towards[:, 0, 0], np.pi / 2).max() < 0.07


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    speed, direction = pair(tmp_path, "a", 10.0, 270.0)
    other = grid(tmp_path / "b_ang.asc", 90.0)
    assert "of several runs (a, b)" in refused(WindSource(files=(speed, other)))
    assert "has no file of the other part (…_vel.asc)" in refused(WindSource(files=(other,)))
    grid(direction, 270.0, rows=3)
    assert "does not lie on the raster of a_vel.asc" in refused(WindSource(files=(speed,)))
    odd = grid(tmp_path / "dem.asc", 5.0)
    assert "does not say which part" in refused(WindSource(files=(odd,)))


def test_the_winds_of_a_run_for_one_wind_each_are_its_times(tmp_path: Path) -> None:
    for hour in range(3):
        pair(tmp_path, f"dem_{270 + hour}_{10 + hour}_08-19-2020_{hour:02d}00_2000m", 10.0 + hour, 270.0)
    source = WindSource(files=(tmp_path / "dem_270_10_08-19-2020_0000_2000m_vel.asc",))
    assert survey_wind(source).samples == 3
    pair(tmp_path, "dem_90_7_08-19-2020_0000_2000m", 7.0, 90.0)
    assert "is of the same time as" in refused(source)


def test_a_folder_takes_the_run_as_its_wind_and_not_that_of_the_weather_model(tmp_path: Path) -> None:
    for hour in range(3):
        pair(tmp_path, f"NOMADS-HRRR-CONUS-3-KM-08-19-2020_{hour:02d}00", 9.0, 0.0)
        pair(tmp_path, f"dem_08-19-2020_{hour:02d}00_2000m", 5.0, 180.0)
    found = recognise(tmp_path)
    assert [path.name for path in found.source.wind.files] == ["dem_08-19-2020_0000_2000m_ang.asc"]
    assert read(found.source.wind, grid=GRID).speed.shape[0] == 1
