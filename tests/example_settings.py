"""Settings of every kind, for tests of what is generated from a declaration."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firegui.domain.options import option


class Colour(StrEnum):
    """A choice among two."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Part:
    """Settings inside of others."""

    angle: float = option(0.5, "Angle", "direction of the wind", degrees=True, unit="rad", low=0.0, high=3.0)


@dataclass(frozen=True)
class ExampleSettings:
    """Settings that nothing but their declaration knows."""

    count: int = option(3, "Count", "how many there are", low=1, high=9)
    share: float = option(0.25, "Share", "part of it", low=0.0, high=1.0, group="Rarely changed", flag="--part")
    swift: bool = option(True, "Swift", "whether it is fast")
    colour: Colour = option(Colour.RED, "Colour", "of the thing", choices={item: item.value for item in Colour})
    sizes: tuple[float, ...] = option((1.0, 2.5), "Sizes", "with commas between")
    part: Part = Part()
