"""Order and meaning of the neighbours."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from firegui.domain import stencil as stencils
from firegui.domain.stencil import EIGHT, SIXTEEN, stencil_of
from firegui.errors import InputError


def test_the_first_eight_of_sixteen_are_the_papers() -> None:
    assert SIXTEEN.offsets[:8] == EIGHT.offsets
    assert (EIGHT.reach, SIXTEEN.reach) == (1, 2)
    assert not any(EIGHT.between(n) for n in range(8))
    assert len(set(SIXTEEN.offsets)) == 16


def test_the_picture_shows_the_order() -> None:
    rows = [line.split() for line in (stencils.__doc__ or "").splitlines() if re.match(r"^ +[\d.]+ ", line)]
    found = {
        int(word): (row - 2, column - 2)
        for row, line in enumerate(rows)
        for column, word in enumerate(line)
        if word.isdigit()
    }
    assert tuple(found[n] for n in range(16)) == SIXTEEN.offsets


@pytest.mark.parametrize("n", range(16))
def test_a_displacement_leads_from_the_neighbour_to_the_cell(n: int) -> None:
    row, column = SIXTEEN.offsets[n]
    assert SIXTEEN.displacement(n) == (-row, -column)


@pytest.mark.parametrize("n", range(8, 16))
def test_the_line_of_a_knights_move_passes_between_its_two_cells(n: int) -> None:
    first, second = SIXTEEN.between(n)
    middle = [Fraction(a + b, 2) for a, b in zip(first, second, strict=True)]
    assert middle == [Fraction(part, 2) for part in SIXTEEN.offsets[n]]
    assert sum(map(abs, first)) == 1 and {first, second} < set(EIGHT.offsets)


@pytest.mark.parametrize("count", [0, 1, 4, 9, 24])
def test_another_stencil_is_refused(count: int) -> None:
    with pytest.raises(InputError, match=rf"maps: have {count} neighbours? — give 8 neighbours, or 16"):
        stencil_of(count)
