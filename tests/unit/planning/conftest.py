from __future__ import annotations

import pytest

from firegui.rollout.model import Model
from tests.numerics.cases import model_of, random_maps, small_fleet


@pytest.fixture(scope="module")
def model() -> Model:
    """Three days of 10 steps, five aircraft, a fire of some hundred cells."""
    return model_of(random_maps(0, shape=(30, 32), days=3), small_fleet())
