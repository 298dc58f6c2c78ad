"""Faults of what is in fleets, constraints and projects."""

from __future__ import annotations

from tests.unit.io.faults.cases import WORKS, Fault
from tests.unit.io.faults.edits import swapped, text

GEOJSON, TOML, FLEET, OPERATIONS = ("regions geojson",), ("regions toml",), ("fleet toml",), ("operations toml",)
CSV, PLAN, WEIGHTS, PROJECT = ("schedule csv",), ("schedule plan",), ("weights",), ("project text",)
DIGITS = "9" * 5000


TABLE_FAULTS = (
    Fault(
        "self-crossing",
        OPERATIONS,
        swapped("[[2.0, 2.0], [2.0, 6.5], [6.5, 6.5], [6.5, 2.0]]", "[[2.0, 2.0], [6.5, 6.5], [2.0, 6.5], [6.5, 2.0]]"),
        r"Reservoir: crosses itself",
    ),
    Fault("not a number", FLEET, swapped("payload_gal = 900.0", "payload_gal = nan"), r"payload_gal is nan"),
    Fault("not a number", FLEET, swapped("speed_ms = 60.0", "speed_ms = inf"), r"speed_ms is inf", variant="infinite"),
    Fault(
        "not a number",
        FLEET,
        swapped("payload_gal = 900.0", f"payload_gal = {DIGITS[:400]}"),
        r"payload_gal",
        variant="huge",
    ),
    Fault("wrong type", FLEET, swapped("count = 2", 'count = "two"'), r"count: is text, not a whole number"),
    Fault(
        "wrong type",
        FLEET,
        swapped("count = 2", "count = 1979-05-27"),
        r"count: is a date, not a whole number",
        variant="date",
    ),
    Fault("missing part", FLEET, swapped("turnaround_h = 3.0\n", ""), r"turnaround_h is missing"),
    Fault("impossible unit", FLEET, swapped("turnaround_h = 3.0", "turnaround_h = -3.0"), r"turnaround_h is -3"),
    Fault(
        "impossible unit",
        FLEET,
        swapped("speed_ms = 60.0", "speed_ms = 60000.0"),
        r"speed_ms is 60000",
        variant="speed",
    ),
    Fault(
        "impossible unit",
        FLEET,
        swapped('material = "retardant"', 'material = "foam"'),
        r"foam.* is not one of the values",
        variant="material",
    ),
    Fault("huge header", FLEET, swapped("count = 2", "count = 1000000000"), r"count is 1000000000"),
    Fault("twice", FLEET, swapped('id = "W"', 'id = "R"'), r"the id R is used 2 times"),
    Fault(
        "dates",
        FLEET,
        swapped("grounded_days = [1]", "grounded_days = [99999999]"),
        r"grounded_days .*99999999.* no plan has",
    ),
    Fault(
        "not a number",
        OPERATIONS,
        swapped("after_sunrise_min = 30.0", "after_sunrise_min = nan"),
        r"after_sunrise_min is nan",
    ),
    Fault("not a number", OPERATIONS, swapped("theta = 0.8", "theta = inf"), r"is no pose", variant="pose"),
    Fault(
        "wrong type",
        OPERATIONS,
        text(lambda held, rng: held.replace("hard_cap = ", "hard_cap = 1.5 # ", 1)),
        r"hard_cap: is a number, not a whole number",
    ),
    Fault("missing part", OPERATIONS, swapped("end = 2020-08-19T18:30:00-07:00\n", ""), r"end is missing"),
    Fault(
        "missing part", OPERATIONS, swapped('"R-1"', '"Q-9"'), r"grounding of Q-9: is no aircraft", variant="aircraft"
    ),
    Fault("impossible unit", OPERATIONS, swapped("R = 6", "R = -6"), r"sorties_per_day of R is -6"),
    Fault(
        "impossible unit",
        OPERATIONS,
        swapped("after_sunrise_min = 30.0", "after_sunrise_min = 5000.0"),
        r"after_sunrise_min is 5000",
        variant="minutes",
    ),
    Fault(
        "huge header",
        OPERATIONS,
        text(lambda held, rng: held.replace("hard_cap = ", "hard_cap = 1000000000 # ", 1)),
        r"hard_cap is 1000000000",
    ),
    Fault("dates", OPERATIONS, swapped("end = 2020-08-19T18:30", "end = 2020-08-19T08:30"), r"not after it begins"),
    Fault(
        "dates",
        OPERATIONS,
        swapped("end = 2020-08-19T18:30", "end = 2020-02-31T18:30"),
        r"is not valid TOML",
        variant="impossible",
    ),
    Fault("dates", OPERATIONS, swapped("18:30:00-07:00", "18:30:00"), r"has no offset from UTC", variant="no offset"),
    Fault("wrong CRS", OPERATIONS, swapped("y = 9.5", "y = 4400000.0"), r"is outside the grid"),
    Fault("wrong CRS", PROJECT, swapped('crs = "EPSG:3310"', 'crs = "EPSG:999999"'), r"'EPSG:999999' is unknown"),
    Fault(
        "wrong CRS", PROJECT, swapped('crs = "EPSG:3310"', 'crs = "EPSG:4326"'), r"counts in degrees", variant="degrees"
    ),
    Fault(
        "huge header",
        PROJECT,
        swapped("count = 2", "count = 1000000000"),
        r"count is 1000000000",
        WORKS,
        variant="fleet",
    ),
    Fault("huge header", PROJECT, swapped("rows = 16", "rows = 100000000"), r"claims 2,000,000,000 cells"),
    Fault(
        "transposed axes",
        PROJECT,
        swapped("rows = 16\ncolumns = 20", "rows = 20\ncolumns = 16"),
        r"has 16 × 20 cells.*, the grid 20 × 16",
    ),
    Fault("zero size", PROJECT, swapped("rows = 16", "rows = 0"), r"0 × 20 cells"),
    Fault("not a number", PROJECT, swapped("cell_size_m = 30.0", "cell_size_m = nan"), r"cell size nan"),
    Fault("wrong type", PROJECT, swapped("steps_per_day = 10", 'steps_per_day = "ten"'), r"steps_per_day: is text"),
    Fault("missing part", PROJECT, swapped("[fire_model]", "[fire_motel]"), r"\[fire_model\]: kind is missing"),
    Fault(
        "missing part",
        PROJECT,
        swapped("maps.npz", "../maps.npz"),
        r"lies outside the project folder",
        variant="outside",
    ),
    Fault("dates", PROJECT, swapped("start = 2020-08-19", "start = 0020-08-19"), r"not in 1900 to 2199"),
    Fault("impossible unit", PROJECT, swapped("utc_offset_h = -7.0", "utc_offset_h = -700.0"), r"utc_offset_h is -700"),
)
