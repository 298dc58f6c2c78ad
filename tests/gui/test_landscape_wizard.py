"""Story S11: a landscape, wind and fire of the user become a project, step by step."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QProgressBar, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.errors import Check, InputError, Problem
from firegui.gui.importing.landscape.survey import ImportAnswers
from firegui.gui.importing.landscape.wizard import LandscapeWizard
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project
from tests.gui.hands import LEFT, show_widget, type_into_cell
from tests.gui.landscape_scene import COLUMNS, GRID, PATIENCE_MS, ROWS, Hands, write_landscape
from tests.gui.test_dialogs import press, when_open
from tests.unit.io.landscape_files import write_layer


def settle(qtbot: QtBot, wizard: LandscapeWizard) -> None:
    qtbot.waitUntil(lambda: not wizard.is_busy, timeout=PATIENCE_MS)


def test_no_bar_runs_before_a_file_is_given(qtbot: QtBot, project: Project) -> None:
    wizard = LandscapeWizard(lambda *_: project, lambda *_: True)
    show_widget(qtbot, wizard, 1100, 760)
    assert not any(bar.isVisible() for bar in wizard.findChildren(QProgressBar))


# -- all the way -------------------------------------------------------------------------------------------------------
def test_a_folder_becomes_a_project_that_is_kept_where_that_was_said(
    qtbot: QtBot, window: MainWindow, landscape: Path, tmp_path: Path
) -> None:
    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, LandscapeWizard)
        settle(qtbot, dialog)
        for _ in range(5):
            press("Next")(dialog)
        line = dialog.summary.folder.line
        QTest.mouseClick(line, LEFT)
        QTest.keyClicks(line, str(tmp_path / "mine"))
        QTest.keyClick(line, Qt.Key.Key_Tab)
        settle(qtbot, dialog)
        press("Make")(dialog)

    when_open(answer)
    assert window.workbench.documents.import_landscape((landscape,))
    event = window.workbench.session.project.scenario
    assert event.name == "ridge fire"
    assert set(event.layers) == {"elevation", "slope", "aspect", "fuel", "canopy_cover"}
    assert event.days == 3 and [str(day) for day in event.observed_dates] == ["2020-08-19", "2020-08-20"]
    assert np.allclose(event.wind_speed.mean((1, 2)), [4, 5, 6], atol=0.05)
    assert window.workbench.session.folder == tmp_path / "mine.firegui"
    assert load_project(tmp_path / "mine.firegui").scenario.days == 3


def test_cancelling_leaves_nothing(qtbot: QtBot, window: MainWindow, landscape: Path, tmp_path: Path) -> None:
    before, files = window.workbench.session.project, sorted(tmp_path.rglob("*"))

    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, LandscapeWizard)
        settle(qtbot, dialog)
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    when_open(answer)
    assert not window.workbench.documents.import_landscape((landscape,))
    assert window.workbench.session.project is before
    assert sorted(tmp_path.rglob("*")) == files


def test_a_folder_of_rasters_dragged_into_the_window_opens_the_wizard_with_it(
    qtbot: QtBot, window: MainWindow, landscape: Path
) -> None:
    seen: list[set[str]] = []

    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, LandscapeWizard)
        settle(qtbot, dialog)
        seen.append(set(dialog.draft.source.layers))
        press("Cancel")(dialog)

    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(landscape))])
    actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPointF(9, 9).toPoint(), actions, mime, buttons, keys)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    when_open(answer)
    window.dropEvent(QDropEvent(QPointF(9, 9), actions, mime, buttons, keys))
    assert seen == [{"elevation", "fuel", "canopy_cover"}]


def test_files_dragged_into_the_wizard_join_those_that_were_there(hands: Hands, landscape: Path) -> None:
    def drop(*names: str) -> None:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(landscape / name)) for name in names])
        actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        hands.wizard.dropEvent(QDropEvent(QPointF(9, 9), actions, mime, buttons, keys))
        hands.settle()

    drop("dem.tif", "wind.csv")
    assert set(hands.wizard.draft.source.layers) == {"elevation"}
    drop("fbfm40.tif", "perimeters.gpkg")
    source = hands.wizard.draft.source
    assert set(source.layers) == {"elevation", "fuel"}
    assert source.wind.files == (landscape / "wind.csv",)
    assert source.perimeters is not None and source.perimeters.file == landscape / "perimeters.gpkg"


def test_a_project_that_is_not_taken_leaves_the_wizard_as_it_was(qtbot: QtBot, landscape: Path) -> None:
    hands = Hands(qtbot, taken=False)
    hands.wizard.add_paths([landscape])
    hands.settle()
    hands.make()
    assert hands.wizard.isVisible()
    assert hands.wizard.finish.isEnabled()
    hands.close()


# -- putting things right ----------------------------------------------------------------------------------------------
def test_bad_files_are_named_beside_their_fields_and_can_be_mended(
    hands: Hands, landscape: Path, tmp_path: Path
) -> None:
    (landscape / "dem.tif").write_bytes(b"not a raster at all")
    write_layer(landscape / "cc.tif", np.full((3, 3), 4000, np.int16))
    hands.wizard.add_paths([landscape])
    hands.settle()
    # Its name says what it is, so that it is not left out in silence.
    hands.wizard.files.choose("elevation")
    assert "dem.tif" in hands.said and "cc.tif" in hands.said
    assert "⚠" in hands.wizard.steps[0].text()
    hands.go("Summary")
    assert not hands.wizard.finish.isEnabled()
    listed = [hands.wizard.summary.problems.item(n).text() for n in range(hands.wizard.summary.problems.count())]
    assert any("dem.tif" in line for line in listed) and any("cc.tif" in line for line in listed)
    hands.go("Files")
    good = write_landscape(tmp_path / "good")
    for key, name in (("elevation", "dem.tif"), ("canopy_cover", "cc.tif")):
        hands.wizard.files.choose(key)
        hands.type("layerFile", good / name)
    assert hands.said == ""
    assert hands.make().scenario.days == 3


def test_a_damaged_raster_of_unknown_content_is_named_with_the_files_and_as_a_warning(
    hands: Hands, landscape: Path
) -> None:
    (landscape / "extra.tif").write_bytes(b"not a raster at all")
    hands.wizard.add_paths([landscape])
    hands.settle()
    shown = hands.wizard.files.unreadable
    assert shown.isVisible() and "extra.tif" in shown.text() and "left out" in shown.text()
    hands.go("Summary")
    remarks = hands.wizard.summary.remarks
    texts = [remarks.item(row).text() for row in range(remarks.count())]
    assert any(text.startswith("Warning: ") and "extra.tif" in text for text in texts)


def test_a_folder_that_holds_nothing_is_said_and_another_can_be_chosen(
    hands: Hands, landscape: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    hands.wizard.add_paths([tmp_path / "empty"])
    hands.settle()
    assert [problem.where for problem in hands.wizard.problems] == [str(tmp_path / "empty")]
    hands.wizard.add_paths([landscape])
    hands.settle()
    assert hands.wizard.problems == ()


def test_custom_fuel_models_are_read_from_a_file_and_go_into_the_project(
    hands: Hands, landscape: Path, tmp_path: Path
) -> None:
    write_layer(landscape / "fbfm40.tif", np.full((ROWS, COLUMNS), 14, np.int16), GRID)
    own = tmp_path / "own.fmd"
    own.write_text("14 CH1 2.0 1.5 0 0 2.5 static 2000 1500 1600 3.0 20 8000 8000\n14 CH1", encoding="utf-8")
    hands.wizard.add_paths([landscape])
    hands.settle()
    files = hands.wizard.files
    files.choose("elevation")
    assert not files.fuels.isVisible()
    files.choose("fuel")
    assert "hold no code of a fuel model" in hands.said and "the file of the custom fuel models" in hands.said
    hands.type("fuelModels", own)
    assert "own.fmd, line 2: has 2 fields" in hands.said
    own.write_text(own.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    hands.type("fuelModels", own)
    assert hands.said == ""
    project = hands.make()
    assert [fuel.name for fuel in project.fire_model.fuels] == ["CH1"]
    assert set(np.unique(project.scenario.layers["fuel"])) == {14.0}


def test_what_a_step_lacks_is_not_held_against_it_before_anybody_came_there(hands: Hands, landscape: Path) -> None:
    hands.wizard.add_paths([landscape / "dem.tif"])
    hands.settle()
    assert "⚠" not in hands.wizard.steps[2].text()
    hands.go("Weather")
    hands.go("Files")
    assert "⚠ 1" in hands.wizard.steps[2].text()


def test_an_entry_that_cannot_be_read_is_said_below_its_field_and_the_former_value_stays(filled: Hands) -> None:
    filled.go("Grid")
    filled.type("cell", "wide")
    assert "'wide' cannot be read" in filled.said
    assert filled.wizard.draft.source.target.cell_size_m is None
    filled.go("Summary")
    assert not filled.wizard.finish.isEnabled()
    filled.go("Grid")
    filled.type("cell", "60")
    assert filled.said == ""
    filled.go("Summary")
    assert filled.wizard.finish.isEnabled()


def test_what_goes_wrong_while_importing_is_listed_and_the_wizard_stays(qtbot: QtBot, landscape: Path) -> None:
    def refuse(_answers: ImportAnswers, _check: Check) -> Project:
        raise InputError([Problem("perimeters (perimeters.gpkg)", "vanished meanwhile", "bring it back")])

    hands = Hands(qtbot, refuse)
    hands.wizard.add_paths([landscape])
    hands.settle()
    hands.go("Summary")
    hands.press(hands.wizard.finish)
    hands.settle()
    assert [problem.what for problem in hands.wizard.problems] == ["vanished meanwhile"]
    hands.go("Fire")
    assert "vanished meanwhile" in hands.said
    hands.close()


@pytest.mark.slow
def test_an_import_can_be_stopped_and_taken_up_again(qtbot: QtBot, landscape: Path) -> None:
    at_work, ended = threading.Event(), threading.Event()

    def endless(_answers: ImportAnswers, check: Check) -> Project:
        at_work.set()
        try:
            while True:
                check()
                time.sleep(0.002)
        finally:
            ended.set()

    hands = Hands(qtbot, endless)
    hands.wizard.add_paths([landscape])
    hands.settle()
    hands.go("Summary")
    hands.press(hands.wizard.finish)
    qtbot.waitUntil(at_work.is_set)
    assert hands.wizard.cancel.text() == "Stop"
    hands.press(hands.wizard.cancel)
    qtbot.waitUntil(ended.is_set)
    hands.settle()
    assert hands.wizard.isVisible() and hands.made == []
    assert hands.wizard.cancel.text() == "Cancel" and hands.wizard.finish.isEnabled()
    hands.close()


# -- by keyboard -------------------------------------------------------------------------------------------------------
def test_what_is_being_typed_is_not_overwritten_by_what_was_found_meanwhile(filled: Hands) -> None:
    filled.go("Weather")
    line = filled.line("days")
    QTest.mouseClick(line, LEFT)
    QTest.keyClicks(line, "1")
    filled.wizard.draft.change(name="Another")
    filled.settle()
    assert line.text() == "1"
    QTest.keyClicks(line, "2")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert filled.wizard.draft.source.days == 12


def test_enter_takes_a_line_in_and_turns_no_page(filled: Hands) -> None:
    filled.go("Grid")
    filled.type("cell", "60")
    assert filled.wizard.page is filled.wizard.grid
    assert filled.wizard.draft.source.target.cell_size_m == 60.0


def test_every_field_of_every_step_is_reached_with_tab(filled: Hands) -> None:
    for number, page in enumerate(filled.wizard.pages):
        filled.wizard.go_to(number)
        filled.wizard.back.setFocus() if number else filled.wizard.next.setFocus()
        start, reached = filled.wizard.focusWidget(), set()
        for _ in range(120):
            QTest.keyClick(filled.wizard.focusWidget(), Qt.Key.Key_Tab)
            reached.add(filled.wizard.focusWidget())
            if filled.wizard.focusWidget() is start:
                break
        lines = [line for line in page.findChildren(QWidget) if line.objectName() and line.isVisible()]
        fields = [line for line in lines if line.isEnabled() and line.focusPolicy() & Qt.FocusPolicy.TabFocus]
        assert {field.objectName() for field in fields} <= {widget.objectName() for widget in reached}, page.title


def test_no_two_labels_of_a_step_share_a_key(filled: Hands) -> None:
    for number in range(len(filled.wizard.pages)):
        filled.wizard.go_to(number)
        labels = [label.text() for label in filled.wizard.findChildren(QLabel) if label.isVisible() and label.buddy()]
        texts = labels + [button.text() for button in filled.wizard.findChildren(QAbstractButton) if button.isVisible()]
        keys = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
        assert len(keys) == len(set(keys)), (filled.wizard.page.title, sorted(keys))


# -- what is shown -----------------------------------------------------------------------------------------------------
def test_the_relief_is_lit_from_the_north_west_and_north_is_up(filled: Hands) -> None:
    survey_result = filled.wizard.survey_result
    assert (
        survey_result is not None and survey_result.shade is not None and survey_result.survey.preview_grid is not None
    )
    rows, columns = survey_result.survey.preview_grid.shape
    lit = survey_result.shade.astype(float)
    assert lit[rows // 2 - 10, columns // 2 - 10] > 200 > 120 > lit[rows // 2 + 10, columns // 2 + 10]
    preview = filled.wizard.preview.map
    grid = survey_result.survey.preview_grid
    assert preview.camera.to_pixel(0, 0).y() < preview.camera.to_pixel(rows, 0).y()
    assert grid.to_world(0, 0)[1] > grid.to_world(rows - 1, 0)[1]


def test_the_slopes_face_away_from_the_hilltop(filled: Hands) -> None:
    survey_result = filled.wizard.survey_result
    assert survey_result is not None
    aspect = next(fact for fact in survey_result.survey.layers if fact.key == "aspect")
    assert aspect.placing == "derived from elevation"
    middle = aspect.preview.shape[0] // 2, aspect.preview.shape[1] // 2
    for down, right, facing in ((-12, 0, 0.0), (0, 12, 90.0), (12, 0, 180.0), (0, -12, 270.0)):
        found = float(aspect.preview[middle[0] + down, middle[1] + right])
        assert abs((found - facing + 180.0) % 360.0 - 180.0) < 8.0, (facing, found)


def test_the_arrows_of_each_day_point_where_the_file_says_the_wind_blows_to(filled: Hands) -> None:
    filled.go("Weather")
    strip, towards = filled.wizard.preview.strip, []
    for day in range(3):
        strip.slider.setFocus()
        while strip.day < day:
            QTest.keyClick(strip.slider, Qt.Key.Key_Right)
        scene = filled.wizard.preview.map.scene
        assert scene is not None and scene.arrows is not None
        towards.append(math.degrees(float(scene.arrows.towards.mean())) % 360.0)
    # From the west, the south and the east; the grid's north is within 1.5° of true north here.
    for found, wanted in zip(towards, (0.0, 90.0, 180.0), strict=True):
        assert abs((found - wanted + 180.0) % 360.0 - 180.0) < 1.5
    speed = strip.speed.curve_points(0)[1]
    assert len(speed) == 72 and set(np.round(speed)) == {4.0, 5.0, 6.0}


def test_the_preview_never_shows_a_former_answer_last(filled: Hands) -> None:
    filled.go("Grid")
    for size in ("120", "90", "60"):
        line = filled.line("cell")
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, size)
        QTest.keyClick(line, Qt.Key.Key_Return)
    filled.settle()
    survey_result = filled.wizard.survey_result
    assert survey_result is not None and survey_result.survey.grid is not None
    assert survey_result.survey.grid.cell_size_m == 60.0


def test_a_changed_level_changes_the_required_coverage_of_the_project(filled: Hands) -> None:
    filled.go("Coverage")
    form = filled.wizard.coverage.form
    assert form.model.rows == [165, 122]
    before = form.coverage.c_req
    type_into_cell(filled.qtbot, form.view, 0, 2, "6")
    filled.settle()
    project = filled.make()
    # 50 rows of 60 columns are TU5, 60 of 20 are GS2; water requires nothing.
    assert before == pytest.approx((3000 * 2 + 1200 * 3) / 4200)
    assert project.coverage.c_req == pytest.approx((3000 * 6 + 1200 * 3) / 4200)
    assert "TU5" in project.coverage.source and "by hand" in project.coverage.source
