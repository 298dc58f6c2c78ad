from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from firegui.analyses.skill.results import scores_csv, write_skill
from firegui.errors import InputError
from firegui.io.rasters.geotiff import read_raster
from firegui.runs.engine import Engine
from firegui.runs.events import SkillReady
from firegui.runs.spec import SkillSpec
from tests.support import csv_rows, watched_project
from tests.unit.runs.fakes import carried_out


@pytest.fixture(scope="module")
def ready() -> SkillReady:
    events = carried_out(SkillSpec(watched_project(skipped=(2,)), 4, 1))
    return next(event for event in events if isinstance(event, SkillReady))


@pytest.fixture(scope="module")
def folder(ready: SkillReady, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("skill") / "new" / "folder"
    write_skill(ready.report, ready.states, watched_project(skipped=(2,)), out, Engine())
    return out


def test_the_scores_are_one_row_a_model_and_scored_day(folder: Path, ready: SkillReady) -> None:
    found = csv_rows(folder / "skill.csv")

    assert [(row["model"], row["day"]) for row in found] == [
        (item.key, str(day)) for item in ready.report.forecasts for day in (1, 3, 4)
    ]
    first, third = found[0], found[1]
    assert (first["date"], first["fitted"], third["fitted"]) == ("2020-08-20", "true", "false")
    assert float(third["iou"]) == pytest.approx(ready.report.model.days[3].iou, rel=1e-5)
    assert first["new_iou"] == ""


def test_the_reliability_is_one_row_a_bin(folder: Path) -> None:
    found = csv_rows(folder / "reliability.csv")

    assert [row["days"] for row in found] == ["all"] * 10 + ["after"] * 10
    assert [float(row["low"]) for row in found[:10]] == pytest.approx(np.arange(10) / 10)


def test_the_daily_probabilities_are_kept_as_raster_and_as_array(folder: Path, ready: SkillReady) -> None:
    raster = read_raster(folder / "forecast.tif")
    with np.load(folder / "forecast.npz") as file:
        np.testing.assert_array_equal(file["p_fire"], ready.states)

    np.testing.assert_array_equal(raster.bands, ready.states)
    assert raster.descriptions[0] == "P(fire) 2020-08-19T00:00-07:00"


@pytest.mark.parametrize("name", ["skill.png", "skill-map.png"])
def test_the_pictures_can_be_read_and_show_something(folder: Path, name: str) -> None:
    with Image.open(folder / name) as picture:
        assert min(picture.size) > 500
        colors = picture.convert("RGB").getcolors(1_000_000)
    assert colors is not None and len(colors) > 50


def test_nothing_else_is_left_in_the_folder(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}

    assert names == {"skill.csv", "reliability.csv", "skill.png", "skill-map.png", "forecast.tif", "forecast.npz"}


def test_a_place_that_is_no_folder_is_refused(ready: SkillReady, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("mine")

    with pytest.raises(InputError, match="cannot be written"):
        write_skill(ready.report, ready.states, watched_project(), place, Engine())
    assert place.read_text() == "mine"


def test_a_value_that_does_not_exist_is_left_empty(ready: SkillReady) -> None:
    assert "nan" not in scores_csv(ready.report)
