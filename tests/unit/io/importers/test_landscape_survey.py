from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from firegui.domain.grid import Grid
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand, TargetGrid
from firegui.io.importers.landscape_survey import PREVIEW, survey_landscape
from firegui.io.weather.wind import WindSource
from tests.unit.io.importers.places import GRID, UTM, degrees, hills, source, write


def test_a_survey_says_what_the_import_then_makes(tmp_path: Path) -> None:
    fine = degrees()
    asked = source(
        {
            "elevation": write(tmp_path, "dem", hills(fine), fine),
            "fuel": write(tmp_path, "fuel", np.full(GRID.shape, 188, np.int16)),
            "canopy_height": write(tmp_path, "ch", np.full(GRID.shape, 150, np.int16)),
        },
        ignition=(-122.9955, 39.7445),
        start=datetime(2020, 8, 19, 7, tzinfo=UTC),
    )
    survey, event = survey_landscape(asked), import_landscape(asked)
    assert not survey.problems
    assert (survey.grid, survey.days, survey.start) == (event.grid, event.days, event.start)
    assert {facts.key for facts in survey.layers} == set(event.layers)
    facts = {facts.key: facts for facts in survey.layers}
    assert facts["elevation"].crs == "EPSG:4326" and facts["elevation"].shape == fine.shape
    assert facts["elevation"].placing == "bilinear"
    assert facts["slope"].placing == "derived from elevation" and facts["slope"].file is None
    assert (facts["canopy_height"].unit, facts["canopy_height"].unit_given) == ("m×10", False)
    assert facts["canopy_height"].high == 15.0
    assert np.array_equal(facts["elevation"].preview, event.layers["elevation"], equal_nan=True)
    assert survey.c_req == 4.0 and survey.fuel_cells == {188: 2000}
    assert survey.burning is not None and survey.burning.sum() == 1
    assert set(event.notes) - set(survey.notes) == {
        note for note in event.notes if "3 m/s" in note or "true north" in note
    }


def test_the_outline_of_a_layer_lies_around_the_grid(tmp_path: Path) -> None:
    fine = degrees()
    survey = survey_landscape(source({"elevation": write(tmp_path, "dem", hills(fine), fine)}))
    (facts,) = [facts for facts in survey.layers if facts.key == "elevation"]
    ring = np.array(facts.outline)
    assert (ring[0] == ring[-1]).all()
    assert survey.grid is not None
    west, north = survey.grid.to_world(-0.5, -0.5)
    east, south = survey.grid.to_world(survey.grid.rows - 0.5, survey.grid.columns - 0.5)
    assert ring[:, 0].min() <= west < east <= ring[:, 0].max()
    assert ring[:, 1].min() <= south < north <= ring[:, 1].max()


def test_a_preview_of_a_large_raster_is_coarser_and_loses_no_burning_cell(tmp_path: Path) -> None:
    large = Grid(700, 1300, 30.0, (30.0, 0.0, 500010.0, 0.0, -30.0, 4400010.0), UTM)
    rows = np.arange(700, dtype=np.int16)[:, None] * np.ones((1, 1300), np.int16)
    survey = survey_landscape(
        source({"elevation": write(tmp_path, "dem", rows, large)}, ignition=(-122.90, 39.70), days=1)
    )
    assert survey.preview_grid is not None and survey.grid == large
    assert survey.preview_grid.shape == (234, 434) and survey.preview_grid.cell_size_m == 90.0
    assert max(survey.preview_grid.shape) <= PREVIEW
    facts = next(facts for facts in survey.layers if facts.key == "elevation")
    assert facts.preview.shape == (234, 434)
    # Out of the middle of the three rows that it stands for.
    assert facts.preview[:3, 0].tolist() == [1.0, 4.0, 7.0]
    assert survey.burning is not None and survey.burning.sum() == 1


def test_bad_input_becomes_problems_and_what_can_be_shown_is(tmp_path: Path) -> None:
    asked = source(
        {
            "elevation": write(tmp_path, "dem", hills()),
            "slope": LayerBand(tmp_path / "none.tif"),
            "canopy_cover": write(tmp_path, "cover", np.full(GRID.shape, 400, np.int16)),
        },
        wind=WindSource(3.0),
        ignition=(0.0, 0.0),
        days=0,
    )
    survey = survey_landscape(asked)
    assert survey.grid == GRID
    assert [facts.key for facts in survey.layers] == ["elevation", "slope", "aspect"]
    where = " ".join(problem.where for problem in survey.problems)
    for part in ("none.tif", "canopy cover (cover.tif)", "wind", "ignition", "days"):
        assert part in where


def test_without_a_grid_there_is_a_reason_and_no_picture(tmp_path: Path) -> None:
    for asked in (
        LandscapeSource(),
        source({"slope": LayerBand(tmp_path / "none.tif")}),
        source({"elevation": write(tmp_path, "dem", hills())}, target=TargetGrid(crs="nonsense")),
    ):
        survey = survey_landscape(asked)
        assert survey.grid is None and survey.preview_grid is None and survey.layers == ()
        assert survey.problems


def test_a_unit_that_is_said_is_marked_as_said(tmp_path: Path) -> None:
    file = replace(write(tmp_path, "ch", np.full(GRID.shape, 15, np.int16)), unit="ft")
    (facts,) = survey_landscape(source({"canopy_height": file})).layers
    assert (facts.unit, facts.unit_given) == ("ft", True)
    assert "ft×10" in facts.units
