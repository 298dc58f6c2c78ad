from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from firegui.errors import InputError
from firegui.fire.landscape import burnable
from firegui.fire.parameters import ScalarParameters
from firegui.fire.scalar import fuel_factor, scalar_maps, terrain
from firegui.fire.shipped import scalar_model
from tests.unit.fire.events import event, layer, square

SHAPE = (9, 11)
PARAMETERS = ScalarParameters(p=0.05, wind_gain=1.0, wind_alignment=1.0, slope=2.0, gamma=0.8, fuel=1.0)


def test_water_rock_fields_and_houses_do_not_burn() -> None:
    fuel = layer(SHAPE, 183.0)
    fuel[0, :6] = (90.0, 91.0, 93.0, 98.0, 99.0, 101.0)

    mask = burnable(event(layers={"fuel": fuel}))

    assert mask[0, :6].tolist() == [True, False, False, False, False, True]
    assert mask[1:].all()


def test_a_cell_without_fuel_data_burns() -> None:
    fuel = layer(SHAPE, math.nan)

    assert burnable(event(layers={"fuel": fuel})).all()


def test_everything_burns_without_a_fuel_layer() -> None:
    assert burnable(event()).all()


def test_the_fuel_factor_grows_with_canopy_cover_and_is_one_at_forty_percent() -> None:
    cover = layer(SHAPE, 40.0)
    cover[0, :3] = (0.0, 90.0, math.nan)

    factor = np.asarray(fuel_factor(event(layers={"canopy_cover": cover}), 2.0))

    assert factor[0, 0] == pytest.approx(math.exp(-0.8))
    assert factor[0, 1] == pytest.approx(math.exp(1.0))
    assert factor[0, 2] == factor[1, 1] == 1.0


def test_the_fuel_factor_is_one_without_a_canopy_layer() -> None:
    assert fuel_factor(event(), 2.0) == 1.0


def test_the_slope_term_needs_both_slope_and_aspect() -> None:
    slope, aspect = layer(SHAPE, 20.0), layer(SHAPE, 180.0)

    assert terrain(event(layers={"slope": slope, "aspect": aspect})) is not None
    assert terrain(event(layers={"slope": slope})) is None
    assert terrain(event(layers={"aspect": aspect})) is None


def test_the_maps_cover_the_days_asked_for_with_their_own_wind() -> None:
    windy = event(days=4)
    windy.wind_speed[2] = 5.0
    start = square(SHAPE)

    maps = scalar_maps(windy, PARAMETERS, start, 2, 2)

    assert maps.phi.shape == (2, 8, *SHAPE)
    assert maps.gamma.shape == (2, *SHAPE)
    assert maps.wind_speed[:, 0, 0].tolist() == [5.0, 0.0]
    assert maps.phi[0, 3, 4, 4] == pytest.approx(0.05 * math.exp(0.5))
    assert maps.phi[1, 3, 4, 4] == pytest.approx(0.05)
    assert (maps.t_burn, maps.c_req, maps.steps_per_day, maps.cell_size_m) == (10.0, 2.7, 10, 30.0)
    assert maps.ignition is start


def test_the_fuel_factor_acts_at_the_emitter_and_at_the_receiver() -> None:
    cover = layer(SHAPE, 40.0)
    cover[4, 4] = 90.0

    maps = scalar_maps(event(layers={"canopy_cover": cover}), PARAMETERS, square(SHAPE), 0, 1)

    assert maps.gamma[0, 4, 4] == pytest.approx(0.8 * math.exp(0.5))
    assert maps.phi[0, 3, 4, 5] == pytest.approx(0.05 * math.exp(0.5))
    assert maps.phi[0, 3, 4, 4] == pytest.approx(0.05)


def test_parameters_survive_the_way_through_a_project() -> None:
    assert ScalarParameters.of(PARAMETERS.as_mapping()) == PARAMETERS


def test_every_wrong_parameter_is_reported_at_once() -> None:
    values = {**PARAMETERS.as_mapping(), "p": 3.0, "slope": math.nan, "colour": 1.0}
    del values["fuel"]

    with pytest.raises(InputError) as caught:
        ScalarParameters.of(values)

    text = str(caught.value)
    assert len(caught.value.problems) == 4
    assert all(word in text for word in ("p is 3.0", "slope is nan", "colour", "fuel is missing"))


def test_the_shipped_model_can_be_run_and_says_that_it_is_provisional() -> None:
    model = scalar_model()

    assert model.kind == "scalar"
    assert "provisional" in model.label
    assert "Bear 2020" in model.label
    assert replace(ScalarParameters.of(model.parameters), gamma=1.0) == ScalarParameters.of(model.parameters)
