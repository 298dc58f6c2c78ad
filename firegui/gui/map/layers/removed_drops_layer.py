"""Drops that the second stage has just removed: they fade out where they were."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QColor

from firegui.domain.schedule import DropRecord
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.drops_layer import Ellipses
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session, ShownResult, View
from firegui.runs.spec import Stage

FADE_SECONDS = 1.5
_OTHER_DAYS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _Removal:
    """Drops that went together, and when."""

    ellipses: Ellipses
    began: float


class RemovedLayer(Layer):
    """Strong when removed from the shown day, quieter from other days; gone after a second and a half.

    While :attr:`is_fading` somebody has to redraw it, for time alone changes it.
    """

    key = "removed"
    title = "Removed drops"
    help = "While the second stage works: drops that it has just removed, fading out"
    follows = frozenset({"step", "view", "result", "time"})

    def __init__(self, session: Session, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.strokes = StrokesItem()
        super().__init__(session, self.strokes)
        self._clock = clock
        self._seen = ShownResult()
        self._removals: list[_Removal] = []

    @property
    def swatch(self) -> QColor:
        """Neither material's colour."""
        return self.ink.text

    @property
    def legend(self) -> Legend:
        """One entry, whatever the material was."""
        return Legend(entries=(LegendEntry("removed", self.ink.text, Sample.OUTLINE),))

    @property
    def in_view(self) -> bool:
        """The baseline has no drops."""
        return self.session.view is not View.BASELINE

    @property
    def is_fading(self) -> bool:
        """Whether there is something that the next redraw shows fainter."""
        return bool(self._removals)

    def missing(self) -> str:
        """Says when no second stage works."""
        return "" if self.session.result.stage is Stage.PRUNE else "shown while the second stage works"

    def update(self) -> None:
        """Note what went, even while it is not to be seen: what is shown again later is not new."""
        self._note(self.session.result)
        now = self._clock()
        self._removals = [removal for removal in self._removals if now - removal.began < FADE_SECONDS]
        super().update()

    def draw(self, shown: Shown | None) -> None:
        """Four strokes per moment of removal: the days before, those after, and the shown one on its halo."""
        strokes: list[Stroke] = []
        if shown is not None:
            now = self._clock()
            for removal in self._removals:
                left = max(1.0 - (now - removal.began) / FADE_SECONDS, 0.0)
                strokes += self._strokes(removal.ellipses, shown, left)
        self.strokes.set_strokes(strokes)

    def _strokes(self, ellipses: Ellipses, shown: Shown, strength: float) -> list[Stroke]:
        calendar, ink = shown.project.calendar, self.ink
        begin, end = shown.day * calendar.steps_per_day, (shown.day + 1) * calendar.steps_per_day
        quiet = cosmetic(faded(ink.text, _OTHER_DAYS * strength), 1.2)
        today = ellipses.between(begin, end)
        return [
            Stroke(ellipses.between(0, begin), quiet),
            Stroke(ellipses.between(end, calendar.n_steps + 1), quiet),
            Stroke(today, cosmetic(faded(ink.halo, strength * ink.halo.alphaF()), 4.0)),
            Stroke(today, cosmetic(faded(ink.text, strength), 1.8)),
        ]

    def _note(self, result: ShownResult) -> None:
        if result is self._seen:
            return
        before, self._seen = self._seen, result
        if result.stage is not Stage.PRUNE or before.title != result.title:
            self._removals = []
        elif before.stage is Stage.PRUNE and before.drops is not result.drops:
            # Only the second stage removes drops; between pictures of the first they come and go.
            left = {(drop.step, drop.column) for drop in result.drops if drop.executed}
            self._add([drop for drop in before.drops if drop.executed and (drop.step, drop.column) not in left])

    def _add(self, gone: list[DropRecord]) -> None:
        if gone:
            self._removals.append(_Removal(Ellipses.of(gone), self._clock()))
