from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.scaling import ScalingSettings, ScalingTable, cases_of
from firegui.planning.scaling_figures import QUALITY, RATIO, draw, quality_figure, ratio_figure
from tests.unit.analyses.fake_scaling import row_of, search_of


@pytest.fixture(scope="module")
def table() -> ScalingTable:
    cases = cases_of((60, 80), 15, 50, 21)
    bare = ScalingTable("Fire", "model", ScalingSettings(repeats=3, seeds=2), cases)
    timed = replace(bare, rows=tuple(row_of(case, 3) for case in cases))
    sizes = {case.aircraft: case.dimension for case in cases[:5]}
    for task in bare.tasks:
        timed = timed.with_quality(search_of(task, sizes[task.aircraft]))
    return timed


@pytest.mark.slow
def test_a_study_has_two_pictures_and_twice_the_same(table: ScalingTable, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        names = [path.name for path in draw(table, folder)]
        assert names == [f"{name}.{kind}" for name in (RATIO, QUALITY) for kind in ("png", "svg")]
    for name in names:
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_the_ratio_stands_against_the_dimension_and_the_raster(table: ScalingTable) -> None:
    left, right = ratio_figure(table).axes
    places = [list(container[0].get_xdata()) for container in left.containers]
    assert places[0] == [2400, 6000, 12000, 18000, 25200]
    assert places[2] == [12600, 25200, 37800, 50400, 63000]
    assert list(right.containers[0][0].get_xdata())[-1] == 60 * 80
    assert list(left.containers[0][0].get_ydata()) == [2.0] * 5
    assert list(left.containers[1][0].get_ydata()) == [3.0] * 5


def test_what_is_removed_stands_beside_the_advantage(table: ScalingTable) -> None:
    left, right = quality_figure(table).axes
    gradient, cma_es = (container[0].get_ydata() for container in left.containers)
    assert list(gradient) == pytest.approx([79.5] * 5) and list(cma_es) == pytest.approx([49.5] * 5)
    assert list(right.containers[0][0].get_ydata()) == pytest.approx([3.0] * 5)


def test_a_study_without_searches_has_one_picture_and_one_without_rows_none(
    table: ScalingTable, tmp_path: Path
) -> None:
    assert {path.stem for path in draw(replace(table, quality=()), tmp_path)} == {RATIO}
    assert draw(replace(table, rows=(), quality=()), tmp_path) == []


@pytest.mark.slow
def test_a_fire_may_be_called_what_would_be_half_a_formula(table: ScalingTable, tmp_path: Path) -> None:
    assert len(draw(replace(table, event="A $_{$ B"), tmp_path)) == 4


def test_a_single_fleet_size_and_horizon_can_be_drawn(tmp_path: Path) -> None:
    cases = cases_of((60, 80), 1, 10, 1)
    table = ScalingTable("Fire", "model", ScalingSettings(repeats=1), cases)
    assert draw(replace(table, rows=tuple(row_of(case, 1) for case in cases)), tmp_path)
