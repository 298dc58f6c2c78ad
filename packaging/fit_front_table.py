"""Fit the gains of the physical fire model to ellipses and write the two tables that firegui ships.

    python packaging/fit_front_table.py [--out resources/fire]

For every node of a table, sixteen gains per step are fitted so that the front along 64 directions moves as the
ellipse's does. The front is that of :mod:`firegui.rollout.front_speed`, slowed by the cut-off of float32 at an exposure
of 2^-25. A pulled front is ``π² λ L''/(2 N²)`` slower for it (Brunet and Derrida 1997), with ``N`` the logarithm of
what burns behind the front over what burns at the cut-off. Where the front is slow, many steps of the same small
exposure have burned there: ``N = 25 ln 2 + g ln Σ_k K_k e^{λ n·d}``, with ``g`` of :data:`GROWTH` chosen so that
measured fronts have the speed of the ellipse. That is the front of ``steady_front_table.npz``.

The front of ``front_table.npz`` has ``g = 0``. It is also slowed by the start of the fire, of which a pulled front
keeps a lag that grows like the logarithm of time (Bramson 1983). The lag is :data:`KAPPA` times ``c / λ``; the factor
was chosen so that measured fronts have the speed of the ellipse after a head run of about 120 cells.

Nothing is random. It takes two to four minutes on one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.stencil import SIXTEEN

Floats = NDArray[np.float64]

SPEEDS = (0.005, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Head speeds ``c`` in cells per step."""
BURNS = (0.0, 0.015, 0.035, 0.06, 0.1, 0.15, 0.22, 0.32, 0.45, 0.6, 0.8, 1.05, 1.4, 1.85, 2.4, 3.1, 4.0)
"""``1 / (c T_b)``: burn durations by what the head moves meanwhile, from endless down to a quarter of a cell."""
_STRETCH = np.linspace(0.0, 2.0 * np.arctanh(np.sqrt(1.0 - 4.0**-2)), 17)
RATIOS = tuple(1.0 / np.sqrt(1.0 - np.tanh(0.5 * _STRETCH) ** 2))
"""Length-to-width ratios, equally spaced by the logarithm of the head's speed to the back's."""
ANGLES = (0.0, 6.0, 12.0, 17.0, 21.0, 24.0, float(np.degrees(np.arctan(0.5))), 29.0, 32.0, 36.0, 40.5, 45.0)
"""Direction of the head in degrees from the grid's axis; the stencil's symmetry gives the others. They are
denser about the knight's move."""
KAPPA = 0.02
"""Lag of the start, as a speed: this many times ``c / λ``."""
DIRECTIONS = 64
GROWTH = 0.4
"""Weight ``g`` of the logarithm of the growth in that of the cut-off."""
DEFAULT_OUT = Path(__file__).resolve().parents[1] / "resources" / "fire"

_EXPOSURE = 25.0 * np.log(2.0)
_LEAST_SURVIVAL = 0.5
_WEIGHT = 1e-2
"""Weight of staying near the start of the fit, which keeps gains that decide nothing smooth between nodes."""
_ROUNDS = 30
_LEAST_TRUST = 0.1
"""Least weight of a direction along which the front moves less than a cell during a burn duration."""
_WAYS = np.array([(SIXTEEN.displacement(n)[1], -SIXTEEN.displacement(n)[0]) for n in range(16)], np.float64)


@dataclass(frozen=True, slots=True)
class Front:
    """What a table is fitted to: weight of the growth in the cut-off, and lag of the start by ``c / λ``."""

    growth: float
    lag: float


FRONTS = {"steady_front_table.npz": Front(GROWTH, 0.0), "front_table.npz": Front(0.0, KAPPA)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write, print how well the formula meets the ellipses; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    options = parser.parse_args(arguments)
    for name, front in FRONTS.items():
        began = time.process_time()
        logs, errors = fit_table(front)
        out = options.out / name
        np.savez_compressed(
            out, log_thousandths=np.round(1e3 * logs).astype(np.int16), burns=np.array(BURNS),
            speeds=np.array(SPEEDS), angles=np.radians(ANGLES),
        )  # fmt: skip
        print(f"{name}, {front}")
        for at, ratio in enumerate(RATIOS):
            worst, mean = 100.0 * errors[:, :, at].max(), 100.0 * errors[:, :, at].mean()
            print(f"length-to-width {ratio:4.2f}: rms from the ellipse {mean:.2f} % on average, {worst:.2f} % at most")
        print(f"{errors.size} fits in {time.process_time() - began:.0f} s of CPU, {out.stat().st_size:,} bytes")
    return 0


def fit_table(front: Front) -> tuple[Floats, Floats]:
    """Return ``ln K [burns, speeds, ratios, angles, 16]`` and the rms of every node from its ellipse.

    Nodes of one burn duration start from those of the next longer one.
    """
    speed, ratio, angle = np.array(np.meshgrid(SPEEDS, RATIOS, np.radians(ANGLES), indexing="ij")).reshape(3, -1)
    bearings = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    along = np.stack([np.cos(bearings), np.sin(bearings)], axis=1) @ _WAYS.T
    wanted = speed[:, None] * support(ratio[:, None], bearings - angle[:, None])
    reach, bearing = np.hypot(*_WAYS.T), np.arctan2(_WAYS[:, 1], _WAYS[:, 0])
    logs = np.log(speed[:, None] * radius(ratio[:, None], bearing - angle[:, None]) / reach**2) - 2.0
    steepness, lost = np.ones((len(speed), DIRECTIONS)), np.zeros(len(speed))
    found, errors = [], []
    for burn in BURNS:
        losing = np.minimum(burn * speed, _LEAST_SURVIVAL)
        # What burns out more in a step must catch fire more.
        spread = np.exp(logs[:, None, :] + steepness[..., None] * along).sum(-1)
        logs = logs + np.log1p((losing - lost)[:, None] / spread).max(axis=1)[:, None]
        lost = losing
        effort = 3 if burn == 0.0 else 1
        logs, misses, steepness = _fitted(front, logs, wanted, along, lost, speed, steepness, effort)
        found.append(logs)
        errors.append(np.sqrt((misses**2).mean(axis=1)))
    shape = (len(BURNS), len(SPEEDS), len(RATIOS), len(ANGLES))
    return np.array(found).reshape(*shape, 16), np.array(errors).reshape(shape)


def support(ratio: Floats, from_head: Floats) -> Floats:
    """Return the support function of the ellipse about its rear focus, 1 along the head."""
    eccentricity, ahead = np.sqrt(1.0 - ratio**-2), np.cos(from_head)
    reach: Floats = eccentricity * ahead + np.sqrt(ahead**2 + (1.0 - ahead**2) / ratio**2)
    return reach / (1.0 + eccentricity)


def radius(ratio: Floats, from_head: Floats) -> Floats:
    """Return how far the ellipse reaches from its rear focus, 1 along the head."""
    eccentricity = np.sqrt(1.0 - ratio**-2)
    reach: Floats = (1.0 - eccentricity) / (1.0 - eccentricity * np.cos(from_head))
    return reach


def delayed_speed(
    front: Front, logs: Floats, along: Floats, lost: Floats, head: Floats, start: Floats, rounds: int
) -> tuple[Floats, Floats, Floats]:
    """Return speeds ``[B, M]`` with both lags, the ``λ`` of the front, and derivatives by ``ln K``.

    The derivatives are without the lags.

    ``logs [B, 16]``, directions by their ``n·d_k`` ``along [M, 16]``, ``lost [B]`` the share that burns out in a step,
    ``head [B]`` the wanted head speeds, ``start [B, M]`` the ``λ`` to start from. ``λ`` solves ``λ L' = L`` with
    ``L = ln(1 − lost + Σ K e^{λ n·d})``, by Newton's steps on ``ln λ``.
    """
    gains, at = np.exp(logs)[:, None, :], np.log(start)
    for left in range(rounds, -1, -1):
        steep = np.exp(at)
        terms = gains * np.exp(steep[..., None] * along)
        total = 1.0 - lost[:, None] + terms.sum(-1)
        slope = (terms * along).sum(-1) / total
        bend = (terms * along**2).sum(-1) / total - slope**2
        if left:
            step = (steep * slope - np.log(total)) / np.maximum(steep**2 * bend, 1e-12)
            at = np.clip(at - np.clip(step, -0.7, 0.7), np.log(1e-3), np.log(60.0))
    cut_off = _EXPOSURE + front.growth * np.log(terms.sum(-1))
    by_cut_off, by_start = np.pi**2 * steep * bend / (2.0 * cut_off**2), front.lag * head[:, None] / steep
    speeds = np.log(total) / steep - np.hypot(by_cut_off, by_start)
    return speeds, steep, terms / (total * steep)[..., None]


def _fitted(
    front: Front,
    start: Floats,
    wanted: Floats,
    along: Floats,
    lost: Floats,
    head: Floats,
    steepness: Floats,
    effort: int,
) -> tuple[Floats, Floats, Floats]:
    """Return ``ln K``, weighted relative errors and ``λ`` of least squares.

    The steps are Levenberg's and Marquardt's.
    """
    logs, damping, one = start, np.full(len(start), 1e-2), np.eye(16)
    trust = np.clip(wanted / np.maximum(lost, 1e-12)[:, None], _LEAST_TRUST, 1.0)

    def linearized(tried: Floats, near: Floats, rounds: int) -> tuple[Floats, Floats, Floats, Floats]:
        speeds, steep, slopes = delayed_speed(front, tried, along, lost, head, near, rounds)
        misses = trust * (speeds / wanted - 1.0)
        cost = (misses**2).sum(-1) + _WEIGHT**2 * ((tried - start) ** 2).sum(-1)
        return misses, slopes * (trust / wanted)[..., None], steep, cost

    misses, slopes, steepness, cost = linearized(logs, steepness, 30)
    for _ in range(_ROUNDS * effort):
        normal = np.einsum("bmk,bml->bkl", slopes, slopes) + _WEIGHT**2 * one
        push = np.einsum("bmk,bm->bk", slopes, misses) + _WEIGHT**2 * (logs - start)
        damped = normal + (damping * np.trace(normal, axis1=1, axis2=2) / 16.0)[:, None, None] * one
        tried = logs - np.clip(np.linalg.solve(damped, push[..., None])[..., 0], -1.0, 1.0)
        found = linearized(tried, steepness, 6)
        gained = found[3] < cost
        chosen = gained[:, None]
        logs, misses = np.where(chosen, tried, logs), np.where(chosen, found[0], misses)
        slopes, steepness = np.where(chosen[..., None], found[1], slopes), np.where(chosen, found[2], steepness)
        cost = np.where(gained, found[3], cost)
        damping = np.where(gained, np.maximum(damping / 4.0, 1e-9), np.minimum(damping * 4.0, 1e4))
    return logs, misses, steepness


if __name__ == "__main__":
    sys.exit(main())
