"""The observed perimeter of the shown day."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainterPath

from firegui.domain.scenario import Scenario
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.map_content import Shown
from firegui.gui.map.outline import outline
from firegui.gui.session.session import Session


class Outlines:
    """The perimeters of an event, traced once; tracing a large one takes as long as a frame of playback may."""

    def __init__(self) -> None:
        self._event: Scenario | None = None
        self._paths: dict[int, QPainterPath] = {}

    def path(self, event: Scenario, day: int) -> QPainterPath:
        """The outline on a day of the event, empty before the first observation."""
        if event is not self._event:
            self._event, self._paths = event, {}
        if day not in self._paths:
            mask = event.observed_on(day)
            self._paths[day] = QPainterPath() if mask is None else outline(mask)
        return self._paths[day]


class ObservedLayer(Layer):
    """Outline of the observed fire; dashed when the day has no perimeter of its own."""

    key = "observed"
    title = "Observed perimeter"
    help = "Observed fire perimeter of the shown day; dashed where it is carried over from an earlier day"
    follows = frozenset({"step"})

    def __init__(self, session: Session) -> None:
        self._strokes = StrokesItem()
        super().__init__(session, self._strokes)
        self.outlines = Outlines()
        """Maps of the same event may share theirs."""

    @property
    def swatch(self) -> QColor:
        """The outline's colour."""
        return self.ink.observed

    @property
    def legend(self) -> Legend:
        """Solid or dashed, as the shown day is."""
        if self.filled_forward:
            return Legend(entries=(LegendEntry("filled forward from an earlier day", self.ink.observed, Sample.DASH),))
        return Legend(entries=(LegendEntry("observed on the shown day", self.ink.observed, Sample.LINE),))

    @property
    def filled_forward(self) -> bool:
        """Whether the shown day's perimeter was carried over."""
        shown = Shown.of(self.session)
        return shown is not None and shown.perimeter_is_carried

    def missing(self) -> str:
        """Says when nothing was observed."""
        if not self.session.has_project or self.session.project.scenario.observed is not None:
            return ""
        return "this event has no observed perimeters"

    def draw(self, shown: Shown | None) -> None:
        """The outline on a dark or light casing."""
        path = QPainterPath()
        if shown is not None:
            path = self.outlines.path(shown.scenario, shown.observed_day)
        style = Qt.PenStyle.DashLine if self.filled_forward else Qt.PenStyle.SolidLine
        pens = cosmetic(self.ink.halo, 3.0), cosmetic(self.ink.observed, 1.5, style)
        self._strokes.set_strokes([Stroke(path, pen) for pen in pens], still=len(pens))
