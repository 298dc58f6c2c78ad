"""Speed of the fire's front on uniform ground: ``front_speed``."""

from __future__ import annotations

from firegui.api.gather import Gather
from firegui.api.inputs import with_given
from firegui.api.python_words import python_interface
from firegui.domain.front import EllipseFront, FrontSettings
from firegui.runs.engine import Engine


@python_interface
def front_speed(
    *,
    speed: float | None = None,
    length_to_width: float | None = None,
    wind_towards: float | None = None,
    neighbours: int | None = None,
    burn_steps: float | None = None,
    distance: int | None = None,
    corrections: int | None = None,
    straight: bool | None = None,
) -> EllipseFront:
    """Measure how fast the front moves on uniform maps in 32 directions, beside formula and ellipse.

    The maps are fitted to an ellipse that grows from a spot. Speeds are in cells per step, directions in radians
    counter-clockwise from east of the grid. A measured front is slower than the formula of a pulled front, which holds
    after an infinite time: see ``corrections`` and ``distance``.

    Args:
        speed: Speed of the head in cells per step, 0.05 to 1; 0.6 unless given.
        length_to_width: Length of the ellipse to its width, 1 to 4; 1 unless given, which is a circle.
        wind_towards: Direction of the head in degrees counter-clockwise from east; 0 unless given.
        neighbours: 8, or 16 with the knight's moves; 16 unless given.
        burn_steps: Burn duration of a cell in steps, 2 to 1000; 10 unless given.
        distance: How far the head runs in cells, 20 to 400; 150 unless given.
        corrections: How often the maps are fitted again to what was measured, 0 to 5; 0 unless given.
        straight: Measure a straight front along each direction, in place of a fire from a spot; not unless given.

    Returns:
        ``gains`` per step in the order of the maps; ``ellipse``, ``speeds.formula`` and ``speeds.measured`` along
        ``speeds.directions``, in cells per step, and ``speeds.line``, a plane front on a line in float32;
        ``from_formula`` and ``from_ellipse``, differences as fractions, and ``corrected_from_formula``, the first
        without what the front on a line lacks.

    Raises:
        InputError: Something is wrong with the input, or the fire does not advance in every direction.
    """
    given = {
        "speed": speed, "length_to_width": length_to_width, "wind_towards": wind_towards, "neighbours": neighbours,
        "burn_steps": burn_steps, "distance": distance, "corrections": corrections, "straight": straight,
    }  # fmt: skip
    gather = Gather()
    settings = with_given(FrontSettings(), given, gather)
    gather.raise_if_any("The front cannot be measured")
    front: EllipseFront = Engine().ellipse_front(settings)
    return front
