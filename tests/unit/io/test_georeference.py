from __future__ import annotations

import math
import re
from datetime import UTC, datetime

import numpy as np
import pytest
from pygeomag import GeoMag
from pyproj import CRS, Proj

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io import crs
from firegui.io.georeference import Compass, Georeference, decimal_year, format_ddm
from tests.unit.io.builders import BEAR_GRID, PLACED, UNPLACED

OWN_ALBERS = "+proj=aea +lat_0=36.1 +lon_0=-118.7 +lat_1=36.0 +lat_2=36.2 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs"


def test_a_position_comes_back_from_its_longitude_and_latitude() -> None:
    place = Georeference(BEAR_GRID)
    for y, x in ((0.0, 0.0), (618.0, 747.0), (300.25, 12.5), (-0.5, -0.5)):
        lonlat = place.lonlat(y, x)
        assert lonlat is not None
        assert place.from_lonlat(*lonlat) == pytest.approx((y, x), abs=1e-6)


def test_a_place_that_the_numbers_of_a_grid_do_not_reach_has_no_position() -> None:
    far = "+proj=tmerc +lon_0=-123 +datum=WGS84 +units=m +y_0=1e308"
    grid = Grid(6, 8, 0.01, (0.01, 0.0, 0.0, 0.0, -0.01, 0.0), far)
    assert Georeference(grid).from_lonlat(-123.0, 40.0) is None


def test_bear_2020_lies_in_plumas_and_butte_counties() -> None:
    lonlat = Georeference(BEAR_GRID).lonlat(300, 370)
    assert lonlat is not None
    assert lonlat == pytest.approx((-121.1, 39.8), abs=0.2)


def test_many_positions_agree_with_one_by_one() -> None:
    place = Georeference(BEAR_GRID)
    ys, xs = np.array([0.0, 17.5, 618.0]), np.array([3.0, 700.25, 0.0])
    many = place.lonlat_many(ys, xs)
    assert many is not None
    for index in range(3):
        assert (many[0][index], many[1][index]) == place.lonlat(float(ys[index]), float(xs[index]))


def test_positions_beyond_all_numbers_have_infinite_places_without_a_warning() -> None:
    found = Georeference(PLACED).lonlat_many(np.array([1e308, 1.0]), np.array([1.0, -1e308]))
    assert found is not None
    assert not np.isfinite(found).any()


def test_utm_agrees_with_the_grid_when_the_grid_is_utm() -> None:
    place = Georeference(PLACED)
    utm = place.utm(2.0, 3.0)
    assert utm is not None
    assert utm[0] == "10S"
    assert utm[1:] == pytest.approx(PLACED.to_world(2.0, 3.0), abs=1e-3)


def test_utm_names_the_southern_zone_south_of_the_equator() -> None:
    grid = Grid(6, 8, 30.0, (30.0, 0.0, 500000.0, 0.0, -30.0, 6_000_000.0), "EPSG:32755")
    utm = Georeference(grid).utm(2.0, 3.0)
    assert utm is not None and utm[0] == "55H"
    assert utm[1:] == pytest.approx(grid.to_world(2.0, 3.0), abs=1e-3)


def test_a_grid_without_a_place_has_no_longitude() -> None:
    place = Georeference(UNPLACED)
    assert not place.has_place
    assert place.lonlat(0, 0) is None and place.utm(0, 0) is None and place.from_lonlat(0, 0) is None
    assert place.lonlat_many(np.zeros(1), np.zeros(1)) is None
    assert place.run_heading_true(0, 0, 0.0) == 90.0


@pytest.mark.parametrize(
    ("theta", "heading"), [(0.0, 90.0), (math.pi / 4, 45.0), (math.pi / 2, 0.0), (3 * math.pi / 4, 135.0)]
)
def test_on_the_central_meridian_the_true_heading_is_the_grid_azimuth(theta: float, heading: float) -> None:
    grid = Grid(3, 3, 30.0, (30.0, 0.0, 500000.0 - 45.0, 0.0, -30.0, 4400045.0), "EPSG:32610")
    found = Georeference(grid).run_heading_true(1.0, 1.0, theta)
    assert abs((found - heading + 90) % 180 - 90) < 0.01


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.2, 2.0, 3.0])
def test_away_from_the_central_meridian_the_convergence_is_added(theta: float) -> None:
    grid = Grid(3, 3, 30.0, (30.0, 0.0, 700000.0, 0.0, -30.0, 4400000.0), "EPSG:32610")
    place = Georeference(grid)
    lonlat = place.lonlat(1.0, 1.0)
    assert lonlat is not None
    convergence = Proj(CRS("EPSG:32610")).get_factors(*lonlat).meridian_convergence
    assert convergence > 1.0
    expected = 90.0 - math.degrees(theta) + convergence
    assert abs((place.run_heading_true(1.0, 1.0, theta) - expected + 90) % 180 - 90) < 0.01


def test_bears_grid_north_is_not_true_north() -> None:
    # Grid north and true north agree only along the central meridian, 120° W; Bear lies a degree west of it.
    heading = Georeference(BEAR_GRID).run_heading_true(300, 0, 0.0)
    assert 0.05 < abs(heading - 90.0) < 1.5


def test_degrees_and_decimal_minutes_carry_instead_of_showing_sixty() -> None:
    assert format_ddm(-121.5, 39.75) == "39°45.000′ N 121°30.000′ W"
    assert format_ddm(5.99999999, -9.99999999) == "10°00.000′ S 006°00.000′ E"
    assert format_ddm(-121.123456, 40.2) == "40°12.000′ N 121°07.407′ W"


@pytest.mark.parametrize(
    ("lon", "lat", "text"),
    [
        (-0.00001, -0.00001, "00°00.001′ S 000°00.001′ W"),
        (179.99999999, 0.0, "00°00.000′ N 180°00.000′ E"),
        (-179.99999999, -89.99999999, "90°00.000′ S 180°00.000′ W"),
        (149.1250, -35.2809, "35°16.854′ S 149°07.500′ E"),
        (-70.6667 - 59.9994 / 60 + 0.6667, -33.0 - 59.9996 / 60, "34°00.000′ S 070°59.999′ W"),
    ],
)
def test_hemispheres_and_the_carry_at_sixty_minutes(lon: float, lat: float, text: str) -> None:
    assert format_ddm(lon, lat) == text


def test_minutes_are_right_to_half_of_their_last_digit_and_never_sixty() -> None:
    rng = np.random.default_rng(2)
    near_carry = rng.integers(-89, 89, 1000) + rng.uniform(0.9999, 1.0001, 1000)
    for lon, lat in zip(rng.uniform(-180, 180, 2000), [*rng.uniform(-90, 90, 1000), *near_carry], strict=True):
        found = re.fullmatch(r"(\d\d)°(\d\d\.\d{3})′ ([NS]) (\d{3})°(\d\d\.\d{3})′ ([EW])", format_ddm(lon, lat))
        assert found is not None and float(found[2]) < 60.0 and float(found[5]) < 60.0
        assert int(found[1]) * 60 + float(found[2]) == pytest.approx(abs(lat) * 60, abs=0.000501)
        assert int(found[4]) * 60 + float(found[5]) == pytest.approx(abs(lon) * 60, abs=0.000501)
        assert (found[3], found[6]) == ("N" if lat >= 0 else "S", "E" if lon >= 0 else "W")


def test_a_cell_on_the_ground_is_a_cell_of_the_grid_but_for_the_projections_scale() -> None:
    assert Georeference(UNPLACED).ground_cell_m == 30.0
    # 0.9996 on the central meridian of a UTM zone.
    central = Grid(3, 3, 30.0, (30.0, 0.0, 500000.0 - 45.0, 0.0, -30.0, 4400045.0), "EPSG:32610")
    assert Georeference(central).ground_cell_m == pytest.approx(30.0 / 0.9996, rel=1e-6)


def test_a_crs_that_proj_does_not_know_is_a_problem_with_a_remedy() -> None:
    assert "unknown to PROJ" in str(crs.problems("EPSG:999999")[0])
    assert "unknown to PROJ" in str(crs.problems("nonsense")[0])
    assert "unknown to PROJ" in str(crs.problems("+proj=tmerc +lon_0=-123 +k=-2 +datum=WGS84 +type=crs")[0])
    assert "map projection" in str(crs.problems("EPSG:4978")[0])
    assert crs.problems("EPSG:3310") == []
    assert not Georeference(Grid(6, 8, 30.0, PLACED.transform, "nonsense")).has_place


def test_a_grid_in_degrees_or_of_another_cell_size_is_a_problem() -> None:
    degrees = Grid(6, 8, 30.0, (0.001, 0.0, -121.0, 0.0, -0.001, 40.0), "EPSG:4326")
    assert "counts in degrees" in " ".join(map(str, crs.grid_problems(degrees)))
    other = Grid(6, 8, 20.0, PLACED.transform, PLACED.crs)
    assert "cell size 20 m" in " ".join(map(str, crs.grid_problems(other)))
    assert crs.grid_problems(PLACED) == [] == crs.grid_problems(UNPLACED)


def test_two_names_of_one_crs_are_the_same() -> None:
    assert crs.same("EPSG:3310", CRS("EPSG:3310").to_wkt())
    assert not crs.same("EPSG:3310", "EPSG:32610")
    assert not crs.same("EPSG:3310", "nonsense")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("EPSG:3310", "EPSG:3310"),
        (CRS("EPSG:5070").to_wkt(), "EPSG:5070"),
        (OWN_ALBERS, "Albers Equal Area, North American Datum 1983"),
        (CRS(OWN_ALBERS).to_wkt().replace('"unknown"', '"Fire Albers"', 1), "Fire Albers"),
        ("a text of which PROJ makes nothing at all", "a text of which PROJ makes nothing at all"),
    ],
)
def test_people_read_a_short_name_of_a_crs(text: str, name: str) -> None:
    assert crs.short_name(text) == name


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


def test_a_crs_without_a_way_to_another_is_bad_input_and_no_error() -> None:
    site = 'LOCAL_CS["site",UNIT["metre",1]]'
    assert crs.parse(site) is not None
    with pytest.raises(InputError, match="cannot be changed from 'EPSG:4326' to 'LOCAL_CS"):
        crs.transformer("EPSG:4326", site)
