"""Maps of the residuals of an error model and of drawn fields, in the dock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.analyses.uncertainty.results import RESIDUALS
from firegui.domain.project import Project
from firegui.domain.uncertainty import PAPER_BEAR, UncertaintyKind
from firegui.ensembles.random_field import error_field
from firegui.errors import InputError, Problem
from firegui.gui.analyses.uncertainty.error_maps import FieldMap, box_around, limit_of
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_colors import signed_scale
from firegui.gui.session.session import Session
from firegui.runs.control import RunControl
from firegui.runs.events import FieldDrawn, RunEvent, RunFinished
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import ErrorFieldSpec, RunSpec
from firegui.runs.stages import FinishReason
from tests.gui.analyses.panels import open_panels
from tests.gui.saved_ensembles import fit_of, save_ensemble

EPISTEMIC = UncertaintyKind.EPISTEMIC
LEFT = Qt.MouseButton.LeftButton


class Fields:
    """Test double of the runner: a field of the member's and the day's number, once ``gate`` is open."""

    def __init__(self, *, fails: bool = False) -> None:
        self.specs: list[ErrorFieldSpec] = []
        self.threads: set[int] = set()
        self.fails, self.gate = fails, threading.Event()
        self.gate.set()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        assert isinstance(spec, ErrorFieldSpec)
        self.specs.append(spec)
        self.threads.add(threading.get_ident())
        self.gate.wait(10.0)
        if self.fails:
            problem = Problem("error model", "Σ is 0", "fit it again")
            emit(RunFinished(FinishReason.FAILED, "no", None, None, None, (problem,)))
            return
        values = np.stack([np.full(spec.shape, number, np.float32) for number in (spec.member, -spec.day)])
        emit(FieldDrawn(spec, values))
        emit(RunFinished(FinishReason.COMPLETED, "drawn", None, None, None))


Made = tuple[UncertaintyPanel, UncertaintyController]
Make = Callable[..., Made]


@pytest.fixture
def open_panel(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[Make]:
    yield from open_panels(
        qtbot, lambda execute: UncertaintyController(session, execute=execute),
        lambda controller: UncertaintyPanel(session, queue, controller), 1000, 400,
    )  # fmt: skip


@pytest.fixture
def make(open_panel: Make, project: Project, saved: Path) -> Make:
    """Return the dock with an opened ensemble and its page of error maps in front."""

    def made(execute: object, *, fitted: bool = True) -> Made:
        ensemble = save_ensemble(project, saved, kind=EPISTEMIC, fit=fit_of(project) if fitted else None)
        panel, controller = open_panel(execute)
        controller.open(ensemble)
        return panel, controller

    return made


def turn_to(qtbot: QtBot, panel: UncertaintyPanel, controller: UncertaintyController) -> None:
    """Click the tab of the error maps and wait for the first field."""
    index = panel.pages.indexOf(panel.errors)
    bar = panel.pages.tabBar()
    QTest.mouseClick(bar, LEFT, pos=bar.tabRect(index).center())
    qtbot.waitUntil(lambda: controller.field is not None and not controller.draws_field, timeout=30_000)


def color_at(shown: FieldMap, cell: tuple[int, int]) -> QColor:
    """Return the painted colour of a cell."""
    at = shown.place_of(*cell).toPoint()
    return shown.grab().toImage().pixelColor(at)


def point_at(shown: FieldMap, cell: tuple[int, int]) -> None:
    at = shown.place_of(*cell)
    nothing = Qt.MouseButton.NoButton
    moved = QMouseEvent(
        QEvent.Type.MouseMove, at, QPointF(shown.mapToGlobal(at)), nothing, nothing, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(shown, moved)


# -- residuals ---------------------------------------------------------------------------------------------------------
def test_the_residuals_of_a_chosen_day_are_drawn_in_both_coordinates(qtbot: QtBot, make: Make) -> None:
    panel, controller = make(Fields())
    turn_to(qtbot, panel, controller)
    residuals, day = panel.errors.maps.residuals, panel.errors.day
    assert [day.itemText(k) for k in range(day.count())] == ["End of day 1", "End of day 3"]
    assert residuals.head.text() == "Residuals, end of day 1"
    first, second = residuals.maps
    weak = color_at(first, (15, 30))
    assert weak.blue() > weak.red(), "above 0 is blue"
    assert color_at(second, (15, 30)).red() > color_at(second, (15, 30)).blue(), "below 0 is ochre"
    day.setFocus()
    QTest.keyClick(day, Qt.Key.Key_Down)
    assert residuals.head.text() == "Residuals, end of day 3"
    strong = color_at(first, (15, 30))
    assert strong.blue() - strong.red() > weak.blue() - weak.red()
    qtbot.waitUntil(lambda: not controller.draws_field)


def test_both_fields_show_the_cells_with_residuals_and_some_around_them(qtbot: QtBot, make: Make) -> None:
    panel, controller = make(Fields())
    turn_to(qtbot, panel, controller)
    maps = panel.errors.maps
    shapes = {each.pixels.shape for each in (*maps.residuals.maps, *maps.field.maps) if each.pixels is not None}
    assert shapes == {(10 + 2, 20 + 4)}
    left_out = maps.residuals.maps[0].pixels
    assert left_out is not None
    assert (left_out[0, 0], (left_out != 0).sum()) == (0, 10 * 20)


def test_the_scale_is_symmetric_and_of_the_error_model_alone(qtbot: QtBot, make: Make, project: Project) -> None:
    panel, controller = make(Fields())
    turn_to(qtbot, panel, controller)
    assert limit_of(fit_of(project).error) == 6.0
    assert panel.errors.maps.bar.texts == ("6\nless fire", "0", "more fire\n−6")
    colors = signed_scale("", 6.0).rgba.astype(int)
    middle = colors[127:129, :3].mean(axis=0)
    lengths = np.abs(colors[:, :3] - middle).sum(axis=1)
    assert (lengths[0] > 100) and (lengths[255] > 100) and lengths[127] < 10


def test_the_cell_under_the_mouse_is_read_out_in_both_coordinates(qtbot: QtBot, make: Make) -> None:
    panel, controller = make(Fields())
    turn_to(qtbot, panel, controller)
    residuals, field = panel.errors.maps.residuals, panel.errors.maps.field
    point_at(residuals.maps[1], (12, 33))
    assert residuals.head.text() == "row 12 col 33 · z₁ 1.00 · z₂ -1.00"
    point_at(residuals.maps[1], (9, 33))
    assert residuals.head.text() == "row 9 col 33 · z₁ – · z₂ –"
    point_at(field.maps[0], (9, 33))
    assert field.head.text() == "row 9 col 33 · z₁ 0 · z₂ 0"
    field.maps[0].leaveEvent(QEvent(QEvent.Type.Leave))
    assert field.head.text().startswith("Draw: seed 5")


def test_the_papers_numbers_come_without_residuals_and_the_page_says_so(
    qtbot: QtBot, make: Make, project: Project
) -> None:
    panel, controller = make(Fields(), fitted=False)
    turn_to(qtbot, panel, controller)
    maps = panel.errors.maps
    assert "no residuals" in maps.residuals.nothing.text() and maps.residuals.nothing.isVisible()
    assert not maps.residuals.maps[0].isVisible()
    assert panel.errors.day.count() == project.plan.days
    drawn = maps.field.maps[0].pixels
    assert drawn is not None and drawn.shape == project.scenario.grid.shape
    assert limit_of(PAPER_BEAR) == 18.0


def test_residuals_that_are_gone_are_missed_in_words(qtbot: QtBot, make: Make) -> None:
    panel, controller = make(Fields())
    assert controller.shown is not None
    folder = controller.shown.folder
    (folder / RESIDUALS).unlink()
    turn_to(qtbot, panel, controller)
    panel.errors.day.setFocus()
    QTest.keyClick(panel.errors.day, Qt.Key.Key_Down)
    assert "has no residuals of the end of day 3" in panel.errors.maps.residuals.nothing.text()
    controller.open(folder)
    assert "not in the ensemble's folder" in panel.errors.maps.residuals.nothing.text()


# -- drawn fields ------------------------------------------------------------------------------------------------------
def test_a_field_is_drawn_when_somebody_looks_and_in_a_thread_of_its_own(qtbot: QtBot, make: Make) -> None:
    execute = Fields()
    panel, controller = make(execute)
    qtbot.wait(100)
    assert execute.specs == []
    turn_to(qtbot, panel, controller)
    (spec,) = execute.specs
    assert (spec.seed, spec.member, spec.day, spec.shape) == (5, 0, 0, (40, 60))
    assert execute.threads.isdisjoint({threading.get_ident()})
    assert panel.errors.maps.field.head.text() == "Draw: seed 5, fire 0, end of day 1"


def test_another_draw_is_the_next_members(qtbot: QtBot, make: Make) -> None:
    execute = Fields()
    panel, controller = make(execute)
    turn_to(qtbot, panel, controller)
    before = panel.errors.maps.field.maps[0].pixels
    execute.gate.clear()
    QTest.mouseClick(panel.errors.again, LEFT)
    assert panel.errors.maps.field.head.text() == "Drawing another…"
    QTest.mouseClick(panel.errors.again, LEFT)
    execute.gate.set()
    qtbot.waitUntil(lambda: not controller.draws_field)
    assert panel.errors.maps.field.head.text() == "Draw: seed 5, fire 2, end of day 1"
    after = panel.errors.maps.field.maps[0].pixels
    assert before is not None and after is not None
    assert (before != after).all()


def test_a_day_brings_the_field_of_its_end(qtbot: QtBot, make: Make) -> None:
    execute = Fields()
    panel, controller = make(execute)
    turn_to(qtbot, panel, controller)
    panel.errors.day.setFocus()
    QTest.keyClick(panel.errors.day, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: not controller.draws_field)
    assert execute.specs[-1].day == 2
    assert panel.errors.maps.field.head.text() == "Draw: seed 5, fire 0, end of day 3"


def test_a_field_that_cannot_be_drawn_is_refused(qtbot: QtBot, make: Make, refusals: list[InputError]) -> None:
    panel, controller = make(Fields(fails=True))
    panel.pages.setCurrentWidget(panel.errors)
    qtbot.waitUntil(lambda: bool(refusals) and not controller.draws_field)
    assert "Σ is 0" in str(refusals[0])
    assert controller.field is None


def test_the_field_of_the_engine_is_what_the_ensembles_member_meets(qtbot: QtBot, make: Make, project: Project) -> None:
    panel, controller = make(run_execute)
    turn_to(qtbot, panel, controller)
    assert controller.field is not None
    np.testing.assert_array_equal(controller.field.field, error_field(fit_of(project).error, (40, 60), 5, 0, 0))


def test_another_ensemble_forgets_the_field(qtbot: QtBot, make: Make, session: Session) -> None:
    panel, controller = make(Fields())
    turn_to(qtbot, panel, controller)
    session.open_project(session.project, session.folder)
    assert controller.field is None
    assert not panel.pages.isTabVisible(panel.pages.indexOf(panel.errors))


def test_the_box_around_nothing_is_everything() -> None:
    nothing = np.full((2, 5, 7), np.nan, np.float32)
    assert box_around(nothing) == (slice(0, 5), slice(0, 7))
