"""Maps on a window are those of the whole raster there, and other winds give other maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.grid import Box, grown
from firegui.domain.project import FireModel
from firegui.errors import InputError
from firegui.fire.learned import REACH
from firegui.fire.maps import project_maps
from firegui.fire.windowed import inside, period_maps
from tests.unit.ensembles.worlds import SHAPE, blown_project

WHOLE = (slice(0, SHAPE[0]), slice(0, SHAPE[1]))
BOXES = [
    (slice(20, 41), slice(13, 50)),
    (slice(0, 9), slice(60, 70)),
    (slice(30, 31), slice(30, 31)),
    WHOLE,
]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("kind", ["scalar", "network"])
def test_a_window_has_the_maps_of_the_whole_raster(kind: str, box: Box) -> None:
    project = blown_project(kind)
    event, expected = project.scenario, project_maps(project)
    maps_of = period_maps(project)
    around = grown(box, REACH, SHAPE)
    for day in (0, 2):
        wind = event.wind_speed[day][around], event.wind_dir[day][around]
        phi, gamma = maps_of(wind, around, day, box)
        np.testing.assert_allclose(phi, expected.phi[(day, slice(None), *box)], rtol=2e-5, atol=1e-7)
        np.testing.assert_allclose(gamma, expected.gamma[(day, *box)], rtol=2e-5)


@pytest.mark.parametrize("kind", ["scalar", "network"])
def test_they_are_those_of_an_event_with_that_wind(kind: str) -> None:
    project = blown_project(kind)
    event = project.scenario
    other = replace(event, wind_speed=event.wind_speed * np.float32(1.7), wind_dir=event.wind_dir + np.float32(0.5))
    expected = project_maps(replace(project, scenario=other))
    wind = other.wind_speed[1], other.wind_dir[1]
    phi, _ = period_maps(project)(wind, WHOLE, 1, WHOLE)
    np.testing.assert_allclose(phi, expected.phi[1], rtol=2e-5, atol=1e-7)
    assert abs(phi - project_maps(project).phi[1]).max() > 1e-3


def test_imported_maps_know_no_other_wind() -> None:
    project = replace(blown_project(), fire_model=FireModel("maps", "imported", {}))
    with pytest.raises(InputError, match="hold for the wind that they were made with"):
        period_maps(project)


def test_a_box_grows_within_the_raster_and_is_found_inside_another() -> None:
    box = (slice(2, 9), slice(30, 68))
    assert grown(box, 4, SHAPE) == (slice(0, 13), slice(26, 70))
    assert inside(box, grown(box, 4, SHAPE)) == (slice(2, 9), slice(4, 42))
