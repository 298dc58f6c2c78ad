from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firegui.cli.imports import perimeter_source
from firegui.errors import Problems
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource

NOTHING: dict[str, Any] = {
    "perimeters": None, "perimeters_layer": None, "perimeters_date": None, "perimeters_are": None, "utc_offset": None,
}  # fmt: skip


def test_what_is_asked_for_becomes_a_source() -> None:
    asked = {"perimeters": Path("p.gpkg"), "perimeters_layer": "a", "perimeters_date": "Date",
             "perimeters_are": "cumulative", "utc_offset": -7.0}  # fmt: skip
    problems = Problems()
    expected = PerimeterSource(Path("p.gpkg"), "a", "Date", PerimeterGrowth.CUMULATIVE, -7.0)
    assert perimeter_source(asked, problems) == expected
    assert perimeter_source(NOTHING, problems) is None
    assert not problems


@pytest.mark.parametrize("name", ["layer", "date", "are"])
def test_what_goes_with_a_file_needs_the_file(name: str) -> None:
    problems = Problems()
    assert perimeter_source(NOTHING | {f"perimeters_{name}": "increments"}, problems) is None
    assert [f"--perimeters-{name}: is given without --perimeters" in str(problem) for problem in problems] == [True]
