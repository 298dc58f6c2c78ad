"""The hourly winds of Tubbs beside the repository: mph at 20 ft, directions from, on 300 m cells of a sphere."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
import rasterio

from firegui.domain.grid import Grid
from firegui.io.weather.conventions import Components, Height, Sense, SpeedUnit, WindConventions
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.builders import SHARED_DATA
from tests.unit.io.weather.weather_files import mean_wind, read, turned, vector

TUBBS = SHARED_DATA / "tubbs2017"

pytestmark = pytest.mark.skipif(
    not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)"
)

FILES = (TUBBS / "ws.tif", TUBBS / "wd.tif")
MIDNIGHT = datetime(2017, 10, 9, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def grid() -> Grid:
    with rasterio.open(TUBBS / "dem.tif") as source:
        return Grid(900, 700, 30.0, tuple(source.transform)[:6], source.crs.to_wkt())


def test_the_imported_wind_is_the_mean_of_the_files_hours_in_every_cell(grid: Grid) -> None:
    """At the centres of the file's cells nothing is interpolated: four cells of 30 m lie 15 m around each."""
    conventions = WindConventions(speed_unit=SpeedUnit.MPH, height=Height.FT20)
    winds = read(WindSource(files=FILES, conventions=conventions, first=MIDNIGHT, step_h=1.0), None, grid, MIDNIGHT)
    assert winds.speed.shape == (1, 900, 700)  # the 25th hour closes the day
    with rasterio.open(FILES[0]) as one, rasterio.open(FILES[1]) as other:
        speed, angle = one.read().astype(float), other.read().astype(float)
    for i, j in ((0, 0), (12, 40), (45, 35), (70, 5), (89, 69)):
        hours = [vector(s * 0.44704 * 1.15, d) for s, d in zip(speed[:24, i, j], angle[:24, i, j], strict=True)]
        strength, blows = mean_wind(hours)
        around = np.s_[0, 10 * i + 4 : 10 * i + 6, 10 * j + 4 : 10 * j + 6]
        assert winds.speed[around].mean() == pytest.approx(strength, rel=5e-3)
        assert turned(winds.towards[around], blows).max() < 1.0
    # The fire ran to the south-west before a wind from the north-east.
    blows = np.degrees(np.angle(np.exp(1j * winds.towards[0, :400]).mean()))
    assert -140.0 < blows < -90.0


def test_what_the_files_do_not_say_is_guessed_with_a_note() -> None:
    survey = survey_wind(WindSource(files=FILES))
    assert survey.conventions.speed_unit is SpeedUnit.MPH and survey.conventions.sense is Sense.FROM
    assert survey.conventions.components is Components.SPEED_DIRECTION
    assert (survey.samples, survey.step_h, survey.first, survey.places) == (
        25,
        1.0,
        None,
        "70 × 90 cells (width × height)",
    )
    notes = " ".join(survey.notes)
    for part in ("mph is assumed", "10 m is assumed", "where the wind blows from", "told by their names"):
        assert part in notes
    assert not survey.problems
