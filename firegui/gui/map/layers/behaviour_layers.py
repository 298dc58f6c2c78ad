"""Layers of fire behaviour by the physical model: rate of spread, flame length and fireline intensity.

They show the head of a free-burning fire in every cell, whether or not the fire of the plan comes there, in the classes
of :mod:`firegui.domain.behaviour_classes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from firegui.domain.behaviour_classes import FLAME_LENGTH, INTENSITY, SPREAD_RATE, BehaviourClasses
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
    """Base class of a quantity in classes. Subclasses set ``classes`` and return ``values``."""

    follows = frozenset({"step", "behaviour"})
    starts_visible = False
    start_opacity = 0.75
    classes: BehaviourClasses

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        count = len(self.classes.limits) + 1
        shares = _FIRST + (_LAST - _FIRST) * (np.arange(count) + 0.5) / count
        self.class_codes = np.round(255.0 * shares).astype(np.uint8)
        """Codes of the classes on the colour map; code 0 is no fire."""

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return the quantity, NaN where nothing burns."""
        raise NotImplementedError

    @property
    def legend(self) -> Legend:
        """Return the classes in the unit that is shown."""
        units = self.session.units
        colors = (QColor(*(int(part) for part in self.scale.rgba[code, :3])) for code in self.class_codes)
        entries = zip(self.classes.texts(units), colors, strict=True)
        return Legend(entries=tuple(LegendEntry(*entry) for entry in entries), title=self.classes.heading(units))

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
        classes = np.digitize(np.nan_to_num(found), self.classes.limits)
        return np.where(np.isnan(found), np.uint8(0), self.class_codes[classes])


class SpreadRateLayer(BehaviourLayer):
    """Rate of spread of the head."""

    key = "spread_rate"
    title = SPREAD_RATE.title
    help = "Head of the fire in every cell by the physical model, in the weather of the shown period"
    classes = SPREAD_RATE
    options = (color_choice("viridis", "cividis", "plasma", "inferno"),)
    make_scale = staticmethod(lambda: _scale("Rate of spread", "viridis"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return m/min."""
        return picture.spread_rate


class FlameLengthLayer(BehaviourLayer):
    """Flame length of the head."""

    key = "flame_length"
    title = FLAME_LENGTH.title
    help = "Flames of the fire in every cell by the physical model, in the weather of the shown period"
    classes = FLAME_LENGTH
    options = (color_choice("plasma", "cividis", "viridis", "inferno"),)
    make_scale = staticmethod(lambda: _scale("Flame length", "plasma"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return metres."""
        return picture.flame_length


class IntensityLayer(BehaviourLayer):
    """Fireline intensity by Byram."""

    key = "intensity"
    title = INTENSITY.title
    help = "Heat of a metre of the head in every cell by the physical model, in the weather of the shown period"
    classes = INTENSITY
    options = (color_choice("inferno", "cividis", "viridis", "plasma"),)
    make_scale = staticmethod(lambda: _scale("Fireline intensity", "inferno"))

    def values(self, picture: BehaviourPicture) -> NDArray[np.float32]:
        """Return kW/m."""
        return picture.intensity
