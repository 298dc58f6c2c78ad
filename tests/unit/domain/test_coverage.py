from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.coverage import (
    PAPER_COVERAGE,
    RequiredCoverage,
    coverage_from_cells,
    coverage_shares,
    fuel_cells,
    weighted_coverage,
)
from firegui.domain.fuel import FBFM13, FBFM40, fuel_name, is_fbfm13

FUEL = np.array([[188, 188, 165], [98, np.nan, 256]], np.float32)
LEVELS = {188: 4.0, 165: 2.0, 142: 3.0}


def test_the_required_coverage_is_weighted_by_area_over_the_models_that_have_a_level() -> None:
    found = weighted_coverage(FUEL, LEVELS, "somebody")
    assert found.c_req == pytest.approx((4.0 + 4.0 + 2.0) / 3.0)
    assert found.source == "area-weighted over 3 cells of fuel; levels: somebody"
    assert found.levels == LEVELS
    assert coverage_from_cells(fuel_cells(FUEL), LEVELS, "somebody") == found


@pytest.mark.parametrize("fuel", [None, np.array([[98.0, np.nan]], np.float32)])
def test_without_fuel_it_is_the_papers_and_says_why(fuel: np.ndarray | None) -> None:
    found = weighted_coverage(fuel, LEVELS, "somebody")
    assert found.c_req == PAPER_COVERAGE == 2.7
    assert "there is no fuel layer" in found.source or "no fuel model of the layer" in found.source
    assert not found.levels


def test_shares_are_of_what_burns_the_largest_first() -> None:
    shares = coverage_shares(FUEL)
    assert list(shares) == [188, 165, 256]
    assert shares[188] == pytest.approx(0.5)
    assert sum(shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("value", [0.0, -1.0, 25.0, float("nan")])
def test_coverages_that_cannot_be_are_problems(value: float) -> None:
    assert RequiredCoverage(value).problems()
    assert RequiredCoverage(2.7, "x", {188: value}).problems()
    assert not RequiredCoverage(2.7, "x", LEVELS).problems()


def test_models_are_called_as_people_do() -> None:
    assert [fuel_name(code) for code in (188, 101, 204, 98, 99, 10, 256)] == [
        "TL8 (FBFM40 188)", "GR1 (FBFM40 101)", "SB4 (FBFM40 204)", "NB8 open water (FBFM40 98)",
        "NB9 bare ground (FBFM40 99)", "FBFM13 10", "256",
    ]  # fmt: skip
    assert len(FBFM40) == 45 and len(FBFM13) == 13
    assert is_fbfm13(np.array([0, 1, 13, 14, 101, np.nan], np.float32)).tolist() == [
        False, True, True, False, False, False,
    ]  # fmt: skip
