from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.analyses.uncertainty.report import UNBURNED, below_start_text, notes, replan_note
from firegui.domain.ensemble import Ensemble
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.runs.run_folder import STORE
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import ReplanNote
from tests.support import make_project
from tests.unit.runs.fakes import carried_out

KIND = UncertaintyKind


def ensemble(kind: KIND, *, plan: bool = True) -> Ensemble:
    """A mean that falls below the start on day 2 without drops, with the plan on day 1."""
    extent = np.array([[[2391.0, 2400.0, 2380.0]] * 2, [[2391.0, 900.0, 400.0]] * 2])[: 2 if plan else 1]
    maps = np.zeros((len(extent), 3, 1, 1), np.float32)
    return Ensemble(kind, extent, extent, maps, maps, 0.09, 2)


def test_a_mean_below_the_start_is_told_with_why_where_the_model_error_is_drawn() -> None:
    text = below_start_text(ensemble(KIND.EPISTEMIC))
    for part in (" ha that burned at the start", "no drops, end of day 2", "with the plan, end of day 1"):
        assert part in text
    assert "the error, like water drops, may unburn them" in text
    assert "water" not in below_start_text(ensemble(KIND.EPISTEMIC, plan=False))
    assert below_start_text(ensemble(KIND.ALEATORIC)) == ""


@pytest.mark.parametrize("source", ErrorSource)
def test_every_model_error_says_that_it_may_unburn_the_start(source: ErrorSource) -> None:
    said = list(notes(make_project(), UncertaintySettings(KIND.EPISTEMIC, error=source)))
    assert len(said) == 2 and said[1] == UNBURNED
    assert UNBURNED not in list(notes(make_project(), UncertaintySettings(KIND.WEATHER)))


def test_a_schedule_of_a_replanned_run_is_said_to_be_for_another_fire(tmp_path: Path) -> None:
    project, run = make_project(), tmp_path / "run"
    carried_out(PlanSpec(project, run, "again"))
    schedule, header = run / "plan.safetensors", STORE.read(run)
    assert list(replan_note(schedule, project)) == []
    (run / "run.toml").write_text(replace(header, replan=ReplanNote(day=1, flown="")).text(), encoding="utf-8")
    (said,) = replan_note(schedule, project)
    assert f"{project.calendar.date_of_day(1):%Y-%m-%d}" in said
    (run / "run.toml").write_text("damaged", encoding="utf-8")
    assert list(replan_note(schedule, project)) == []
    assert list(replan_note(tmp_path / "other.csv", project)) == list(replan_note(None, project)) == []
