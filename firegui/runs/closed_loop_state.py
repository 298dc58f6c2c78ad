"""Where a closed loop is between two days, in one file; and its table ``closed_loop.csv``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from firegui.domain.observation import FireState
from firegui.domain.schedule import Schedule
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.runs.folder import LOOP_STATE
from firegui.runs.replan_base import LoopDay

STATE, TABLE = LOOP_STATE, "closed_loop.csv"
COLUMNS = tuple(item.name for item in fields(LoopDay))
_BRANCHES = ("loop", "open", "none")


@dataclass(frozen=True, slots=True, eq=False)
class LoopState:
    """The start of a day: the ``rows`` of the days before, the fire of every branch and the schedule that is flown.

    ``seen [H, W]`` is the loop's perimeter of the day before, which tells new fire from old.
    """

    rows: tuple[LoopDay, ...]
    schedule: Schedule
    seen: NDArray[np.bool_]
    loop: FireState
    open: FireState
    none: FireState

    @property
    def day(self) -> int:
        """The day that begins."""
        return len(self.rows)

    def save(self, path: Path) -> None:
        """Write it, atomically."""
        schedule = self.schedule
        arrays: dict[str, NDArray[np.generic]] = {
            # None becomes NaN, which no other column can be.
            "rows": np.array([astuple(row) for row in self.rows], np.float64).reshape(-1, len(COLUMNS)),
            "logits": np.ascontiguousarray(schedule.logits),
            "poses": np.ascontiguousarray(schedule.poses),
            "seen": self.seen.astype(np.uint8),
        }
        if schedule.pose_logits is not None:
            arrays["pose_logits"] = np.ascontiguousarray(schedule.pose_logits)
        for name in _BRANCHES:
            state: FireState = getattr(self, name)
            arrays[name] = state.burning.astype(np.uint8) + 2 * state.burned.astype(np.uint8)
        with atomic.replacing(path) as temporary:
            temporary.write_bytes(save(arrays))

    @staticmethod
    def load(path: Path) -> LoopState:
        """Read what :meth:`save` wrote. Raises :class:`~firegui.errors.InputError` when the file cannot be used."""
        try:
            stored = load_file(path)
            fires = {name: FireState(stored[name] == 1, stored[name] == 2) for name in _BRANCHES}
            schedule = Schedule(stored["logits"], stored["poses"], stored.get("pose_logits"))
            rows = tuple(_row(values) for values in stored["rows"].tolist())
            return LoopState(rows, schedule, stored["seen"].astype(bool), **fires)
        except Exception as error:  # safetensors raises its own and OSError alike
            remedy = "start the run again without resuming"
            raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def table_text(rows: Sequence[LoopDay]) -> str:
    """``closed_loop.csv``; numbers read back exactly, and a day that was not replanned has no expectation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if value is None else repr(value) for value in astuple(row)])
    return out.getvalue()


def _row(values: list[float]) -> LoopDay:
    named: dict[str, Any] = {name: int(value) for name, value in zip(COLUMNS[:-1], values[:-1], strict=True)}
    return LoopDay(**named, expected=None if math.isnan(values[-1]) else values[-1])
