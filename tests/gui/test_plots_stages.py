"""Pages of the progress dock: the second stage as curves, and the result of both stages as a table."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.plan_summary import RegionSummary, plan_summary
from firegui.domain.project import Project
from firegui.domain.settings import Margin
from firegui.domain.stress import GROWTH_LEFT, case_text, worst_case_text
from firegui.domain.units import Units, percent_text
from firegui.gui.charts.chart import Chart
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import FIRST, RESULT, SECOND, ProgressPanel
from firegui.gui.planning.result_view import (
    cautious_text,
    details_html,
    removed_text,
    replan_html,
    report_html,
    report_parts,
)
from firegui.gui.session.session import Session
from firegui.runs.control import RunControl
from firegui.runs.events import PlanUpdated, RunEvent, RunFinished, StageBegan, StressTestProgress
from firegui.runs.spec import RunSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.gui.analyses.scene import stress_table
from tests.gui.fake_runs import FakeExecute, epoch_done, frames, metrics, removal, replan_scores, wait_idle
from tests.gui.readouts import cursor_of, level_text_of, mark_texts_of, ticks_of
from tests.support import make_project

BOTH = (Stage.OPTIMIZE, Stage.PRUNE)


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=8)


def run_to_end(qtbot: QtBot, queue: RunQueue, stages: tuple[Stage, ...] = BOTH) -> RunEntry:
    entry = queue.plan(stages)
    wait_idle(qtbot, queue)
    return entry


@pytest.fixture
def ended(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> RunEntry:
    """Return the charts of a finished run."""
    entry = run_to_end(qtbot, queue)
    plots.refresh()
    return entry


def page_button(plots: ProgressPanel, text: str) -> QAbstractButton:
    return next(button for button in plots.findChildren(QToolButton) if button.text() == text)


# -- pages -------------------------------------------------------------------------------------------------------------
def test_the_page_turns_with_the_stage(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    assert plots.page == FIRST
    run_to_end(qtbot, queue)
    assert plots.page == SECOND
    run_to_end(qtbot, queue, (Stage.OPTIMIZE,))
    assert plots.page == FIRST


def test_who_reads_the_result_is_left_alone(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, execute: FakeExecute
) -> None:
    entry = run_to_end(qtbot, queue, (Stage.OPTIMIZE,))
    page_button(plots, "Result").click()
    entry.begin_stage(StageBegan(Stage.PRUNE, 2, 2, ""))
    queue.epochs_added.emit(entry)
    assert plots.page == RESULT


def test_a_person_turns_the_pages(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    run_to_end(qtbot, queue)
    page_button(plots, "Place drops").click()
    assert plots.objective.isVisible()
    assert not plots.left.isVisible()
    queue.epochs_added.emit(queue.shown)
    assert plots.page == FIRST
    page_button(plots, "Remove drops").click()
    assert plots.left.isVisible()
    assert not plots.objective.isVisible()


# -- the second stage --------------------------------------------------------------------------------------------------
def test_the_drops_left_are_drawn_against_rollouts(plots: ProgressPanel, ended: RunEntry) -> None:
    x, y = plots.left.curve_points(0)
    assert (x.tolist(), y.tolist()) == ([3, 6, 9, 12], [11, 10, 9, 8])
    assert (plots.left.level, level_text_of(plots.left)) == (12, "before")
    assert plots.left.title.text() == "Drops left · round 1"
    assert plots.left.legend.text() == "8 · before 12 · −33 %"


def test_the_constraints_are_drawn_against_their_limit_and_the_others_left_out(
    plots: ProgressPanel, ended: RunEntry
) -> None:
    assert plots.slack.level == 1.0
    assert plots.slack.curve_points(0)[1] == pytest.approx([0.91, 0.92, 0.93, 0.94])
    assert len(plots.slack.curve_points(2)[0]) == 0
    assert plots.slack.legend.text() == "burn 0.940 · final 0.980"


def test_with_a_margin_the_constraints_are_one_curve_of_the_worst_scenario(
    plots: ProgressPanel, ended: RunEntry, project: Project
) -> None:
    margin = replace(project.plan.margin, kind=Margin.STRESS)
    ended.project = replace(project, plan=replace(project.plan, margin=margin))
    plots.refresh()
    assert plots.slack.legend.text() == "worst scenario 0.940"
    assert [len(plots.slack.curve_points(line)[0]) for line in range(3)] == [4, 0, 0]


def two_passes() -> list[object]:
    again = [replace(removal(k), passes=2, removed=k - 5) for k in (5, 6)]
    return [*(removal(k) for k in range(1, 5)), *again]


def test_every_pass_after_the_first_is_marked(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    entry = run_to_end(qtbot, queue)
    assert plots.left.marks == {}
    entry.removals.extend(two_passes())  # type: ignore[arg-type]
    plots.refresh()
    assert plots.left.marks == plots.removed.marks == {15.0: ""}
    assert mark_texts_of(plots.left) == [], "no text covers the curves"
    assert plots.removed.legend.text() == "1 in round 2"


def test_charts_of_drops_have_whole_numbers_however_few_there_are(plots: ProgressPanel, ended: RunEntry) -> None:
    for chart, side in ((plots.drops, "left"), (plots.left, "left"), (plots.removed, "left"), (plots.left, "bottom")):
        axis = chart.item.getAxis(side)
        for low, high in ((0.0, 1.2), (3.9, 5.1), (0.0, 12.0), (0.0, 1e6)):
            ticks = [tick for _space, values in axis.tickValues(low, high, 300) for tick in values]
            assert ticks and all(tick == round(tick) for tick in ticks)
    seconds = plots.elapsed.item.getAxis("left").tickValues(0.0, 1.2, 300)
    assert any(tick != round(tick) for _space, values in seconds for tick in values)


def test_no_batch_is_named_where_there_is_none(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    entry = run_to_end(qtbot, queue)
    entry.state = RunState.RUNNING
    entry.removals.extend([replace(removal(99), batch=0)])
    plots.refresh()
    assert plots.removed.legend.text() == "99 in round 1"


def test_pointing_at_a_rollout_reads_it_out_on_every_chart(plots: ProgressPanel, ended: RunEntry) -> None:
    plots.slack.hovered.emit(6.4)
    assert plots.left.title.text() == "Drops left · round 1 · simulation 6"
    assert plots.left.legend.text() == "10 · before 12 · −17 %"
    assert plots.removed.legend.text() == "2 in round 1 · batches of 4"
    assert cursor_of(plots.slack) == 6
    plots.slack.hovered.emit(None)
    assert plots.left.legend.text().startswith("8 ·")
    assert cursor_of(plots.slack) is None


def test_a_run_of_one_stage_leaves_no_curves_of_another(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    run_to_end(qtbot, queue)
    run_to_end(qtbot, queue, (Stage.OPTIMIZE,))
    plots.refresh()
    assert len(plots.left.curve_points(0)[0]) == 0
    assert plots.left.level is None
    assert plots.left.title.text() == "Drops left"


def test_marks_come_and_go(qtbot: QtBot) -> None:
    chart = Chart("c", "x")
    qtbot.addWidget(chart)
    chart.set_curve(chart.add_curve("accent"), np.arange(10), np.arange(10))
    chart.set_marks([(2.0, "round 2"), (5.0, "pass 3")])
    chart.set_marks([(5.0, "3"), (7.0, "4")])
    assert chart.marks == {5.0: "3", 7.0: "4"}
    assert chart.item.vb.viewRange()[0][1] < 12


def test_texts_of_marks_do_not_overlap_and_stay_in_the_chart(qtbot: QtBot) -> None:
    chart = Chart("c", "x")
    qtbot.addWidget(chart)
    chart.set_curve(chart.add_curve("accent"), np.arange(101), np.arange(101))
    chart.set_marks([(10.0, "round 2"), (13.0, "pass 3"), (16.0, "pass 4"), (98.0, "pass 5")])
    chart.show()
    for width, texts in ((200, ["round 2", "pass 5"]), (2400, ["round 2", "pass 3", "pass 4", "pass 5"])):
        chart.resize(width, 160)
        qtbot.waitUntil(lambda texts=texts: mark_texts_of(chart) == texts)  # type: ignore[misc]
        last = chart._marks[98.0].label
        assert last.mapRectToScene(last.boundingRect()).right() <= chart.item.vb.sceneBoundingRect().right()


def test_the_numbers_of_a_narrow_chart_do_not_overlap(qtbot: QtBot) -> None:
    chart = Chart("c", "rollouts")
    qtbot.addWidget(chart)
    chart.set_curve(chart.add_curve("accent"), np.arange(0, 17_001, 100), np.arange(171))
    chart.show()
    for width, texts in ((600, ["0", "5000", "10000", "15000"]), (120, ["0", "5000"])):
        chart.resize(width, 160)
        qtbot.waitUntil(lambda texts=texts: ticks_of(chart) == texts)  # type: ignore[misc]


# -- the result --------------------------------------------------------------------------------------------------------
def plain(html: str) -> list[str]:
    """Return the lines of a table, with cells separated by ``|``."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        "|".join(
            re.sub("<.*?>|&nbsp;", "", re.sub("&nbsp;(?=%|ha|acres)", " ", cell))
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row)
        )
        for row in rows
    ]


def figures(html: str) -> list[str]:
    """Return the lines of the table of key figures, with cells separated by ``|``."""
    rows = re.findall(r"<tr>(.*?)</tr>", html.partition("</table>")[0])
    return [re.sub("<.*?>", "", row.replace("</td><td", "</td>|<td")).replace("&nbsp;", " ") for row in rows]


def pruned_entry(tmp_path: Path) -> RunEntry:
    entry = RunEntry("Whole fire, 19 Aug 12:00", tmp_path, stages=BOTH, stage=Stage.PRUNE, epochs=4)
    entry.state, entry.reason = RunState.FINISHED, FinishReason.COMPLETED
    entry.message = "12 drops reduced to 8 in 1 pass: no single <remaining> drop can be removed"
    entry.add_epochs([epoch_done(k) for k in range(4)])
    entry.removals.extend([removal(k) for k in range(1, 5)])
    entry.baseline, entry.plan, entry.nominal = metrics(24.6), metrics(2.6, 8), metrics(2.1, 8)
    entry.reference = metrics(2.0, 12)
    return entry


def test_the_result_says_what_pruning_took_and_gave(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    assert plain(details_html(entry)) == [
        "|no drops|drops placed|drops removed",
        "Drops|0|12|8 (−33 %)",
        "Objective, cautious · expected|24.6|5.00 · 2.00|2.60 · 2.10",
        # A share of 0.2 of the raster is 9 ha in the fire without drops, and the best epoch has as much.
        "Fire at the end, ha, cautious · expected|9.0|9.0 · 9.0|9.0 · 9.0",
        "Fire simulations · time||12 · 0:00|12 · 0:02",
    ]
    assert "no single &lt;remaining&gt; drop can be removed" in report_html(entry)


def test_the_result_has_the_growth_that_is_left_in_the_model_and_in_the_worst_case(
    plots: ProgressPanel, tmp_path: Path
) -> None:
    entry = pruned_entry(tmp_path)
    entry.stress = stress_table()
    lines = plain(details_html(entry))
    nominal, worst = entry.stress.nominal.share_worst, worst_case_text(entry.stress)
    assert lines[2] == f"Growth left, model · worst case|||{percent_text(nominal)} · {worst}"
    entry.summary = plan_summary(make_project(), [], None, {2: 5.5}, {1: 40.0, 2: 1204.0})
    entry.summary = replace(entry.summary, stress=entry.stress)
    plots.result.show_run(entry)
    tips = [label.toolTip() for label in plots.result.findChildren(QLabel) if "Growth left" in label.text()]
    assert GROWTH_LEFT not in report_html(entry) and GROWTH_LEFT in " ".join(tips[0].split())


def test_growth_in_regions_is_told_at_cautious_effectiveness_too(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    table = stress_table()
    nominal, *others = (
        replace(
            one,
            start_protected=10.0,
            protected_no_drops=110.0,
            draws=tuple(replace(draw, protected_cells=20.0) for draw in one.draws),
        )
        for one in (table.nominal, *table.results)
    )
    entry.nominal = metrics(2.1, 8)
    entry.plan = replace(metrics(2.1, 8), protected_cells=35.0)
    summary = plan_summary(make_project(), [], None, {2: 5.5}, {1: 40.0, 2: 1204.0})
    region = RegionSummary("R1", 52.0, 0.4, 31.0)
    entry.stress = replace(table, nominal=nominal, results=tuple(others))
    entry.summary = replace(summary, stress=entry.stress, regions=(region,))
    assert "Growth in regions|10 %|25 %|10 %" in plain(report_parts(entry).headline)


def test_the_result_of_a_replanned_run_names_the_effectiveness_that_it_is_scored_at(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    html = replan_html(entry, replan_scores(2))
    assert "Replanned from day 3 on, scored at expected effectiveness; 4 drops flown before are not counted" in html
    assert plain(html)[:2] == ["|new plan|old plan continued|no further drops", "Further drops|3|7|0"]


def test_a_run_that_only_pruned_says_what_it_knows(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    entry.history = type(entry.history)()
    assert plain(details_html(entry))[1:3] == [
        "Drops|0|12|8 (−33 %)",
        "Objective, cautious · expected|24.6|– · 2.00|2.60 · 2.10",
    ]


def test_a_run_of_the_first_stage_has_no_column_for_the_second(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    entry.stage, entry.stages, entry.removals = Stage.OPTIMIZE, (Stage.OPTIMIZE,), type(entry.removals)()
    assert plain(details_html(entry))[0] == "|no drops|plan"


def test_a_run_at_work_says_when_the_rest_is_known(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    entry.state, entry.nominal = RunState.RUNNING, None
    assert "come when the run has ended" in report_html(entry)
    assert entry.plan is not None
    size = Units.METRIC.area(entry.plan.final_extent_ha).replace(" ", "&nbsp;")
    assert f"cautious: {size}" in report_html(entry)


def _updated(project: Project, size_ha: float, *, is_cautious: bool = False) -> PlanUpdated:
    scored = replace(metrics(2.0), final_extent_ha=size_ha)
    return PlanUpdated(0, scored, frames(project), (), is_cautious=is_cautious)


def test_the_size_is_cautious_until_the_plan_is_scored_at_expected_effectiveness(
    qtbot: QtBot, session: Session, project: Project, tmp_path: Path
) -> None:
    known: list[tuple[float | None, float | None]] = []

    def plan(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        emit(_updated(project, 7.8, is_cautious=True))
        wait_for(1)
        emit(_updated(project, 5.7))
        emit(StressTestProgress(1, 10, "stress test: late", 0.1))
        wait_for(2)
        emit(RunFinished(FinishReason.STOPPED, "stopped", None, None, None))

    def wait_for(count: int) -> None:
        while len(known) < count:
            time.sleep(0.002)

    queue = RunQueue(session, execute=plan)
    session.open_project(project, tmp_path / "p.firegui")
    try:
        entry = queue.plan()
        qtbot.waitUntil(lambda: entry.plan is not None)
        cautious = report_html(entry)
        known.append((7.8, None))
        qtbot.waitUntil(lambda: entry.is_stress_testing)
        assert entry.nominal is not None and entry.plan is not None
        expected, details = report_html(entry), plain(details_html(entry))
        known.append((7.8, 5.7))
        wait_idle(qtbot, queue)
    finally:
        known.extend([(None, None)] * 2)
        queue.shutdown()
    assert "cautious: 7.8&nbsp;ha" in cautious
    assert "5.7&nbsp;ha" in expected and "autious" not in expected
    assert any("7.8 · 5.7" in line for line in details)


def test_the_result_page_follows_the_shown_run(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    assert "No run is shown" in plots.result.text
    plots.show_page(FIRST)
    assert "No run is shown" in plots.note.text() and plots.note.wordWrap()
    run_to_end(qtbot, queue)
    plots.refresh()
    assert not plots.note.text()
    assert "drops removed" in plots.result.text


def test_a_result_leads_with_one_size_and_says_below_why_another_one_was_shown_during_the_run(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    entry.reference, entry.nominal, entry.plan = metrics(2.1, 716), metrics(2.1, 250), metrics(2.1, 250)
    entry.reference = replace(entry.reference, final_extent_ha=5.6)
    entry.nominal = replace(entry.nominal, final_extent_ha=13.9)
    entry.plan = replace(entry.plan, final_extent_ha=14.7)
    removed = "Drops removed that the limit does not need: 466 fewer, 8.3 ha more burned."
    assert cautious_text(entry) == (
        "Cautious: 14.7 ha, as if drops worked less well than expected. The run showed this size while it worked."
    )
    entry.summary = plan_summary(make_project(), [], None, {2: 13.9}, {1: 40.0, 2: 1204.0})
    html = report_html(entry)
    parts = report_parts(entry)
    assert plain(parts.headline)[:3] == ["|expected|cautious", "Final size, ha|13.9|14.7", "Growth left|–|–"]
    said = cautious_text(entry).replace("14.7 ha", "14.7&nbsp;ha")
    assert said in parts.prose and said not in parts.headline + parts.below
    # How much the removal cost is a difference of sizes, and stands under Details.
    assert removed not in html and removed_text(entry) == removed and removed in details_html(entry)
    entry.plan = entry.nominal
    assert cautious_text(entry) == "" and removed_text(entry) == removed
    entry.nominal = replace(entry.nominal, final_extent_ha=5.6)
    assert removed_text(entry) == ""
    entry.reference, entry.plan = entry.nominal, None
    assert cautious_text(entry) == ""
    entry.nominal = None
    assert cautious_text(entry) == removed_text(entry) == ""


def test_the_result_opens_with_what_is_reported_and_has_a_row_a_day(tmp_path: Path) -> None:
    entry = pruned_entry(tmp_path)
    entry.nominal = entry.baseline = metrics(2.1, 8)
    assert figures(report_html(entry))[:2] == ["Final size|9.0 ha   9.0 ha without drops", "Saved|0.0 %"]
    entry.summary = plan_summary(make_project(), [], None, {2: 5.5}, {1: 40.0, 2: 1204.0})
    html = report_html(entry)
    assert html.index("Not stress-tested") < html.index("Final size")
    assert plain(html)[:2] == ["|expected|cautious", "Final size, ha|5.5|9.0"]
    # The final size and what is saved stand out, and nothing else.
    assert re.findall("<b(?: [^>]*)?>(.*?)</b>", html) == ["5.5", "9.0", "99.5&nbsp;%"]
    entry.stress = stress_table()
    entry.summary = replace(entry.summary, stress=entry.stress, verdict="Holds in all 2 scenarios")
    html = report_html(entry)
    assert entry.summary.verdict and html.index(entry.summary.verdict) < html.index("Final size")
    parts = report_parts(entry)
    worst = entry.stress.worst
    burned = Units.METRIC.area_number(worst.cells_worst * entry.summary.cell_ha)
    assert plain(parts.headline)[:3] == [
        "|expected|cautious|worst case",
        f"Final size, ha|5.5|9.0|{burned}",
        f"Growth left|0.5 %|–|{percent_text(worst.share_worst)}",
    ]
    assert f"Worst case: {case_text(worst.scenario)}".replace(" %", "&nbsp;%") in parts.headline
    assert not re.search(r"\d (%|ha)", "".join(parts)), "no number breaks before its unit"
    assert plain(parts.days)[-2:] == [
        "1|2020-08-19|0|–|0|–|–|40.0 ha",
        "2|2020-08-20|0|–|0|–|5.5 ha|1,204 ha",
    ]
    assert "Objective" not in html


def test_the_result_warns_of_a_fire_outside_the_training_of_its_model(tmp_path: Path) -> None:
    entry, badge = pruned_entry(tmp_path), "wind beyond what the fire model learned from"
    entry.nominal = entry.baseline = metrics(2.1, 8)
    entry.summary = plan_summary(make_project(), [], None, {2: 5.5}, {1: 40.0, 2: 1204.0})
    assert badge not in report_html(entry)
    entry.summary = replace(entry.summary, outside=badge)
    assert badge in report_html(entry)


def test_objective_and_stages_are_folded_away(plots: ProgressPanel, tmp_path: Path) -> None:
    plots.result.show_run(pruned_entry(tmp_path))
    (details,) = (label for label in plots.result.findChildren(QLabel) if "Objective" in label.text())
    assert details.isHidden() or not details.isVisibleTo(plots.result)
