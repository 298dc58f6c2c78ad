"""A replanned run that is reopened has the fire, curves and numbers that it ended with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.domain.observation import FireRecord
from firegui.domain.results import Metrics
from firegui.domain.units import Units
from firegui.gui.base.number_text import number
from firegui.gui.exporting.export_dialog import ExportSource, content_of
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.map.map_content import MapState
from firegui.gui.map.readout import caption_of
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.result_view import replan_html
from firegui.gui.planning.run_comparison import compared, run_comparison_spec
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import load_project, save_project
from firegui.runs.kept_fire import FIRE, saved_fire
from firegui.runs.replan_base import ReplanScores, read_scores
from firegui.runs.run_folder import STORE, RunFolder, read_drops, read_run
from firegui.runs.run_requests import replan_spec
from firegui.runs.stages import FinishReason
from tests.gui.fake_runs import wait_idle
from tests.support import GRID, STEPS_PER_DAY
from tests.unit.runs.replan_scene import DAY, DAYS, carry_out, old_schedule, project_of

LONG_MS = 60_000


@dataclass(frozen=True)
class Bench:
    """Queue on a saved project with one replanned run, which is shown."""

    session: Session
    queue: RunQueue
    entry: RunEntry

    @property
    def scores(self) -> ReplanScores:
        return read_scores(self.entry.folder)

    @property
    def nominal(self) -> Metrics:
        assert self.scores.nominal is not None
        return self.scores.nominal

    @property
    def baseline(self) -> Metrics:
        assert self.scores.baseline is not None
        return self.scores.baseline

    @property
    def kept(self) -> FireRecord:
        kept = saved_fire(self.entry.folder).kept
        assert kept is not None
        return kept


@pytest.fixture(scope="module", params=["observed", "drawn"])
def replanned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose only run was replanned."""
    place = tmp_path_factory.mktemp("replanned")
    folder = place / "P.firegui"
    save_project(project_of(3), folder)
    project = load_project(folder)
    plan, drawn = place / "old.safetensors", request.param == "drawn"
    write_plan_safetensors(plan, old_schedule(project))
    out = folder / "runs" / "20260304-050607-A-replan"
    carry_out(replan_spec(project, folder, out, plan, 1 if drawn else DAY, closed_loop=drawn, backend="cpu"))
    return folder


@pytest.fixture
def folder(replanned: Path, tmp_path: Path) -> Path:
    """Return a copy of the project that a test may change."""
    return Path(shutil.copytree(replanned, tmp_path / replanned.name))


@pytest.fixture
def queue(session: Session, folder: Path) -> Iterator[RunQueue]:
    made = RunQueue(session)
    session.open_project(load_project(folder), folder)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def bench(qtbot: QtBot, session: Session, queue: RunQueue, folder: Path) -> Bench:
    wait_idle(qtbot, queue, LONG_MS)
    (entry,) = queue.entries
    queue.show(entry)
    wait_idle(qtbot, queue, LONG_MS)
    return Bench(session, queue, entry)


def test_map_chart_table_drops_and_export_have_the_numbers_of_the_result(qtbot: QtBot, bench: Bench) -> None:
    session, nominal, result = bench.session, bench.nominal, bench.session.result
    assert (result.plan_metrics, result.baseline_metrics) == (nominal, bench.baseline)
    assert result.drops == read_drops(bench.entry.folder)
    flown_before = 0 if bench.kept.is_drawn else bench.scores.drops_flown
    assert sum(drop.executed for drop in result.drops) == nominal.drops_executed + flown_before
    # The map, at every observed morning and at the end.
    known = bench.kept.plan
    for index, step in enumerate(known.steps_known(STEPS_PER_DAY)):
        np.testing.assert_array_equal(_fire_on_map(session, step), 255 * known.state(index).fire)
    for view, metrics in ((FireView.PLAN, nominal), (FireView.BASELINE, bench.baseline)):
        last = _fire_on_map(session, DAYS * STEPS_PER_DAY, view)
        assert last.sum() / 255 == pytest.approx(metrics.final_extent_cells, rel=0.01)
    # The chart and the table.
    panel = ProgressPanel(session, bench.queue)
    qtbot.addWidget(panel)
    panel.refresh()
    for text in (number(nominal.final_extent_ha), number(bench.baseline.final_extent_ha)):
        assert text in panel.area.legend.text()
    assert ("no further drops" in panel.area.legend.text()) is not bench.kept.is_drawn
    ends = sorted(float(panel.area.curve_points(curve)[1][-1]) for curve in (0, 1))
    assert ends == pytest.approx(sorted((nominal.final_extent_ha, bench.baseline.final_extent_ha)), rel=0.01)
    assert Units.METRIC.area_number(nominal.final_extent_ha) in panel.result.text
    # The export of what is shown.
    content = content_of(ExportSource.of(session), None)
    assert content.plan is not None and content.baseline is not None
    for fire, metrics in ((content.plan, nominal), (content.baseline, bench.baseline)):
        assert fire.first == known.first
        assert float(fire.days[-1].sum()) == pytest.approx(metrics.final_extent_cells, rel=1e-5)
        assert float(fire.days[-1].sum()) * GRID.cell_area_ha == pytest.approx(metrics.final_extent_ha, rel=1e-5)
    assert content.fire == bench.entry.fire and any("replanned run keeps" in note for note in content.notes)
    assert sum(row.drop.executed for row in content.rows) == sum(drop.executed for drop in result.drops)


def test_the_result_says_that_map_and_exports_have_the_kept_fire(bench: Bench) -> None:
    assert bench.entry.replan is not None
    which = "drawn" if bench.kept.is_drawn else "observed"
    assert f"have the {which} fire" in replan_html(bench.entry, bench.entry.replan)
    assert bench.entry.fire == which


def test_a_comparison_has_each_run_on_its_own_fire_and_names_it(bench: Bench) -> None:
    spec = run_comparison_spec(bench.entry, bench.entry, "cpu")
    assert spec.fire is not None and spec.against_fire is not None
    plain = RunEntry("plain", bench.entry.folder, bench.entry.project)
    spec = run_comparison_spec(plain, bench.entry, "cpu")
    assert spec.fire is not None and spec.against_fire is None
    row = next(row for row in compared((plain, bench.entry)) if row.what == "Fire")
    assert row.values == ("simulated", bench.entry.fire)


def test_the_map_names_the_fire(bench: Bench) -> None:
    session, layers = bench.session, LayerStack(bench.session)
    session.set_view(FireView.BASELINE)
    caption = caption_of(MapState.of(session), layers)
    drawn = bench.kept.is_drawn
    assert caption.title.startswith("No drops" if drawn else "No further drops")
    assert ("drawn fire" if drawn else "observed fire") in caption.note
    session.set_view(FireView.PLAN)
    assert "fire" in caption_of(MapState.of(session), layers).note


def test_another_plan_does_not_stand_beside_the_baseline_of_the_kept_fire(qtbot: QtBot, bench: Bench) -> None:
    shown: list[ShownResult] = []
    bench.session.result_changed.connect(lambda: shown.append(bench.session.result))
    bench.queue.show_baseline()
    assert shown[0].baseline is None and shown[0].fire == ""
    wait_idle(qtbot, bench.queue, LONG_MS)
    shown.clear()
    bench.queue.show(bench.entry)
    assert shown[0].baseline is None and shown[0].fire == bench.entry.fire
    wait_idle(qtbot, bench.queue, LONG_MS)


def test_drops_that_are_changed_by_hand_are_on_the_simulated_fire_and_the_map_says_so(bench: Bench) -> None:
    session, before = bench.session, bench.session.result
    editor = session.plan_editor
    editor.edit("remove a drop", DropList(editor.drops.drops[:-1]), None)
    result = session.result
    assert result.plan_name.endswith("edited by hand, on the simulated fire")
    assert result.fire == "" and result.baseline is None
    session.undo_stack.undo()
    assert session.result is before


def test_a_run_whose_fire_was_not_kept_says_so_on_screen(
    qtbot: QtBot, session: Session, queue: RunQueue, folder: Path
) -> None:
    (entry,) = queue.entries
    (entry.folder / FIRE).unlink()
    heard: list[str] = []
    queue.logged.connect(lambda text, level: heard.append(text) if level == "warning" else None)
    session.open_project(load_project(folder), folder)
    wait_idle(qtbot, queue, LONG_MS)
    (entry,) = queue.entries
    queue.show(entry)
    wait_idle(qtbot, queue, LONG_MS)
    assert any("fire was kept" in text for text in heard)
    assert session.result.plan is not None
    assert entry.replan is not None and "was not kept" in replan_html(entry, entry.replan)


def test_a_damaged_fire_is_refused_with_one_message(
    qtbot: QtBot, session: Session, queue: RunQueue, folder: Path
) -> None:
    wait_idle(qtbot, queue, LONG_MS)
    (entry,) = queue.entries
    (entry.folder / FIRE).write_bytes(b"torn")
    refused: list[Exception] = []
    session.refused.connect(refused.append)
    shown = session.result
    queue.show(entry)
    assert len(refused) == 1 and FIRE in str(refused[0])
    assert session.result is shown


def test_a_score_that_is_kept_later_does_not_lose_the_days_of_the_run(
    qtbot: QtBot, session: Session, queue: RunQueue, folder: Path
) -> None:
    (entry,) = queue.entries
    scores, folder_of_run = read_scores(entry.folder), entry.folder
    if scores.loop:
        pytest.skip("a closed loop is not scored later")
    header = replace(read_run(folder_of_run).header, reason=FinishReason.STOPPED)
    STORE.write(folder_of_run, header)
    RunFolder(folder_of_run).write_scores(replace(scores, nominal=None))
    session.open_project(load_project(folder), folder)
    wait_idle(qtbot, queue, LONG_MS)
    (entry,) = queue.entries
    queue.show(entry)
    wait_idle(qtbot, queue, LONG_MS)
    assert read_scores(folder_of_run) == scores


def _fire_on_map(session: Session, step: int, view: FireView = FireView.PLAN) -> NDArray[np.uint8]:
    """Return what the occupancy layer draws."""
    session.set_view(view)
    session.set_step(step)
    shown = MapState.of(session)
    assert shown is not None
    found = shown.frame(shown.frames, "fire")
    assert found is not None
    return found
