"""Ensembles: fires without drops and with a plan, under the same random numbers in each member.

A member is computed by itself, from the seed and its number. Its extents are kept as they are and its maps as whole
numbers, so that an ensemble is the same, bit for bit, however many threads compute it, in whatever portions, and
wherever it was stopped and resumed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.ensemble import Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.grid import Box, grown
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.uncertainty import ErrorModel, UncertaintyKind, UncertaintySettings, WeatherDraw
from firegui.ensembles.aleatoric import state_sampling
from firegui.ensembles.ilr import ilr, inverse
from firegui.ensembles.inputs import maps_problems, on_processor
from firegui.ensembles.random_field import Field, FieldSampler
from firegui.ensembles.tally import DayEndObserver, Member, Tally
from firegui.ensembles.weather import WindForecastModel, moved, union, weather_of
from firegui.errors import CancelledError, Check, InputError, Problem, Problems
from firegui.fire.one_thread import one_thread
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.backend import kernel_threads
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.observe import Window
from firegui.rollout.simulate import Rollout, simulate, simulate_many

TITLE = "How sure the plan is cannot be said"
ROOM, MORE_ROOM = 16, 32
"""Cells between the fire and the edge of the windows of its maps: at first, and what is added when it gets there."""
PORTION = 8
"""Members after which the state is handed out to be kept."""

Progress = Callable[[EnsembleProgress], None]
Keep = Callable[[EnsembleState], None]
Portions = Callable[[range], Iterator[EnsembleState]]
"""Computes the members of the numbers, in order and some at a time."""


def run_ensemble(
    project: Project,
    model: Model,
    schedule: Schedule | None,
    settings: UncertaintySettings,
    *,
    error: ErrorModel | None = None,
    state: EnsembleState | None = None,
    progress: Progress | None = None,
    keep: Keep | None = None,
    check: Check | None = None,
    threads: int | None = None,
    portion: int = PORTION,
    portions: Portions | None = None,
) -> Ensemble:
    """Compute all members of ``settings``, those of ``state`` taken over.

    ``model`` is the project's, at the effectiveness that the plan is scored with. ``schedule`` flies as it is in every
    member: it is not planned again. ``error`` is the error model, needed where that is sampled; its threshold is that
    of the settings. ``progress`` hears after every member how far it is, ``keep`` the state after every ``portion`` of
    them, at the end and at a cancel. ``check`` is called from several threads and may raise to cancel: what ``keep``
    heard last is the result so far. ``portions`` computes members elsewhere, with :class:`MemberPortions`.

    Raises :class:`~firegui.errors.InputError` for settings, a schedule, an error model, a fire model or a state that
    cannot be used.
    """
    _check(model, schedule, settings, error)
    model = on_processor(model)
    cases = _cases(model, schedule)
    if state is not None and state.members > settings.members:
        what = f"has {state.members} members, more than the {settings.members} asked for"
        raise InputError([Problem("state", what, "ask for at least as many")], TITLE)
    tally = Tally(model, len(cases), settings.members, keeps=settings.keep_members, state=state)
    with one_thread():
        numbers = range(tally.members, settings.members)
        if portions is None:
            make = _maker(project, model, cases, settings, error, check)
            added = map(tally.add, _in_order(make, numbers, threads or kernel_threads()))
        else:
            added, portion = map(tally.extend, portions(numbers)), 1
        try:
            for _ in added:
                if progress is not None:
                    progress(EnsembleProgress(tally.members, settings.members, *tally.series()))
                if keep is not None and (tally.members % portion == 0 or tally.members == settings.members):
                    keep(tally.state())
        except CancelledError:
            if keep is not None and tally.members:
                keep(tally.state())
            raise
    return tally.state().ensemble(
        settings.kind, model.shape, model.cell_area_ha, settings.members, all_weather(settings)
    )  # fmt: skip


class MemberPortions:
    """Portions of an ensemble's members, for workers that share one ensemble.

    See :func:`run_ensemble`.
    """

    def __init__(
        self, project: Project, model: Model, schedule: Schedule | None, settings: UncertaintySettings,
        error: ErrorModel | None, check: Check,
    ) -> None:  # fmt: skip
        _check(model, schedule, settings, error)
        self._model, self._keeps = on_processor(model), settings.keep_members
        self._cases = _cases(self._model, schedule)
        with one_thread():
            self._make = _maker(project, self._model, self._cases, settings, error, check)

    def of(self, numbers: range) -> EnsembleState:
        """Return the members of these numbers."""
        tally = Tally(self._model, len(self._cases), len(numbers), keeps=self._keeps, state=None)
        with one_thread():
            for member in _in_order(self._make, numbers, kernel_threads()):
                tally.add(member)
        return tally.state()


def _cases(model: Model, schedule: Schedule | None) -> tuple[Schedule, ...]:
    """Return the schedules of an ensemble: none, and the one to try."""
    nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    return (nothing,) if schedule is None else (nothing, schedule)


def all_weather(settings: UncertaintySettings) -> tuple[WeatherDraw, ...]:
    """Return every member's wind, empty where it is known.

    It is for :meth:`~firegui.domain.ensemble.EnsembleState.ensemble`.
    """
    if settings.kind is not UncertaintyKind.WEATHER:
        return ()
    return tuple(weather_of(settings.weather, settings.seed, member) for member in range(settings.members))


def member_rollout(
    project: Project,
    model: Model,
    schedule: Schedule | None,
    settings: UncertaintySettings,
    member: int,
    *,
    error: ErrorModel | None = None,
    frame_stride: int | None = None,
    check: Check | None = None,
) -> Rollout:
    """Roll out one member again, with the plan or, without a ``schedule``, without drops.

    Of another wind the whole raster's maps are made, which takes longer than a member of the ensemble does; the fire is
    the same but for rounding. Raises like :func:`run_ensemble`.
    """
    _check(model, schedule, settings, error)
    model = on_processor(model)
    flown = Schedule.empty(model.n_steps, model.fleet.n_aircraft) if schedule is None else schedule
    with one_thread():
        if settings.kind is UncertaintyKind.WEATHER:
            whole = (slice(0, model.shape[0]), slice(0, model.shape[1]))
            draw = weather_of(settings.weather, settings.seed, member)
            blown, _ = WindForecastModel.of(project, model).under(draw, [whole] * model.maps.days, check=check)
            decided = moved(flown, gates_of(flown, model.fleet, model.maps, model.rules).executed, whole)
            return simulate(blown, decided, frame_stride=frame_stride, keep_days=True, check=check)
        change = _changes(model, settings, error)(member)
        return simulate(model, flown, frame_stride=frame_stride, keep_days=True, alter=change, check=check)


Make = Callable[[int], Member]


def _maker(
    project: Project, model: Model, cases: tuple[Schedule, ...], settings: UncertaintySettings,
    error: ErrorModel | None, check: Check | None,
) -> Make:  # fmt: skip
    if settings.kind is UncertaintyKind.WEATHER:
        return _WindMembers(WindForecastModel.of(project, model), cases, settings, check)
    change_of = _changes(model, settings, error)

    def make(member: int) -> Member:
        change = change_of(member)
        return Member(tuple(_watched(model, one, DayEndObserver(model, change), check) for one in cases))

    return make


def _changes(model: Model, settings: UncertaintySettings, error: ErrorModel | None) -> Callable[[int], Alteration]:
    """Return the changes at the ends of a member's days. They are the same for all its cases."""
    if settings.kind is UncertaintyKind.ALEATORIC:
        return lambda member: state_sampling(model.shape, settings.seed, member)
    assert error is not None
    used = replace(error, threshold=settings.threshold)
    sampler = FieldSampler(used, model.shape)

    def disturbed(member: int) -> Alteration:
        fields: dict[int, Field] = {}  # kept for the other case

        def field_of(day: int) -> Field:
            if day not in fields:
                fields[day] = sampler.field(settings.seed, member, day)
            return fields[day]

        return model_error(used, field_of)

    return disturbed


def _watched(model: Model, schedule: Schedule, watch: DayEndObserver, check: Check | None) -> DayEndObserver:
    simulate_many(model, [schedule], alters=[watch.alteration()], check=check)
    return watch


def _in_order(make: Make, numbers: range, threads: int) -> Iterator[Member]:
    """Yield the members of these numbers, a few at a time on as many threads, one after another."""
    waiting: deque[Future[Member]] = deque()
    left = iter(numbers)
    pool = ThreadPoolExecutor(max(1, threads))
    try:
        for number in left:
            waiting.append(pool.submit(make, number))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _WindMembers:
    """Members of an ensemble, each with another wind.

    Their maps are made on windows that begin as those of the fire under the forecast wind, and some cells more. A fire
    that gets to the edge of its window is computed again with more room, until it does not.
    """

    def __init__(
        self,
        forecast: WindForecastModel,
        cases: tuple[Schedule, ...],
        settings: UncertaintySettings,
        check: Check | None,
    ) -> None:
        self._forecast, self._settings, self._check = forecast, settings, check
        model = forecast.model
        gates = [gates_of(one, model.fleet, model.maps, model.rules).executed for one in cases]
        self._cases = tuple(zip(cases, gates, strict=True))
        watches = [_watched(model, one, DayEndObserver(model), check) for one in cases]
        self._windows = tuple(grown(box, ROOM, model.shape) for box in _boxes(watches))
        self._releases = [_around(one, executed, model.shape) for one, executed in self._cases if executed.any()]

    def __call__(self, member: int) -> Member:
        settings, model, windows = self._settings, self._forecast.model, list(self._windows)
        draw = weather_of(settings.weather, settings.seed, member)
        while True:
            blown, box = self._forecast.under(draw, windows, self._releases, self._check)
            corner = (box[0].start, box[1].start)
            watches = tuple(
                _watched(blown, moved(one, executed, box), DayEndObserver(blown, corner=corner), self._check)
                for one, executed in self._cases
            )
            tight = [day for day, reached in enumerate(_boxes(watches)) if _at_edge(reached, windows[day], model.shape)]
            if not tight:
                return Member(watches)
            windows[tight[0] :] = [grown(window, MORE_ROOM, model.shape) for window in windows[tight[0] :]]


def _boxes(watches: Sequence[DayEndObserver]) -> list[Box]:
    """Return the boxes that the fires of all cases reach on each day."""
    days = zip(*(watch.looks[1:] for watch in watches), strict=True)
    return [union([look.reached for look in looks if look.reached is not None]) for looks in days]


def _at_edge(reached: Box, window: Box, shape: tuple[int, int]) -> bool:
    """Return whether a fire touches the outermost cells of its window or is outside.

    Edges of the raster do not count.
    """
    low = any(side.start <= room.start > 0 for side, room in zip(reached, window, strict=True))
    return low or any(
        side.stop >= room.stop < size for side, room, size in zip(reached, window, shape, strict=True)
    )  # fmt: skip


def _around(schedule: Schedule, executed: NDArray[np.bool_], shape: tuple[int, int]) -> Box:
    """Return the cells in which the executed drops are released: those whose wind they drift in."""
    places = np.rint(schedule.poses[executed][:, :2]).astype(np.int64)
    low, high = (np.clip(edge, 0, np.array(shape) - 1).tolist() for edge in (places.min(axis=0), places.max(axis=0)))
    return slice(low[0], high[0] + 1), slice(low[1], high[1] + 1)


def _check(model: Model, schedule: Schedule | None, settings: UncertaintySettings, error: ErrorModel | None) -> None:
    problems = Problems()
    problems.extend(settings.problems())
    problems.extend(maps_problems(model.maps))
    if schedule is not None:
        problems.extend(schedule.size_problems(model.n_steps, model.fleet.n_aircraft))
        if not (np.isfinite(schedule.logits).all() and np.isfinite(schedule.poses).all()):
            problems.add("schedule", "has logits or poses that are not numbers", "give another schedule")
    if settings.kind is UncertaintyKind.EPISTEMIC and error is None:
        problems.add("error model", "none is given", "fit one from perimeters, or use the paper's numbers")
    problems.raise_if_any(TITLE)


FieldOf = Callable[[int], Field]
"""The field of a day, ``[2, H, W]`` over the whole raster."""


def model_error(error: ErrorModel, field_of: FieldOf) -> Alteration:
    """Return the change ``z ← z + η_n`` where ``P > threshold``, for a rollout.

    :func:`~firegui.rollout.simulate.simulate` applies it. ``z`` are the ILR coordinates of a day's end, with
    probabilities raised to the model's floor. Every day has a field of its own. A cell that has burned may be unburned
    again: the field says that it never had.
    """

    def disturb(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        touched = np.nonzero(1.0 - unburned > error.threshold)
        if not len(touched[0]):
            return unburned, burning
        u, b = unburned[touched].astype(np.float64), burning[touched].astype(np.float64)
        noise = field_of(day)[:, window[0], window[1]][:, touched[0], touched[1]]
        after, hot, _ = inverse(ilr(u, b, 1.0 - u - b, floor=error.floor) + noise)
        unburned[touched], burning[touched] = after, hot
        return unburned, burning

    return Alteration(disturb)
