"""Calibration dock: form, live charts, stop, resume, and use of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.analyses.calibration.checkpoint import part_of
from firegui.domain.fit import EventProgress, FitProgress, NetworkFitSettings
from firegui.domain.project import Project, same_spread
from firegui.errors import InputError
from firegui.gui.analyses.calibration.calibration_controller import (
    CalibrationController,
    CalibrationRequest,
    activity_text,
    interrupted_in,
    new_weights_file,
)
from firegui.gui.analyses.calibration.calibration_panel import CalibrationPanel, ask_use, conclusion_text, is_worse
from firegui.gui.analyses.skill.skill_panel import SkillPanel
from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.documents import RunningAnswer
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project, save_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.control import RunControl
from firegui.runs.events import FitEpoch, RunEvent, WeightsReady
from firegui.runs.runner import execute
from firegui.runs.spec import CalibrateSpec, RunSpec
from tests.gui.analyses.scene import FakeRun
from tests.gui.hands import show_widget
from tests.gui.readouts import calls_of, cursor_of
from tests.gui.test_dialogs import press, when_open
from tests.support import watched_project
from tests.unit.domain.samples import weights

DAYS, EPOCHS = 4, 5
NOW = datetime(2026, 7, 29, 14, 20, 5)
PATIENCE_MS = 120_000
"""The first calibration may have to wait for kernels to be compiled."""


def held_run(epochs: int = 3) -> FakeRun:
    """Return a run that reports its epochs, then works until it is stopped."""
    reported = [FitEpoch(epoch(number)) for number in range(epochs)]
    return FakeRun(lambda _spec: (*reported, WeightsReady(weights(), epoch(epochs - 1), epochs)), endless=True)


@pytest.fixture
def project() -> Project:
    """Return a fire that grows by a cell a day; day 2 has no perimeter of its own."""
    return watched_project(DAYS, skipped=(2,))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return another project on another event."""
    project = watched_project(3)
    folder = tmp_path / "other.firegui"
    save_project(replace(project, scenario=replace(project.scenario, name="Other")), folder)
    return folder


@pytest.fixture
def controller(session: Session) -> Iterator[CalibrationController]:
    made = CalibrationController(session, clock=lambda: NOW)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue, controller: CalibrationController) -> CalibrationPanel:
    return panel_of(qtbot, session, queue, controller)


def panel_of(qtbot: QtBot, session: Session, queue: RunQueue, controller: CalibrationController) -> CalibrationPanel:
    shown = CalibrationPanel(session, queue, controller)
    shown.start_requested.connect(shown.start)
    shown.form.set_value(replace(shown.form.value(), epochs=EPOCHS, fit_days=3))
    show_widget(qtbot, shown, 1100, 420)
    return shown


@pytest.fixture
def calibrated(
    qtbot: QtBot, saved: Path, panel: CalibrationPanel, controller: CalibrationController
) -> CalibrationPanel:
    """Return the panel with weights that the real engine has fitted."""
    calibrate(qtbot, panel, controller)
    return panel


def calibrate(qtbot: QtBot, panel: CalibrationPanel, controller: CalibrationController) -> None:
    panel.button("start").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE_MS)
    assert controller.result is not None
    qtbot.waitUntil(lambda: len(panel.plots.misfit.points()) == len(controller.history))


def epoch(number: int, loss: float | None = None) -> FitProgress:
    seen = EventProgress("Tiny", (1, 3), (0.1 * (number + 1), 0.05 * (number + 1)))
    value = 9.0 - number if loss is None else loss
    return FitProgress(number, 60, value, value, number, {}, (seen,), float(number + 1))


@pytest.fixture
def held(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path
) -> Iterator[tuple[CalibrationPanel, CalibrationController, FakeRun]]:
    """Return a panel whose calibration runs until it is stopped."""
    work = held_run()
    controller = CalibrationController(session, execute=work, clock=lambda: NOW)
    yield panel_of(qtbot, session, queue, controller), controller, work
    controller.shutdown()
    controller.deleteLater()


# -- the form ----------------------------------------------------------------------------------------------------------
def test_the_form_begins_with_as_many_days_as_can_be_fitted(
    session: Session, queue: RunQueue, controller: CalibrationController
) -> None:
    panel = CalibrationPanel(session, queue, controller)
    assert panel.form.value() == NetworkFitSettings(fit_days=4)
    session.open_project(watched_project(2), None)
    assert panel.form.value().fit_days == 2
    panel.deleteLater()


def test_every_setting_has_a_field_with_its_help(panel: CalibrationPanel) -> None:
    box = panel.form.box("patience")
    assert "rounds without a better misfit" in box.toolTip()
    assert "1 to 100,000" in box.toolTip()
    correction = panel.form.box("correction")
    assert isinstance(correction, QCheckBox)
    correction.click()
    assert not panel.form.value().correction


def test_what_keeps_it_from_starting_is_said(session: Session, panel: CalibrationPanel) -> None:
    event = session.project.scenario
    assert panel.button("start").isEnabled()
    assert "Later perimeters are not read" in panel.notes.text()
    session.open_project(replace(session.project, scenario=replace(event, observed=None, observed_dates=())), None)

    assert not panel.button("start").isEnabled()
    assert "no observed perimeter on day 0" in panel.notes.text()
    assert panel.notes.property("role") == "warning"


def test_it_can_start_from_the_projects_own_weights(
    qtbot: QtBot, session: Session, held: tuple[CalibrationPanel, CalibrationController, FakeRun], saved: Path
) -> None:
    panel, controller, work = held
    assert panel.origin.count() == 1
    own = weights(5)
    session.edit("weights", session.project.with_network(own))
    save_project(session.project, saved, replacing=True)
    panel.origin.setCurrentIndex(panel.origin.findData("project"))
    panel.start()
    qtbot.waitUntil(work.working.is_set)
    controller.stop()

    (spec,) = work.specs
    assert isinstance(spec, CalibrateSpec)
    assert spec.start is own
    assert f"--start {saved}/fire-" in spec.command


# -- further projects --------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_another_project_is_trained_on_jointly(
    qtbot: QtBot, saved: Path, panel: CalibrationPanel, controller: CalibrationController, other: Path
) -> None:
    panel.add_project(other)
    assert [panel.others.item(k).text() for k in range(panel.others.count())] == ["Other · other.firegui"]
    calibrate(qtbot, panel, controller)

    assert isinstance(controller.result, WeightsReady)
    assert [event.name for event in controller.result.weights.training.events] == ["Tiny", "Other"]
    assert list(panel.plots.days.points(0)) == [1, 3]
    assert list(panel.plots.days.points(1)) == [1, 2, 3]


def test_a_project_can_be_left_out_again(panel: CalibrationPanel, other: Path) -> None:
    panel.add_project(other)
    assert not panel.button("delete").isEnabled()
    panel.others.setCurrentRow(0)
    panel.button("delete").click()
    assert panel.others.count() == 0


def test_what_cannot_be_added_is_refused(
    saved: Path, panel: CalibrationPanel, other: Path, refusals: list[InputError], tmp_path: Path
) -> None:
    panel.add_project(tmp_path / "gone")
    panel.add_project(saved)
    panel.add_project(other)
    panel.add_project(other)

    assert ["does not exist" in str(refusals[0]), *("already in the list" in str(error) for error in refusals[1:])] == (
        [True] * 3
    )
    assert panel.others.count() == 1


def test_days_that_another_project_lacks_are_said(panel: CalibrationPanel, other: Path) -> None:
    panel.add_project(other)
    panel.form.set_value(replace(panel.form.value(), fit_days=4))

    assert "Other: 4 days with weather for 3 — fit at most 3" in panel.notes.text()
    assert not panel.button("start").isEnabled()


# -- while it works ----------------------------------------------------------------------------------------------------
def test_the_charts_follow_every_epoch(
    qtbot: QtBot, calibrated: CalibrationPanel, controller: CalibrationController
) -> None:
    history = controller.history
    assert [row.epoch for row in history] == list(range(EPOCHS))
    assert calibrated.plots.misfit.points() == {row.epoch + 1: row.loss for row in history}
    assert list(calibrated.plots.misfit.points(best=True).values()) == sorted(
        (row.best_loss for row in history), reverse=True
    )
    assert list(calibrated.plots.days.points(0).values()) == list(history[-1].events[0].iou)
    assert controller.best is not None
    assert list(calibrated.plots.days.points(0, best=True).values()) == list(controller.best.events[0].iou)


def test_the_epoch_under_the_mouse_is_the_one_whose_days_are_shown(
    qtbot: QtBot, calibrated: CalibrationPanel, controller: CalibrationController
) -> None:
    calibrated.plots.misfit.hovered.emit(2.2)
    qtbot.waitUntil(lambda: cursor_of(calibrated.plots.misfit) == 2.0)
    assert list(calibrated.plots.days.points(0).values()) == list(controller.history[1].events[0].iou)
    assert "round 2" in calibrated.plots.days.title.text()
    calibrated.plots.misfit.hovered.emit(None)
    qtbot.waitUntil(lambda: cursor_of(calibrated.plots.misfit) is None)
    assert list(calibrated.plots.days.points(0).values()) == list(controller.history[-1].events[0].iou)


def test_however_fast_epochs_come_they_are_drawn_together(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path
) -> None:
    controller = CalibrationController(session, execute=held_run(500))
    panel = panel_of(qtbot, session, queue, controller)
    repaints = calls_of(panel.plots.misfit, "show_history")
    panel.start()
    qtbot.waitUntil(lambda: len(panel.plots.misfit.points()) == 500)

    assert len(repaints) < 50
    controller.shutdown()
    controller.deleteLater()


def test_the_time_left_is_not_guessed_from_the_first_epoch() -> None:
    assert activity_text(None) == "Preparing…"
    assert activity_text(epoch(0)) == "Round 1 of 60 · 0:01"
    assert activity_text(epoch(5)) == "Round 6 of 60 · 0:06, at most 0:54 left"


def test_opening_another_project_stops_it_and_forgets_it(
    qtbot: QtBot, session: Session, held: tuple[CalibrationPanel, CalibrationController, FakeRun]
) -> None:
    panel, controller, _work = held
    panel.start()
    qtbot.waitUntil(lambda: len(controller.history) == 3)
    session.open_project(watched_project(2), None)

    assert not controller.is_busy
    assert (list(controller.history), controller.result) == ([], None)
    qtbot.waitUntil(lambda: panel.plots.misfit.points() == {})


# -- going on ----------------------------------------------------------------------------------------------------------
def stopping_at(number: int) -> Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]:
    """Return the real runner, which is stopped after so many epochs at its first use."""
    stops = [number]

    def run(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        at = stops.pop() if stops else -1

        def hear(event: RunEvent) -> None:
            emit(event)
            if isinstance(event, FitEpoch) and event.progress.epoch + 1 == at:
                control.request_stop()

        execute(spec, hear, control)

    return run


@pytest.mark.slow
def test_a_stopped_one_goes_on_to_the_same_weights_even_in_another_session(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, other: Path, tmp_path: Path
) -> None:
    whole = CalibrationController(session, clock=lambda: NOW)
    unbroken = panel_of(qtbot, session, queue, whole)
    unbroken.add_project(other)
    calibrate(qtbot, unbroken, whole)
    expected = tmp_path / "expected.safetensors"
    unbroken.save(expected)
    controller = CalibrationController(session, execute=stopping_at(2), clock=lambda: NOW)
    panel = panel_of(qtbot, session, queue, controller)
    panel.add_project(other)
    calibrate(qtbot, panel, controller)
    assert len(controller.history) == 2
    assert panel.button("resume").isEnabled()

    session.open_project(load_project(saved), saved)
    assert "Resume continues it" in panel.notes.text()
    panel.button("resume").click()
    qtbot.waitUntil(lambda: controller.result is not None and not controller.is_busy, timeout=PATIENCE_MS)

    assert [row.epoch for row in controller.history] == list(range(EPOCHS))
    assert panel.others.count() == 1
    assert panel.form.value().epochs == EPOCHS
    panel.save(tmp_path / "resumed.safetensors")
    assert (tmp_path / "resumed.safetensors").read_bytes() == expected.read_bytes()
    assert not panel.button("resume").isEnabled()
    for each in (whole, controller):
        each.shutdown()
        each.deleteLater()


def test_one_that_cannot_be_read_is_refused(
    session: Session, saved: Path, panel: CalibrationPanel, refusals: list[InputError]
) -> None:
    broken = part_of(new_weights_file(saved, NOW))
    broken.parent.mkdir()
    broken.write_text("rubbish")
    session.project_edited.emit()
    panel.button("resume").click()

    assert "cannot be read" in str(refusals[0])


def test_the_latest_interrupted_one_is_found_and_names_are_not_used_twice(tmp_path: Path) -> None:
    assert interrupted_in(None) is None
    assert interrupted_in(tmp_path) is None
    first = new_weights_file(tmp_path, NOW)
    first.parent.mkdir()
    part_of(first).write_text("state")
    second = new_weights_file(tmp_path, NOW)

    assert (first.name, second.name) == ("20260729-142005.safetensors", "20260729-142005-2.safetensors")
    assert interrupted_in(tmp_path) == first


# -- what came of it ---------------------------------------------------------------------------------------------------
def test_the_result_says_what_was_learned_and_what_was_never_seen(calibrated: CalibrationPanel) -> None:
    assert calibrated.conclusion.text().startswith("The calibrated model ") and calibrated.conclusion.isVisible()
    text = calibrated.summary.text()
    for part in ("Best round", "Tiny", "Learned: rate of spread", "From published values", "Never seen: elevation"):
        assert part in text


def test_the_weights_can_be_used_in_the_project_and_that_can_be_undone(
    session: Session, calibrated: CalibrationPanel, controller: CalibrationController
) -> None:
    before = session.project
    assert isinstance(controller.result, WeightsReady)
    assert [event.name for event in controller.result.before] == [event.name for event in controller.result.after]
    texts: list[str] = []

    def keep(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        texts.append(box.informativeText())
        press("Keep")(box)

    when_open(keep)
    calibrated.button("apply").click()
    assert session.project is before and before.fire_model.label in texts[0] and "Tiny" in texts[0]
    when_open(press("Use"))
    calibrated.button("apply").click()

    used = session.project.weights
    assert used is not None and used.tensors is controller.result.weights.tensors
    assert "2026-07-29 14:20" in session.project.fire_model.label
    assert session.project.fire_model.kind == "network"
    assert not calibrated.button("apply").isEnabled()
    assert "This project uses these weights." in calibrated.notes.text()
    session.undo_stack.undo()
    assert session.project is before
    assert calibrated.button("apply").isEnabled()


def test_weights_of_the_same_name_are_another_fire(project: Project) -> None:
    one, other = project.with_network(weights(1)), project.with_network(weights(2))
    assert one.fire_model == other.fire_model
    assert same_spread(one, one)
    assert not same_spread(one, other)


def test_the_weights_can_be_saved_and_a_bad_place_is_refused(
    calibrated: CalibrationPanel, controller: CalibrationController, tmp_path: Path, refusals: list[InputError]
) -> None:
    calibrated.save(tmp_path / "mine")
    assert isinstance(controller.result, WeightsReady)
    written = read_weights(tmp_path / "mine.safetensors").tensors
    assert all(np.array_equal(value, controller.result.weights.tensors[key]) for key, value in written.items())
    calibrated.save(tmp_path / "nowhere" / "mine")
    assert "cannot be written" in str(refusals[0])


# -- in the window -----------------------------------------------------------------------------------------------------


def test_the_calibrated_model_is_scored_with_its_own_fit_days(window: MainWindow, session: Session) -> None:
    session.edit("weights", session.project.with_network(weights()))
    assert window.workbench.panel("Skill", SkillPanel).fit_days.value() == 10
    training = replace(weights().training, events=(replace(weights().training.events[0], fit_days=3),))
    session.edit("weights", session.project.with_network(weights(training=training)))
    assert window.workbench.panel("Skill", SkillPanel).fit_days.value() == 3


def test_leaving_may_discard_it_with_all_that_was_tried(
    qtbot: QtBot, window: MainWindow, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(_parent: object, work: UnfinishedWork, _purpose: str) -> RunningAnswer:
        asked.append(f"{work.title}: {work.outcome}")
        return RunningAnswer.DISCARD

    monkeypatch.setattr("firegui.gui.window.documents.ask_running", ask)
    controller = window.workbench.controller(CalibrationController)
    controller.start(CalibrationRequest(NetworkFitSettings(fit_days=3, epochs=100_000, patience=100_000)))
    qtbot.waitUntil(lambda: len(controller.history) > 2, timeout=PATIENCE_MS)
    assert window.workbench.documents.confirm_close("close")
    assert asked == [
        "The calibration: Stopping keeps the best weights so far; it can be resumed later. Deleting removes the "
        "weights and all that was tried for them."
    ]
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert interrupted_in(saved) is None


@pytest.mark.parametrize(("after", "worse"), [(0.6, False), (0.2, True)])
def test_weights_that_do_worse_are_not_used_by_default(qapp: object, after: float, worse: bool) -> None:
    one, other = (EventProgress("Tiny", (1,), (value,)) for value in (0.4, after))
    found = WeightsReady(weights(), epoch(0), 1, (one,), (other,))
    assert is_worse(found) is worse
    defaults: list[bool] = []

    def look(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        defaults.append(box.defaultButton().text() == "&Use the new weights")
        box.defaultButton().click()

    when_open(look)
    assert ask_use(None, found, "present") is not worse
    assert defaults == [not worse]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (0.6, "The calibrated model is better than the present one: "),
        (0.4, "The calibrated model is as good as the present one: "),
        (0.2, "⚠ The calibrated model is worse than the present one: "),
    ],
)
def test_the_first_line_says_whether_the_calibrated_model_is_better(after: float, said: str) -> None:
    one, other = (EventProgress("Tiny", (1,), (value,)) for value in (0.4, after))
    numbers = f"it overlaps the perimeters of the fitted days by {100 * after:.0f} %, the present one by 40 %."
    assert conclusion_text(WeightsReady(weights(), epoch(0), 1, (one,), (other,))) == said + numbers
    assert "it was not compared" in conclusion_text(WeightsReady(weights(), epoch(0), 1))
