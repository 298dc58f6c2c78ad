"""Edited drops with the real engine: a quick plan, a moved drop, its fire, and its run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.drop_edits import make, moved
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.session.session import Session, Tool
from firegui.io.project.store import save_project
from firegui.runs.run_folder import read_drops
from firegui.runs.runner import execute as real_execute
from firegui.runs.stages import Stage
from tests.gui.conftest import Execute
from tests.gui.plan_editor_scene import settled, shows_preview_of

WAIT_MS = 120_000


@pytest.fixture
def execute() -> Execute:
    return real_execute


def test_the_fire_while_dragging_that_of_playback_and_that_of_the_kept_run_are_one(
    qtbot: QtBot, session: Session, queue: RunQueue, tmp_path: Path
) -> None:
    folder = tmp_path / "ridge.firegui"
    save_project(session.project, folder)
    session.mark_saved(folder)
    queue.plan((Stage.TACTICAL,))
    qtbot.waitUntil(lambda: not queue.is_busy and not queue.activity, timeout=WAIT_MS)
    plan_preview = PlanPreview(session, queue)
    try:
        drops = session.plan_editor.drops
        assert drops.drops and drops == DropList.of(session.result.drops)
        before = session.result.plan_metrics
        chosen = next(
            drop for drop in drops.drops if not moved(session, drop, replace(drop, y=drop.y, x=drop.x + 4.0)).broken
        )
        session.set_tool(Tool.DROP)
        session.set_step(session.project.calendar.n_steps)
        change = moved(session, chosen, replace(chosen, x=chosen.x + 4.0))
        session.plan_editor.request_preview(change)
        qtbot.waitUntil(lambda: shows_preview_of(session, change), timeout=WAIT_MS)
        look = session.plan_editor.preview
        assert look is not None and look.before is not None and before is not None and look.fire is not None
        assert look.before.final_extent_cells == before.final_extent_cells
        assert make(session, change)
        settled(qtbot, session)
        plan = session.result.plan
        assert plan is not None and np.array_equal(plan.fire.picture(-1), look.fire)
        assert session.result.plan_metrics == look.after
        # Saved with the project, the drops are a run.
        session.mark_saved(folder)
        qtbot.waitUntil(lambda: len(queue.entries) == 2 and not queue.is_busy, timeout=WAIT_MS)
        kept = queue.entries[-1]
        assert kept.nominal is not None and kept.nominal.final_extent_cells == look.after.final_extent_cells
        assert DropList.of(read_drops(kept.folder)) == change.after and "by hand" in kept.title
    finally:
        plan_preview.shutdown()
