"""Plans of a benchmark on the map, and the benchmark as part of the whole window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from firegui.analyses.task_files import task_folder
from firegui.domain.benchmark import BenchmarkSettings, PlannerName, PlannerTask
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.layers.drop_layers import DropsLayer
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.map.readout import hover_text, probe_rows
from firegui.gui.planning.run_charts import AreaChart
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.io.coordinates import CoordinateFormat
from firegui.io.project.schedule_file import write_plan_safetensors
from tests.gui.benchmark_scene import save_benchmark
from tests.gui.fake_benchmarks import Contest
from tests.gui.fake_runs import drop, frames, metrics
from tests.gui.map_scene import open_map

P = PlannerName


@pytest.fixture
def folder(project: Project, saved: Path) -> Path:
    """Return a finished benchmark in a saved project."""
    return save_benchmark(saved, project)


def flying(project: Project, seed: int) -> Schedule:
    """Return drops near the fire."""
    steps, aircraft = project.calendar.n_steps, project.planned_fleet.n_aircraft
    random = np.random.default_rng(seed)
    logits = np.where(random.random((steps, aircraft)) < 0.5, 3.0, -3.0)
    poses = np.stack([random.uniform(15, 25, logits.shape), random.uniform(20, 50, logits.shape), logits * 0], axis=2)
    return Schedule(logits, poses)


def test_two_plans_on_the_map_are_named_and_leave_no_fire_behind(
    qtbot: QtBot, session: Session, project: Project, folder: Path
) -> None:
    for planner, seed in ((P.GRADIENT, 1), (P.TACTICAL, 2)):
        write_plan_safetensors(task_folder(folder, PlannerTask(planner, 0)) / "plan.safetensors", flying(project, seed))
    queue = RunQueue(session)
    controller = BenchmarkController(session, execute=Contest())
    panel = BenchmarkPanel(session, queue, controller)
    qtbot.addWidget(panel)
    qtbot.waitUntil(lambda: session.result.baseline is not None and not queue.activity, timeout=60_000)
    still = session.result.baseline
    controller.open(folder)
    panel.compare(PlannerTask(P.GRADIENT, 0), PlannerTask(P.TACTICAL, 0))
    assert session.result.baseline is None
    qtbot.waitUntil(lambda: session.result.plan is not None and not queue.activity, timeout=60_000)
    assert session.view is FireView.DIFFERENCE
    assert session.result.names == ("Quick plan (seed 0)", "Gradient (seed 0)")
    tactical = session.result.baseline
    assert still is not None and tactical is not None
    assert tactical.fire.sums()[-1] < still.fire.sums()[-1]
    queue.show_baseline()
    qtbot.waitUntil(lambda: session.result.baseline is not None and not queue.activity, timeout=60_000)
    assert session.result.names == ("no drops", "plan")
    np.testing.assert_array_equal(session.result.baseline.fire.whole(), still.fire.whole())
    queue.shutdown()
    queue.deleteLater()
    controller.deleteLater()


def test_the_map_and_the_area_chart_call_two_compared_plans_by_name(
    qtbot: QtBot, session: Session, project: Project
) -> None:
    view, chart = open_map(qtbot, session), AreaChart(session)
    qtbot.addWidget(chart)
    first, second = drop(1), drop(2)
    session.show_result(
        ShownResult(
            "Gradient", frames(project, 6), metrics(9.0), frames(project), metrics(3.0, 2), project=project,
            plan_name="Gradient", against="Quick plan", drops=(second,), first_drops=(first,),
        )
    )  # fmt: skip
    captions = {}
    for shown in FireView:
        session.set_view(shown)
        view.flush()
        captions[shown] = view.decorations.caption
    assert [captions[shown].title.split(" · ")[0] for shown in FireView] == [
        "Quick plan",
        "Gradient",
        "Gradient − Quick plan",
    ]
    drawn = {}
    for shown in FireView:
        session.set_view(shown)
        session.set_step(session.project.calendar.n_steps)
        view.flush()
        layer = view.layers["drops"]
        assert isinstance(layer, DropsLayer)
        drawn[shown] = layer.seen()
    assert drawn == {FireView.BASELINE: [first], FireView.PLAN: [second], FireView.DIFFERENCE: []}
    scale = captions[FireView.DIFFERENCE].scale
    assert scale is not None and scale.title == "Chance burned so far, Gradient − Quick plan"
    place = CellLocation(project.scenario.grid)
    shown_now = MapState.of(session)
    assert shown_now is not None
    assert hover_text(shown_now, place, 0.5, 0.5, CoordinateFormat.DDM).count("Gradient − Quick plan") == 1
    names = [name for name, _ in probe_rows(shown_now, place, (0, 0))]
    assert "Chance burned so far, Quick plan" in names and "Chance burned so far, Gradient" in names
    chart.refresh()
    assert "Gradient" in chart.legend.text() and "Quick plan" in chart.legend.text()


@pytest.mark.slow
def test_a_real_benchmark_is_run_stopped_resumed_and_shown(qtbot: QtBot, session: Session, folder: Path) -> None:
    queue, controller = RunQueue(session), BenchmarkController(session)
    panel = BenchmarkPanel(session, queue, controller)
    panel.start_requested.connect(panel.start)
    qtbot.addWidget(panel)
    wanted = BenchmarkSettings(planners=(P.NONE, P.UNIFORM, P.GRADIENT), seeds=1, allowance=1_500, budget=5)
    panel.form.set_settings(wanted)
    panel.form.processes.setValue(1)
    panel.button("start").click()
    qtbot.waitUntil(lambda: bool(controller.running) and controller.running[0].spent > 0, timeout=120_000)
    panel.button("stop").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=20_000)
    assert controller.shown is not None and controller.shown.table is not None and not controller.shown.table.complete
    panel.form.set_settings(wanted)
    panel.button("resume").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=300_000)
    assert controller.shown.table is not None and controller.shown.table.complete
    panel.play(PlannerTask(P.GRADIENT, 0))
    qtbot.waitUntil(lambda: session.result.plan is not None and not queue.activity, timeout=60_000)
    (row,) = (row for row in controller.shown.table.rows if row.task.planner is P.GRADIENT)
    assert session.result.plan_metrics == row.metrics
    queue.shutdown()
    controller.shutdown()
