"""The colours the map draws with, chosen from the widget's palette so that dark and light both read well."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette

from firegui.gui.base.theme import COLORS, Theme


@dataclass(frozen=True, slots=True)
class Ink:
    """Line and text colours of the map. ``halo`` is put behind ``text`` and lines so that they read on any layer."""

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
    canopy: QColor
    accent: QColor

    @staticmethod
    def of(palette: QPalette) -> Ink:
        """The ink for a widget palette: light on dark or dark on light."""
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
            region=QColor("#5aa9ff" if dark else "#0b57c0"),
            zone=QColor("#d28bff" if dark else "#7a1fa2"),
            observed=QColor("#ff5d52" if dark else "#c4161c"),
            wind=QColor("#b9c6d8" if dark else "#44536a"),
            water=QColor(theme.water),
            retardant=QColor(theme.retardant),
            canopy=QColor("#4c9a5b" if dark else "#3f8a4e"),
            accent=QColor(theme.accent),
        )


def faded(color: QColor, alpha: float) -> QColor:
    """The colour with opacity ``alpha`` in [0, 1]."""
    result = QColor(color)
    result.setAlphaF(alpha)
    return result
