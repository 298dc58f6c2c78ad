"""Layers of fire behaviour by the physical model: rate of spread, flame length and fireline intensity.

They show the head of a free-burning surface fire in every cell, whether or not the fire of the plan comes there. The
classes of spread and flame length are those of Scott and Burgan (2005, USDA RMRS-GTR-153, page 12): 2, 5, 20, 50 and
150 ch/h, and 1, 4, 8, 12 and 25 ft. Those of intensity are the limits of suppression of Andrews and Rothermel (1982,
USDA INT-131): 100, 500 and 1,000 Btu/(ft·s).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from firegui.domain.units import BTU_FT_S_KW_M, CHAIN_M, FOOT_M, Units
from firegui.gui.map.layers.layer import Legend, LegendEntry, RasterLayer, color_choice
from firegui.gui.map.map_colors import Bytes, ColorScale, ramp_scale
from firegui.gui.map.map_content import MapState
from firegui.gui.session.fire_behaviour import BehaviourPicture
from firegui.gui.session.session import Session

_FIRST, _LAST = 0.2, 0.95
"""Part of a colour map that is used: the ends are hard to tell from a dark and from a light ground."""
_MODEL = "needs the physical fire model (Fire model… in the workspace Fire)"


def _scale(title: str, name: str) -> ColorScale:
    scale = ramp_scale(title, ("", "", ""), name)
    rgba = scale.rgba.copy()
    rgba[0, 3] = 0
    return ColorScale(title, "", "", rgba)


class BehaviourLayer(RasterLayer):
    """Base class of a quantity in classes. Subclasses set ``limits`` and return ``values`` and ``amount``."""

    follows = frozenset({"step", "behaviour"})
    starts_visible = False
    start_opacity = 0.75
    limits: tuple[float, ...] = ()
    """Limits of the classes, the lowest first."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        count = len(self.limits) + 1
        shares = _FIRST + (_LAST - _FIRST) * (np.arange(count) + 0.5) / count
        self.class_codes = np.round(255.0 * shares).astype(np.uint8)
        """Codes of the classes on the colour map; code 0 is no fire."""

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return the quantity, NaN where nothing burns."""
        raise NotImplementedError

    def amount(self, units: Units) -> tuple[Callable[[float], float], str]:
        """Return how a value is brought to the unit that is shown, and its name."""
        raise NotImplementedError

    @property
    def legend(self) -> Legend:
        """Return the classes in the unit that is shown."""
        convert, unit = self.amount(self.session.units)
        colors = (QColor(*(int(part) for part in self.scale.rgba[code, :3])) for code in self.class_codes)
        entries = zip(class_texts([convert(limit) for limit in self.limits]), colors, strict=True)
        return Legend(entries=tuple(LegendEntry(*entry) for entry in entries), title=f"{self.title}, {unit}")

    def missing(self) -> str:
        """Return that the model is another, or why its behaviour cannot be computed."""
        session = self.session
        if session.has_project and session.project.fire_model.kind != "physical":
            return _MODEL
        return session.behaviour.trouble

    def identity(self, shown: MapState) -> object:
        """Return the picture that is shown, which this requests."""
        return self.session.behaviour.picture(shown.project, shown.weather_period)

    def complete(self, shown: MapState) -> None:
        """Compute the picture."""
        self.session.behaviour.complete(shown.project, shown.weather_period)

    def codes(self, shown: MapState) -> Bytes | None:
        """Return the codes of the classes."""
        picture = self.session.behaviour.picture(shown.project, shown.weather_period)
        if picture is None:
            return None
        found = self.values(picture)
        classes = np.digitize(np.nan_to_num(found), self.limits)
        return np.where(np.isnan(found), np.uint8(0), self.class_codes[classes])


class SpreadRateLayer(BehaviourLayer):
    """Rate of spread of the head."""

    key = "spread_rate"
    title = "Rate of spread"
    help = "Head of a surface fire in every cell by the physical model, in the weather of the shown period"
    limits = tuple(limit * CHAIN_M / 60.0 for limit in (2.0, 5.0, 20.0, 50.0, 150.0))
    options = (color_choice("viridis", "cividis", "plasma", "inferno"),)
    make_scale = staticmethod(lambda: _scale("Rate of spread", "viridis"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return m/min."""
        return picture.spread_rate

    def amount(self, units: Units) -> tuple[Callable[[float], float], str]:
        """Return metres a minute or chains an hour."""
        return units.spread_rate_value, units.spread_rate_unit


class FlameLengthLayer(BehaviourLayer):
    """Flame length by Byram."""

    key = "flame_length"
    title = "Flame length"
    help = "Flames of a surface fire in every cell by the physical model, in the weather of the shown period"
    limits = tuple(limit * FOOT_M for limit in (1.0, 4.0, 8.0, 12.0, 25.0))
    options = (color_choice("plasma", "cividis", "viridis", "inferno"),)
    make_scale = staticmethod(lambda: _scale("Flame length", "plasma"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return metres."""
        return picture.flame_length

    def amount(self, units: Units) -> tuple[Callable[[float], float], str]:
        """Return metres or feet."""
        return units.length_value, units.length_unit


class IntensityLayer(BehaviourLayer):
    """Fireline intensity by Byram."""

    key = "intensity"
    title = "Fireline intensity"
    help = "Heat of a metre of the head in every cell by the physical model, in the weather of the shown period"
    limits = tuple(limit * BTU_FT_S_KW_M for limit in (100.0, 500.0, 1000.0))
    options = (color_choice("inferno", "cividis", "viridis", "plasma"),)
    make_scale = staticmethod(lambda: _scale("Fireline intensity", "inferno"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return kW/m."""
        return picture.intensity

    def amount(self, units: Units) -> tuple[Callable[[float], float], str]:
        """Return kW/m or Btu/(ft·s)."""
        return units.intensity_value, units.intensity_unit


def class_texts(limits: Sequence[float]) -> list[str]:
    """Return the texts of the classes between ``limits``, and below and above them, with two digits."""
    texts = [f"{float(f'{limit:.2g}'):,g}" for limit in limits]
    return [f"< {texts[0]}", *(f"{low} – {high}" for low, high in pairwise(texts)), f"> {texts[-1]}"]
