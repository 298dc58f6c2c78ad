"""Fitting the fire model to observed perimeters: settings, progress and checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import MOST_DAYS
from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

STEPS = "Advanced"


@dataclass(frozen=True, slots=True)
class NetworkFitSettings:
    """Settings of a fit of the network.

    The step size falls with the share of the epochs that is done, so only ``patience`` may change when it is resumed.
    """

    fit_days: int = option(
        10, "Fit days", "days from day 0 whose perimeters may be read", unit="days", low=1, high=365,
        default_text="10, or as many as every event has perimeters for",
    )  # fmt: skip
    epochs: int = option(
        60, "Rounds", "most rounds over all days of all events; epochs", low=1, high=100_000, group=STEPS
    )
    learning_rate: float = option(
        3e-3,
        "Step size",
        "step size of the network's weights; the learning rate",
        low=1e-6,
        high=1.0,
        group=STEPS,
        flag="--lr",
    )
    correction: bool = option(True, "Correction", "also fit a smooth field and a trend of the base rate to each event")
    correction_rate: float = option(
        0.1, "Correction rate", "step size of the correction", low=1e-4, high=10.0, group=STEPS
    )
    node_spacing_m: float = option(
        450.0, "Node spacing", "distance between nodes of the correction", unit="m", low=1.0, high=1e6, group=STEPS,
        flag="--node-spacing",
    )  # fmt: skip
    patience: int = option(
        20,
        "Rounds without gain",
        "stop after this many rounds without a better misfit; the patience",
        low=1,
        high=100_000,
        restarts=False,
        group=STEPS,
    )
    margin_cells: int = option(
        45, "Margin", "cells kept around the last perimeter that may be read", unit="cells", low=2, high=10_000,
        group=STEPS, flag="--margin",
    )  # fmt: skip
    seed: int = option(0, "Random seed", "seed of the first weights", low=0, high=2**32 - 1, group=STEPS)

    def problems(self) -> list[Problem]:
        """Return everything out of bounds."""
        return bounds_problems(self, "fit")


@dataclass(frozen=True, slots=True)
class FactorFitSettings:
    """Settings of a fit of the physical model's factors."""

    fit_days: int = option(
        10, "Fit days", "days from day 0 whose perimeters may be read; later ones are for the test", unit="days", low=1,
        high=365,
    )  # fmt: skip
    leave_one_out: bool = option(
        False, "Leave one fire out", "leave each of several fires out once: fit factors to the others alone, and score "
        "them on all its days; takes one more fit for each fire",
    )  # fmt: skip
    rollouts: int = option(
        60, "Rollouts", "most rollouts of each fire that the search may try", low=1, high=100_000, group=STEPS
    )
    seed: int = option(
        0, "Random seed", "seed of the order of the fuel groups", low=0, high=2**32 - 1, group=STEPS,
    )  # fmt: skip

    def problems(self) -> list[Problem]:
        """Return everything out of bounds."""
        return bounds_problems(self, "fit")


@dataclass(frozen=True, slots=True)
class SkillSettings:
    """Settings of a forecast that is scored."""

    days: int = option(
        20,
        "Days",
        "how many days are rolled out",
        low=1,
        high=MOST_DAYS,
        default_text="20, or as many as there is weather for",
    )
    fit_days: int = option(
        10, "Fit days", "days from day 0 whose perimeters may have been read in training", label="fitted", low=0,
        high=MOST_DAYS,
        default_text="what the weights say, 0 for an event that they do not name; 10 without weights",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class EventProgress:
    """Progress of one event in an epoch.

    It has the scored ``days`` and the IoU of ``P ≥ 0.5`` with the perimeter at the end of each.
    """

    name: str
    days: tuple[int, ...]
    iou: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FitProgress:
    """An epoch: its misfit ``loss`` with the terms it is made of, and the best so far."""

    epoch: int
    epochs: int
    loss: float
    best_loss: float
    best_epoch: int
    terms: Mapping[str, float]
    events: tuple[EventProgress, ...]
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class FitState:
    """State from which a fit can resume with the same bits.

    ``epoch`` epochs are done. ``tensors`` are the parameters (``now.…``), those of the best epoch (``best.…``), and the
    optimizer's moments (``first.…``, ``second.…``). ``best_epoch`` counts from 0, −1 before the first.
    """

    tensors: Mapping[str, NDArray[np.float32]]
    epoch: int
    best_epoch: int
    best_loss: float
