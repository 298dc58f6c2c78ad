"""Results of a schedule when its assumptions change (paper, section ``design_eta``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import (
    EffectivenessRow,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SideRow,
    ratio,
)
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.errors import Check
from firegui.planning.stress import FlightErrors, executed_only
from firegui.planning.trials import displaced
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate_many

Floats = NDArray[np.float64]
Hear = Callable[[int, int, str], None]
"""Hears before every row how many are done, of how many, and what comes next."""

LARGEST_BATCH = 64
"""Schedules that are held at once; those of a large plan take a few megabytes each."""

_POSES = 0x706F7365
"""Keeps the draws apart from whatever else is drawn from the same seed."""


def rows_of(
    model: Model, schedule: Schedule, kind: SensitivityKind, settings: SensitivitySettings, *, hear: Hear, check: Check
) -> tuple[Row, ...]:
    """Return the rows of ``schedule`` for a table of ``kind``, except the sweep.

    ``model`` is at nominal effectiveness.

    Raises :class:`ValueError` for the sweep, whose rows are plans.
    """
    match kind:
        case SensitivityKind.EFFECTIVENESS:
            return effectiveness_rows(model, schedule, settings.pairs, hear=hear, check=check)
        case SensitivityKind.OFF_TARGET:
            distances = settings.distances
            return off_target_rows(model, schedule, distances, settings.draws, settings.seed, hear=hear, check=check)
        case SensitivityKind.POSE:
            return pose_rows(model, schedule, settings.scales, settings.draws, settings.seed, hear=hear, check=check)
        case SensitivityKind.RETARDANT_SIDE:
            return side_rows(model, schedule, settings.sides, hear=hear, check=check)
        case SensitivityKind.DESIGN:
            raise ValueError("the rows of a sweep are plans")


def effectiveness_rows(
    model: Model, schedule: Schedule, pairs: Sequence[Effectiveness], *, hear: Hear, check: Check
) -> tuple[EffectivenessRow, ...]:
    """Return a row of ``schedule`` for each of ``pairs`` of effectiveness.

    Final extents are relative to that at the effectiveness of ``model``.
    """
    nominal = _scored(model, schedule, check)
    rows = []
    for done, pair in enumerate(pairs):
        hear(done, len(pairs), f"Scoring at η {pair.retardant:g} / {pair.water:g}")
        reading = _reading(model, _scored(model.with_effectiveness(pair), schedule, check))
        rows.append(EffectivenessRow(pair, reading, ratio(reading.final_extent_cells, nominal.final_extent_cells)))
    return tuple(rows)


def side_rows(
    model: Model, schedule: Schedule, sides: Sequence[RetardantSide], *, hear: Hear, check: Check
) -> tuple[SideRow, ...]:
    """Return a row of ``schedule`` for each of ``sides`` that retardant acts on.

    Final extents are relative to that of ``model`` as it is.
    """
    own = _scored(model, schedule, check)
    rows = []
    for done, side in enumerate(sides):
        hear(done, len(sides), f"Scoring with retardant acting on: {side.value}")
        reading = _reading(model, _scored(replace(model, retardant_acts_on=side), schedule, check))
        rows.append(SideRow(side, reading, ratio(reading.final_extent_cells, own.final_extent_cells)))
    return tuple(rows)


def pose_rows(
    model: Model, schedule: Schedule, scales: Sequence[float], draws: int, seed: int, *, hear: Hear, check: Check
) -> tuple[PoseRow, ...]:
    """Return rows of ``schedule`` with ``scale · ε`` added to all its pose logits.

    ``ε`` is standard normal. There are ``draws`` draws for each scale. Draw ``k`` has the same ``ε [T, A, 3]`` at every
    scale, whatever other scales and draws there are. A schedule without pose logits gets those of its poses
    (:func:`~firegui.planning.initialization.pose_logits_of`).
    """
    rows = []
    for done, scale in enumerate(scales):
        hear(done, len(scales), f"Perturbing poses by {scale:g}" if scale else "Scoring the poses as they are")
        plans = iter([schedule]) if scale == 0.0 else _perturbed(model, schedule, scale, draws, seed)
        rows.append(PoseRow(scale, tuple(_reading(model, found) for found in _all_scored(model, plans, check))))
    return tuple(rows)


def off_target_rows(
    model: Model, schedule: Schedule, distances: Sequence[float], draws: int, seed: int, *, hear: Hear, check: Check
) -> tuple[PoseRow, ...]:
    """Return rows of ``schedule`` with the landing points of its drops off by ``distance · ε``, in metres.

    ``ε [T, A, 2]`` is standard normal, north and east; headings are as planned. Draw ``k`` has the same ``ε`` at every
    distance, that of :func:`pose_noise`. The drops are displaced as in a stress scenario
    (:class:`~firegui.planning.stress.FlightErrors`).
    """
    executed, rows = executed_only(model, schedule), []
    for done, distance in enumerate(distances):
        hear(done, len(distances), f"Laying drops off by {distance:g} m" if distance else "Scoring the plan as it is")
        offset = np.array([1.0, 1.0, 0.0]) * distance / model.maps.cell_size_m
        errors = (FlightErrors(offsets=offset * pose_noise(schedule, draw, seed)) for draw in range(draws))
        plans = (each.applied(executed, model.shape) for each in errors) if distance else iter([schedule])
        readings = tuple(_reading(model, found) for found in _all_scored(model, plans, check))
        rows.append(PoseRow(distance, readings, in_metres=True))
    return tuple(rows)


def pose_noise(schedule: Schedule, draw: int, seed: int) -> Floats:
    """Return the standard normal ``ε [T, A, 3]`` of draw number ``draw``."""
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_POSES, draw)))
    return generator.standard_normal(schedule.poses.shape)


def _perturbed(model: Model, schedule: Schedule, scale: float, draws: int, seed: int) -> Iterator[Schedule]:
    for draw in range(draws):
        yield displaced(schedule, scale * pose_noise(schedule, draw, seed), model.shape)


def _all_scored(model: Model, schedules: Iterator[Schedule], check: Check) -> Iterator[Metrics]:
    """Yield the metrics of every schedule, rolled out in batches."""
    batch: list[Schedule] = []
    for schedule in schedules:
        batch.append(schedule)
        if len(batch) == LARGEST_BATCH:
            yield from (rollout.metrics for rollout in simulate_many(model, batch, check=check))
            batch = []
    yield from (rollout.metrics for rollout in simulate_many(model, batch, check=check))


def _scored(model: Model, schedule: Schedule, check: Check) -> Metrics:
    return simulate_many(model, [schedule], check=check)[0].metrics


def _reading(model: Model, metrics: Metrics) -> RolloutSummary:
    return RolloutSummary.of(metrics, model.weights)
