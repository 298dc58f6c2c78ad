"""The real Bear 2020 event. Skipped where the data folder is absent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings
from firegui.errors import InputError
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.project.scenario_toml import default_fleet
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.io.rasters.geotiff import read_raster
from firegui.io.vectors.perimeters import read_perimeters
from tests.unit.io.builders import BEAR, BEAR_GRID, assert_same_bits

pytestmark = pytest.mark.skipif(
    not BEAR.is_dir(), reason="the Bear 2020 data are not beside the checkout (../shared/data)"
)


@pytest.fixture(scope="module")
def bear() -> Scenario:
    return import_pytorchfire(BEAR / "pytorchfire", perimeters=BEAR / "perimeters")


@pytest.mark.parametrize("name", ["Bear_2020_NAT.shp", "Bear_2020_NAT.geojson", ""])
def test_the_observed_masks_are_exactly_the_published_ones(name: str) -> None:
    found = read_perimeters(BEAR / "perimeters" / name, BEAR_GRID)
    masks, dates = found.masks, found.dates
    with np.load(BEAR / "observed_daily_cumulative_from_NAT.npz") as published:
        assert [day.isoformat() for day in dates] == list(published["dates"])
        assert np.array_equal(masks, published["mask"])
    assert masks[0].sum() == 2_391
    assert masks[dates.index(date(2020, 9, 3))].sum() == 55_913


def test_bear_opens_georeferenced_without_being_told_where_it_is(bear: Scenario) -> None:
    assert bear.name == "Bear 2020"
    assert bear.grid == BEAR_GRID
    assert bear.start == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert bear.utc_offset_h == -7.0
    assert bear.date_of_day(0) == date(2020, 8, 19)
    assert bear.days == 20


def test_bear_has_the_observed_perimeter_of_each_day_and_says_where_it_is_filled(bear: Scenario) -> None:
    ignition = bear.fire_on(0)
    assert ignition is not None and ignition.sum() == 2_391
    assert bear.ignition is None
    observed = bear.observed_on(15)
    assert observed is not None and observed.sum() == 55_913
    assert "2020-09-10" in " ".join(bear.notes)


def test_bears_canopy_is_the_published_raster_and_missing_layers_are_said(bear: Scenario) -> None:
    cover = read_raster(BEAR / "canopy_cover_pct_LF230.tif").bands[0]
    density = read_raster(BEAR / "cbd_100kgm3_LF230.tif").bands[0]
    assert np.array_equal(bear.layers["canopy_cover"], cover.astype(np.float32))
    assert np.allclose(bear.layers["canopy_density"], density / 100.0, atol=1e-6)
    assert bear.missing_layers == ("elevation", "slope", "aspect", "fuel", "canopy_height")
    assert any("Missing layers: elevation, slope" in note for note in bear.notes)


def test_the_simulated_target_and_ignition_are_never_shown_as_observed() -> None:
    event = import_pytorchfire(BEAR / "pytorchfire")
    assert event.observed is None
    assert event.ignition is not None
    notes = " ".join(event.notes)
    assert "initial_ignition.npz, cells that come from a simulated run" in notes
    assert "target.npz was left out" in notes


def test_explicit_options_win_over_what_is_recognised() -> None:
    event = import_pytorchfire(
        BEAR / "pytorchfire",
        crs="EPSG:32610",
        transform=(30, 0, 6e5, 0, -30, 4.4e6),
        start=datetime(2021, 1, 1, 8, tzinfo=UTC),
        utc_offset_h=-8,
        name="other",
    )
    assert (event.grid.crs, event.grid.transform) == ("EPSG:32610", (30, 0, 6e5, 0, -30, 4.4e6))
    assert (event.start, event.utc_offset_h, event.name) == (datetime(2021, 1, 1, 8, tzinfo=UTC), -8, "other")
    assert not any("Place recognised" in note for note in event.notes)


def test_another_crs_alone_is_not_mixed_with_the_recognised_transform() -> None:
    with pytest.raises(InputError, match="a CRS without a transform"):
        import_pytorchfire(BEAR / "pytorchfire", crs="EPSG:32610")


def test_perimeters_of_another_fire_are_taken_for_a_crs_mismatch() -> None:
    tubbs = BEAR.parent / "pier2017"
    with pytest.raises(InputError, match="likely a CRS mismatch"):
        import_pytorchfire(BEAR / "pytorchfire", perimeters=tubbs)


def test_bear_is_saved_and_opened_bit_for_bit(bear: Scenario, tmp_path: Path) -> None:
    fleet = default_fleet()
    model = FireModel("scalar", "test", {})
    project = Project(bear, fleet, {}, (), PlanSettings(), model).with_fleet(fleet)
    save_project(project, tmp_path / "Bear.firegui")
    opened = load_project(tmp_path / "Bear.firegui")
    assert project_hash(opened) == project_hash(project)
    assert opened.planned_fleet == fleet
    for name in ("wind_speed", "wind_dir", "observed"):
        assert_same_bits(getattr(opened.scenario, name), getattr(bear, name))
    assert opened.scenario.notes == bear.notes
    assert not opened.problems()
    save_project(replace(opened, regions=()), tmp_path / "Bear.firegui", replacing=True)
