"""The backward pass of a run."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.kernels.cpu_backward import assist_sweep, sweep
from firegui.rollout.kernels.cpu_carry import sweep_carried
from firegui.rollout.kernels.cpu_footprints import NEVER, Box, reach_of, relevant
from firegui.rollout.kernels.cpu_reading import Listed, Reading, Watching
from firegui.rollout.kernels.cpu_run import Run
from firegui.rollout.kernels.cpu_state import (
    bounding_box,
    start_adjoint,
)
from firegui.rollout.kernels.layout import ALIGHT, Floats
from firegui.rollout.outcome import Check

STRETCH_DAYS = 8
"""Days whose open pairs have their footprints in one table."""


class Sweep:
    """The backward pass of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.decision, self.pose = np.zeros(run.schedule.logits.shape), np.zeros(run.schedule.poses.shape)
        rows, columns = bounding_box(run.space.marks.touched, run.shape)
        ignited = np.flatnonzero(run.log[:, 1] > run.log[:, 0])
        last = int(ignited[-1]) if len(ignited) else -1
        self._burned = Box(rows.start, rows.stop, columns.start, columns.stop, last)
        self._idle_water, self._idle_retardant = self._idle()

    def _idle(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Open pairs without a drop whose gradient is not 0 for certain, of water and of retardant."""
        run = self._run
        pairs = np.ascontiguousarray(np.argwhere(run.gates.open & ~run.gates.executed))
        chosen, poses, alight = np.empty(len(pairs), bool), run.poses, int(run.sums[ALIGHT])
        relevant(pairs, poses, run.aircraft, run.wind, run.shape, run.water, self._burned, alight, chosen)
        pairs = pairs[chosen]
        water = run.water[pairs[:, 1]]
        return pairs[water], pairs[~water]

    def sweep(self, check: Check | None) -> None:
        """All steps, last first, some days at a time."""
        run, space, length = self._run, self._run.space, STRETCH_DAYS * self._run.clock.steps_per_day
        watching = self._watching()
        carrying = self._carrying(watching) if run.model.full_carry else ()
        for first in range((run.model.n_steps - 1) // length * length, -1, -length):
            if check is not None:
                check()
            last = min(first + length, run.model.n_steps)
            idle_water, idle_retardant = self._tables(first, last)
            reading = Reading(
                run.drops_of_water, run.drops_of_retardant, idle_water, idle_retardant, self.decision, self.pose
            )
            fire = (space.fields, run.objective.slope, run.layout.gains, run.clock, run.shape, run.setting)
            log = (space.log_places, space.log_values)
            if run.model.full_carry:
                sweep_carried(*fire, run.wet, run.laid, *log, run.log, watching, reading, first, last, *carrying)
                continue
            halved = run.threads > 1 and bool((run.log[first:last, 2] < run.log[first:last, 1]).any())
            with space.partner.helping(assist_sweep, *fire, *log, watching, wanted=halved) as board:
                sweep(*fire, run.wet, run.laid, *log, run.log, watching, reading, first, last, board)
        space.stamps[watching.chunks] = -1  # some lie in tiles that never burned, which cleaning does not visit

    def _carrying(self, watching: Watching) -> tuple[Floats, Floats, Floats]:
        """``q`` at 0, and room for what a step notes of it: for its pieces and for the listed rows."""
        run, space = self._run, self._run.space
        carried = space.room("carried", run.shape.cells, np.float32)
        carried[:] = 0.0
        most = int((run.log[:-1, 1] - run.log[:-1, 0]).max(initial=0))
        before = space.room("carried before", 16 * most, np.float32)
        return carried, before, space.room("carried rows", 16 * len(watching.starts), np.float32)

    def _tables(self, first: int, last: int) -> tuple[Listed, Listed]:
        """Footprints of the open pairs of some steps, of water and of retardant."""
        beside: Future[Listed] | None = None
        if self._run.threads > 1 and len(self._idle_water) > 0:
            with suppress(RuntimeError):  # no thread is to be had, as when the interpreter is leaving
                beside = self._run.space.partner.submit(self._listed, self._idle_water, first, last, "idle water")
        retardant = self._listed(self._idle_retardant, first, last, "idle retardant")
        if beside is not None:
            return beside.result(), retardant
        return self._listed(self._idle_water, first, last, "idle water"), retardant

    def _listed(self, pairs: NDArray[np.int64], first: int, last: int, name: str) -> Listed:
        begin, end = np.searchsorted(pairs[:, 0], [first, last])
        return self._run.listed(pairs[begin:end], name, executed=False)

    def _watching(self) -> Watching:
        run, space, shape = self._run, self._run.space, self._run.shape
        pairs = np.concatenate([run.drops_of_water.pairs, self._idle_water])
        asked_for = reach_of(pairs, run.poses, run.aircraft, run.wind, shape, self._burned)
        has_water = asked_for.step < NEVER
        tiles = shape.tile_rows * shape.tile_columns if has_water else 0
        near, asked = space.room("near", tiles, np.uint8), space.room("asked", tiles, np.int32)
        near[:], asked[:] = 0, -1
        rows = 4 * tiles
        starts, chunks = space.room("rows", rows, np.int32), space.room("chunks", rows, np.int32)
        hot = space.room("hot", rows, np.int32)
        kept = space.room("kept", 16 * max(run.wet.most(), run.laid.most()), np.float32)
        watching = Watching(
            has_water, asked_for.step, starts, chunks, hot, near, asked, space.stamps, kept, np.empty(0, np.float32)
        )
        count = start_adjoint(
            space.fields, space.marks, shape, np.float32(-run.model.terminal_slope), run.wet, run.model.n_steps,
            watching, asked_for,
        )  # fmt: skip
        hot[:count] = NEVER
        return watching._replace(starts=starts[:count], chunks=chunks[:count], hot=hot[:count])
