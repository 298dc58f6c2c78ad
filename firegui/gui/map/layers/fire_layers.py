"""The fire as the shown result has it: occupancy, burning, what the plan changed, and retardant on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Frames
from firegui.gui.map.color_scales import (
    Scale,
    burning_scale,
    difference_codes,
    difference_scale,
    fire_scale,
    retardant_scale,
)
from firegui.gui.map.layers.layer import Legend, RasterLayer
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session, View
from firegui.runs.messages import counted

Bytes = NDArray[np.uint8]


def of_members(scale: Scale, title: str, members: int) -> Scale:
    """The same colours under the name of a mean over that many members; ``scale`` itself for none."""
    return replace(scale, title=f"{title} over {counted(members, 'member')}") if members else scale


def _moment(frames: Frames | None, step: int) -> tuple[Frames | None, int]:
    return frames, frames.index_of_step(step) if frames is not None and len(frames.fire) else -1


class OccupancyLayer(RasterLayer):
    """P(fire) of the baseline or the plan."""

    key = "occupancy"
    title = "Fire occupancy"
    help = "P(fire) = 1 − U: probability that the cell burns or has burned by the shown step, 0 to 1"
    follows = frozenset({"step", "view", "result", "plan_editor"})
    source = "fire"
    mean = "mean probability of fire"

    def __init__(self, session: Session) -> None:
        super().__init__(session, fire_scale(), opacity=0.85)

    @property
    def in_view(self) -> bool:
        """Not in the difference view."""
        return self.session.view is not View.DIFFERENCE

    @property
    def legend(self) -> Legend:
        """The scale, which says when it is of a mean."""
        return Legend(scale=of_members(self.scale, self.mean, self.session.result.mean_of))

    def missing(self) -> str:
        """Says which side has no result."""
        result, view = self.session.result, self.session.view
        frames = result.baseline if view is View.BASELINE else result.plan
        if frames is not None:
            return ""
        return "the ensemble has no plan" if result.mean_of else f"no {view.value} result yet: start a run"

    def identity(self, shown: Shown) -> object:
        """The frame that is shown."""
        return (*_moment(shown.frames, shown.step), shown.look)

    def codes(self, shown: Shown) -> Bytes | None:
        """The shown frame."""
        if self.source == "fire" and shown.view is View.PLAN:
            return shown.plan_fire()
        return shown.frame(shown.frames, self.source)


class BurningLayer(OccupancyLayer):
    """B of the baseline or the plan."""

    key = "burning"
    title = "Burning probability"
    help = "B: probability that the cell is burning at the shown step, 0 to 1"
    source = "burning"
    mean = "mean probability of burning"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._set_scale(burning_scale())
        self._visible, self._opacity = False, 0.9


class RetardantLayer(OccupancyLayer):
    """The fuel factor that retardant leaves."""

    key = "retardant"
    title = "Retardant remaining"
    help = "r: what retardant leaves of the fuel factor, 1 on untreated ground"
    source = "retardant"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._set_scale(retardant_scale())
        self._visible, self._opacity = False, 0.8

    @property
    def in_view(self) -> bool:
        """Everywhere but on the baseline, which has no drops."""
        return self.session.view is not View.BASELINE

    def missing(self) -> str:
        """An ensemble keeps none."""
        return "not kept with means over an ensemble" if self.session.result.mean_of else super().missing()


class DifferenceLayer(RasterLayer):
    """Baseline minus plan."""

    key = "difference"
    title = "Difference to baseline"
    help = "P(fire) of the baseline minus that of the plan, −1 to +1; shown in the difference view"
    follows = frozenset({"step", "view", "result", "plan_editor"})

    def __init__(self, session: Session) -> None:
        super().__init__(session, difference_scale(), opacity=0.9)

    @property
    def in_view(self) -> bool:
        """Only in the difference view."""
        return self.session.view is View.DIFFERENCE

    @property
    def legend(self) -> Legend:
        """The scale, which says when it is of means, and when of two plans."""
        result, title = self.session.result, "mean P(fire), baseline − plan,"
        if result.against:
            return Legend(scale=replace(self.scale, title=f"P(fire), {' − '.join(result.names)}"))
        return Legend(scale=of_members(self.scale, title, result.mean_of))

    def missing(self) -> str:
        """Needs both sides."""
        result = self.session.result
        if result.baseline is not None and result.plan is not None:
            return ""
        return "the ensemble has no plan" if result.mean_of else "needs a baseline and a plan result"

    def identity(self, shown: Shown) -> object:
        """Both frames."""
        moments = (_moment(frames, shown.step) for frames in (shown.result.baseline, shown.result.plan))
        return *moments, shown.look

    def codes(self, shown: Shown) -> Bytes | None:
        """Codes of the difference of both frames."""
        baseline = shown.frame(shown.result.baseline, "fire")
        plan = shown.plan_fire()
        return None if baseline is None or plan is None else difference_codes(baseline, plan)
