"""Steps of the landscape wizard: what the user can change, and what the preview shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem
from firegui.gui.importing.landscape.files_page import KEYS, share_text
from firegui.gui.importing.landscape.grid_page import edges_of, size_warning
from firegui.gui.importing.landscape.preview_map import date_colors, fuel_entries, layer_picture
from firegui.gui.importing.landscape.summary_page import SummaryPage
from firegui.gui.importing.landscape.survey import ASK_DATE, ImportAnswers, recognise_files
from firegui.gui.importing.landscape.wizard_page import FieldNote
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.vectors.perimeters import PerimeterGrowth
from firegui.io.weather.conventions import Height, Sense, SpeedUnit
from tests.gui.hands import LEFT, type_into_cell
from tests.gui.landscape_scene import COLUMNS, GRID, ROWS, Hands, hill, write_lcp
from tests.unit.io.landscape_files import write_layer


def texts_of(hands: Hands, key: str) -> list[str]:
    table = hands.wizard.files.layers
    return [str(table.index(KEYS.index(key), column).data()) for column in range(table.columnCount())]


# -- files -------------------------------------------------------------------------------------------------------------
def test_the_table_says_of_each_layer_what_was_found(filled: Hands) -> None:
    assert texts_of(filled, "elevation")[1:8] == [
        "dem.tif", "400 to 700 m", "m (guessed)", "none", "EPSG:32610", "80 × 60", "30 × 30",
    ]  # fmt: skip
    assert texts_of(filled, "canopy_cover")[6:] == ["40 × 30", "60 × 60", "bilinear"]
    assert texts_of(filled, "slope")[1] == "derived from elevation"
    assert texts_of(filled, "canopy_height")[1] == "not given"


def test_another_unit_changes_what_the_numbers_mean(filled: Hands) -> None:
    files = filled.wizard.files
    files.choose("elevation")
    filled.pick(files.unit, "ft")
    assert filled.wizard.draft.source.layers["elevation"].unit == "ft"
    assert texts_of(filled, "elevation")[2:4] == ["122 to 213 m", "ft"]
    filled.pick(files.unit, "as guessed")
    assert texts_of(filled, "elevation")[2] == "400 to 700 m"


def test_another_band_is_read_and_one_that_is_not_there_is_refused_beside_the_file(
    hands: Hands, tmp_path: Path
) -> None:
    path = write_layer(tmp_path / "stack.tif", np.stack([hill(), hill() + 1000.0]), GRID)
    files = hands.wizard.files
    files.choose("elevation")
    hands.type("layerFile", path)
    assert "holds 2 bands" in hands.said
    files.band.setFocus()
    files.band.selectAll()
    QTest.keyClicks(files.band, "2")
    QTest.keyClick(files.band, Qt.Key.Key_Return)
    hands.settle()
    assert texts_of(hands, "elevation")[1:3] == ["stack.tif · band 2", "1,400 to 1,700 m"]
    assert hands.said == ""


def test_an_empty_line_takes_a_layer_away(filled: Hands) -> None:
    filled.wizard.files.choose("fuel")
    filled.type("layerFile", "")
    assert "fuel" not in filled.wizard.draft.source.layers
    assert texts_of(filled, "fuel")[1] == "not given"


def test_choosing_a_row_shows_the_layer(filled: Hands) -> None:
    view = filled.wizard.files.view
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(KEYS.index("fuel"), 0)).center())
    scene = filled.wizard.preview.map.scene
    assert scene is not None and scene.title == "Fuel model"
    assert filled.wizard.preview.legend.labels == (
        "Water (98)", "Grass and shrub (121–124)", "Timber understory (161–165)",
    )  # fmt: skip


# -- a landscape file --------------------------------------------------------------------------------------------------
def bands_of(hands: Hands) -> list[str]:
    table = hands.wizard.files.bands
    return [str(table.index(row, 1).data()) for row in range(table.rowCount())]


def test_the_band_order_of_a_landscape_file_is_guessed_with_the_reason_and_can_be_changed(
    hands: Hands, tmp_path: Path
) -> None:
    hands.wizard.add_paths([write_lcp(tmp_path / "land.tif")])
    hands.settle()
    assert bands_of(hands) == [
        "Elevation", "Slope", "Aspect", "Fuel model", "Canopy cover", "Canopy height",
        "Canopy base height", "Canopy bulk density",
    ]  # fmt: skip
    view = hands.wizard.files.band_view
    box = view.indexWidget(view.model().index(5, 1))
    assert isinstance(box, QComboBox)
    hands.pick(box, "Canopy cover")
    assert bands_of(hands)[4:6] == ["Canopy height", "Canopy cover"]
    assert "canopy cover (land.tif, band 6)" in hands.said
    hands.press(next(b for b in hands.wizard.files.findChildren(QPushButton) if b.text() == "&Guess again"))
    hands.settle()
    assert hands.said == "" and bands_of(hands)[4:6] == ["Canopy cover", "Canopy height"]


def test_a_landscape_file_in_another_order_is_told_by_what_its_bands_hold(hands: Hands, tmp_path: Path) -> None:
    hands.wizard.add_paths([write_lcp(tmp_path / "land.tif", order=(3, 1, 2, 0, 4, 5, 6, 7))])
    hands.settle()
    told = dict(zip(bands_of(hands), range(1, 9), strict=True))
    assert (told["Elevation"], told["Fuel model"]) == (4, 1)


# -- grid --------------------------------------------------------------------------------------------------------------
def test_the_proposal_stands_greyed_in_the_fields_with_the_reason(filled: Hands) -> None:
    filled.go("Grid")
    grid = filled.wizard.grid
    assert grid.crs.text() == "" and grid.crs.placeholderText() == "EPSG:32610"
    assert grid.cell.placeholderText() == "30"
    assert grid.bounds["west"].placeholderText() == "500 000"
    survey_result = filled.wizard.survey_result
    assert survey_result is not None and survey_result.survey.grid_reason


def test_a_changed_cell_size_and_edge_change_the_grid_and_the_files_stay_outlined(filled: Hands) -> None:
    filled.go("Grid")
    filled.type("cell", "60")
    filled.type("west", "500600")
    survey_result = filled.wizard.survey_result
    assert survey_result is not None and survey_result.survey.grid is not None
    assert edges_of(survey_result.survey.grid)[0] == 500_600.0 and survey_result.survey.grid.cell_size_m == 60.0
    scene = filled.wizard.preview.map.scene
    assert scene is not None
    # The files begin ten cells of 60 m further west, and are in view.
    assert scene.area.left() == pytest.approx(-10.0)
    assert filled.wizard.preview.map.camera.to_pixel(0, -10).x() > 0
    grid = filled.wizard.grid
    filled.press(next(button for button in grid.findChildren(type(filled.wizard.next)) if "proposed" in button.text()))
    filled.settle()
    assert filled.wizard.draft.source.target.bounds is None and grid.bounds["west"].text() == ""


def test_edges_in_the_wrong_order_are_refused(filled: Hands) -> None:
    filled.go("Grid")
    filled.type("west", "502400")
    filled.type("east", "500000")
    assert "west is not below east" in filled.said


@pytest.mark.parametrize(("rows", "columns", "word"), [(2000, 1500, "hours"), (20, 30, "edge"), (600, 700, "")])
def test_very_large_and_very_small_grids_are_warned_of(rows: int, columns: int, word: str) -> None:
    said = size_warning(Grid(rows, columns, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 0.0), "EPSG:32610"))
    assert word in said and bool(said) is bool(word)


# -- weather -----------------------------------------------------------------------------------------------------------
def test_a_constant_wind_is_typed_in_the_unit_and_direction_it_comes_in(filled: Hands) -> None:
    filled.go("Weather")
    page = filled.wizard.weather
    filled.pick(page.kind, "The same")
    filled.type("windSpeed", "10")
    filled.type("windDirection", "90")
    filled.pick(page.conventions["speed_unit"], "mph")
    filled.pick(page.conventions["sense"], "where it blows to")
    filled.pick(page.conventions["height"], "20 ft")
    filled.type("days", "4")
    wind = filled.wizard.draft.source.wind
    assert (wind.conventions.speed_unit, wind.conventions.sense, wind.conventions.height) == (
        SpeedUnit.MPH, Sense.TOWARDS, Height.FT20,
    )  # fmt: skip
    event = filled.make().scenario
    assert event.days == 4
    assert float(event.wind_speed[0, 0, 0]) == pytest.approx(10 * 0.44704 * 1.15, abs=0.01)
    assert abs(float(event.wind_dir[0, 0, 0])) < 0.05


def test_what_was_recognised_of_a_wind_file_stands_in_the_boxes(filled: Hands) -> None:
    filled.go("Weather")
    page = filled.wizard.weather
    assert "by the hours of a file, the others by the means of days" in page.about
    assert page.conventions["speed_unit"].currentText() == "as recognised: m/s"
    assert page.conventions["sense"].currentText() == "as recognised: where it blows from"
    assert filled.line("days").placeholderText() == "as derived: 3"


def test_a_wind_file_that_is_none_is_said_below_its_field(filled: Hands, tmp_path: Path) -> None:
    filled.go("Weather")
    (tmp_path / "empty.csv").write_text("")
    filled.type("windFile", tmp_path / "empty.csv")
    assert "empty.csv" in filled.said


def test_a_time_that_cannot_be_read_is_said(filled: Hands) -> None:
    filled.go("Weather")
    filled.type("start", "yesterday")
    assert "'yesterday' cannot be read" in filled.said


def test_weather_that_ends_before_the_event_is_a_warning_of_the_summary(filled: Hands) -> None:
    filled.go("Weather")
    filled.type("days", "5")
    filled.go("Summary")
    summary = filled.wizard.page
    assert isinstance(summary, SummaryPage)
    texts = [summary.remarks.item(row).text() for row in range(summary.remarks.count())]
    (said,) = [text for text in texts if text.startswith("Warning: The weather of wind.csv ends on 2020-08-22 at")]
    assert "48 hours before the plan: there that of the day before stands in. Plan at most 3 days" in said
    filled.go("Weather")
    filled.type("days", "3")
    filled.go("Summary")
    assert not any("wind.csv ends" in summary.remarks.item(row).text() for row in range(summary.remarks.count()))


def test_an_import_without_a_date_asks_for_it_and_shows_none(filled: Hands) -> None:
    page = filled.wizard.weather
    filled.go("Fire")
    filled.pick(filled.wizard.fire.kind, "It starts")
    filled.click_map(25.5, 60.5)
    filled.go("Weather")
    filled.pick(page.kind, "The same")
    filled.type("windSpeed", "3")
    filled.type("windDirection", "270")
    filled.type("days", "3")
    assert filled.line("start").placeholderText().startswith("not known: enter it")
    assert ASK_DATE in [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    filled.go("Summary")
    words = [label.text() for label in filled.wizard.page.findChildren(QLabel)]
    assert any("date unknown" in text for text in words) and not any("2000-01" in text for text in words)
    assert any(text.startswith("⚠ Ready to import, with") for text in words)
    summary = filled.wizard.page
    assert isinstance(summary, SummaryPage)
    assert summary.remarks.item(0).text() == f"Warning: {ASK_DATE}"
    filled.go("Weather")
    filled.type("start", "2017-10-08T19:00-07:00")
    assert ASK_DATE not in [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    project = filled.make()
    assert project.scenario.is_dated and project.operations.daylight is not None


# -- fire --------------------------------------------------------------------------------------------------------------
def test_perimeters_are_outlined_by_date_and_their_growth_can_be_changed(filled: Hands) -> None:
    filled.go("Fire")
    page = filled.wizard.fire
    assert page.column_box.currentText() == "as recognised: Date"
    assert page.growth.currentText() == "as recognised: whole perimeters"
    assert filled.wizard.preview.legend.labels == ("19 Aug · 4.4 ha", "20 Aug · 23.4 ha")
    filled.pick(page.growth, "what was new")
    source = filled.wizard.draft.source.perimeters
    assert source is not None and source.growth is PerimeterGrowth.INCREMENTS


def test_a_click_on_the_preview_starts_the_fire_there(filled: Hands) -> None:
    filled.go("Fire")
    filled.click_map(30, 40)
    assert filled.wizard.draft.source.ignition is None
    filled.pick(filled.wizard.fire.kind, "It starts")
    filled.click_map(25.5, 60.5)
    survey_result = filled.wizard.survey_result
    assert survey_result is not None and survey_result.pin == (25, 60)
    mask = filled.make().scenario.ignition
    assert mask is not None and np.argwhere(mask).tolist() == [[25, 60]]


def test_a_click_beside_the_landscape_is_refused_below_the_field(filled: Hands) -> None:
    filled.go("Fire")
    filled.pick(filled.wizard.fire.kind, "It starts")
    filled.click_map(-2, 30)
    assert "⚠" in filled.said
    filled.click_map(30.5, 30.5)
    assert filled.said == ""


def test_a_raster_mask_starts_the_fire(filled: Hands, tmp_path: Path) -> None:
    mask = np.zeros((ROWS, COLUMNS), np.uint8)
    mask[30:32, 50:53] = 1
    path = write_layer(tmp_path / "ignition.tif", mask, GRID)
    filled.go("Fire")
    filled.type("perimeters", path)
    assert filled.wizard.preview.legend.labels == ("start · 0.5 ha",)
    event = filled.make().scenario
    assert event.observed is None and event.ignition is not None and int(event.ignition.sum()) == 6


# -- coverage ----------------------------------------------------------------------------------------------------------
def test_one_value_for_all_fuel_takes_the_place_of_the_levels(filled: Hands) -> None:
    filled.go("Coverage")
    form = filled.wizard.coverage.form
    QTest.mouseClick(form.by_value, LEFT, pos=form.by_value.rect().center() * 0.2)
    filled.settle()
    form.value.setFocus()
    form.value.selectAll()
    QTest.keyClicks(form.value, "4.5")
    QTest.keyClick(form.value, Qt.Key.Key_Return)
    filled.settle()
    assert filled.make().coverage.c_req == 4.5


def test_a_level_out_of_bounds_is_refused_with_a_word_and_as_published_brings_all_back(filled: Hands) -> None:
    filled.go("Coverage")
    form = filled.wizard.coverage.form
    before = form.coverage
    type_into_cell(filled.qtbot, form.view, 0, 2, "99")
    assert "99 was refused" in form.refused and form.coverage == before
    type_into_cell(filled.qtbot, form.view, 0, 2, "5")
    filled.settle()
    assert form.refused == "" and form.coverage.c_req > before.c_req
    filled.press(form.reset)
    filled.settle()
    assert form.coverage == before and filled.wizard.draft.answers.coverage.is_published


# -- pieces ------------------------------------------------------------------------------------------------------------
def test_a_folder_takes_the_place_of_the_files_there_were_and_what_was_typed_stays(landscape: Path) -> None:
    before = ImportAnswers(LandscapeSource(layers={"slope": LayerBand(Path("old.tif"))}, days=7, name=None))
    found = recognise_files(before, [landscape], lambda: None)
    assert "slope" not in found.source.layers and found.source.days == 7


def test_a_folder_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        recognise_files(ImportAnswers(), [tmp_path], lambda: None)


def test_no_data_is_left_out_of_the_picture_and_flat_ground_faces_nowhere() -> None:
    values = np.array([[10.0, np.nan], [20.0, 30.0]], np.float32)
    pixels, scale = layer_picture("elevation", values)
    assert scale is not None and scale.title == "Elevation, m"
    assert pixels[0, 1] == 0 and (pixels[values == values] > 0).all()
    facing, _ = layer_picture("aspect", np.array([[-1.0, 90.0]], np.float32))
    assert facing[0, 0] == 0 and facing[0, 1] != 0


def test_codes_that_are_no_fuel_model_have_an_entry_of_their_own() -> None:
    labels = [entry.label for entry in fuel_entries(np.array([[102.0, 8.0, 256.0]], np.float32))]
    assert labels == ["Grass (1–3, 101–109)", "Timber litter (8–10, 181–189)", "other codes (256…)"]


def test_a_little_no_data_is_not_none() -> None:
    assert [share_text(share) for share in (0.0, 0.0001, 0.181)] == ["none", "< 0.1 %", "18.1 %"]


@pytest.mark.parametrize("dark", [True, False])
def test_the_dates_of_perimeters_have_different_colours(dark: bool) -> None:
    colors = date_colors(5, dark=dark)
    assert len({color.name() for color in colors}) == 5
    assert date_colors(1, dark=dark) == (QColor(colors[0]),)


def test_a_problem_belongs_to_the_field_whose_file_it_names(qtbot: QtBot) -> None:
    note = FieldNote("wind", files=lambda: [Path("a/hourly.csv")])
    qtbot.addWidget(note)
    assert note.names(Problem("hourly.csv, row 3", "bad"))
    assert note.begins(Problem("Wind speed", "bad"))
    assert not note.names(Problem("dem.tif", "bad")) and not note.begins(Problem("dem.tif", "bad"))
