"""A schedule: for every step and aircraft a drop logit and a pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Problem

Floats = NDArray[np.float64]

POSE_LOGIT_LIMIT = 1.0 - 1e-9
"""Sines are kept this far from ±1, where ``arcsin`` is still exact and a pose still has a gradient."""

LISTED_LOGIT = 3.0
UNLISTED_LOGIT = -3.0


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Drop logits ``D [T, A]`` and poses ``[T, A, 3]`` = ``(y, x, θ)`` in cells and radians, both float64.

    ``pose_logits`` are the optimizer's own ``z [T, A, 3]`` where there are any. A pair *proposes* a drop when its logit
    is positive (``σ(D) > τ_STE = 0.5``); whether it is executed is for the gates to say.
    """

    logits: Floats
    poses: Floats
    pose_logits: Floats | None = None

    def __post_init__(self) -> None:
        steps, aircraft = self.logits.shape
        if self.poses.shape != (steps, aircraft, 3):
            raise ValueError(f"poses {self.poses.shape} do not fit logits {self.logits.shape}")

    @property
    def n_steps(self) -> int:
        """``T``."""
        return int(self.logits.shape[0])

    @property
    def n_aircraft(self) -> int:
        """``N_a``."""
        return int(self.logits.shape[1])

    @property
    def proposed(self) -> NDArray[np.bool_]:
        """``[T, A]``: where a drop is proposed."""
        return np.asarray(self.logits > 0.0)

    def size_problems(self, n_steps: int, n_aircraft: int) -> list[Problem]:
        """Return the problem of a schedule that is not of a project's ``n_steps`` and ``n_aircraft``."""
        if (self.n_steps, self.n_aircraft) == (n_steps, n_aircraft):
            return []
        what = f"has {self.n_steps} steps and {self.n_aircraft} aircraft, the project {n_steps} and {n_aircraft}"
        return [Problem("schedule", what, "give a schedule of this project's days and fleet")]

    def only(self, kept: NDArray[np.bool_]) -> Schedule:
        """Return the schedule with the logit −3 wherever ``kept [T, A]`` is false."""
        return replace(self, logits=np.where(kept, self.logits, UNLISTED_LOGIT))

    def until(self, step: int) -> Schedule:
        """Return the schedule without the drops from ``step`` on."""
        return self.only(np.arange(self.n_steps)[:, None] < step)

    @staticmethod
    def empty(n_steps: int, n_aircraft: int) -> Schedule:
        """Return a schedule without drops: every logit −3, every pose (0, 0, 0)."""
        return Schedule(np.full((n_steps, n_aircraft), UNLISTED_LOGIT), np.zeros((n_steps, n_aircraft, 3)))

    @staticmethod
    def from_pose_logits(logits: NDArray[Any], pose_logits: NDArray[Any], shape: tuple[int, int]) -> Schedule:
        """Map the optimizer's variables onto a raster of ``shape`` (paper, step 1).

        ``y = (n_y − 1)(sin z_y + 1)/2``, ``x = (n_x − 1)(sin z_x + 1)/2``, ``θ = π (sin z_θ + 1)/2``.
        """
        z = np.asarray(pose_logits, np.float64)
        return Schedule(np.asarray(logits, np.float64), pose_scale(shape) * (np.sin(z) + 1.0) / 2.0, z)


def pose_scale(shape: tuple[int, int]) -> Floats:
    """Return ``(n_y − 1, n_x − 1, π)``: the range of each pose component."""
    return np.array([shape[0] - 1, shape[1] - 1, np.pi], np.float64)


def pose_logits_of(poses: Floats, shape: tuple[int, int]) -> Floats:
    """Return the ``z [..., 3]`` of ``poses [..., 3]``: ``z = arcsin(2 pose / range − 1)``.

    It is the inverse of the paper's maps. A heading outside ``[0, π]`` is the same axis as the one it is congruent to
    modulo π.
    """
    poses = poses.copy()
    turned = (poses[..., 2] < 0.0) | (poses[..., 2] > np.pi)
    poses[turned, 2] = np.mod(poses[turned, 2], np.pi)
    sine = 2.0 * poses / np.maximum(pose_scale(shape), 1.0) - 1.0
    logits: Floats = np.arcsin(np.clip(sine, -POSE_LOGIT_LIMIT, POSE_LOGIT_LIMIT))
    return logits


@dataclass(frozen=True, slots=True)
class DropRecord:
    """One proposed drop with everything people need to know of it, worked out before any exporter sees it.

    ``y, x`` is the commanded release point and ``landing_y, landing_x`` where wind drift carries the material, in
    cells; ``theta`` the long axis in radians (long axis along ``(cos θ, −sin θ)`` in ``(dx, dy)``).
    """

    step: int
    aircraft: str
    column: int
    type: str
    material: str
    payload_gal: float
    executed: bool
    y: float
    x: float
    theta: float
    landing_y: float
    landing_x: float
    sigma_parallel_cells: float
    sigma_perpendicular_cells: float
