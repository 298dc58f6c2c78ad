"""Layers of the fire: occupancy, burning, difference, retardant, and the observed perimeter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainterPath

from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.scenario import Scenario
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic, edge_path, mask_path
from firegui.gui.map.layers.layer import (
    DIFFERENCE_VIEW,
    DROP_VIEWS,
    FIRE_VIEWS,
    LayerChoice,
    LayerRange,
    Legend,
    LegendEntry,
    MapLayer,
    RasterLayer,
    Sample,
    class_choice,
    color_choice,
    threshold_range,
)
from firegui.gui.map.map_colors import (
    EDGE_CASING,
    ColorScale,
    burning_scale,
    comparison_scale,
    difference_codes,
    difference_scale,
    fire_scale,
    retardant_scale,
)
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import FireView, Session
from firegui.runs.messages import counted

Bytes = NDArray[np.uint8]
_HALF = 128
"""Code of a chance of one half."""


def of_members(scale: ColorScale, title: str, members: int) -> ColorScale:
    """Return ``scale`` with the title of a mean over ``members`` members; ``scale`` itself for 0."""
    return replace(scale, title=f"{title} over {counted(members, 'fire')}") if members else scale


def _moment(frames: Frames | None, step: int) -> tuple[Frames | None, int]:
    return frames, frames.index_of_step(step) if frames is not None and len(frames.fire) else -1


class OccupancyLayer(RasterLayer):
    """P(fire) of the baseline or the plan."""

    key = "occupancy"
    title = "Chance burned so far"
    help = "P(fire) = 1 − U in the paper: chance that the cell burns or has burned by the shown step, 0 to 1"
    follows = frozenset({"step", "view", "result", "plan_editor"})
    views = FIRE_VIEWS
    source = "fire"
    start_opacity = 0.85
    mean = "mean chance burned so far"
    has_bar = True
    options: tuple[LayerChoice | LayerRange, ...] = (
        color_choice("fire", "cividis", "viridis", "inferno", "plasma"),
        class_choice(4, 5, 10),
        threshold_range(),
    )
    make_scale = staticmethod(fire_scale)

    @property
    def legend(self) -> Legend:
        """The scale; its title names a mean over members."""
        scale = of_members(self.scale, self.mean, self.session.result.mean_of)
        return Legend(scale=scale, note=self.threshold_note)

    def missing(self) -> str:
        """Return which side has no result."""
        result, view = self.session.result, self.session.view
        frames = result.baseline if view is FireView.BASELINE else result.plan
        if frames is not None:
            return ""
        return "the ensemble has no plan" if result.mean_of else f"no {view.value} result yet: start a run"

    def identity(self, shown: MapState) -> object:
        """Return the frame that is shown."""
        return (*_moment(shown.frames, shown.step), shown.preview)

    def codes(self, shown: MapState) -> Bytes | None:
        """Return the shown frame."""
        if self.source == "fire" and shown.view is FireView.PLAN:
            return shown.plan_fire()
        return shown.frame(shown.frames, self.source)


class EdgeLayer(MapLayer):
    """Edge of the plan's fire above its drops, which hide a small fire."""

    key = "edge"
    title = "Edge of the fire"
    help = "Edge of the plan's fire at the shown time, drawn over the drops: a chance burned of one half or more"
    follows = OccupancyLayer.follows
    views = frozenset({FireView.PLAN})
    samples = (("chance ≥\u00a00.5", "edge", Sample.CASED),)
    swatch_ink = "edge"
    swatch_sample = Sample.CASED

    def __init__(self, session: Session) -> None:
        self.strokes = StrokesItem()
        super().__init__(session, self.strokes)
        self._drawn: object = None
        self._path = QPainterPath()

    @property
    def in_view(self) -> bool:
        """Whether the shown view is the fire of a plan: also the first fire of a comparison."""
        return super().in_view or (bool(self.session.result.against) and self.session.view is FireView.BASELINE)

    def missing(self) -> str:
        """Return that there is no plan yet."""
        return "" if self.session.result.plan is not None else "no plan yet: start a run"

    def draw(self, shown: MapState | None) -> None:
        """Trace the edge of another picture and draw it on its casing."""
        self._trace(shown)
        pens = cosmetic(EDGE_CASING, 3.8), cosmetic(self.ink.edge, 1.8)
        self.strokes.set_strokes([Stroke(self._path, pen) for pen in pens])

    def prepare(self, shown: MapState | None) -> Iterator[None]:
        """Trace the edge of another picture, without painting."""
        if self.visible and self.in_view:
            self._trace(shown)
            yield

    def _trace(self, shown: MapState | None) -> None:
        pictured = None if shown is None else (*_moment(shown.frames, shown.step), shown.preview)
        if pictured is None or pictured != self._drawn:
            self._drawn = pictured
            fire = None if shown is None else self._fire(shown)
            self._path = QPainterPath() if fire is None else edge_path(fire >= _HALF)

    @staticmethod
    def _fire(shown: MapState) -> Bytes | None:
        is_first = shown.view is FireView.BASELINE
        return shown.frame(shown.frames, "fire") if is_first else shown.plan_fire()


class BurningLayer(OccupancyLayer):
    """B of the baseline or the plan."""

    key = "burning"
    title = "Chance burning now"
    help = "B in the paper: chance that the cell is burning at the shown step, 0 to 1"
    source = "burning"
    has_bar = False
    starts_visible = False
    start_opacity = 0.9
    mean = "mean chance burning now"
    options = (color_choice("inferno", "cividis", "viridis"), class_choice(4, 5, 10), threshold_range())
    make_scale = staticmethod(burning_scale)


class RetardantLayer(OccupancyLayer):
    """Fuel factor that retardant leaves."""

    key = "retardant"
    title = "Retardant remaining"
    help = "what retardant leaves of the fuel, 1 on untreated ground; r in the paper"
    views = DROP_VIEWS
    source = "retardant"
    has_bar = False
    options = (class_choice(4, 5, 10),)
    starts_visible = False
    start_opacity = 0.8
    make_scale = staticmethod(retardant_scale)

    def missing(self) -> str:
        """Return why there is no retardant: an ensemble stores none."""
        return "not kept with means over an ensemble" if self.session.result.mean_of else super().missing()


class DifferenceLayer(RasterLayer):
    """Baseline minus plan; of two compared plans, the second minus the first."""

    key = "difference"
    title = "Saved"
    help = "chance burned so far without drops minus that with the plan, −1 to +1; shown in the view Saved"
    follows = frozenset({"step", "view", "result", "plan_editor"})
    views = DIFFERENCE_VIEW
    options = (class_choice(5, 7, 9), threshold_range())
    is_signed = True
    has_bar = True
    start_opacity = 0.9
    make_scale = staticmethod(difference_scale)

    def __init__(self, session: Session) -> None:
        self._compared: tuple[str, ...] = ()
        super().__init__(session)

    @property
    def legend(self) -> Legend:
        """The scale; its title names means over members, or two plans."""
        title = "mean chance burned so far, no drops − plan,"
        return Legend(scale=of_members(self.scale, title, self.session.result.mean_of), note=self.threshold_note)

    def update(self) -> None:
        """Use the scale of two compared plans, or that of what one saves."""
        result = self.session.result
        compared = result.short_names if result.against else ()
        if compared != self._compared:
            self._compared = compared
            self._set_scale(comparison_scale(*compared) if compared else difference_scale())
        super().update()

    def missing(self) -> str:
        """Return that both fires are needed, if one is missing."""
        result = self.session.result
        if result.baseline is not None and result.plan is not None:
            return ""
        return "the ensemble has no plan" if result.mean_of else "needs a plan and the fire without drops"

    def identity(self, shown: MapState) -> object:
        """Return both frames."""
        moments = (_moment(frames, shown.step) for frames in (shown.result.baseline, shown.result.plan))
        return *moments, shown.preview

    def codes(self, shown: MapState) -> Bytes | None:
        """Return the codes of the difference of both frames."""
        baseline = shown.frame(shown.result.baseline, "fire")
        plan = shown.plan_fire()
        if baseline is None or plan is None:
            return None
        return difference_codes(plan, baseline) if shown.result.against else difference_codes(baseline, plan)


class Outlines:
    """Cache of the traced perimeters of an event.

    Tracing a large one takes as long as a playback frame.
    """

    def __init__(self) -> None:
        self._event: Scenario | None = None
        self._paths: dict[int, QPainterPath] = {}

    def path(self, event: Scenario, day: int) -> QPainterPath:
        """Return the outline on a day of the event; empty before the first observation."""
        if event is not self._event:
            self.forget()
            self._event = event
        if day not in self._paths:
            mask = event.observed_on(day)
            self._paths[day] = QPainterPath() if mask is None else mask_path(mask)
        return self._paths[day]

    def forget(self) -> None:
        """Forget the event and its outlines."""
        self._event, self._paths = None, {}


class ObservedLayer(MapLayer):
    """Outline of the observed fire; dashed when the day has no perimeter of its own."""

    key = "observed"
    title = "Observed perimeter"
    help = "Observed fire perimeter of the shown day; dashed where it is carried over from an earlier day"
    follows = frozenset({"step"})
    swatch_ink = "observed"
    swatch_sample = Sample.LINE
    no_data = "this event has no observed perimeters"

    def __init__(self, session: Session) -> None:
        self._strokes = StrokesItem()
        super().__init__(session, self._strokes)
        self.outlines = Outlines()
        """Maps of the same event may share theirs."""

    @property
    def legend(self) -> Legend:
        """Return the legend of a solid or dashed outline, as on the shown day."""
        own, carried = ("shown day", Sample.LINE), ("filled forward from an earlier day", Sample.DASH)
        label, sample = carried if self.filled_forward else own
        return Legend(entries=(LegendEntry(label, self.ink.observed, sample),))

    @property
    def filled_forward(self) -> bool:
        """Whether the shown day's perimeter was carried over."""
        shown = MapState.of(self.session)
        return shown is not None and shown.perimeter_is_carried

    def _has_data(self, project: Project) -> bool:
        return project.scenario.observed is not None

    def draw(self, shown: MapState | None) -> None:
        """Draw the outline on a dark or light casing."""
        if shown is None:
            self.outlines.forget()
        path = QPainterPath() if shown is None else self.outlines.path(shown.scenario, shown.observed_day)
        style = Qt.PenStyle.DashLine if self.filled_forward else Qt.PenStyle.SolidLine
        pens = cosmetic(self.ink.halo, 3.0), cosmetic(self.ink.observed, 1.5, style)
        self._strokes.set_strokes([Stroke(path, pen) for pen in pens], still=len(pens))
