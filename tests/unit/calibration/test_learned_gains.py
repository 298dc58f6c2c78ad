from __future__ import annotations

import numpy as np
import pytest

from firegui.calibration.network_fit import learned_gains
from firegui.domain.scenario import Scenario
from firegui.domain.weights import GAINS
from firegui.fire.network import initial
from tests.unit.calibration.fits import QUICK, SHAPE, small, usual
from tests.unit.fire.events import event, layer

WIND, SLOPE = GAINS[:2], GAINS[2:]


def windy(*means: float) -> Scenario:
    blown = event(SHAPE, days=len(means))
    blown.wind_speed[:] = np.array(means, np.float32)[:, None, None]
    return blown


@pytest.mark.parametrize(
    ("means", "wanted"),
    [
        ((2.0, 5.0), WIND),
        ((1.0, 4.5), ()),  # not strong enough
        ((6.0, 8.0), ()),  # not different enough
        ((8.0, 8.0), ()),
        ((2.0, 2.0, 9.0), ()),  # later than the fitted days
    ],
)
def test_wind_is_learned_where_it_is_strong_and_changes(means: tuple[float, ...], wanted: tuple[str, ...]) -> None:
    assert learned_gains([windy(*means)], 2) == wanted


def test_a_change_of_wind_from_one_event_to_another_or_within_a_day_does_not_count() -> None:
    gusty = windy(2.0, 2.0)
    gusty.wind_speed[1, 0, 0] = 40.0

    assert learned_gains([windy(2.0, 2.0), windy(9.0, 9.0)], 2) == ()
    assert learned_gains([gusty], 2) == ()


def steep(degrees: float, cells: int, *, aspect: bool = True) -> Scenario:
    """A flat raster of 399 cells of which the first ``cells`` are steep."""
    slope = layer(SHAPE, 1.0)
    slope.ravel()[:cells] = degrees
    return event(SHAPE, layers={"slope": slope} | ({"aspect": layer(SHAPE, 90.0)} if aspect else {}))


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (steep(20.0, 40), SLOPE),
        (steep(20.0, 10), ()),  # too few cells
        (steep(8.0, 399), ()),  # not steep enough
        (steep(20.0, 399, aspect=False), ()),
        (steep(np.nan, 399), ()),
        (event(SHAPE), ()),
    ],
)
def test_slope_is_learned_where_a_twentieth_is_steep(where: Scenario, wanted: tuple[str, ...]) -> None:
    assert learned_gains([where], 2) == wanted


def test_cells_without_a_slope_do_not_count() -> None:
    where = steep(20.0, 21)
    assert learned_gains([where], 2) == SLOPE
    where = steep(20.0, 5)
    where.layers["slope"][1:] = np.nan

    assert learned_gains([where], 2) == SLOPE


def test_what_one_event_teaches_is_learned_for_all() -> None:
    assert learned_gains([windy(2.0, 6.0), steep(20.0, 100)], 2) == GAINS


def test_gains_that_were_not_learned_keep_the_weights_they_began_with() -> None:
    first = initial(QUICK.seed).get_parameter("head.bias").detach().numpy()
    moved = np.abs(usual().last[0].tensors["now.head.bias"] - first)

    assert learned_gains([small()], 2) == SLOPE
    # Decay alone: 10⁻⁴ of the step size.
    assert (moved[1:3] < 1e-3 * QUICK.learning_rate * QUICK.epochs).all()
    assert (moved[[0, 3, 4, 5]] > 0.1 * QUICK.learning_rate).all()
