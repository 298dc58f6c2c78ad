"""Mean maps of an ensemble on the map: shown, played, read out, updated, hidden, never exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.analyses.uncertainty.results import read_header, write_header
from firegui.domain.project import Project
from firegui.domain.uncertainty import UncertaintyKind
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.items import RasterItem
from firegui.gui.map.map_view import MapView
from firegui.gui.map.timeline import TimelineBar
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from firegui.runs.control import RunControl
from firegui.runs.events import EnsembleReady, RunEvent, RunFinished
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import RunSpec, UncertaintySpec
from firegui.runs.stages import FinishReason
from tests.gui.analyses.panels import open_panels
from tests.gui.fake_runs import drop, frames, metrics
from tests.gui.map_scene import Hand, open_map
from tests.gui.saved_ensembles import OFTEN, SELDOM, save_ensemble, state_of

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def saved(saved: Path, project: Project) -> Path:
    """Return the folder of the open project, with an ensemble of four members and a plan."""
    save_ensemble(project, saved)
    return saved


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path) -> Iterator[UncertaintyPanel]:
    """Return the dock, with the ensemble opened."""
    for make in open_panels(
        qtbot, lambda execute: UncertaintyController(session, execute=execute),
        lambda controller: UncertaintyPanel(session, queue, controller), 1000, 400,
    ):  # fmt: skip
        panel, _controller = make(run_execute)
        pick(panel, "· 4")
        yield panel


@pytest.fixture
def view(qtbot: QtBot, session: Session, panel: UncertaintyPanel) -> MapView:
    """Return the map next to the dock."""
    return open_map(qtbot, session)


def pick(panel: UncertaintyPanel, text: str) -> None:
    """Select the saved ensemble whose line ends with ``text``, with the keyboard."""
    (entry,) = (k for k in range(panel.saved_list.count()) if panel.saved_list.itemText(k).endswith(text))
    panel.saved_list.setFocus()
    QTest.keyClick(panel.saved_list, Qt.Key.Key_Home)
    for _ in range(entry):
        QTest.keyClick(panel.saved_list, Qt.Key.Key_Down)


def press(panel: UncertaintyPanel, name: str = "map") -> None:
    QTest.mouseClick(panel.button(name), LEFT)


def color_of(view: MapView, cell: tuple[int, int], key: str = "occupancy") -> int:
    view.flush()
    pixels = raster_of(view, key).pixels
    assert pixels is not None
    return int(pixels[cell])


def raster_of(view: MapView, key: str) -> RasterItem:
    item = view.layers[key].item
    assert isinstance(item, RasterItem)
    return item


def caption(view: MapView) -> tuple[str, str]:
    view.flush()
    return view.decorations.caption.title, view.decorations.caption.note


# -- on the map --------------------------------------------------------------------------------------------------------
def test_a_click_puts_the_means_of_both_cases_on_the_map(panel: UncertaintyPanel, session: Session) -> None:
    press(panel)
    result = session.result
    assert (result.mean_of, result.title) == (4, "Mean of 4 fires (chance of spread)")
    assert result.baseline is not None and result.plan is not None
    assert result.baseline.stride == session.project.calendar.steps_per_day
    assert result.baseline.fire.at(*OFTEN).tolist() == [0, 48, 96, 143, 191]
    assert result.plan.fire.picture(4)[OFTEN] == round(255 * 0.25)
    assert (session.view, session.step) == (FireView.PLAN, session.project.calendar.n_steps)


def test_baseline_and_plan_have_one_scale_that_says_what_it_is_of(
    panel: UncertaintyPanel, view: MapView, session: Session
) -> None:
    press(panel)
    with_plan = color_of(view, OFTEN)
    session.set_view(FireView.BASELINE)
    # A quarter without drops in one cell, a quarter with the plan in the other.
    assert color_of(view, SELDOM) == with_plan != 0
    assert color_of(view, OFTEN) != with_plan
    scale = view.decorations.caption.scale
    assert scale is not None
    assert (scale.title, scale.low, scale.high) == ("mean chance burned so far over 4 fires", "0", "1")
    session.set_view(FireView.DIFFERENCE)
    assert color_of(view, OFTEN, "difference") != 0
    assert view.decorations.caption.scale is not None
    assert view.decorations.caption.scale.title == "mean chance burned so far, no drops − plan, over 4 fires"
    assert caption(view)[0].startswith("Saved, mean · End of day 4")


def test_the_timeline_steps_by_days_and_the_caption_is_of_the_picture(
    qtbot: QtBot, panel: UncertaintyPanel, view: MapView, session: Session
) -> None:
    bar = TimelineBar(session)
    qtbot.addWidget(bar)
    press(panel)
    bar.step_by(-1)
    assert session.step == 150
    last = color_of(view, OFTEN)
    bar.step_by(-1)
    assert session.step == 100
    assert color_of(view, OFTEN) != last
    session.set_step(149)
    title, note = caption(view)
    assert "Day 3 · 21 Aug 2020 00:00" in title
    assert note == "Mean of 4 fires (chance of spread) of an ensemble"


def test_the_mouse_and_the_probe_read_the_mean_probability(
    panel: UncertaintyPanel, view: MapView, session: Session
) -> None:
    press(panel)
    said: list[str] = []
    view.hovered.connect(said.append)
    hand, inside = Hand(view), (OFTEN[0] + 0.5, OFTEN[1] + 0.5)
    hand.move(inside)
    view.flush()
    assert "mean chance burned so far 0.25" in said[-1]
    session.set_tool(Tool.PROBE)
    hand.click(inside)
    view.flush()
    assert "Mean Chance burned so far, no drops 0.75" in view.card.text
    assert "Mean Chance burning now, plan 0.13" in view.card.text
    assert "Fuel factor" not in view.card.text


def test_layers_that_an_ensemble_has_not_say_so(panel: UncertaintyPanel, view: MapView) -> None:
    press(panel)
    assert "not kept with means" in view.layers["retardant"].missing()
    assert "show the plan's run" in view.layers["drops"].missing()
    assert view.layers["burning"].missing() == ""
    scale = view.layers["burning"].legend.scale
    assert scale is not None and scale.title == "mean chance burning now over 4 fires"
    for key in ("retardant", "burning", "drops"):
        view.layers.set_visible(key, True)
    view.flush()
    assert raster_of(view, "retardant").pixels is None
    assert color_of(view, OFTEN, "burning") != 0


def test_an_ensemble_without_a_plan_shows_the_fire_without_drops_alone(
    panel: UncertaintyPanel, view: MapView, session: Session, project: Project, saved: Path
) -> None:
    save_ensemble(project, saved, name="20260202-000000-alone", plan=False, members=3)
    session.open_project(project, saved)
    pick(panel, "· 3")
    press(panel)
    assert session.view is FireView.BASELINE
    assert session.result.baseline is not None and session.result.plan is None
    session.set_view(FireView.PLAN)
    assert "the ensemble has no plan" in caption(view)[1]


# -- while members are drawn -------------------------------------------------------------------------------------------
def test_the_means_so_far_can_be_seen_and_follow_when_the_drawing_ends(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, project: Project
) -> None:
    header = read_header(save_ensemble(project, saved, name="20260303-000000-like"))

    def so_far(members: int) -> EnsembleReady:
        state, shape = state_of(project, plan=True, members=members), project.scenario.grid.shape
        return EnsembleReady(state.ensemble(UncertaintyKind.ALEATORIC, shape, 0.09, 4))

    def execute(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        assert isinstance(spec, UncertaintySpec)
        spec.out.mkdir(parents=True)
        write_header(spec.out, header)
        emit(so_far(2))
        while not control.stop_requested:
            sleep(0.001)
        emit(so_far(3))
        emit(RunFinished(FinishReason.STOPPED, "stopped", None, None, spec.out))

    controller = UncertaintyController(session, execute=execute)
    panel = UncertaintyPanel(session, queue, controller)
    qtbot.addWidget(panel)
    panel.show()
    panel.start()
    qtbot.waitUntil(panel.button("map").isEnabled)
    assert not panel.button("export").isEnabled()
    press(panel)
    assert session.result.title == "Mean of 2 of 4 fires (chance of spread)"
    controller.stop()
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert session.result.title == "Mean of 3 of 4 fires (chance of spread)"
    assert panel.button("export").isEnabled()
    controller.shutdown()
    controller.deleteLater()


# -- coming and going --------------------------------------------------------------------------------------------------
def test_a_second_click_brings_the_fire_back(panel: UncertaintyPanel, session: Session, queue: RunQueue) -> None:
    press(panel)
    assert panel.button("map").text() == "Back"
    press(panel)
    assert session.result.mean_of == 0
    assert session.result.title == "No drops"
    assert panel.button("map").text() == "Mean maps"


def test_another_ensemble_takes_the_place_of_the_one_on_the_map(
    panel: UncertaintyPanel, session: Session, project: Project, saved: Path
) -> None:
    save_ensemble(project, saved, name="20260202-000000-more", kind=UncertaintyKind.EPISTEMIC, members=7)
    session.folder_changed.emit()
    pick(panel, "· 4")
    press(panel)
    assert session.result.mean_of == 4
    pick(panel, "· 7")
    assert session.result.title == "Mean of 7 fires (model error)"
    assert panel.button("map").text() == "Back"


def test_an_edit_leaves_the_means_on_the_map_and_marks_them(
    qtbot: QtBot, panel: UncertaintyPanel, view: MapView, session: Session
) -> None:
    press(panel)
    session.set_planned_fleet("fewer", replace(session.project.fleet, types=session.project.fleet.types[:1]))
    qtbot.wait(500)
    assert session.result.mean_of == 4
    assert session.result.stale
    assert "inputs edited since this result" in caption(view)[1]
    session.undo_stack.undo()
    assert not session.result.stale


def test_an_ensemble_of_another_fleet_is_shown_as_such(
    panel: UncertaintyPanel, view: MapView, session: Session
) -> None:
    session.set_planned_fleet("fewer", replace(session.project.fleet, types=session.project.fleet.types[:1]))
    press(panel)
    assert session.result.mean_of == 4
    assert "inputs edited since this result" in caption(view)[1]


def test_fires_of_other_days_are_refused_for_they_would_be_dated_wrongly(
    panel: UncertaintyPanel, session: Session, refusals: list[InputError]
) -> None:
    session.set_plan("later", replace(session.project.plan, start_day=2))
    before = session.result
    press(panel)
    panel.play(1)
    assert session.result is before
    assert len(refusals) == 2
    for refusal in refusals:
        assert "4 days from 2020-08-19" in str(refusal) and "4 days from 2020-08-21" in str(refusal)
    assert panel.button("map").text() == "Mean maps"


def test_an_ensemble_of_another_event_is_refused(
    panel: UncertaintyPanel, session: Session, refusals: list[InputError]
) -> None:
    calm = replace(session.project.scenario, wind_speed=np.zeros_like(session.project.scenario.wind_speed))
    session.edit("calm", replace(session.project, scenario=calm))
    press(panel)
    assert session.result.mean_of == 0
    assert "another event" in str(refusals[0])


# -- exporting a plan --------------------------------------------------------------------------------------------------
def test_means_are_not_exported_as_a_plan(qtbot: QtBot, panel: UncertaintyPanel, session: Session) -> None:
    press(panel)
    dialog = ExportDialog(session)
    qtbot.addWidget(dialog)
    assert dialog.summary.text().startswith("The map shows Mean of 4 fires (chance of spread), which is not a plan.")
    assert "show its run from the list of runs" in dialog.summary.text()
    assert not dialog.save_button.isEnabled()


def test_the_fires_of_a_member_are_not_exported_as_the_plans(
    qtbot: QtBot, session: Session, project: Project, tmp_path: Path
) -> None:
    session.show_result(
        ShownResult("Member 2 (wind)", plan=frames(project), plan_metrics=metrics(), drops=(drop(3),), member=True)
    )
    dialog = ExportDialog(session)
    qtbot.addWidget(dialog)
    assert dialog.summary.text().startswith("The map shows Member 2 (wind), which is not a plan.")
    assert not dialog.save_button.isEnabled()
    dialog.folder.line.setText(str(tmp_path / "out"))
    with pytest.MonkeyPatch.context() as patch:
        told: list[InputError] = []
        patch.setattr("firegui.gui.exporting.export_dialog.show_problems", lambda _parent, error: told.append(error))
        dialog.accept()
    assert "the map shows Member 2 (wind), which is not a plan" in str(told[0])
    assert not (tmp_path / "out").exists()
