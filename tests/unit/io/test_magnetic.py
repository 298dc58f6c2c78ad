"""Against the World Magnetic Model's own test values, which NOAA publishes with each model."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from pygeomag import GeoMag

from firegui.io.magnetic import Compass, decimal_year


@pytest.mark.parametrize(
    ("lon", "lat", "km", "year", "declination"),
    [
        (0.0, 80.0, 0.0, 2020, -1.28), (120.0, 0.0, 0.0, 2020, 0.16), (240.0, -80.0, 0.0, 2020, 69.36),
        (0.0, 80.0, 100.0, 2020, -1.70), (240.0, -80.0, 100.0, 2020, 68.78),
    ],
)  # fmt: skip
def test_the_declination_is_the_published_models(
    lon: float, lat: float, km: float, year: int, declination: float
) -> None:
    found = Compass().declination(lon, lat, datetime(year, 1, 1, tzinfo=UTC), km * 1000.0)
    assert found == pytest.approx(declination, abs=0.011)


def test_what_is_remembered_for_a_neighbourhood_is_right_to_three_hundredths_of_a_degree() -> None:
    compass, rng = Compass(), np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        lon, lat, height = rng.uniform(-179, 179), rng.uniform(-60, 60), rng.uniform(0, 3000)
        when = datetime(int(rng.integers(2010, 2030)), int(rng.integers(1, 13)), int(rng.integers(1, 28)), tzinfo=UTC)
        asked = GeoMag(base_year=when).calculate(glat=lat, glon=lon, alt=height / 1000, time=decimal_year(when))
        found = compass.declination(lon, lat, when, height)
        assert found is not None
        worst = max(worst, abs(found - asked.d))
    assert worst < 0.03


def test_each_date_has_the_model_of_its_five_years() -> None:
    compass = Compass()
    for year in (2012, 2017, 2020, 2026):
        when = datetime(year, 7, 1, tzinfo=UTC)
        asked = GeoMag(base_year=when).calculate(glat=39.8, glon=-121.1, alt=0.0, time=decimal_year(when))
        assert compass.declination(-121.1, 39.8, when) == pytest.approx(asked.d, abs=0.01)


@pytest.mark.parametrize("year", [2009, 2030])
def test_outside_the_models_dates_nothing_is_said(year: int) -> None:
    assert Compass().declination(-121.1, 39.8, datetime(year, 7, 1, tzinfo=UTC)) is None


def test_the_last_hours_of_a_model_are_its_own() -> None:
    assert Compass().declination(-121.1, 39.8, datetime(2029, 12, 31, 23, tzinfo=UTC)) is not None


def test_at_a_magnetic_pole_a_compass_shows_nothing() -> None:
    assert Compass().declination(-132.0, 86.0, datetime(2020, 7, 1, tzinfo=UTC)) is None
