"""Quantities for people, in metric and in US field units."""

from __future__ import annotations

import math

import pytest

from firegui.domain.units import Units, amount_text


@pytest.mark.parametrize(
    ("hectares", "metric", "us"),
    [(0.0, "0.0 ha", "0.0 acres"), (5.5, "5.5 ha", "13.6 acres"), (1204.0, "1,204 ha", "2,975 acres")],
)
def test_areas(hectares: float, metric: str, us: str) -> None:
    assert (Units.METRIC.area(hectares), Units.US.area(hectares)) == (metric, us)


def test_areas_with_chosen_decimals() -> None:
    assert (Units.METRIC.area(1204.04, 1), Units.US.area(-0.5, 2)) == ("1,204.0 ha", "-1.24 acres")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00307, "0.0"), (-0.004, "0.0"), (0.27, "0.3"), (99.94, "99.9"), (99.96, "100"), (13_375.8, "13,376"),
     (None, "–"), (math.nan, "–")],
)  # fmt: skip
def test_an_amount_has_the_digits_that_a_reader_needs(value: float | None, text: str) -> None:
    assert amount_text(value) == text


def test_lengths_change_their_unit_where_they_are_long() -> None:
    assert [Units.METRIC.length(metres) for metres in (30.0, 999.0, 1500.0)] == ["30 m", "999 m", "1.50 km"]
    assert [Units.US.length(metres) for metres in (30.48, 804.0, 1609.344)] == ["100 ft", "2,638 ft", "1.00 mi"]


def test_long_lengths_and_measured_areas_have_three_significant_digits() -> None:
    lengths = [Units.METRIC.length(1000.0 * far) for far in (1.0, 9.996, 12.34, 999.6, 14_860.09)]
    assert lengths == ["1.00 km", "10.0 km", "12.3 km", "1,000 km", "14,900 km"]
    areas = [Units.METRIC.measured_area(size) for size in (0.0, 0.09, 5.512, 14_860.09)]
    assert areas == ["0 ha", "0.0900 ha", "5.51 ha", "14,900 ha"]


def test_wind_is_in_mph_and_aircraft_in_knots() -> None:
    assert (Units.METRIC.wind(8.94), Units.US.wind(8.94)) == ("8.9 m/s", "20 mph")
    assert (Units.METRIC.aircraft_speed_unit, Units.US.aircraft_speed_unit) == ("m/s", "kn")
    speeds = [units.aircraft_speed_value(61.7) for units in (Units.METRIC, Units.US)]
    assert speeds == pytest.approx([61.7, 119.93], abs=0.01)


def test_volumes_are_cubic_metres_and_loads_litres_or_both_gallons() -> None:
    assert [Units.METRIC.volume(gallons) for gallons in (1200.0, 566_662.0)] == ["4.5 m³", "2,145 m³"]
    assert Units.US.volume(566_662.0) == "566,662 gal"
    assert (Units.METRIC.load(1200.0), Units.US.load(1200.0)) == ("4,542 L", "1,200 gal")


def test_stored_messages_are_restated_in_the_units_on_screen() -> None:
    text = "the fire ends at 19.7 ± 1.1 ha, 1,204 ha without drops; 3 hard cases"
    assert Units.METRIC.restate(text) == text
    assert Units.US.restate(text) == "the fire ends at 48.7 ± 2.7 acres, 2,975 acres without drops; 3 hard cases"


def test_large_areas() -> None:
    assert (Units.METRIC.large_area(4320.0), Units.US.large_area(4320.0)) == ("43 km²", "17 sq mi")
