"""Sampled fires: how the fire model itself scatters (paper, section ``uq``, aleatoric uncertainty).

At the end of each day every cell's state is drawn from its probabilities ``(p^U, p^B, p^R)``, independently; within a
day the rollout stays deterministic. So a cell that burns at a day's start burns for certain, and the faint tail of the
mean field, which pulls its front, is drawn away once a day.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.errors import Check
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.observe import Window
from firegui.rollout.simulate import last_state, prepare

Bools = NDArray[np.bool_]

_STATES = 0x73746174
"""Keeps the draws apart from whatever else is drawn from the same seed."""


def sampled_fire(
    maps: FireMaps, generator: np.random.Generator, *, backend: str = "auto", check: Check | None = None
) -> Bools:
    """Return one member without drops: what has burned by each day boundary, ``[D + 1, H, W]``.

    Cells that burned out are taken out of the day's burnable cells, which is the same as a state of ``p^R = 1``.
    """
    burning, burned = maps.start.burning.copy(), maps.start.burned
    states = [burning | burned]
    nothing = np.zeros((0, *maps.shape), bool)
    for day in range(maps.days):
        today = replace(
            maps.window(day, 1), ignition=burning, burnable=maps.burnable & ~burned, burned_out=None,
            moving_start=maps.moving_start and day == 0,
        )  # fmt: skip
        model = prepare(
            today, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL, backend=backend
        )
        unburned, still = last_state(model, Schedule.empty(today.n_steps, 0), check=check)
        burning, out = drawn(unburned, still, generator)
        burning, burned = burning & ~burned, burned | out
        states.append(burning | burned)
    return np.stack(states)


def drawn(
    unburned: NDArray[np.float32], burning: NDArray[np.float32], generator: np.random.Generator
) -> tuple[Bools, Bools]:
    """Draw each cell from ``(p^U, p^B, 1 − p^U − p^B)``, ``[H, W]``.

    Returns which cells burn and which have burned out.
    """
    return _drawn(unburned, burning, generator.random(unburned.shape))


def state_sampling(shape: tuple[int, int], seed: int, member: int) -> Alteration:
    """Return member ``member`` of the paper's state sampling as a change of a rollout.

    It is for :func:`~firegui.rollout.simulate.simulate`. At the end of every day, the last one's too, each cell is
    drawn as in :func:`drawn`. The numbers of a day follow from ``seed``, ``member`` and the day alone, so a plan and
    the fire without drops meet the same ones.
    """

    def draw(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_STATES, member, day)))
        # One number a cell, row by row: those above the window are passed over, those below are not wanted.
        rows, columns = window
        bits.advance(rows.start * shape[1])
        numbers = np.random.Generator(bits).random((rows.stop - rows.start, shape[1]))
        hot, out = _drawn(unburned, burning, numbers[:, columns])
        return (~(hot | out)).astype(unburned.dtype), hot.astype(burning.dtype)

    return Alteration(draw)


def _drawn(unburned: State, burning: State, number: NDArray[np.float64]) -> tuple[Bools, Bools]:
    hot = (number >= unburned) & (number < unburned.astype(np.float64) + burning)
    return hot, (number >= unburned) & ~hot
