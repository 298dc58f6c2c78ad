"""Ensembles and robustness tables on processes of this machine: what this process computes, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.analyses.sensitivity.results import read_table
from firegui.analyses.uncertainty.ensemble_file import read_members
from firegui.analyses.uncertainty.results import MEMBERS, STATE, SUMMARY, TABLE
from firegui.domain.sensitivity import DesignRow, SensitivityKind, SensitivitySettings, design_folder
from firegui.domain.settings import Effectiveness
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.workers import WorkerSettings
from firegui.runs.control import RunControl
from firegui.runs.events import EnsembleReady, MembersDone, RunEvent
from firegui.runs.run_folder import PLAN
from firegui.runs.runner import execute
from firegui.runs.spec import SensitivitySpec, UncertaintySpec
from firegui.runs.stages import FinishReason
from tests.support import make_project
from tests.unit.ensembles.worlds import blown_project
from tests.unit.runs.fakes import end, two_drops

TWO = WorkerSettings(workers=2)


def carried(spec: UncertaintySpec | SensitivitySpec, control: RunControl | None = None) -> list[RunEvent]:
    events: list[RunEvent] = []
    execute(spec, events.append, control or RunControl())
    return events


def ensemble_spec(out: Path, kind: UncertaintyKind, **changes: object) -> UncertaintySpec:
    project = blown_project() if kind is UncertaintyKind.WEATHER else make_project()
    settings = UncertaintySettings(kind, members=9, seed=5, error=ErrorSource.PAPER, threshold=0.2)
    spec = UncertaintySpec(project, out, "again", settings, two_drops(project), backend="cpu")
    return replace(spec, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [UncertaintyKind.ALEATORIC, UncertaintyKind.EPISTEMIC, UncertaintyKind.WEATHER])
@pytest.mark.slow
def test_an_ensemble_is_the_same_on_two_processes(tmp_path: Path, kind: UncertaintyKind) -> None:
    here, there = (
        ensemble_spec(tmp_path / name, kind, workers=workers)
        for name, workers in (("here", WorkerSettings()), ("there", TWO))
    )  # fmt: skip
    for spec in (here, there):
        assert end(carried(spec)).reason is FinishReason.COMPLETED, end(carried(spec)).message
    for name in (MEMBERS, SUMMARY, TABLE):
        assert (there.out / name).read_bytes() == (here.out / name).read_bytes(), name
    (one, winds), (other, others) = read_members(here.out / STATE), read_members(there.out / STATE)
    assert winds == others
    shape = here.project.scenario.grid.shape
    whole, again = (state.ensemble(kind, shape, 1.0, 9) for state in (one, other))
    for field in ("extent", "protected", "fire", "burning"):
        assert np.array_equal(getattr(whole, field), getattr(again, field)), field


@pytest.mark.slow
def test_an_ensemble_that_was_stopped_on_processes_goes_on_in_this_one(tmp_path: Path) -> None:
    kind, control = UncertaintyKind.ALEATORIC, RunControl()
    whole = ensemble_spec(tmp_path / "whole", kind)
    carried(whole)
    spec = ensemble_spec(tmp_path / "run", kind, workers=TWO)
    events: list[RunEvent] = []

    def stop_early(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, MembersDone):
            control.request_stop()

    execute(spec, stop_early, control)
    assert end(events).reason is FinishReason.STOPPED
    done = [event.ensemble.members for event in events if isinstance(event, EnsembleReady)]
    assert done and done[-1] < 9
    resumed = replace(spec, workers=WorkerSettings(), resume=True)
    assert end(carried(resumed)).reason is FinishReason.COMPLETED
    assert (spec.out / MEMBERS).read_bytes() == (whole.out / MEMBERS).read_bytes()


def table_spec(out: Path, kind: SensitivityKind, workers: WorkerSettings) -> SensitivitySpec:
    project = make_project(epochs=4)
    settings = SensitivitySettings(
        pairs=(Effectiveness(0.9, 0.9), Effectiveness(0.6, 0.7), Effectiveness(0.3, 0.3)), scales=(0.0, 0.01, 0.1),
        designs=(Effectiveness(0.9, 0.9), Effectiveness(0.8, 0.7)), members=2, error=ErrorSource.PAPER,
    )  # fmt: skip
    schedule = None if kind is SensitivityKind.DESIGN else two_drops(project)
    return SensitivitySpec(project, out, "again", kind, settings, schedule, backend="cpu", workers=workers)


@pytest.mark.parametrize("kind", list(SensitivityKind))
@pytest.mark.slow
def test_a_table_is_the_same_on_two_processes(tmp_path: Path, kind: SensitivityKind) -> None:
    here = table_spec(tmp_path / "here", kind, WorkerSettings())
    there = table_spec(tmp_path / "there", kind, TWO)
    for spec in (here, there):
        events = carried(spec)
        assert end(events).reason is FinishReason.COMPLETED, end(events).message
    one, other = read_table(here.out), read_table(there.out)
    rows = [
        replace(row, seconds=0.0) if isinstance(row, DesignRow) else row for row in (*one.rows, *other.rows)
    ]  # fmt: skip
    assert rows[: len(one.rows)] == rows[len(one.rows) :] and len(one.rows) == len(other.rows) > 1
    assert (one.baseline, one.scored) == (other.baseline, other.scored)
    for design in here.settings.designs if kind is SensitivityKind.DESIGN else ():
        plans = [(spec.out / design_folder(design) / PLAN).read_bytes() for spec in (here, there)]
        assert plans[0] == plans[1]
