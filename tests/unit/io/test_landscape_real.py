"""The landscapes beside the repository, read by the same rules as anybody's."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from firegui.domain.scenario import Scenario
from firegui.io.importers.landscape import import_landscape
from firegui.io.rasters.geotiff import read_raster
from tests.unit.io.builders import SHARED_DATA
from tests.unit.io.test_landscape import source_of

pytestmark = pytest.mark.skipif(
    not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)"
)

_TUBBS = {
    "elevation": "dem", "slope": "slp", "aspect": "asp", "fuel": "fbfm40b", "canopy_cover": "cc",
    "canopy_height": "ch", "canopy_base_height": "cbh", "canopy_density": "cbd",
}  # fmt: skip


def take(name: str, files: dict[str, str], **more: object) -> Scenario:
    layers = {key: SHARED_DATA / name / f"{file}.tif" for key, file in files.items()}
    return import_landscape(source_of(layers, **more))


@pytest.mark.parametrize(
    ("name", "first", "days", "slope", "density"),
    [("pier2017", date(2017, 8, 29), 38, 72.0, 0.25), ("buck2017", date(2017, 9, 13), 33, 57.0, 0.34)],
)
def test_pier_and_buck_have_their_published_perimeters_and_their_units(
    name: str, first: date, days: int, slope: float, density: float
) -> None:
    files = {"slope": "slope", "canopy_cover": "canopy", "canopy_density": "density"}
    event = take(name, files, perimeters=SHARED_DATA / name)
    with np.load(SHARED_DATA / name / "observed_daily_cumulative_from_NAT.npz") as published:
        assert [day.isoformat() for day in event.observed_dates] == list(published["dates"])
        assert event.observed is not None
        assert np.array_equal(event.observed, published["mask"])
    assert (event.date_of_day(0), event.days) == (first, days)
    assert event.layers["slope"].max() == slope
    assert event.layers["canopy_density"].max() == np.float32(density)
    assert np.array_equal(event.layers["canopy_cover"], read_raster(SHARED_DATA / name / "canopy.tif").bands[0])
    assert event.missing_layers == ("elevation", "aspect", "fuel", "canopy_height")


def test_tubbs_is_read_from_its_scaled_encodings() -> None:
    event = take("tubbs2017", _TUBBS, ignition=(-122.63, 38.61), days=1)
    assert event.missing_layers == ()
    assert event.layers["canopy_height"].max() == 50.0
    assert event.layers["canopy_base_height"].max() == 10.0
    assert event.layers["canopy_density"].max() == np.float32(0.45)
    assert event.layers["aspect"].min() == -1.0
    codes = read_raster(SHARED_DATA / "tubbs2017" / "fbfm40b.tif").bands[0]
    assert np.array_equal(np.isnan(event.layers["fuel"]), codes == 256)
    notes = "\n".join(event.notes)
    assert (
        "canopy height 0 to 500 m × 10, canopy base height 0 to 100 m × 10, canopy bulk density 0 to 45 kg/m³" in notes
    )
    assert "read as no data, where a fire can burn: 256 (114,001 cells)" in notes
    assert "The aspect layer is turned by +15°" in notes, "it counts from the north of LANDFIRE's Albers grid"
