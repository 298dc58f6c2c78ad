"""Calibration dock on a project of the physical model: factors, the table before they are used, and their reset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.fit import FactorFitSettings
from firegui.domain.project import Project
from firegui.domain.spread_factors import SpreadFactors
from firegui.fire.physical import with_factors
from firegui.fire.skill import disc_skill, held_skill, start_skill
from firegui.gui.analyses.calibration.calibration_controller import CalibrationController
from firegui.gui.analyses.calibration.calibration_panel import (
    CalibrationPanel,
    comparison_html,
    conclusion_text,
    is_worse,
)
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.scenario.fire_model_dialog import FireModelDialog
from firegui.gui.session.session import Session
from firegui.io.project.store import load_project, save_project
from firegui.runs.events import FactorsReady, FireComparison
from tests.gui.hands import show_widget
from tests.gui.test_calibrate_panel import PATIENCE_MS, epoch
from tests.gui.test_dialogs import press, when_open
from tests.unit.calibration.physical_fires import physical_fire, two_fires


@cache
def fire() -> Project:
    return physical_fire()


@pytest.fixture
def project() -> Project:
    return fire()


@pytest.fixture
def controller(session: Session) -> Iterator[CalibrationController]:
    made = CalibrationController(session)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def panel(
    qtbot: QtBot, session: Session, queue: RunQueue, controller: CalibrationController, project: Project, tmp_path: Path
) -> CalibrationPanel:
    folder = tmp_path / "burned.firegui"
    save_project(project, folder)
    session.open_project(load_project(folder), folder)
    shown = CalibrationPanel(session, queue, controller)
    shown.start_requested.connect(shown.start)
    show_widget(qtbot, shown, 1100, 420)
    return shown


def calibrate(qtbot: QtBot, panel: CalibrationPanel, controller: CalibrationController) -> FactorsReady:
    panel.factor_form.set_value(FactorFitSettings(fit_days=2, rollouts=8))
    panel.button("start").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE_MS)
    assert isinstance(controller.result, FactorsReady)
    return controller.result


def test_the_form_is_that_of_the_fire_model(session: Session, panel: CalibrationPanel) -> None:
    assert panel.factor_form.box("fit_days").isVisible() and not panel.form.box("fit_days").isVisible()
    assert panel.factor_form.value() == FactorFitSettings(fit_days=1)
    panel.factor_form.set_value(FactorFitSettings(fit_days=3, rollouts=2))
    assert panel.button("start").isEnabled()
    session.edit("choose a model", session.project.with_model(replace(fire().fire_model, kind="scalar", parameters={})))
    assert panel.form.box("fit_days").isVisible() and not panel.factor_form.box("fit_days").isVisible()


def test_another_fire_is_fitted_by_the_same_factors_and_each_is_left_out_once(
    qtbot: QtBot, panel: CalibrationPanel, controller: CalibrationController, tmp_path: Path
) -> None:
    grass, _shrub = two_fires()
    other = tmp_path / "grass.firegui"
    save_project(grass, other)
    leave_out = panel.factor_form.box("leave_one_out")
    assert panel.others.isVisible() and not leave_out.isEnabled()
    panel.add_project(other)
    assert leave_out.isEnabled()
    leave_out.setChecked(True)
    panel.factor_form.set_value(replace(panel.factor_form.value(), fit_days=2, rollouts=4))
    texts: list[str] = []
    controller.changed.connect(lambda: texts.append(controller.activity))
    panel.button("start").click()
    assert not leave_out.isEnabled() and not panel.button("add").isEnabled()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE_MS)
    found = controller.result
    assert isinstance(found, FactorsReady)
    assert [fire.fire for fire in found.fires] == ["Small", "Grass"]
    assert "Fitting without Grass… (2 of 2)" in texts
    qtbot.waitUntil(lambda: list(panel.plots.days.points(1)) == [1, 2])
    for part in ("<b>Small</b>", "<b>Grass</b>", "fitted to other fires", "all days", "Factors of the other fires: "):
        assert part in panel.summary.text(), part
    assert "of 2 fires" in panel.conclusion.text()
    panel.others.setCurrentRow(0)
    panel.button("delete").click()
    assert not leave_out.isChecked() and not leave_out.isEnabled() and panel.button("start").isEnabled()


def test_what_keeps_another_project_from_being_fitted_is_said(panel: CalibrationPanel, tmp_path: Path) -> None:
    grass, _shrub = two_fires()
    other = tmp_path / "network.firegui"
    save_project(replace(grass, fire_model=replace(grass.fire_model, kind="scalar", parameters={})), other)
    panel.add_project(other)
    assert "Grass: the fire model is the scalar one, which has no factors" in panel.notes.text()
    assert not panel.button("start").isEnabled()


def test_the_table_is_shown_before_the_factors_are_used_as_one_undoable_step(
    qtbot: QtBot, session: Session, panel: CalibrationPanel, controller: CalibrationController
) -> None:
    before = session.project
    found = calibrate(qtbot, panel, controller)
    assert session.project is before
    assert found.factors.grass_speed < 1.0 and found.factors.litter_speed == 1.0
    assert not panel.button("save").isVisible()
    assert "grass × 0." in panel.summary.text() and "last perimeter held" in panel.summary.text()
    # The chart repaints on a timer, which may not have fired when the run ends.
    qtbot.waitUntil(lambda: len(panel.plots.misfit.points()) == 8)
    texts: list[str] = []

    def keep(box: QWidget) -> None:
        assert isinstance(box, QMessageBox)
        texts.append(box.informativeText())
        press("Keep")(box)

    when_open(keep)
    panel.button("apply").click()
    assert session.project is before
    for part in ("present model", "calibrated model", "day 0 held", "disc of ", "day 3, held out", "grass × 0."):
        assert part in texts[0]
    when_open(press("Use"))
    panel.button("apply").click()
    assert session.project.fire_model.physical.factors == found.factors
    assert session.project.fire_model.label == "physical model (Rothermel 1972), calibrated"
    assert "This project uses these factors." in panel.notes.text()
    assert not panel.button("apply").isEnabled()
    session.undo_stack.undo()
    assert session.project is before and panel.button("apply").isEnabled()


def test_factors_are_edited_and_reset_in_the_fire_model_dialog(qtbot: QtBot, project: Project) -> None:
    dialog = FireModelDialog(with_factors(project, SpreadFactors(grass_speed=0.6, wind_factor=1.2)))
    show_widget(qtbot, dialog, 640, 700)
    assert dialog.choice is None and dialog.form.box("factors_grass_speed").value() == 0.6
    dialog.form.box("factors_shrub_speed").setValue(1.5)
    assert dialog.choice is not None
    assert dialog.choice.on(project).fire_model.physical.factors == SpreadFactors(0.6, 1.0, 1.5, wind_factor=1.2)
    dialog.reset.click()
    assert dialog.form.value().factors == SpreadFactors()
    assert dialog.choice.on(project).fire_model.label == "physical model (Rothermel 1972)"


def test_a_model_that_does_worse_on_the_held_out_days_is_warned_of(project: Project) -> None:
    event = project.scenario
    good, bad = held_skill(event, 3, 2), start_skill(event, 3, 2)
    references = (bad, good, disc_skill(event, 3, 2))
    forecasts = (
        replace(good, key="present", label="present model"),
        replace(bad, key="calibrated", label="calibrated"),
    )
    fire = FireComparison("Small", 2, (*forecasts, *references))
    worse = FactorsReady(SpreadFactors(grass_speed=2.0), epoch(0), 4, (fire,))
    assert is_worse(worse)
    assert conclusion_text(worse).startswith("⚠ The calibrated model is worse than the present one")
    assert " Simpler forecasts do better: last perimeter held, disc of " in conclusion_text(worse)
    models = (replace(bad, key="present"), replace(good, key="calibrated"), bad)
    better = replace(worse, fires=(replace(fire, forecasts=models),))
    assert not is_worse(better) and "Simpler forecasts" not in conclusion_text(better)
    stopped = replace(worse, fires=())
    assert not is_worse(stopped)
    assert "was not compared" in conclusion_text(stopped) and "was not compared" in comparison_html(stopped, "present")
