"""Colours of the map: inks of the dark and light theme, and fixed colour scales for 8-bit codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPalette

from firegui.domain import plan_colors
from firegui.gui.base.theme import COLORS, Theme


@dataclass(frozen=True, slots=True)
class Ink:
    """Line and text colours of the map.

    ``halo`` is drawn behind ``text`` and lines so that they are readable on any layer.
    """

    dark: bool
    ground: QColor
    land: QColor
    frame: QColor
    text: QColor
    muted: QColor
    halo: QColor
    card: QColor
    region: QColor
    zone: QColor
    observed: QColor
    wind: QColor
    water: QColor
    retardant: QColor
    water_line: QColor
    retardant_line: QColor
    edge: QColor
    canopy: QColor
    values: QColor
    accent: QColor

    @staticmethod
    def of(palette: QPalette) -> Ink:
        """Return the colours for a dark or light widget palette."""
        dark = palette.color(QPalette.ColorRole.Window).lightness() < 128
        theme = COLORS[Theme.DARK if dark else Theme.LIGHT]
        return Ink(
            dark=dark,
            ground=QColor("#16191d" if dark else "#dfe2e6"),
            land=QColor("#24292e" if dark else "#f4f3ee"),
            frame=QColor(theme.muted),
            text=QColor(theme.text),
            muted=QColor(theme.muted),
            halo=QColor(12, 14, 17, 215) if dark else QColor(255, 255, 255, 225),
            card=QColor(20, 23, 27, 225) if dark else QColor(255, 255, 255, 235),
            region=QColor(plan_colors.REGION_ON_DARK if dark else plan_colors.REGION),
            zone=QColor(plan_colors.ZONE_ON_DARK if dark else plan_colors.ZONE),
            # White on black, or black on white: no colour of the fire or its backdrop is alike.
            observed=QColor("#ffffff" if dark else "#000000"),
            wind=QColor("#b9c6d8" if dark else "#44536a"),
            water=QColor(plan_colors.WATER),
            retardant=QColor(plan_colors.RETARDANT),
            water_line=QColor(plan_colors.WATER_ON_DARK if dark else plan_colors.WATER),
            retardant_line=QColor(plan_colors.RETARDANT_ON_DARK if dark else plan_colors.RETARDANT),
            # The brightest colour of the fire in near black: seen on its own colours, on drops and on any ground.
            edge=QColor(plan_colors.FIRE[0]),
            canopy=QColor("#4c9a5b" if dark else "#3f8a4e"),
            values=QColor(plan_colors.VALUES_ON_DARK if dark else plan_colors.VALUES),
            accent=QColor(theme.accent),
        )


EDGE_CASING = QColor("#1a1206")
"""Colour on both sides of the edge of the fire, on any ground."""


def faded(color: QColor, alpha: float) -> QColor:
    """Return the colour with opacity ``alpha`` in [0, 1]."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


def water_color(*, is_dark: bool) -> QColor:
    """Return the colour of lakes and rivers that are drawn over the ground."""
    return QColor("#6db3e8" if is_dark else "#2a6fb0")


Bytes = NDArray[np.uint8]
Packed = NDArray[np.uint32]

TRANSPARENT_BELOW = 0.01
"""Lower probabilities are not drawn: the mean-field fire has tiny values almost everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class ColorScale:
    """Colour per code 0 … 255, ``rgba [256, 4]`` with straight alpha, and the texts at its two ends."""

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


def _blend(colors: Sequence[str]) -> Bytes:
    """Return ``[256, 3]`` that blends ``colors`` in equal steps."""
    table = pg.ColorMap(None, [QColor(color) for color in colors]).getLookupTable(nPts=256, alpha=False)
    return np.asarray(table, np.uint8)[:, :3]


def _probability(title: str, rgb: Bytes) -> ColorScale:
    """Return a scale of 0 … 1, transparent below :data:`TRANSPARENT_BELOW`."""
    p = np.arange(256) / 255.0
    alpha = np.where(p < TRANSPARENT_BELOW, 0.0, np.minimum(1.0, 0.35 + 3.0 * p))
    return ColorScale(title, "0", "1", _with_alpha(rgb, alpha), "0.5")


def fire_scale() -> ColorScale:
    """Return the scale of P(fire) = 1 − U."""
    return _probability("Chance burned so far", _blend(plan_colors.FIRE))


def burning_scale() -> ColorScale:
    """Return the scale of B, the probability of burning now."""
    return _probability("Chance burning now", _map("inferno"))


def difference_scale() -> ColorScale:
    """Return the scale of baseline − plan, −1 … +1 as codes 0 … 255.

    Green is less fire with the plan, orange is more. The labels are short: maps side by side are narrow.
    """
    rgba = _diverging(plan_colors.MORE_FIRE, plan_colors.SAVED)
    return ColorScale("Saved", "more fire", "less fire", rgba, "0")


def comparison_scale(first: str, second: str) -> ColorScale:
    """Return the scale of the fire of the plan ``second`` minus that of ``first``, −1 … +1 as codes.

    Either end names the better plan, so that no sign has to be turned round. No colour is one of the fire.
    """
    rgba = _diverging(plan_colors.SECOND_BETTER, plan_colors.FIRST_BETTER)
    title = f"Chance burned so far, {second} − {first}"
    return ColorScale(title, f"less fire with {second}", f"less fire with {first}", rgba, "0")


def change_scale() -> ColorScale:
    """Return the scale of the effect of an edited drop: before − after, −1 … +1 as codes.

    It has the colours of two compared plans. The effect lies on the fire, and would not be seen in one of its colours.
    One drop changes little, so the colours follow the cube root of the change.
    """
    change = np.arange(256) / 127.5 - 1.0
    codes = np.rint((np.cbrt(change) + 1.0) * 127.5).astype(int)
    linear = _diverging(plan_colors.FIRST_BETTER, plan_colors.SECOND_BETTER)
    rgba = linear[codes]
    rgba[linear[:, 3] == 0, 3] = 0
    return ColorScale("Effect of my edit, at the end", "more fire", "less fire", rgba, "0")


def _diverging(low: str, high: str) -> Bytes:
    change = np.arange(256) / 127.5 - 1.0
    alpha = np.where(np.abs(change) < TRANSPARENT_BELOW, 0.0, np.minimum(1.0, 0.25 + 1.5 * np.abs(change)))
    return _with_alpha(_blend((low, "#f5efe4", high)), alpha)


def signed_scale(title: str, limit: float) -> ColorScale:
    """Return an opaque scale of ``−limit … limit`` as codes 0 … 255.

    Blue is above 0, ochre below, with equal strength on both sides.
    """
    rgb = _map("CET-CBD1")[::-1]
    return ColorScale(title, f"−{limit:g}", f"{limit:g}", _with_alpha(rgb, np.ones(256)), "0")


def ramp_scale(title: str, ends: tuple[str, str, str], name: str) -> ColorScale:
    """Return an opaque scale on the pyqtgraph colour map ``name``.

    ``ends`` are the texts low, middle, high.
    """
    low, middle, high = ends
    return ColorScale(title, low, high, _with_alpha(_map(name), np.ones(256)), middle)


def blend_scale(title: str, ends: tuple[str, str, str], colors: Sequence[str]) -> ColorScale:
    """Return an opaque scale that blends ``colors`` in equal steps; see :func:`ramp_scale`."""
    low, middle, high = ends
    return ColorScale(title, low, high, _with_alpha(_blend(colors), np.ones(256)), middle)


def retardant_scale() -> ColorScale:
    """Return the scale of the remaining fuel factor r, 0 … 1.

    Untreated cells are invisible; more retardant is more opaque.
    """
    left = np.arange(256) / 255.0
    alpha = np.where(left > 0.99, 0.0, 0.25 + 0.75 * (1.0 - left))
    return ColorScale(
        "Fuel that can still burn", "0", "1 untreated", _with_alpha(_blend((plan_colors.RETARDANT,) * 2), alpha)
    )


def tint_scale(title: str, low: str, high: str, color: QColor) -> ColorScale:
    """Return a scale of one hue with rising opacity, for backgrounds below the fire."""
    return ColorScale(title, low, high, _with_alpha(_blend((color.name(),) * 2), np.arange(256) / 255.0))


def shade_scale() -> ColorScale:
    """Return the scale of a hillshade of black or white; code 180 is flat ground and transparent."""
    light = (np.arange(256) - 180.0) / 180.0
    rgb = np.where(light[:, None] > 0, 255, 0).astype(np.uint8) * np.ones((1, 3), np.uint8)
    return ColorScale("Hillshade", "shade", "light", _with_alpha(rgb, np.abs(light) * np.where(light > 0, 0.7, 0.8)))


def recolored(scale: ColorScale, name: str) -> ColorScale:
    """Return ``scale`` on the pyqtgraph colour map ``name``, as transparent as before."""
    return replace(scale, rgba=np.column_stack([_map(name), scale.rgba[:, 3]]))


def in_classes(scale: ColorScale, count: int) -> ColorScale:
    """Return ``scale`` in ``count`` classes of equal width, each in the colour of its centre."""
    centres = ((np.arange(256) * count // 256 + 0.5) * 256 / count).astype(np.intp)
    rgba = scale.rgba[np.minimum(centres, 255)]
    # What is not drawn at all stays so: a tiny probability must not cover the map.
    rgba[scale.rgba[:, 3] == 0, 3] = 0
    return replace(scale, rgba=rgba)


def from_threshold(scale: ColorScale, share: float, *, is_signed: bool = False) -> ColorScale:
    """Return ``scale`` that is transparent below ``share`` of its range; if signed, around its middle."""
    codes = np.arange(256)
    strength = np.abs(codes / 127.5 - 1.0) if is_signed else codes / 255.0
    rgba = scale.rgba.copy()
    rgba[strength < share - 1e-9, 3] = 0
    return replace(scale, rgba=rgba)


def difference_codes(fire: Bytes, subtracted: Bytes) -> Bytes:
    """Return codes of :func:`difference_scale` and :func:`comparison_scale` for one frame minus another."""
    change = fire.astype(np.int16) - subtracted.astype(np.int16)
    return np.asarray((change + 255) >> 1, np.uint8)


def codes(values: NDArray[np.floating], low: float, high: float) -> Bytes:
    """Return ``values`` on ``low … high`` as codes 0 … 255; NaN becomes 0."""
    unit = (np.nan_to_num(values, nan=low) - low) / (high - low)
    return np.asarray(np.round(255.0 * np.clip(unit, 0.0, 1.0)), np.uint8)
