from __future__ import annotations

import numpy as np

from firegui.cli.progress import scalars
from firegui.domain.uncertainty import PAPER_BEAR
from firegui.ensembles.random_field import error_field
from firegui.runs.control import RunControl
from firegui.runs.events import FieldDrawn, RunEvent
from firegui.runs.runner import execute
from firegui.runs.spec import ErrorFieldSpec
from firegui.runs.stages import FinishReason
from tests.unit.runs.fakes import carried_out, end

SPEC = ErrorFieldSpec(PAPER_BEAR, (30, 40), seed=7, member=3, day=1)


def test_the_field_is_the_one_that_the_member_of_an_ensemble_meets() -> None:
    events: list[RunEvent] = []
    execute(SPEC, events.append, RunControl())
    (drawn,) = [event for event in events if isinstance(event, FieldDrawn)]
    assert drawn.spec is SPEC
    assert drawn.field.shape == (2, 30, 40)
    np.testing.assert_array_equal(drawn.field, error_field(PAPER_BEAR, (30, 40), 7, 3, 1))
    assert scalars(drawn) == {"event": "error_field", "seed": 7, "member": 3, "day": 1}


def test_what_cannot_be_drawn_is_listed() -> None:
    finished = end(carried_out(ErrorFieldSpec(PAPER_BEAR, (0, 40), seed=-1, member=-2, day=0)))
    assert finished.reason is FinishReason.FAILED
    assert [problem.where for problem in finished.problems] == ["seed", "member", "raster"]


def test_a_field_that_nobody_waits_for_any_more_is_not_handed_out() -> None:
    control = RunControl()
    control.request_stop()
    events = carried_out(SPEC, control=control)
    assert end(events).reason is FinishReason.STOPPED
    assert not [event for event in events if isinstance(event, FieldDrawn)]
