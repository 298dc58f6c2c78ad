from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.analyses.calibration.checkpoint import (
    FitCheckpoint,
    FitEvent,
    out_problems,
    part_of,
    read_checkpoint,
    write_checkpoint,
)
from firegui.domain.fit import EventProgress, FitProgress, FitState, NetworkFitSettings
from firegui.errors import InputError
from firegui.io.project.weights_file import weights_bytes
from tests.unit.domain.samples import weights

SETTINGS = NetworkFitSettings(epochs=30, seed=5)
EVENTS = (FitEvent("Bear", "aa", "/fires/bear"), FitEvent("Pier", "bb"))


def epoch(number: int, loss: float) -> FitProgress:
    seen = EventProgress("Bear", (1, 3), (0.1 + 0.2, 1 / 3)), EventProgress("Pier", (2,), (0.5,))
    return FitProgress(number, 30, loss, 1.1, 0, {"shape": loss / 3, "area": np.nan}, seen, 0.7 * number)


def checkpoint() -> FitCheckpoint:
    tensors = {"now.head": np.array([[1.5, -2.0]], np.float32), "best.trend.0": np.array(0.25, np.float32)}
    return FitCheckpoint("firegui calibrate …", SETTINGS, EVENTS, None, FitState(tensors, 2, 1, 1.1), (
        epoch(0, 1.1), epoch(1, np.inf)
    ))  # fmt: skip


def test_everything_is_read_back_as_it_was(tmp_path: Path) -> None:
    then = checkpoint()
    write_checkpoint(tmp_path / "w.part", then)
    now = read_checkpoint(tmp_path / "w.part")

    assert (now.command, now.settings, now.events) == (then.command, then.settings, then.events)
    assert now.state is not None and then.state is not None
    assert (now.state.epoch, now.state.best_epoch, now.state.best_loss) == (2, 1, 1.1)
    assert {key: value.tolist() for key, value in now.state.tensors.items()} == {
        key: value.tolist() for key, value in then.state.tensors.items()
    }
    assert [row.events for row in now.history] == [row.events for row in then.history]
    assert [(row.epoch, row.loss, row.seconds) for row in now.history] == [(0, 1.1, 0.0), (1, np.inf, 0.7)]
    assert np.isnan(now.history[0].terms["area"])


def test_before_the_first_epoch_there_is_neither_state_nor_history(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "w.part", replace(checkpoint(), state=None, history=()))
    now = read_checkpoint(tmp_path / "w.part")

    assert (now.state, now.history, now.epochs_done) == (None, (), 0)


def test_the_weights_that_it_began_with_are_kept_whole(tmp_path: Path) -> None:
    begun = weights(3)
    write_checkpoint(tmp_path / "w.part", replace(checkpoint(), start=begun))
    now = read_checkpoint(tmp_path / "w.part").start

    assert now is not None
    assert weights_bytes(now) == weights_bytes(begun)


@pytest.mark.parametrize("damage", [b"", b"rubbish", None])
def test_a_damaged_file_is_refused_with_what_to_do(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "w.part"
    write_checkpoint(path, checkpoint())
    path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)

    with pytest.raises(InputError, match=r"delete it and start again \(without --resume\)"):
        read_checkpoint(path)


def test_weights_are_no_interrupted_calibration(tmp_path: Path) -> None:
    path = tmp_path / "w.part"
    path.write_bytes(weights_bytes(weights()))

    with pytest.raises(InputError, match="cannot be read"):
        read_checkpoint(path)


# -- where it may be written -------------------------------------------------------------------------------------------
def whats(out: Path, *, resume: bool = False) -> list[str]:
    return [problem.what for problem in out_problems(out, resume=resume)]


def test_a_new_name_may_be_written_even_in_a_folder_to_come(tmp_path: Path) -> None:
    assert whats(tmp_path / "w.safetensors") == []
    assert whats(tmp_path / "new" / "w.safetensors") == []


def test_finished_weights_and_an_interrupted_calibration_are_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "w.safetensors"
    out.write_text("weights")
    assert whats(out) == ["is there already"]
    part_of(out).write_text("state")
    assert whats(out) == ["holds a calibration that was interrupted or is at work"]
    assert whats(out, resume=True) == []


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    assert whats(tmp_path / "w", resume=True) == ["there is no interrupted calibration to resume"]


def test_a_folder_a_file_in_the_way_and_a_protected_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert whats(tmp_path) == ["is a folder"]
    assert whats(tmp_path / "file" / "w") == ["is a file, not a folder"]
    if os.geteuid() != 0:
        (tmp_path / "locked").mkdir(mode=0o500)
        assert whats(tmp_path / "locked" / "w") == ["may not be written to"]
