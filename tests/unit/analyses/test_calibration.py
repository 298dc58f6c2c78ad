from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.calibration.checkpoint import part_of, read_checkpoint
from firegui.domain.fit import NetworkFitSettings
from firegui.domain.project import Project
from firegui.errors import CancelledError, InputError, Problem
from firegui.io.project.weights_file import read_weights
from firegui.runs.control import RunControl
from firegui.runs.events import FitEpoch, Message, RunEvent, RunFinished, WeightsReady
from firegui.runs.runner import execute
from firegui.runs.spec import CalibrateSpec
from firegui.runs.stages import FinishReason
from tests.support import watched_project
from tests.unit.domain.samples import weights
from tests.unit.runs.fakes import FakeEngine, carried_out, end, raise_at

SETTINGS = NetworkFitSettings(fit_days=3, epochs=6, patience=9, seed=7)
"""The fake's misfits are 9, 7, 8, 6, 5, 5.5: the best is the fifth epoch."""


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "w.safetensors"


def spec(out: Path, **changes: Any) -> CalibrateSpec:
    whole = CalibrateSpec((watched_project(),), SETTINGS, out, "firegui calibrate", checkpoint_seconds=0.0)
    return replace(whole, **changes)


def heard(events: list[RunEvent]) -> list[int]:
    return [event.progress.epoch for event in events if isinstance(event, FitEpoch)]


def named(name: str) -> Project:
    project = watched_project()
    return replace(project, scenario=replace(project.scenario, name=name))


def stopped_at(epoch: int, spec: CalibrateSpec) -> list[RunEvent]:
    control = RunControl()
    engine = FakeEngine(during_epoch=lambda number: control.request_stop() if number == epoch else None)
    return carried_out(spec, engine, control)


# -- to its end --------------------------------------------------------------------------------------------------------
def test_the_best_weights_are_saved_with_the_seed_and_nothing_else_is_left(out: Path) -> None:
    events = carried_out(spec(out))
    (ready,) = (event for event in events if isinstance(event, WeightsReady))

    assert heard(events) == [0, 1, 2, 3, 4, 5]
    assert (ready.best.epoch, ready.epochs_done) == (4, 6)
    saved = read_weights(out)
    assert (saved.training.epochs, saved.training.seed) == (4, 7)
    assert [path.name for path in out.parent.iterdir()] == ["w.safetensors"]
    assert end(events).reason is FinishReason.COMPLETED
    assert end(events).message == "completed 6 rounds; the best is round 5 (misfit 5, mean overlap 0.20)"


def test_all_events_are_fitted_jointly_from_the_given_weights(out: Path) -> None:
    engine, begin = FakeEngine(), weights()
    carried_out(spec(out, projects=(named("One"), named("Two")), start=begin), engine)

    assert engine.fitted == [(("One", "Two"), SETTINGS, begin)]


def test_no_better_misfit_for_long_ends_it_early(out: Path) -> None:
    events = carried_out(spec(out, settings=replace(SETTINGS, epochs=50, patience=3)))

    assert end(events).reason is FinishReason.PATIENCE
    assert end(events).message.startswith("stopped after 3 rounds without gain; the best is round 5")
    assert out.exists() and not part_of(out).exists()


def test_a_folder_to_come_is_made(tmp_path: Path) -> None:
    carried_out(spec(tmp_path / "a" / "b" / "w.safetensors"))
    assert (tmp_path / "a" / "b" / "w.safetensors").exists()


# -- stopping and going on ---------------------------------------------------------------------------------------------
def test_a_stop_keeps_the_best_so_far_and_what_is_needed_to_go_on(out: Path) -> None:
    events = stopped_at(3, spec(out))

    assert end(events).reason is FinishReason.STOPPED
    assert "stopped on request after 3 rounds; the best is round 2" in end(events).message
    assert read_weights(out).training.epochs == 1
    kept = read_checkpoint(part_of(out))
    assert (kept.epochs_done, len(kept.history)) == (3, 3)


@pytest.mark.parametrize("epoch", [1, 3, 5])
def test_one_that_goes_on_ends_as_an_unbroken_one(out: Path, epoch: int, tmp_path: Path) -> None:
    whole = tmp_path / "whole.safetensors"
    unbroken = carried_out(spec(whole))
    stopped_at(epoch, spec(out))
    events = carried_out(spec(out, resume=True))

    assert heard(events) == list(range(epoch, 6))
    assert out.read_bytes() == whole.read_bytes()
    assert end(events).message == end(unbroken).message
    assert not part_of(out).exists()


def test_a_killed_one_goes_on_from_its_latest_checkpoint(out: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        carried_out(spec(out), FakeEngine(during_epoch=raise_at(4, KeyboardInterrupt)))

    assert not out.exists()
    assert heard(carried_out(spec(out, resume=True))) == [4, 5]
    assert read_weights(out).training.epochs == 4


def test_a_stop_before_the_first_epoch_leaves_nothing(out: Path) -> None:
    events = stopped_at(0, spec(out))

    assert end(events).message == "stopped before the first round was done; nothing was written"
    assert list(out.parent.iterdir()) == []


def test_the_seconds_count_every_session(out: Path) -> None:
    stopped_at(3, spec(out))
    events = carried_out(spec(out, resume=True))

    # The fake's epoch e ends e seconds after its session began; the first session ended with epoch 2.
    assert [event.progress.seconds for event in events if isinstance(event, FitEpoch)] == [5.0, 6.0, 7.0]


def test_checkpoints_are_not_written_more_often_than_asked(out: Path) -> None:
    seen: list[int] = []

    def look(epoch: int) -> None:
        seen.append(read_checkpoint(part_of(out)).epochs_done)

    carried_out(spec(out, checkpoint_seconds=3600.0), FakeEngine(during_epoch=look))
    assert seen == [0] * 6


def test_a_checkpoint_that_cannot_be_written_does_not_end_it(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def refuse(*given: object) -> None:
        calls.append(given)
        if len(calls) > 1:
            raise InputError([Problem("disk", "full")])

    monkeypatch.setattr("firegui.analyses.calibration.run.write_checkpoint", refuse)
    events = carried_out(spec(out))

    assert end(events).reason is FinishReason.COMPLETED
    assert any("no checkpoint could be written" in event.text for event in events if isinstance(event, Message))


# -- what is refused ---------------------------------------------------------------------------------------------------
def test_everything_that_keeps_it_from_starting_is_listed_and_nothing_written(out: Path) -> None:
    blind = watched_project()
    blind = replace(blind, scenario=replace(blind.scenario, observed=None, observed_dates=()))
    bad = replace(SETTINGS, fit_days=9, epochs=0)
    finished = end(carried_out(spec(out, projects=(blind, watched_project()), settings=bad)))

    assert finished.reason is FinishReason.FAILED
    assert [(problem.where, problem.what) for problem in finished.problems] == [
        ("fit", "Rounds is 0"),
        ("projects", "2 events are called 'Tiny'"),
        ("Tiny", "there is no observed perimeter on day 0"),
        ("Tiny", "9 days with weather for 4"),
        ("Tiny", "9 days with weather for 4"),
    ]
    assert list(out.parent.iterdir()) == []


def resumed(out: Path, **changes: Any) -> RunFinished:
    stopped_at(3, spec(out))
    return end(carried_out(spec(out, resume=True, **changes)))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"settings": replace(SETTINGS, epochs=60)}, "was begun with Rounds = 6, now 60"),
        ({"settings": replace(SETTINGS, patience=2)}, "was begun with 9 rounds without gain, now 2"),
        ({"settings": replace(SETTINGS, correction=False)}, "was begun with Correction = True, now False"),
        ({"projects": (named("One"), named("Two"))}, "was begun with other events (Tiny)"),
        ({"start": weights(2)}, "was begun with other weights"),
    ],
)
def test_going_on_with_something_else_is_refused(out: Path, changes: dict[str, Any], what: str) -> None:
    assert [problem.what for problem in resumed(out, **changes).problems] == [what]


def test_more_patience_may_be_given_when_going_on(out: Path) -> None:
    assert resumed(out, settings=replace(SETTINGS, patience=30)).reason is FinishReason.COMPLETED


def test_another_fire_model_or_other_regions_do_not_matter_when_going_on(out: Path) -> None:
    other = replace(watched_project().with_network(weights()), regions=())
    assert resumed(out, projects=(other,)).reason is FinishReason.COMPLETED


def test_weights_that_it_was_begun_with_need_not_be_given_again(out: Path) -> None:
    begin, engine = weights(2), FakeEngine()
    stopped_at(3, spec(out, start=begin))
    carried_out(spec(out, resume=True), engine)

    ((_names, _settings, used),) = engine.fitted
    assert used is not None
    assert {key: value.tobytes() for key, value in used.tensors.items()} == {
        key: value.tobytes() for key, value in begin.tensors.items()
    }


def test_a_misfit_that_is_no_number_says_what_to_do(out: Path) -> None:
    finished = end(carried_out(spec(out), FakeEngine(objectives=(np.nan,))))

    assert [problem.remedy for problem in finished.problems] == ["make the step size smaller"]
    assert not out.exists()


@pytest.mark.parametrize("error", [RuntimeError("boom"), InputError([Problem("event", "is odd")])])
def test_a_failure_leaves_the_latest_state_for_another_try(out: Path, error: Exception) -> None:
    finished = end(carried_out(spec(out, checkpoint_seconds=3600.0), FakeEngine(during_epoch=raise_at(2, error))))

    assert finished.reason is FinishReason.FAILED
    assert read_checkpoint(part_of(out)).epochs_done == 2


def test_a_failure_before_the_first_epoch_leaves_nothing(out: Path) -> None:
    odd = InputError([Problem("event", "is odd")])
    carried_out(spec(out), FakeEngine(during_epoch=raise_at(0, odd)))
    assert list(out.parent.iterdir()) == []


# -- with the real engine ----------------------------------------------------------------------------------------------
def test_the_real_engine_goes_on_to_the_same_weights_and_stops_amid_an_epoch(out: Path, tmp_path: Path) -> None:
    whole, asked = tmp_path / "whole.safetensors", spec(out, projects=(named("One"), named("Two")))
    really(replace(asked, out=whole), lambda _count: False)
    broken = really(asked, lambda count: count == 25)
    assert end(broken).reason is FinishReason.STOPPED
    assert 0 < len(heard(broken)) < 6
    events = really(replace(asked, resume=True), lambda _count: False)

    assert heard(broken) + heard(events) == [0, 1, 2, 3, 4, 5]
    assert out.read_bytes() == whole.read_bytes()


def really(spec: CalibrateSpec, stop: Callable[[int], bool]) -> list[RunEvent]:
    class Counting(RunControl):
        count = 0

        def check(self) -> None:
            self.count += 1
            if stop(self.count):
                raise CancelledError

    events: list[RunEvent] = []
    execute(spec, events.append, Counting())
    return events
