from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel, UncertaintyKind, UncertaintySettings, WeatherSpread


def texts(settings: UncertaintySettings) -> str:
    return "\n".join(f"{problem.where}: {problem.what}" for problem in settings.problems())


@pytest.mark.parametrize("kind", list(UncertaintyKind))
def test_the_defaults_of_every_kind_can_be_used(kind: UncertaintyKind) -> None:
    assert UncertaintySettings(kind=kind).problems() == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"members": 0}, "Number of fires is 0"),
        ({"threshold": 1.5}, "Count as fire above is 1.5"),
        ({"threshold": math.nan}, "Count as fire above is nan"),
        ({"softening": 0.0}, "Softening is 0"),
        ({"seed": -1}, "Random seed is -1"),
        ({"weather": WeatherSpread(speed_sd=math.nan)}, "wind: Wind speed error is nan"),
        ({"kind": UncertaintyKind.WEATHER, "weather": WeatherSpread(0.0, 0.0, 0.0)}, "all three spreads are 0"),
        ({"kind": UncertaintyKind.EPISTEMIC, "keep_members": True}, "cannot be saved"),
    ],
)
def test_what_cannot_be_used_is_named(changes: dict[str, object], named: str) -> None:
    assert named in texts(replace(UncertaintySettings(), **changes))  # type: ignore[arg-type]


def test_every_problem_is_listed_at_once() -> None:
    assert len(UncertaintySettings(members=0, threshold=-1.0, weather=WeatherSpread(timing_sd=-1.0)).problems()) == 3


@pytest.mark.parametrize("changes", [{"correlation_cells": math.nan}, {"covariance": ((1.0, 0.0), (0.0, math.nan))}])
def test_an_error_model_of_no_numbers_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="nan"):
        replace(PAPER_BEAR, **changes)  # type: ignore[arg-type]


def test_two_error_models_of_the_same_numbers_are_the_same() -> None:
    assert ErrorModel((0.0, 0.0), ((1.0, 0.0), (0.0, 1.0)), 5.0, 2.0) == ErrorModel(
        (0.0, 0.0), ((1.0, 0.0), (0.0, 1.0)), 5.0, 2.0
    )
