from __future__ import annotations

import numpy as np
import pytest

from firegui.fire.fuel_moisture import equilibrium_moisture, fine_dead_moisture


def test_wood_is_wetter_in_damp_and_drier_in_warm_air() -> None:
    damp = equilibrium_moisture(20.0, np.linspace(1.0, 100.0, 100))
    assert (np.diff(damp) > 0.0).all()
    for humidity in (5.0, 30.0, 80.0):
        assert (np.diff(equilibrium_moisture(np.linspace(-20.0, 50.0, 50), humidity)) < 0.0).all()


@pytest.mark.parametrize(("humidity", "step"), [(10.0, 0.3), (50.0, 0.5)])
def test_the_three_equations_nearly_meet(humidity: float, step: float) -> None:
    below, above = equilibrium_moisture(25.0, np.array([humidity - 1e-6, humidity]))
    assert abs(above - below) < step


def test_fine_fuel_is_never_drier_than_one_percent() -> None:
    one, ten = fine_dead_moisture(np.array([45.0, 30.0]), np.array([1.0, 30.0]))
    assert one[0] == ten[0] == 1.0
    assert 1.0 < one[1] < ten[1]
