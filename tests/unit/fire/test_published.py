from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.assets import resource
from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.fire.skill_report import published_for, read_published
from firegui.io.importers.pytorchfire import import_pytorchfire
from tests.unit.fire.events import event, square

BEAR = Path(__file__).resolve().parents[3] / "../shared/data/bear2020"
SHAPE = (21, 25)


def looks_like_bear(*, east_m: float = 0.0) -> Scenario:
    """A small raster whose middle burns where and when Bear 2020 did."""
    grid = Grid(*SHAPE, 30.0, (30.0, 0.0, -93600.0 - 375.0 + east_m, 0.0, -30.0, 202300.0 + 315.0), "EPSG:3310")
    start = datetime(2020, 8, 19, 7, tzinfo=UTC)
    small = replace(event(SHAPE), grid=grid, start=start, utc_offset_h=-7.0)
    return replace(small, observed=square(SHAPE)[np.newaxis], observed_dates=(small.date_of_day(0),))


def test_the_curve_of_the_source_model_belongs_to_bear_2020() -> None:
    curve = published_for(looks_like_bear())

    assert curve is not None
    assert curve.iou == {1: 0.62, 5: 0.77, 10: 0.82, 15: 0.69, 20: 0.67}
    assert curve.mean == 0.74
    assert curve.source.startswith("Zhenirovskyy et al., Neural-Parameterized Cellular Automata")


@pytest.mark.parametrize("change", ["elsewhere", "a day later", "synthetic", "placeless", "unobserved"])
def test_another_fire_has_none(change: str) -> None:
    bear = looks_like_bear()
    others = {
        "elsewhere": looks_like_bear(east_m=40_000.0),
        "a day later": replace(bear, start=bear.start + timedelta(days=1)),
        "synthetic": replace(bear, synthetic=True),
        "placeless": replace(bear, grid=Grid(*SHAPE, 30.0)),
        "unobserved": replace(bear, observed=None, observed_dates=()),
    }

    assert published_for(others[change]) is None


@pytest.mark.skipif(not BEAR.exists(), reason="the Bear 2020 data are not here")
def test_the_real_event_is_recognised_whatever_it_is_called() -> None:
    bear = import_pytorchfire(BEAR / "pytorchfire", perimeters=BEAR / "perimeters")

    assert published_for(replace(bear, name="mine")) is not None


def test_a_file_lists_everything_that_is_wrong_with_it(tmp_path: Path) -> None:
    text = resource("fire/published_skill.toml").read_text(encoding="utf-8")
    bad = tmp_path / "published.toml"
    bad.write_text(text.replace("mean = 0.74", 'mean = "good"').replace("[1, 5,", "[5,"), encoding="utf-8")

    with pytest.raises(InputError) as caught:
        read_published(bad)

    message = str(caught.value)
    assert len(caught.value.problems) == 2
    assert "4 days and 5 values" in message
    assert "mean" in message
