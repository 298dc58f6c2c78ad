from __future__ import annotations

from dataclasses import replace

import numpy as np

from firegui.domain.fuel import FBFM13, FBFM40
from firegui.domain.fuel_groups import FUEL_GROUPS, fuel_group_numbers, with_custom
from firegui.io.fuel_models_file import standard_fuel_models


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


def test_custom_models_are_a_group_that_names_them() -> None:
    own = [replace(standard_fuel_models()[0], code=code, name=f"M{code}") for code in (14, 102, 15, 16)]
    groups = with_custom(own)
    assert groups[:-1] == FUEL_GROUPS == with_custom(())
    assert groups[-1].name == "M14 (custom 14), M102 (custom 102), M15 (custom 15) and 1 more"
    numbers = fuel_group_numbers(np.array([14.0, 102.0, 101.0, 17.0]), groups)
    assert [number == len(groups) for number in numbers] == [True, True, False, False]
