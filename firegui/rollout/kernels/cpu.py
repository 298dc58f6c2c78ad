"""The active-front engine on the CPU: exact, in float32, at a cost that follows the fire (``rollout/DESIGN.md``)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule
from firegui.rollout.kernels.cpu_gains import hear_gain_slopes
from firegui.rollout.kernels.cpu_model import layout_of, objective_of
from firegui.rollout.kernels.cpu_run import Run
from firegui.rollout.kernels.cpu_sweep import Sweep
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, Check, Hear, Outcome, Slopes, Wanted


class ActiveFront:
    """Engine for float32 on the CPU on up to ``threads`` threads: two in a rollout, or each with its own."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def prepare(self, model: Model) -> None:
        """Lay out the gains and the objective."""
        layout_of(model)
        objective_of(model)

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: Wanted,
        *, dense: bool = False, alone: bool = False,
    ) -> Outcome:  # fmt: skip
        """Roll a schedule out.

        ``dense`` runs every tile at every step, for comparison; ``alone`` takes one thread only.
        """
        layout = layout_of(model)
        with layout.workspace() as space:
            run = Run(
                model, schedule, layout, space, wanted, keep=False, dense=dense, threads=1 if alone else self._threads
            )
            run.advance(observer, check)
            outcome = run.outcome()
            run.clean()
        return outcome

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[Wanted]
    ) -> list[Outcome]:
        """Roll schedules out, one after another on each thread."""
        nobody = Observer(model, None, keep_days=False)
        with ThreadPoolExecutor(max(1, min(self._threads, len(schedules)))) as pool:
            jobs = [
                pool.submit(self.simulate, model, one, nobody, check, how, alone=True)
                for one, how in zip(schedules, wanted, strict=True)
            ]
            try:
                return [job.result() for job in jobs]
            except BaseException:
                for job in jobs:
                    job.cancel()
                raise

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, dense: bool = False
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        """Roll a schedule out and differentiate the objective."""
        layout = layout_of(model)
        with layout.workspace() as space:
            run = Run(model, schedule, layout, space, WHOLE, keep=True, dense=dense, threads=self._threads)
            run.advance(observer, check)
            outcome = run.outcome()
            back = Sweep(run)
            back.sweep(check)
            run.clean(swept=True)
        probability = 1.0 / (1.0 + np.exp(-schedule.logits))
        soft = probability * (1.0 - probability) * run.gates.open
        return outcome, (back.decision + model.weights.budget) * soft, back.pose

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Roll the fire out without drops and differentiate a misfit of its days by the gains."""
        layout, observer = layout_of(model), Observer(model, None, keep_days=True)
        schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        with layout.workspace() as space:
            run = Run(model, schedule, layout, space, WHOLE, keep=True, dense=False, threads=self._threads)
            run.advance(observer, check)
            days = observer.days()
            assert days is not None
            hear_gain_slopes(run, slopes(days), hear, check, through_days=through_days)
            run.clean(swept=True)
        return days
