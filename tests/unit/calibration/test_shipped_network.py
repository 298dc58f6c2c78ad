"""The shipped network: its card is that of its weights, and on Bear it forecasts what the card says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.calibration.forecast import forecast
from firegui.domain.weights import GAINS, TENSOR_SHAPES
from firegui.fire.card import network_card
from firegui.fire.first_project import first_project
from firegui.fire.shipped import network_weights
from firegui.fire.skill import forecast_skill
from firegui.io.importers.pytorchfire import import_pytorchfire
from tests.unit.io.builders import SHARED_DATA

BEAR = SHARED_DATA / "bear2020"


def test_the_card_is_that_of_the_weights() -> None:
    card, weights = network_card(), network_weights()

    assert weights.problems() == []
    assert set(weights.tensors) == set(TENSOR_SHAPES)
    assert card.label == weights.training.label
    assert card.layers == weights.training.layers
    assert card.fit_days == weights.training.events[0].fit_days
    assert len(card.priors) == len(GAINS) - len(weights.training.learned)
    assert [event.name in fire for event, fire in zip(weights.training.events, card.trained_on, strict=True)] == [True]


def test_the_card_has_three_seeds_with_and_without_the_correction_and_the_references() -> None:
    names = [result.name for result in network_card().results]

    assert sum("seed" in name and "without" not in name for name in names) == 3
    assert sum("without the correction" in name for name in names) == 3
    assert "constant parameters" in names
    assert any("held" in name for name in names)
    assert any("published" in name for name in names)
    assert [day.day for day in network_card().baseline] == list(range(1, 16))


@pytest.mark.slow
@pytest.mark.skipif(not BEAR.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_on_bear_it_forecasts_what_the_card_says() -> None:
    perimeters = BEAR / "perimeters" / "Bear_2020_NAT.geojson"
    event = import_pytorchfire(BEAR / "pytorchfire", perimeters=perimeters)
    project = first_project(event)
    found = forecast_skill("model", "", event, forecast(project, 20), 10)
    ours = network_card().results[0]
    lowest = found.lowest(1, 20)

    mean = found.mean_iou(1, 20)
    assert mean is not None and lowest is not None and found.growth is not None
    assert mean == pytest.approx(ours.mean_iou, abs=5e-3)
    assert lowest[1] == pytest.approx(ours.worst_iou, abs=1e-2)
    assert found.growth.ratio == pytest.approx(ours.growth, abs=0.1)
    assert mean > 0.70
    assert lowest[1] > 0.55
    assert 0.5 < found.growth.ratio < 2.0
    bare = project.with_network(replace(network_weights(), corrections=()))
    late = found.pooled(11, 20)
    late_bare = forecast_skill("bare", "", event, forecast(bare, 20), 10).pooled(11, 20)
    assert late is not None and late_bare is not None
    assert late.new_iou is not None and late_bare.new_iou is not None
    assert late.new_iou > late_bare.new_iou
