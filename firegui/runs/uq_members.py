"""The members of an ensemble as they come: told, shown, saved, and held while the run is paused."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble, EnsembleProgress, EnsembleState, probability_worse
from firegui.domain.grid import HECTARE_M2
from firegui.domain.uncertainty import WeatherDraw
from firegui.errors import InputError
from firegui.io.ensemble_file import write_members
from firegui.runs.control import RunControl
from firegui.runs.events import EnsembleReady, MembersDone, Message, RunEvent, RunState
from firegui.runs.spec import UncertaintySpec
from firegui.runs.state import RunMachine
from firegui.runs.uq_folder import STATE

_TOLD_SECONDS = 0.25
"""Members may take milliseconds; nobody reads more lines than this."""


class Members:
    """Hears of the members of one session; ``begun`` are those of earlier ones, which took ``before`` seconds.

    ``weather`` is the wind of every member, where it is drawn.
    """

    def __init__(
        self, spec: UncertaintySpec, emit: Callable[[RunEvent], None], control: RunControl, machine: RunMachine,
        begun: EnsembleState | None, weather: tuple[WeatherDraw, ...], before: float,
    ) -> None:  # fmt: skip
        self._spec, self._emit, self._control, self._machine = spec, emit, control, machine
        self.latest, self._weather = begun, weather
        self._begun_with = self._saved = 0 if begun is None else begun.members
        self._before, self._began = before, time.monotonic()
        self._told_at, self._shown_at, self._saved_at = -math.inf, self._began, self._began

    @property
    def done(self) -> int:
        """Members that are kept, over all sessions."""
        return 0 if self.latest is None else self.latest.members

    def hear(self, progress: EnsembleProgress) -> None:
        """A member more is done: tell it, and hold here while paused."""
        moment, last = time.monotonic(), progress.done >= progress.asked
        if last or moment - self._told_at >= _TOLD_SECONDS:
            self._told_at = moment
            self._emit(self._told(progress, moment))
        if self._control.pause_requested and not last:
            self._hold()

    def keep(self, state: EnsembleState) -> None:
        """Take the state after some more members; show and save it as often as that is due."""
        self.latest = state
        last = state.members >= self._spec.settings.members
        if not last and not self._control.stop_requested:
            if time.monotonic() - self._shown_at >= self._spec.snapshot_seconds:
                self._emit(EnsembleReady(self.ensemble(state)))
                self._shown_at = time.monotonic()
            if time.monotonic() - self._saved_at >= self._spec.checkpoint_seconds:
                self._save_or_warn()

    def ensemble(self, state: EnsembleState) -> Ensemble:
        """What the members of ``state`` come to."""
        grid, settings = self._spec.project.scenario.grid, self._spec.settings
        area = grid.cell_size_m**2 / HECTARE_M2
        return state.ensemble(settings.kind, grid.shape, area, settings.members, self._weather)

    def save(self) -> None:
        """Save the members, unless they are saved."""
        if self.latest is not None and self.done != self._saved:
            write_members(self._spec.out / STATE, self.latest, self._weather)
            self._saved = self.done

    def _told(self, progress: EnsembleProgress, moment: float) -> MembersDone:
        spent, new = moment - self._began, progress.done - self._begun_with
        final = progress.extent[:, :, -1]
        return MembersDone(
            done=progress.done,
            members=progress.asked,
            baseline=float(final[BASELINE].mean()),
            plan=float(final[PLAN].mean()) if len(final) > 1 else None,
            worse=probability_worse(final[BASELINE] - final[PLAN])[0] if len(final) > 1 else None,
            seconds=self._before + spent,
            left=spent / new * (progress.asked - progress.done) if new else math.nan,
        )

    def _save_or_warn(self) -> None:
        """A disk that is full for a moment does not end a run that has minutes behind it."""
        self._saved_at = time.monotonic()
        try:
            self.save()
        except InputError as error:
            text = f"the members could not be saved ({error.problems[0]}); the run goes on"
            self._emit(Message(text, "warning"))

    def _hold(self) -> None:
        self._save_or_warn()
        self._machine.move(RunState.PAUSED)
        held = time.monotonic()
        self._control.wait_while_paused()
        self._began += time.monotonic() - held
        self._control.check()
        self._machine.move(RunState.RUNNING)
