"""The fire model of a new project."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.fuel_models import FuelModel
from firegui.domain.scenario import Scenario
from firegui.errors import CancelledError
from firegui.fire.first_project import first_project, with_model
from firegui.fire.shipped import scalar_model
from firegui.io.fuel_models_file import standard_fuel_models
from tests.unit.fire.events import event, layer

SHAPE = (9, 11)


def landscape(*, speed: float = 3.0, **layers: float) -> Scenario:
    return event(SHAPE, days=2, speed=speed, layers={key: layer(SHAPE, value) for key, value in layers.items()})


def test_an_imported_landscape_with_fuel_burns_by_the_physical_model() -> None:
    project = first_project(landscape(fuel=122.0), of_paper=False)

    assert project.fire_model.kind == "physical"
    assert project.weights is None
    assert project.problems() == []


@pytest.mark.parametrize(("cell", "hours"), [(30.0, 4.8), (60.0, 4.8), (90.0, 7.2), (120.0, 9.6), (1000.0, 48.0)])
def test_large_cells_burn_longer(cell: float, hours: float) -> None:
    fine = landscape(fuel=122.0)
    coarse = replace(fine, grid=replace(fine.grid, cell_size_m=cell))
    project = first_project(coarse, of_paper=False)
    assert project.physical.burn_hours == pytest.approx(hours)
    assert with_model(with_model(project, "scalar"), "physical").physical == project.physical
    learned = project.with_model(scalar_model())
    assert learned.physical == project.physical
    assert learned.fire_model.physical.burn_hours == 4.8


def test_without_fuel_the_network_is_used() -> None:
    assert first_project(landscape(slope=5.0), of_paper=False).fire_model.kind == "network"


def test_fuel_of_an_unknown_scheme_needs_its_custom_models() -> None:
    own = replace(next(model for model in standard_fuel_models() if model.name == "TL3"), name="OWN", code=240)
    strange = landscape(fuel=240.0)

    def kind(*fuels: FuelModel) -> str:
        return first_project(strange, of_paper=False, fuels=fuels).fire_model.kind

    assert kind() == "network"
    assert kind(own) == "physical"


def test_a_fire_too_fast_for_the_steps_of_a_day_begins_with_the_network() -> None:
    assert first_project(landscape(speed=40.0, fuel=145.0), of_paper=False).fire_model.kind == "network"


def test_a_project_of_the_paper_keeps_the_network() -> None:
    assert first_project(landscape(fuel=122.0)).fire_model.kind == "network"


def test_the_choice_can_be_cancelled() -> None:
    def stop() -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        first_project(landscape(fuel=122.0), of_paper=False, check=stop)
