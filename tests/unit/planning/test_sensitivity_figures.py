from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.sensitivity import Row, SensitivityTable
from firegui.planning.sensitivity_figures import draw, figure
from tests.unit.domain.tables import sensitivity_tables

TABLES = sensitivity_tables()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.kind.value)
def test_every_table_has_a_picture_and_twice_the_same(table: SensitivityTable[Row], tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        assert draw(table, folder) == [folder / "sensitivity.png", folder / "sensitivity.svg"]
    assert (one / "sensitivity.png").read_bytes().startswith(b"\x89PNG")
    assert (one / "sensitivity.svg").read_bytes() == (two / "sensitivity.svg").read_bytes()


def test_the_extents_stand_beside_the_fire_without_drops() -> None:
    table = TABLES[0]
    (axes,) = figure(table).axes
    assert [bar.get_height() for bar in axes.patches] == [row.reading.final_extent_cells for row in table.rows]  # type: ignore[attr-defined,union-attr]
    assert axes.lines[0].get_ydata()[0] == table.baseline.final_extent_cells  # type: ignore[index]


def test_a_table_without_rows_has_no_picture(tmp_path: Path) -> None:
    assert draw(replace(TABLES[-1], rows=()), tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_a_fire_may_be_called_what_would_be_half_a_formula(tmp_path: Path) -> None:
    assert len(draw(replace(TABLES[0], event="A $_{$ B"), tmp_path)) == 2
