"""``firegui front-speed`` and ``firegui.front_speed`` on a small front."""

from __future__ import annotations

import numpy as np
import pytest

import firegui as interface
from tests.cli.conftest import Run

SMALL = ("--length-to-width", 1.3, "--wind-towards", 90, "--neighbours", 8, "--distance", 30)


def test_a_person_sees_formula_and_measurement_of_every_direction_and_why_they_differ(firegui: Run) -> None:
    answer = firegui("front-speed", *SMALL)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert "8 neighbours: 0.6 cells a step towards 90°, length to width 1.3" in lines[0]
    rows = [line.split() for line in lines if line.lstrip()[:1].isdigit()]
    assert len(rows) == 32 and rows[8][0] == "90.00°"
    assert rows[8][1] == "0.6000" == max(row[1] for row in rows)
    assert "From the formula, corrected: " in answer.out
    assert "like 1/t" in answer.out and "Not corrected; a correction (--corrections) fits the maps again" in answer.out


@pytest.mark.parametrize(("ratio", "is_short"), [pytest.param(1, False, marks=pytest.mark.slow), (4, True)])
def test_a_front_that_hardly_moves_is_named(firegui: Run, ratio: int, is_short: bool) -> None:
    words = ("front-speed", "--length-to-width", ratio, "--neighbours", 8, "--distance", 30, "--json")
    found = firegui(*words).json
    moved = [row["measured"] * row["measured_steps"] for row in found["directions"]]
    few = sum(cells < 3.0 for cells in moved)
    assert (few > 0) is is_short
    said = firegui(*words[:-1]).out
    assert f"the front moved {min(moved):.1f} to {max(moved):.1f} cells" in said
    assert (f"In {few} directions it moved less than 3 cells: corrections may not converge there" in said) is is_short


def test_a_program_and_python_get_the_same_numbers(firegui: Run) -> None:
    found = firegui("front-speed", *SMALL, "--corrections", 1, "--json").json
    front = interface.front_speed(length_to_width=1.3, wind_towards=90.0, neighbours=8, distance=30, corrections=1)
    assert (found["neighbours"], found["corrections"], len(found["gains"])) == (8, 1, 8)
    for key, values in (
        ("direction_deg", np.degrees(front.speeds.directions)), ("ellipse", front.ellipse),
        ("formula", front.speeds.formula), ("measured", front.speeds.measured),
        ("line", front.speeds.line), ("measured_steps", front.speeds.steps),
        ("corrected_from_formula_percent", 100.0 * (front.speeds.corrected / front.speeds.formula - 1.0)),
        ("from_formula_percent", 100.0 * (front.speeds.measured / front.speeds.formula - 1.0)),
        ("from_ellipse_percent", 100.0 * (front.speeds.measured / front.ellipse - 1.0)),
    ):  # fmt: skip
        np.testing.assert_allclose([row[key] for row in found["directions"]], values, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_straight_fronts_are_the_formula_but_for_what_one_on_a_line_lacks(firegui: Run) -> None:
    words = ("front-speed", "--burn-steps", 30, "--distance", 40)
    found = firegui(*words, "--straight", "--json").json
    assert found["straight"] and len(found["directions"]) == 32
    for row in found["directions"]:
        assert row["measured"] < row["formula"] and row["line"] < row["formula"]
        assert abs(row["corrected_from_formula_percent"]) < 2.0


def test_what_cannot_be_measured_is_refused(firegui: Run) -> None:
    firegui("front-speed", "--neighbours", 12).assert_refused("--neighbours is 12", "use 8, or 16")
    firegui("front-speed", "--speed", 3).assert_refused("--speed is 3", "0.05 to 1")
    with pytest.raises(interface.InputError, match="length_to_width is 9"):
        interface.front_speed(length_to_width=9.0)
