"""The first use on a computer: every kernel is compiled before a rollout begins, and the person who waits is told.

numba keeps what it compiled. That all of it is there is noted beside it, in a file named after what it was compiled
from and for: this installation, the processor and Python.
"""

from __future__ import annotations

import hashlib
import platform
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights, RetardantSide
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import UNBOUNDED, Bounds
from firegui.rollout.machine import processor
from firegui.rollout.model import Model, build
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import Check, Hear, Outcome, Slopes, Wanted
from firegui.rollout.remark import Remark, Tell

COMPILING = "Compiling the kernels, once on this computer (about half a minute)…"
SHAPE, DAYS, STEPS_PER_DAY = (24, 40), 2, 6


class Compiled(Protocol):
    """An engine that compiles what it calls."""

    def prepare(self, model: Model) -> None:
        """Lay out what a model needs."""

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: Wanted
    ) -> Outcome:
        """Roll a schedule out."""

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        """Roll a schedule out and differentiate the objective."""

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Differentiate a misfit by the gains."""


def compile_once(engine: Compiled, folder: Path | None, tell: Tell) -> None:
    """Have ``engine`` compile everything, unless ``folder``, where that is kept, says that it has."""
    note = None if folder is None else folder / _name()
    if note is not None and note.exists():
        return
    tell(Remark(COMPILING))
    exercise(engine)
    if note is not None:
        with suppress(OSError):
            note.touch()


def exercise(engine: Compiled) -> None:
    """Do everything that an engine can do, on a fire of a few cells."""
    model, schedule = _fire()
    engine.prepare(model)
    observer = Observer(model, 1, keep_days=True)
    whole = engine.simulate(model, schedule, observer, None, Wanted(None, UNBOUNDED, keep_states=True))
    tight = Bounds(burn=0.5 * whole.metrics.loss_burn)
    nobody = Observer(model, None, keep_days=False)
    engine.simulate(model, schedule, nobody, None, Wanted(whole.states[-1], tight, keep_states=False))
    dimmer = Alteration(lambda day, window, unburned, burning: (unburned, burning * 0.5))
    engine.simulate(model, schedule, nobody, None, Wanted(alter=dimmer))
    engine.gradient(model, schedule, nobody, None)
    engine.gradient(replace(model, full_carry=True), schedule, nobody, None)
    engine.gain_slopes(model, np.ones_like, lambda day, slopes: None, None, through_days=True)


def _fire() -> tuple[Model, Schedule]:
    """A fire in calm air with an aircraft of each material; some drop, some only might."""
    days = (DAYS, *SHAPE)
    ignition = np.zeros(SHAPE, bool)
    ignition[8:12, 12:20] = True
    maps = FireMaps(
        phi=np.full((DAYS, 8, *SHAPE), 0.1, np.float32), gamma=np.ones(days, np.float32),
        burnable=np.ones(SHAPE, bool), wind_speed=np.zeros(days, np.float32), wind_dir=np.zeros(days, np.float32),
        ignition=ignition, t_burn=6.0, steps_per_day=STEPS_PER_DAY, cell_size_m=30.0, c_req=2.7,
    )  # fmt: skip
    fleet = Fleet(tuple(_aircraft(material) for material in Material))
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    schedule.logits[:] = np.where(np.arange(maps.n_steps) % 3 == 1, 1.0, -1.0)[:, None]
    schedule.poses[:] = (10.0, 16.0, 0.3)
    model = build(
        maps, fleet, ignition[None], [1.0], weights=ObjectiveWeights(1.0, 1.0, 1.0, 1e-6), effectiveness=NOMINAL,
        retardant_acts_on=RetardantSide.BOTH, backend="cpu", device="cpu",
    )  # fmt: skip
    return model, schedule


def _aircraft(material: Material) -> AircraftType:
    return AircraftType(
        id=material.name, type=material.name, count=1, material=material, payload_gal=900.0, turnaround_h=0.0,
        speed_ms=60.0, drop_duration_s=3.0, drop_height_m=50.0, sigma_parallel_m=70.0, sigma_perpendicular_m=12.0,
    )  # fmt: skip


def _name() -> str:
    compiled = f"{Path(__file__).parent} {processor()} {platform.machine()} {platform.python_version()}"
    return f"complete-{hashlib.sha256(compiled.encode()).hexdigest()[:16]}"
