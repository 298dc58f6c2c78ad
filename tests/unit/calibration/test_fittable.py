from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from firegui.calibration.network_fit import fit_network
from firegui.domain.fit import NetworkFitSettings
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from tests.unit.calibration.fits import HALVES, QUICK, SHAPE, fitted, small
from tests.unit.calibration.watched import watched
from tests.unit.fire.events import event


def refused(events: list[Scenario], settings: NetworkFitSettings = QUICK) -> list[str]:
    def never(_: object) -> None:
        raise AssertionError("nothing may be begun")

    with pytest.raises(InputError) as caught:
        fit_network(events, settings, progress=never, keep=never)
    assert all(problem.remedy for problem in caught.value.problems)
    return [str(problem) for problem in caught.value.problems]


def test_everything_that_keeps_events_from_being_fitted_is_said_at_once() -> None:
    blind = replace(event(SHAPE, days=1), name="Blind")
    lonely = replace(watched(SHAPE, (2,)), name="Lonely", wind_speed=small().wind_speed, wind_dir=small().wind_dir)

    said = refused([small(), blind, small(), lonely], replace(QUICK, epochs=0, learning_rate=-1.0))

    wanted: list[Callable[[str], bool]] = [
        lambda line: "Rounds is 0" in line,
        lambda line: "Step size is -1" in line,
        lambda line: "2 events are called 'Small'" in line,
        lambda line: line.startswith("Blind") and "no observed perimeter on day 0" in line,
        lambda line: line.startswith("Blind") and "2 days with weather for 1" in line,
        lambda line: line.startswith("Lonely") and "no perimeter on days 1 to 2" in line,
    ]
    assert len(said) == len(wanted), said
    for number, holds in enumerate(wanted):
        assert any(holds(line) for line in said), (number, said)


def test_no_event_is_refused() -> None:
    assert len(refused([])) == 1


def test_an_event_that_can_only_be_fitted_in_part_is_refused_for_the_days_it_lacks() -> None:
    (line,) = refused([small()], replace(QUICK, fit_days=9))

    assert "9 days with weather for 3" in line


def test_an_empty_first_perimeter_is_none() -> None:
    nowhere = replace(small(), observed=np.zeros((4, *SHAPE), bool))

    (line,) = refused([nowhere])

    assert "no observed perimeter on day 0" in line


def test_a_perimeter_on_one_of_the_fitted_days_is_enough() -> None:
    heard = fitted(watched(SHAPE, HALVES, skipped=(1,)), settings=replace(QUICK, epochs=1))

    assert heard.progress[0].events[0].days == (2,)
