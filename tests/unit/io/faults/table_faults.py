"""Faults of what is in fleets, constraints and projects."""

from __future__ import annotations

from tests.unit.io.faults.cases import WORKS, Fault
from tests.unit.io.faults.edits import swap, text

FLEET, OPERATIONS, PROJECT = ("fleet toml",), ("operations toml",), ("project text",)
DIGITS = "9" * 400


TABLE_FAULTS = (
    swap(
        "self-crossing",
        OPERATIONS,
        "[[2.0, 2.0], [2.0, 6.5], [6.5, 6.5], [6.5, 2.0]]",
        "[[2.0, 2.0], [6.5, 6.5], [2.0, 6.5], [6.5, 2.0]]",
        r"Reservoir: crosses itself",
    ),
    swap("not a number", FLEET, "payload_gal = 900.0", "payload_gal = nan", r"Payload is nan"),
    swap("not a number: infinite", FLEET, "speed_ms = 60.0", "speed_ms = inf", r"Speed is inf"),
    swap("not a number: huge", FLEET, "payload_gal = 900.0", f"payload_gal = {DIGITS}", r"payload_gal"),
    swap("wrong type", FLEET, "count = 2", 'count = "two"', r"count: is text, not a whole number"),
    swap("wrong type: date", FLEET, "count = 2", "count = 1979-05-27", r"count: is a date, not a whole number"),
    swap("missing part", FLEET, "turnaround_h = 3.0\n", "", r"turnaround_h is missing"),
    swap("impossible unit", FLEET, "turnaround_h = 3.0", "turnaround_h = -3.0", r"Turnaround is -3"),
    swap("impossible unit: speed", FLEET, "speed_ms = 60.0", "speed_ms = 60000.0", r"Speed is 60000"),
    swap(
        "impossible unit: material",
        FLEET,
        'material = "retardant"',
        'material = "foam"',
        r"foam.* is not one of the values",
    ),
    swap("huge header", FLEET, "count = 2", "count = 1000000000", r"Number of aircraft is 1000000000"),
    swap("twice", FLEET, 'id = "W"', 'id = "R"', r"the id R is used 2 times"),
    swap(
        "dates", FLEET, "grounded_days = [1]", "grounded_days = [99999999]", r"grounded days .*99999999.* no plan has"
    ),
    swap(
        "not a number",
        OPERATIONS,
        "after_sunrise_min = 30.0",
        "after_sunrise_min = nan",
        r"Minutes after sunrise is nan",
    ),
    swap("not a number: pose", OPERATIONS, "theta = 0.8", "theta = inf", r"is not a pose"),
    Fault(
        "wrong type",
        OPERATIONS,
        text(lambda held, rng: held.replace("hard_cap = ", "hard_cap = 1.5 # ", 1)),
        r"hard_cap: is a number, not a whole number",
    ),
    swap("missing part", OPERATIONS, "end = 2020-08-19T18:30:00-07:00\n", "", r"end is missing"),
    swap("missing part: aircraft", OPERATIONS, '"R-1"', '"Q-9"', r"grounding of Q-9: is not an aircraft"),
    swap("impossible unit", OPERATIONS, "R = 6", "R = -6", r"Drops a day of R: -6"),
    swap(
        "impossible unit: minutes",
        OPERATIONS,
        "after_sunrise_min = 30.0",
        "after_sunrise_min = 5000.0",
        r"Minutes after sunrise is 5000",
    ),
    Fault(
        "huge header",
        OPERATIONS,
        text(lambda held, rng: held.replace("hard_cap = ", "hard_cap = 1000000000 # ", 1)),
        r"Limit on drops is 1000000000",
    ),
    swap("dates", OPERATIONS, "end = 2020-08-19T18:30", "end = 2020-08-19T08:30", r"not after it begins"),
    swap("dates: impossible", OPERATIONS, "end = 2020-08-19T18:30", "end = 2020-02-31T18:30", r"is not valid TOML"),
    swap("dates: no offset", OPERATIONS, "18:30:00-07:00", "18:30:00", r"has no offset from UTC"),
    swap("wrong CRS", OPERATIONS, "y = 9.5", "y = 4400000.0", r"is outside the grid"),
    swap("wrong CRS", PROJECT, 'crs = "EPSG:3310"', 'crs = "EPSG:999999"', r"'EPSG:999999' is unknown"),
    swap("wrong CRS: degrees", PROJECT, 'crs = "EPSG:3310"', 'crs = "EPSG:4326"', r"counts in degrees"),
    swap("huge header: fleet", PROJECT, "count = 2", "count = 1000000000", r"Number of aircraft is 1000000000", WORKS),
    swap("huge header", PROJECT, "rows = 16", "rows = 100000000", r"claims 2,000,000,000 cells"),
    swap(
        "transposed axes",
        PROJECT,
        "rows = 16\ncolumns = 20",
        "rows = 20\ncolumns = 16",
        r"has 16 × 20 cells.*, the grid 20 × 16",
    ),
    swap("zero size", PROJECT, "rows = 16", "rows = 0", r"0 × 20 cells"),
    swap("not a number", PROJECT, "cell_size_m = 30.0", "cell_size_m = nan", r"cell size nan"),
    swap("wrong type", PROJECT, "steps_per_day = 10", 'steps_per_day = "ten"', r"steps_per_day: is text"),
    swap("missing part", PROJECT, "[fire_model]", "[fire_motel]", r"\[fire_model\]: kind is missing"),
    swap("missing part: outside", PROJECT, "maps.npz", "../maps.npz", r"lies outside the project folder"),
    swap("dates", PROJECT, "start = 2020-08-19", "start = 0020-08-19", r"not in 1900 to 2199"),
    swap("impossible unit", PROJECT, "utc_offset_h = -7.0", "utc_offset_h = -700.0", r"utc_offset_h is -700"),
)
