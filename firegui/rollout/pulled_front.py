"""Speed of a straight front on uniform ground whose tail is cut off by float32.

Ahead of a front on gains ``K_k`` the fire falls like ``exp(−λ x)`` and moves at ``v``, with ``λ v = ln G(λ)`` and

    G(λ) = 1 − 1/T_b + Σ_k K_k exp(λ n·d_k).

The front takes the least such speed, which a tail without an end pulls (``v(n)`` of
:mod:`firegui.rollout.front_speed`). In float32 a cell whose exposure is at most 2⁻²⁵ does not ignite, so the tail ends
where it has fallen by ``exp(ℓ)``. Such a tail is ``exp(−λ x) sin(π λ x / ℓ)``: ``λ + i π λ / ℓ`` and a real ``v`` solve
the equation (Brunet and Derrida 1997, whose first term is ``v(n) − π² λ² v''/(2 ℓ²)``). Fronts against the wind, with a
steep tail and a small speed, lose most of it.

``ℓ`` is ``25 ln 2`` less two terms. An exposure is ``(e^{λv} − 1 + 1/T_b)`` times the burning cells, which add the
logarithm of that. Behind the front at most ``1 − (1 + ln R)/R`` of the cells burn, with ``R = T_b Σ K`` (Kermack and
McKendrick 1927), and the tail begins there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_CUT_OFF = 25.0 * np.log(2.0)
_ENDLESS, _FEW = 1e4, 10
"""Depth of a tail without a cut-off, whose ``λ`` is found from any start, and rounds that begin near the end."""
_LEAST_DEPTH = 3.0
_LEAST_GROWTH = 1e-9
_LEAST_REPRODUCTION = 1.01
_LEAST_STEEPNESS, _MOST_STEEPNESS = 1e-3, 60.0


def cut_off_front(
    gains: Floats, along: Floats, lost: Floats, start: Floats, rounds: int = 40
) -> tuple[Floats, Floats, Floats]:
    """Return the speed ``[..., M]`` of a front with the cut-off, its ``λ`` and its slope ``[..., M, N]``.

    ``gains [..., 1, N]``, directions by their ``n·d_k`` ``along [M, N]``, ``lost [..., 1]`` the share ``1/T_b`` that
    burns out in a step, ``start [..., M]`` the ``λ`` to start from. The slope is that of the speed by the gains. ``λ``
    is found by Newton's steps on ``ln λ``, ``rounds`` of them.
    """
    at, depth = np.log(start), np.full(start.shape, _ENDLESS if rounds > _FEW else _CUT_OFF)
    burning = _most_burning(gains.sum(-1), lost)
    for left in range(rounds, -1, -1):
        steep = np.exp(at)
        wave = np.pi * steep / depth
        ends = np.exp((steep + 1j * wave)[..., None] * along)
        terms = gains * ends
        total = 1.0 - lost + terms.sum(-1)
        growth, bend = np.log(total), (terms * along).sum(-1) / total
        speed = growth.imag / wave
        if left:
            miss = growth.real - steep * speed
            slope = np.minimum(bend.real - speed - steep * bend.imag / wave, -1e-12)
            step = np.clip(miss / (slope * steep), -0.7, 0.7)
            at = np.clip(at - step, np.log(_LEAST_STEEPNESS), np.log(_MOST_STEEPNESS))
            ignited = np.maximum(np.expm1(np.minimum(steep * speed, 50.0)) + lost, _LEAST_GROWTH)
            if left <= max(rounds // 2, _FEW):
                depth = np.maximum(_CUT_OFF + np.log(ignited) + np.log(burning), _LEAST_DEPTH)
    lag = np.conj(speed - bend)
    by_gain = (ends / total[..., None] * lag[..., None]).imag / ((steep + 1j * wave) * lag).imag[..., None]
    return speed, steep, by_gain


def _most_burning(total: Floats, lost: Floats) -> Floats:
    """Return the largest share of the cells behind a front that burn at once."""
    reproduction = np.maximum(total / np.maximum(lost, 1e-12), _LEAST_REPRODUCTION)
    share: Floats = 1.0 - (1.0 + np.log(reproduction)) / reproduction
    return share
