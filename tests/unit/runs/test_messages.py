from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.settings import OptimizerSettings
from firegui.runs.messages import FORMING_EPOCHS, counted, finish_message, gain_message, pruned_message
from firegui.runs.run_folder import EliminationSummary
from firegui.runs.stages import FinishReason
from tests.unit.runs.fakes import metrics

FIRE = metrics(2.0)


def test_one_is_singular_and_thousands_are_grouped() -> None:
    assert (counted(0, "drop"), counted(1, "drop"), counted(1200, "epoch")) == ("0 drops", "1 drop", "1,200 epochs")


@pytest.mark.parametrize("reason", [FinishReason.COMPLETED, FinishReason.STOPPED, FinishReason.PATIENCE])
def test_one_epoch_is_one_epoch_however_a_run_ends(reason: FinishReason) -> None:
    said = finish_message(reason, OptimizerSettings(patience=1), 1, 0, 0.25)
    assert "1 search step" in said
    assert "1 search steps" not in said
    assert "(objective 0.25 at cautious effectiveness)" in said


@pytest.mark.parametrize("reason", [FinishReason.COMPLETED, FinishReason.STOPPED, FinishReason.PATIENCE])
def test_only_a_stopped_run_is_to_be_resumed(reason: FinishReason) -> None:
    stopped = reason is FinishReason.STOPPED
    assert ("resume" in finish_message(reason, OptimizerSettings(), 3, 1, 0.25)) is stopped
    pruned = EliminationSummary("" if stopped else "allowance", 24, 19, 2, 80, 1.0)
    assert ("resume" in pruned_message(reason, pruned)) is stopped
    assert "resume" not in gain_message(FIRE, FIRE, 1)


@pytest.mark.parametrize("finished", ["held", "leaking", "minimal", "allowance"])
def test_a_removal_that_removed_nothing_says_so(finished: str) -> None:
    kept = EliminationSummary(finished, 24, 24, 2, 80, 1.0)
    assert pruned_message(FinishReason.COMPLETED, kept).startswith("no drop of 24 could be removed in 2 rounds")
    fewer = replace(kept, drops=19)
    assert pruned_message(FinishReason.COMPLETED, fewer).startswith("24 drops reduced to 19 in 2 rounds")


def test_without_a_drop_a_short_run_is_told_to_go_on_and_a_long_one_to_look_at_what_it_was_asked() -> None:
    assert "no drop has formed yet" in gain_message(FIRE, FIRE, 1)
    assert "check the weights" in gain_message(FIRE, FIRE, FORMING_EPOCHS)
    assert "check the weights" in gain_message(FIRE, replace(FIRE, drops_executed=4), 1)
    assert "resume" not in gain_message(FIRE, FIRE)
