"""Cases for the active front: fires whose tiles sleep and wake, many drops, and how two answers are compared."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.kernels.cpu_state import CpuDayState
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import WHOLE, Outcome, RolloutOptions
from tests.numerics.cases import aircraft, random_maps

Floats = NDArray[np.float32]
Gradient = tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]

DAILY = (1.0, 0.02, 0.3, 1.5, 0.0, 1.0)
"""How lively the days are: the fire sleeps on the dull ones and has to wake on the next."""
USUAL = {"days": 3, "steps_per_day": 20, "neighbours": 8}


def fitful_maps(seed: int, shape: tuple[int, int] = (38, 150), *, gain: float = 0.16, **changes: Any) -> FireMaps:
    """A slow fire under gains that differ by cell and day: many are 0, a few the greatest there are (100 · 100)."""
    rng = np.random.default_rng(seed)
    days, steps, neighbours = (changes.pop(name, usual) for name, usual in USUAL.items())
    maps = random_maps(seed, shape=shape, days=days, steps_per_day=steps, neighbours=neighbours)
    liveliness = np.resize(DAILY, days).astype(np.float32)[:, None, None]
    phi = (rng.uniform(0.2, 1.0, maps.phi.shape) * gain * 8 / neighbours).astype(np.float32) * liveliness[:, None]
    gamma = np.ones_like(maps.gamma)
    gamma[rng.uniform(size=gamma.shape) < 0.1] = 0.0
    hottest = rng.uniform(size=shape) < 0.003
    phi[:, :, hottest], gamma[:, hottest] = 150.0, 150.0
    calm = (np.asarray(maps.wind_speed) * 0.25).astype(np.float32)
    return replace(maps, phi=phi, gamma=gamma, wind_speed=calm, **changes)


def lit(maps: FireMaps, *boxes: tuple[slice, slice]) -> FireMaps:
    """The same fire, started in these boxes alone."""
    ignition = np.zeros(maps.shape, bool)
    for box in boxes:
        ignition[box] = True
    return replace(maps, ignition=ignition, burnable=maps.burnable | ignition)


def wide_fire(seed: int, neighbours: int = 8) -> FireMaps:
    """A fire whose front is long enough for a step to be done in two halves."""
    maps = fitful_maps(seed, (290, 330), gain=0.3, steps_per_day=12, neighbours=neighbours)
    return lit(maps, (slice(40, 250), slice(40, 290)))


def busy_fleet(payload_gal: float = 900.0) -> Fleet:
    """Aircraft of both materials that are back after a step or two."""
    return Fleet(
        (
            aircraft("R", Material.RETARDANT, 3, turnaround_h=1.0, payload_gal=payload_gal),
            aircraft("W", Material.WATER, 3, turnaround_h=0.5, payload_gal=payload_gal),
        )
    )


def many_drops(seed: int, maps: FireMaps, fleet: Fleet, share: float = 0.6) -> Schedule:
    """Drops on and around where it burns at first, some of them outside the raster."""
    rng = np.random.default_rng(seed + 1000)
    size = (maps.n_steps, fleet.n_aircraft)
    cells = np.argwhere(maps.ignition)
    cells = cells if len(cells) else np.argwhere(maps.burnable)
    about = cells[rng.integers(len(cells), size=size)] + rng.normal(scale=4.0, size=(*size, 2))
    logits = rng.normal(size=size) + (share - 0.5) * 4.0
    return Schedule(logits, np.concatenate([about, rng.uniform(-1.0, 4.0, (*size, 1))], axis=2))


def nothing_flies(model: Model) -> Schedule:
    """A schedule without a drop."""
    return Schedule.empty(model.n_steps, model.fleet.n_aircraft)


class Recorder(Observer):
    """Keeps ``U``, ``B`` and ``r`` of every step as whole rasters."""

    def __init__(self, model: Model) -> None:
        super().__init__(model, None, keep_days=False)
        self._shape = model.shape
        self.seen: list[Floats] = []

    def next_look(self, step: int) -> int:
        """Every state."""
        return step

    def see(self, step: int, sight: StateView) -> None:
        """Copy the state."""
        state = np.stack([np.ones(self._shape), np.zeros(self._shape), np.ones(self._shape)]).astype(np.float32)
        state[(0, *sight.window)], state[(1, *sight.window)] = sight.unburned.numpy(), sight.burning.numpy()
        state[(2, *sight.treated)] = sight.retardant.numpy()
        self.seen.append(state)


def roll(
    model: Model, schedule: Schedule, wanted: RolloutOptions = WHOLE, *, dense: bool = False
) -> tuple[Outcome, NDArray[np.float32]]:
    """A rollout on one thread, with ``P`` at the ends of days."""
    observer = Observer(model, None, keep_days=True)
    outcome = ActiveFront(1).simulate(model, schedule, observer, None, wanted, dense=dense)
    days = observer.days()
    assert days is not None
    return outcome, days


def differentiate(model: Model, schedule: Schedule, *, dense: bool = False, threads: int = 1) -> Gradient:
    """A rollout and its gradient."""
    nobody = Observer(model, None, keep_days=False)
    return ActiveFront(threads).gradient(model, schedule, nobody, None, dense=dense)


def bodies(outcome: Outcome) -> list[CpuDayState]:
    """The engine's own part of the kept states."""
    found = [state.body for state in outcome.states]
    return [body for body in found if isinstance(body, CpuDayState)]


def assert_same_outcome(actual: Outcome, expected: Outcome) -> None:
    """Bit for bit: metrics, drops, what broke a bound, and every kept state."""
    assert actual.metrics == expected.metrics
    assert actual.exceeded == expected.exceeded
    np.testing.assert_array_equal(actual.executed, expected.executed)
    assert [state.day for state in actual.states] == [state.day for state in expected.states]
    for one, other in zip(bodies(actual), bodies(expected), strict=True):
        for field in fields(CpuDayState):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def assert_same_gradient(actual: Gradient, expected: Gradient) -> None:
    """Bit for bit."""
    assert_same_outcome(actual[0], expected[0])
    np.testing.assert_array_equal(actual[1], expected[1])
    np.testing.assert_array_equal(actual[2], expected[2])


def assert_near(actual: NDArray[np.float64], expected: NDArray[np.float64], tolerance: float, what: str = "") -> None:
    """Equal but for ``tolerance`` of the largest value."""
    scale = float(np.abs(expected).max())
    assert scale > 0.0, what
    assert float(np.abs(actual - expected).max()) <= tolerance * scale, what


def fire_of(unburned: list[Tensor], stride: int) -> NDArray[np.float32]:
    """``P`` of every ``stride``-th state of the reference."""
    fire: NDArray[np.float32] = (1.0 - torch.stack(unburned[::stride])).numpy()
    return fire
