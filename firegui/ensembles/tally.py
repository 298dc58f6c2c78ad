"""Daily records of an ensemble's members, and their sum."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from firegui.domain.ensemble import UNIT, EnsembleState, packed
from firegui.domain.grid import Box, bounding_box
from firegui.ensembles.weather import union
from firegui.errors import InputError, Problem
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.model import Model
from firegui.rollout.observe import Window

Floats = NDArray[np.float64]
Units = NDArray[np.uint16]


@dataclass(frozen=True, slots=True, eq=False)
class DaySnapshot:
    """End of a day on ``window``, in cells of the whole raster.

    ``P`` and ``p^B`` are in units of 1/32,768. ``reached`` is the smallest box with everything that has any chance of
    having burned, ``None`` without such a cell.
    """

    window: Box
    fire: Units
    burning: Units
    reached: Box | None


@dataclass(slots=True, eq=False)
class DayEndObserver:
    """Observer of the end of every day, after ``change``; for one rollout only.

    ``corner`` is where the model's raster begins in the whole one.
    """

    model: Model
    change: Alteration | None = None
    corner: tuple[int, int] = (0, 0)
    extent: list[float] = field(default_factory=list)
    protected: list[float] = field(default_factory=list)
    looks: list[DaySnapshot] = field(default_factory=list)

    def __post_init__(self) -> None:
        start = self.model.maps.start
        window = bounding_box(start.fire)
        assert window is not None
        burned, lit = (cells[window].astype(np.float32) for cells in (start.fire, start.burning))
        self._note(window, 1.0 - burned, lit)

    def alteration(self) -> Alteration:
        """Return the change for the rollout."""
        return Alteration(self._see, only_grows=self.change is None or self.change.only_grows)

    def _see(self, day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        if self.change is not None:
            unburned, burning = self.change.change(day, window, unburned, burning)
        self._note(window, unburned, burning)
        return unburned, burning

    def _note(self, window: Window, unburned: State, burning: State) -> None:
        fire = 1.0 - unburned.astype(np.float64)
        self.extent.append(float(fire.sum()))
        self.protected.append(float(fire[self.model.protected.numpy()[window]].sum()))
        box = _moved(window, self.corner)
        self.looks.append(DaySnapshot(box, _units(fire), _units(burning), _reached(unburned, box)))


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One member: a watch that has seen its rollout to the end, for every case."""

    watches: tuple[DayEndObserver, ...]


class Tally:
    """Sum over the finished members, of at most ``most``.

    Members are added in the order of their numbers.
    """

    def __init__(self, model: Model, cases: int, most: int, *, keeps: bool, state: EnsembleState | None) -> None:
        self._shape, self._keeps = model.shape, keeps
        boundaries = model.maps.days + 1
        self._done = 0
        self._extent = np.zeros((cases, most, boundaries))
        self._protected = np.zeros_like(self._extent)
        self._samples: list[list[bytes]] = [[] for _ in range(cases if keeps else 0)]
        self._fire = np.zeros((cases, boundaries, *model.shape), np.uint32)
        self._burning = np.zeros_like(self._fire)
        self._box: Box | None = None
        if state is not None:
            self._go_on(state)

    @property
    def members(self) -> int:
        """Number of members."""
        return self._done

    def add(self, member: Member) -> None:
        """Add the next member."""
        for case, watch in enumerate(member.watches):
            self._extent[case, self._done], self._protected[case, self._done] = watch.extent, watch.protected
            for day, look in enumerate(watch.looks):
                self._fire[(case, day, *look.window)] += look.fire
                self._burning[(case, day, *look.window)] += look.burning
                self._box = look.window if self._box is None else union([self._box, look.window])
            if self._keeps:
                self._samples[case].append(self._packed(watch))
        self._done += 1

    def extend(self, state: EnsembleState) -> None:
        """Add the members of ``state``, which follow those that are done."""
        members = slice(self._done, self._done + state.members)
        self._extent[:, members], self._protected[:, members] = state.extent, state.protected
        box = self._box_of(state)
        at = (slice(None), slice(None), *box)
        self._fire[at] += state.fire
        self._burning[at] += state.burning
        self._box = box if self._box is None else union([self._box, box])
        if self._keeps:
            for case, samples in zip(self._samples, state.samples, strict=True):
                case.extend(samples)
        self._done += state.members

    def series(self) -> tuple[Floats, Floats]:
        """Return extent and protected exposure ``[C, M, D + 1]``: views of what is not written again."""
        return self._extent[:, : self._done], self._protected[:, : self._done]

    def state(self) -> EnsembleState:
        """Return a copy of the state."""
        box = self._box or (slice(0, 1), slice(0, 1))
        at = (slice(None), slice(None), *box)
        samples = tuple(tuple(case) for case in self._samples)
        corner = (box[0].start, box[1].start)
        extent, protected = (part.copy() for part in self.series())
        return EnsembleState(extent, protected, self._fire[at].copy(), self._burning[at].copy(), corner, samples)

    def _go_on(self, state: EnsembleState) -> None:
        problem = self._misfit(state)
        if problem:
            raise InputError([Problem("state", problem, "start again without resuming")], "The run cannot be resumed")
        self.extend(state)

    @staticmethod
    def _box_of(state: EnsembleState) -> Box:
        """Return the rectangle that the maps of ``state`` cover."""
        (row, column), (rows, columns) = state.corner, state.fire.shape[2:]
        return slice(row, row + rows), slice(column, column + columns)

    def _misfit(self, state: EnsembleState) -> str:
        cases, boundaries = self._fire.shape[:2]
        if state.fire.shape[:2] != (cases, boundaries):
            there = state.fire.shape[:2]
            return f"is of {there[0]} cases and {there[1] - 1} days, not of {cases} and {boundaries - 1}"
        ends = [start + size for start, size in zip(state.corner, state.fire.shape[2:], strict=True)]
        if min(state.corner) < 0 or any(end > size for end, size in zip(ends, self._shape, strict=True)):
            return f"covers cells beyond the raster of {self._shape[0]} × {self._shape[1]}"
        if self._keeps and not state.samples:
            return "has not kept its members"
        return ""

    def _packed(self, watch: DayEndObserver) -> bytes:
        fire, burning = (np.zeros(self._fire.shape[1:], bool) for _ in range(2))
        for day, look in enumerate(watch.looks):
            fire[(day, *look.window)] = look.fire >= UNIT // 2
            burning[(day, *look.window)] = look.burning >= UNIT // 2
        return packed(fire, burning)


def _units(probability: NDArray[np.floating]) -> Units:
    units: Units = np.rint(probability * UNIT).astype(np.uint16)
    return units


def _moved(window: Window, corner: tuple[int, int]) -> Box:
    rows, columns = (slice(side.start + by, side.stop + by) for side, by in zip(window, corner, strict=True))
    return rows, columns


def _reached(unburned: State, box: Box) -> Box | None:
    lit = bounding_box(unburned < 1.0)
    return None if lit is None else _moved(lit, (box[0].start, box[1].start))
