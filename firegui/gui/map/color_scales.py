"""Fixed colour scales for 8-bit codes: a code has the same colour in every view, on every day, in every project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor

Bytes = NDArray[np.uint8]
Packed = NDArray[np.uint32]

TRANSPARENT_BELOW = 0.01
"""Probabilities under this are not drawn: the mean-field fire has a tail of tiny values almost everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """A colour per code 0 … 255, ``rgba [256, 4]`` with straight alpha, and the texts at its two ends."""

    title: str
    low: str
    high: str
    rgba: Bytes
    middle: str = ""

    @property
    def packed(self) -> Packed:
        """``[256]`` premultiplied ``0xAARRGGBB``, ready for a Qt image."""
        red, green, blue, alpha = self.rgba.astype(np.uint32).T
        red, green, blue = ((channel * alpha + 127) // 255 for channel in (red, green, blue))
        return np.asarray(alpha << 24 | red << 16 | green << 8 | blue, np.uint32)


def _map(name: str) -> Bytes:
    table = pg.colormap.get(name).getLookupTable(nPts=256, alpha=False)
    return np.asarray(table, np.uint8)[:, :3]


def _with_alpha(rgb: Bytes, alpha: NDArray[np.float64]) -> Bytes:
    return np.column_stack([rgb, np.round(255.0 * np.clip(alpha, 0.0, 1.0)).astype(np.uint8)])


def probability(title: str, name: str) -> Scale:
    """0 … 1 on a sequential map, nothing below :data:`TRANSPARENT_BELOW`, soft just above it."""
    p = np.arange(256) / 255.0
    alpha = np.where(p < TRANSPARENT_BELOW, 0.0, np.minimum(1.0, 0.35 + 3.0 * p))
    return Scale(title, "0", "1", _with_alpha(_map(name), alpha), "0.5")


def fire_scale() -> Scale:
    """P(fire) = 1 − U."""
    return probability("Probability of fire P", "cividis")


def burning_scale() -> Scale:
    """B, the probability of burning just now."""
    return probability("Probability of burning P", "CET-CBL2")


def difference_scale() -> Scale:
    """Baseline − plan, −1 … +1 as codes 0 … 255: blue where the plan leaves less fire, ochre where it leaves more."""
    change = np.arange(256) / 127.5 - 1.0
    alpha = np.where(np.abs(change) < TRANSPARENT_BELOW, 0.0, np.minimum(1.0, 0.25 + 1.5 * np.abs(change)))
    rgba = _with_alpha(_map("CET-CBD1")[::-1], alpha)
    return Scale("P(fire), baseline − plan", "−1 more fire", "+1 less fire", rgba, "0")


def signed_scale(title: str, limit: float) -> Scale:
    """``−limit … limit`` as codes 0 … 255, opaque: blue above 0, ochre below, the same strength on both sides."""
    rgb = _map("CET-CBD1")[::-1]
    return Scale(title, f"−{limit:g}", f"{limit:g}", _with_alpha(rgb, np.ones(256)), "0")


def ramp_scale(title: str, ends: tuple[str, str, str], name: str) -> Scale:
    """Low … high as codes 0 … 255, opaque, on the pyqtgraph map ``name``; ``ends`` are the texts low, middle, high."""
    low, middle, high = ends
    return Scale(title, low, high, _with_alpha(_map(name), np.ones(256)), middle)


def blend_scale(title: str, ends: tuple[str, str, str], colors: Sequence[str]) -> Scale:
    """As :func:`ramp_scale`, evenly from one of ``colors`` to the next."""
    low, middle, high = ends
    table = pg.ColorMap(None, [QColor(color) for color in colors]).getLookupTable(nPts=256, alpha=False)
    return Scale(title, low, high, _with_alpha(np.asarray(table, np.uint8)[:, :3], np.ones(256)), middle)


def retardant_scale() -> Scale:
    """Remaining fuel factor r, 0 … 1: invisible where untreated, stronger the more retardant lies there."""
    left = np.arange(256) / 255.0
    rgb = np.tile(np.array([[214, 73, 158]], np.uint8), (256, 1))
    alpha = np.where(left > 0.99, 0.0, 0.25 + 0.75 * (1.0 - left))
    return Scale("Fuel factor left by retardant", "0", "1 untreated", _with_alpha(rgb, alpha))


def tint_scale(title: str, low: str, high: str, color: QColor) -> Scale:
    """One hue laid on the ground more and more densely: for backgrounds that must stay behind the fire."""
    rgb = np.tile(np.array([[color.red(), color.green(), color.blue()]], np.uint8), (256, 1))
    return Scale(title, low, high, _with_alpha(rgb, np.arange(256) / 255.0))


def shade_scale() -> Scale:
    """Hillshade as black or white laid over what lies below: code 180 is flat ground and changes nothing."""
    light = (np.arange(256) - 180.0) / 180.0
    rgb = np.where(light[:, None] > 0, 255, 0).astype(np.uint8) * np.ones((1, 3), np.uint8)
    return Scale("Hillshade", "shade", "light", _with_alpha(rgb, np.abs(light) * np.where(light > 0, 0.7, 0.8)))


def difference_codes(baseline: Bytes, plan: Bytes) -> Bytes:
    """Codes of :func:`difference_scale` for two fire frames."""
    change = baseline.astype(np.int16) - plan.astype(np.int16)
    return np.asarray((change + 255) >> 1, np.uint8)


def codes(values: NDArray[np.floating], low: float, high: float) -> Bytes:
    """``values`` on ``low … high`` as codes 0 … 255; what is not a number becomes 0."""
    unit = (np.nan_to_num(values, nan=low) - low) / (high - low)
    return np.asarray(np.round(255.0 * np.clip(unit, 0.0, 1.0)), np.uint8)
