from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.weights import GAINS, Correction, NetworkWeights, TrainedEvent
from firegui.fire.first_project import first_project
from firegui.fire.model_caveats import model_caveats
from firegui.fire.shipped import scalar_model
from tests.support import random_maps
from tests.unit.domain.samples import training, weights
from tests.unit.fire.events import event, layer

SHAPE = (9, 11)
FULL = {key: layer(SHAPE, 20.0) for key in LAYERS}
TRAINED = TrainedEvent("Bear", date(2020, 8, 19), 10, tuple(LAYERS), 8.0, 45.0)
KNOWING = replace(weights(), training=training(events=(TRAINED,), learned=GAINS))


def scenario(*without: str, speed: float = 0.0) -> Scenario:
    return event(SHAPE, speed=speed, layers={key: values for key, values in FULL.items() if key not in without})


def said(weights: NetworkWeights, where: Scenario) -> tuple[str, ...]:
    return model_caveats(first_project(where).with_network(weights))


def scalar_project(where: Scenario) -> Project:
    return first_project(where).with_model(scalar_model())


@pytest.mark.parametrize(
    ("missing", "word"),
    [("slope", "slope"), ("aspect", "slope"), ("canopy_cover", "canopy"), ("fuel", "fuel model")],
)
def test_the_scalar_model_says_which_layers_it_does_without(missing: str, word: str) -> None:
    assert model_caveats(scalar_project(scenario())) == ()

    found = model_caveats(scalar_project(scenario(missing)))

    assert len(found) == 1
    assert word in found[0]


def test_nothing_is_said_of_imported_maps() -> None:
    maps = random_maps(shape=SHAPE)
    project = replace(scalar_project(scenario("slope")), fire_model=FireModel("maps", "", {}), maps=maps)

    assert model_caveats(project) == ()


def test_a_network_that_knows_everything_here_has_nothing_to_say() -> None:
    assert said(KNOWING, scenario(speed=8.0)) == ()


def test_layers_of_the_training_that_the_event_lacks_are_named() -> None:
    found = said(KNOWING, scenario("canopy_cover", "elevation"))

    assert len(found) == 1
    assert "elevation, canopy cover" in found[0]
    assert "lacks" in found[0]


def test_layers_of_the_event_that_no_training_had_are_named() -> None:
    found = said(replace(weights(), training=training(learned=GAINS)), scenario())

    (line,) = (line for line in found if "does not read elevation, slope, aspect, fuel model, canopy height" in line)
    assert line.endswith("The physical fire model burns by the fuel model layer.")


def test_the_physical_model_is_named_only_where_there_is_fuel_to_burn_by() -> None:
    found = said(replace(weights(), training=training(learned=GAINS)), scenario("fuel"))

    assert any("does not read" in line for line in found)
    assert not any("physical" in line for line in found)


@pytest.mark.parametrize(
    ("learned", "word"),
    [((), "Wind effect"), (("wind_alignment",), "Wind strength"), (("wind_gain",), "Wind alignment")],
)
def test_wind_gains_from_the_literature_are_said_with_their_source(learned: tuple[str, ...], word: str) -> None:
    blind = replace(KNOWING, training=replace(KNOWING.training, learned=(*learned, "slope_gain")))

    found = said(blind, scenario())

    assert len(found) == 1
    assert found[0].startswith(word)
    assert "Alexandridis et al. 2008" in found[0]
    assert "8.0 m/s" in found[0]


def test_a_slope_gain_from_the_literature_is_said_where_there_is_a_slope() -> None:
    blind = replace(KNOWING, training=replace(KNOWING.training, learned=GAINS[:2]))

    assert any("Slope effect from published values" in line for line in said(blind, scenario()))
    assert not any("Slope effect" in line for line in said(blind, scenario("aspect")))
    assert any("leaves the slope term out" in line for line in said(blind, scenario("aspect")))


def test_wind_and_slope_beyond_the_training_are_said() -> None:
    slope = layer(SHAPE, 60.0)
    slope[0, 0] = np.nan
    steep = event(SHAPE, speed=12.0, layers={**FULL, "slope": slope})

    found = said(KNOWING, steep)

    assert len(found) == 2
    assert "12.0 m/s" in found[0]
    assert "at most 8.0 m/s" in found[0]
    assert "60°" in found[1]
    assert "at most 45°" in found[1]


def test_it_is_said_whether_a_correction_is_applied() -> None:
    nodes = np.zeros((2, 2), np.float32)
    ours = replace(KNOWING, corrections=(Correction("Small", SHAPE, None, nodes),))
    other = replace(KNOWING, corrections=(Correction("Small", (9, 12), None, nodes),))

    assert "corrected by a smooth field that was fitted to Small" in said(ours, scenario())[0]
    assert "No correction is applied" in said(other, scenario())[0]
    assert said(KNOWING, scenario()) == ()


@pytest.mark.parametrize(("trend", "way"), [(-0.105361, "falls by 10 % a day"), (0.0953102, "rises by 10 % a day")])
def test_it_is_said_how_the_base_rate_changes_from_day_to_day(trend: float, way: str) -> None:
    nodes = np.zeros((2, 2), np.float32)
    moving = Correction("Small", SHAPE, None, nodes, trend, date(2020, 8, 19), 7)

    found = said(replace(KNOWING, corrections=(moving,)), scenario())

    assert len(found) == 2
    assert way in found[1]
    assert "first 7 days" in found[1]


def test_a_trend_that_is_not_applied_is_not_said() -> None:
    nodes = np.zeros((2, 2), np.float32)
    still = Correction("Small", SHAPE, None, nodes, 0.0, date(2020, 8, 19), 7)
    undated = Correction("Small", SHAPE, None, nodes, -0.2)
    elsewhere = Correction("Small", (9, 12), None, nodes, -0.2, date(2020, 8, 19), 7)

    for correction in (still, undated, elsewhere):
        found = said(replace(KNOWING, corrections=(correction,)), scenario())
        assert len(found) == 1
        assert "a day" not in found[0]
