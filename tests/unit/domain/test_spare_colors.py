from __future__ import annotations

import colorsys
from itertools import combinations

import pytest

from firegui.domain.spare_colors import ON_DARK, ON_LIGHT, relative_luminance, spare_colors

NAMES = ("rings", "beam-search", "annealing", "tabu", "ants", "bees", "cuckoo", "harmony")


def contrast(one: str, other: str) -> float:
    low, high = sorted((relative_luminance(one), relative_luminance(other)))
    return (high + 0.05) / (low + 0.05)


def hue(color: str) -> float:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return 360.0 * colorsys.rgb_to_hls(red, green, blue)[0]


def apart(one: float, other: float) -> float:
    return min(abs(one - other), 360.0 - abs(one - other))


@pytest.mark.parametrize(
    ("luminance", "grounds"), [(ON_LIGHT, ("#ffffff", "#f3f4f6")), (ON_DARK, ("#1b1d22", "#31353f"))]
)
def test_a_spare_colour_is_readable_on_its_ground(luminance: float, grounds: tuple[str, ...]) -> None:
    for color in spare_colors(NAMES, luminance).values():
        for ground in grounds:
            assert contrast(color, ground) >= 4.5, (color, ground)


@pytest.mark.parametrize("luminance", [ON_LIGHT, ON_DARK])
def test_eight_names_get_eight_hues_that_can_be_told_apart(luminance: float) -> None:
    hues = [hue(color) for color in spare_colors(NAMES, luminance).values()]
    assert min(apart(*pair) for pair in combinations(hues, 2)) > 15.0


def test_a_name_keeps_its_colour_whatever_comes_after_it() -> None:
    assert spare_colors(("rings", "tabu"), ON_DARK)["rings"] == spare_colors(("rings",), ON_DARK)["rings"]
