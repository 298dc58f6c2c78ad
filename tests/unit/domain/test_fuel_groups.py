from __future__ import annotations

import numpy as np

from firegui.domain.fuel import FBFM13, FBFM40
from firegui.domain.fuel_groups import FUEL_GROUPS, fuel_group_numbers


def test_every_model_is_in_exactly_one_group() -> None:
    codes = np.array(sorted(FBFM13 | FBFM40), np.float32)
    assert (np.sum([group.holds(codes) for group in FUEL_GROUPS], axis=0) == 1).all()
    assert (fuel_group_numbers(codes) > 0).all()


def test_models_of_both_systems_that_are_alike_are_shown_alike() -> None:
    one, other = np.array([1.0, 4.0, 8.0, 11.0]), np.array([101.0, 145.0, 188.0, 201.0])
    names = [FUEL_GROUPS[number - 1].name.split(" (")[0] for number in fuel_group_numbers(one)]
    assert names == ["Grass", "Shrub", "Timber litter", "Slash and blowdown"]
    assert (fuel_group_numbers(one) == fuel_group_numbers(other)).all()


def test_no_data_and_other_codes_are_in_no_group() -> None:
    assert (fuel_group_numbers(np.array([np.nan, -9999.0, 0.0, 14.0, 256.0])) == 0).all()
