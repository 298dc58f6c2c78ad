"""``fire.npz``: the fire of a replanned run, as it was observed or drawn, day by day.

The archive holds ``about``, a JSON text ``{"format": 1, "shape": [H, W], "fires": [{"flown", "world", "seed", "first",
"days", "sha256"}, …]}``, and of fire ``k`` the arrays ``burning_k`` and ``burned_k``: one row of bits a day
(:func:`numpy.packbits` of the cells, row by row). ``sha256`` is that of the codes, one byte a cell, 0 not burned,
1 burning, 2 burned out. A fire that is not known once a day has ``steps``, the step of every row; it has no row a day
then. The list is open: another fire is another entry.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import Calendar
from firegui.domain.observation import DRAWN, OBSERVED, REPLANNED, DayStates, FireRecord
from firegui.errors import Problem, Problems
from firegui.io import array_files, atomic
from firegui.io.toml import plain_words
from firegui.runs.header import RunHeader
from firegui.runs.messages import counted
from firegui.runs.run_folder import STORE

FIRE = "fire.npz"
_FORMAT = 1
_TITLE = "The fire of the run cannot be used"
_REMEDY = "restore the file or replan again"


class _Entry(msgspec.Struct, omit_defaults=True):
    flown: str
    world: str
    seed: int | None
    first: int
    days: int
    sha256: str
    steps: tuple[int, ...] = ()


class _FireMetadata(msgspec.Struct):
    format: int
    shape: tuple[int, int]
    fires: tuple[_Entry, ...]


def codes_hash(codes: NDArray[np.uint8]) -> str:
    """Return the sha256 of the codes of one state or several."""
    return hashlib.sha256(np.ascontiguousarray(codes).tobytes()).hexdigest()


def write_kept_fire(folder: Path, fires: Sequence[DayStates]) -> None:
    """Replace ``fire.npz``, atomically."""
    entries = tuple(
        _Entry(fire.flown, fire.world, fire.seed, fire.first, len(fire.codes), codes_hash(fire.codes), fire.steps)
        for fire in fires
    )
    about = _FireMetadata(_FORMAT, fires[0].codes.shape[1:], entries)
    arrays: dict[str, NDArray[np.generic]] = {"about": np.array(msgspec.json.encode(about).decode())}
    for number, fire in enumerate(fires):
        for name, code in (("burning", 1), ("burned", 2)):
            flat = (fire.codes == code).reshape(len(fire.codes), -1)
            arrays[f"{name}_{number}"] = np.packbits(flat, axis=1)
    with atomic.writing(folder / FIRE) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class SavedFire:
    """What a run folder says of its fire.

    ``kept`` is ``None`` for a run that was not replanned, and for one from before the fire was kept. ``note`` says in
    words which fire the run is shown, scored and exported with; it is empty for a run that was not replanned.
    """

    header: RunHeader
    kept: FireRecord | None
    note: str

    @property
    def is_lost(self) -> bool:
        """Whether the run was replanned and its fire was not kept."""
        return self.kept is None and self.header.replan is not None


def saved_fire(folder: Path) -> SavedFire:
    """Read which fire the run in ``folder`` belongs to. Raises :class:`~firegui.errors.InputError`."""
    header = STORE.read(folder)
    kept = read_kept_fire(folder, header)
    return SavedFire(header, kept, fire_note(header, kept))


def kind_of_fire(folder: Path, header: RunHeader) -> str:
    """Return the kind of the fire that a run keeps, without reading it; empty for none."""
    note = header.replan
    if note is None or not (folder / FIRE).is_file():
        return ""
    return DRAWN if note.closed_loop else OBSERVED


def read_kept_fire(folder: Path, header: RunHeader) -> FireRecord | None:
    """Return the fire that a replanned run kept; ``None`` for a run without one.

    Raises :class:`~firegui.errors.InputError` for a file that is damaged or of another grid, plan or fire.
    """
    note, path = header.replan, folder / FIRE
    if note is None or not path.exists():
        return None
    problems, grid = Problems(), header.project.grid
    calendar = header.project.project().calendar
    fires = _fires(path, grid.shape, calendar, problems)
    if fires and not problems and note.fire and note.fire != codes_hash(fires[0].codes[0]):
        problems.add(str(path), "is not the fire that the run was planned from", _REMEDY)
    problems.raise_if_any(_TITLE)
    return FireRecord(tuple(fires))


def fire_note(header: RunHeader, kept: FireRecord | None) -> str:
    """Return the ``note`` of :class:`SavedFire`."""
    note = header.replan
    if note is None:
        return ""
    if kept is None:
        which = "drawn" if note.closed_loop else "observed"
        return f"this run was made before the {which} fire was kept: it is shown on the fire simulated from the start"
    if kept.is_drawn:
        seed = f", seed {kept.plan.seed}" if kept.plan.seed is not None else ""
        return f"the fire is the one that was drawn for this run, day by day ({kept.plan.world}{seed})"
    state, date = kept.plan.state(0), header.project.project().calendar.date_of_day(kept.plan.first)
    source = Path(note.observed).name or note.observed
    cells = f"{counted(int(state.burning.sum()), 'cell')} burning, {int(state.burned.sum()):,} burned out"
    return f"the fire is the one observed at the start of {date} ({source}: {cells}); no drops means no further drops"


def fire_problems(kept: FireRecord, shape: tuple[int, int], calendar: Calendar) -> list[Problem]:
    """Return why a kept fire does not fit a plan of the days of ``calendar`` on a grid of ``shape``."""
    found = kept.plan.codes.shape[1:]
    if found != shape:
        what = f"has {found[0]} × {found[1]} cells, the project {shape[0]} × {shape[1]}"
        return [Problem("the fire of the run", what, "give the project that it was made on")]
    steps, per_day = kept.plan.steps_known(calendar.steps_per_day), calendar.steps_per_day
    if not steps[0] < calendar.n_steps or steps[-1] > calendar.n_steps:
        days = f"from day {steps[0] / per_day:g} to {steps[-1] / per_day:g}"
        what = f"reaches {days} of a plan of {counted(calendar.days, 'day')}"
        return [Problem("the fire of the run", what, "give the project that it was made on")]
    return []


def _fires(path: Path, shape: tuple[int, int], calendar: Calendar, problems: Problems) -> list[DayStates]:
    fires: list[DayStates] = []
    with array_files.opened(path, problems) as archive:
        about = None if archive is None else _about(archive, path, shape, problems)
        for number, entry in enumerate(() if about is None else about.fires):
            assert archive is not None
            codes = _codes(archive, number, entry, shape, path, problems)
            if codes is None:
                break
            fire = DayStates(entry.flown, entry.world, entry.first, codes, entry.seed, entry.steps)
            steps = fire.steps_known(calendar.steps_per_day)
            if len(steps) != len(codes) or any(now >= then for now, then in pairwise(steps)):
                problems.add(str(path), "has steps that do not belong to its states", _REMEDY)
                break
            if not 0 <= steps[0] < calendar.n_steps or steps[-1] > calendar.n_steps:
                problems.add(str(path), f"holds days outside the plan of {counted(calendar.days, 'day')}", _REMEDY)
                break
            fires.append(fire)
    if not problems and FireRecord(tuple(fires)).where(REPLANNED) is None:
        problems.add(str(path), "holds no fire of the replanned plan", _REMEDY)
    return fires


def _about(archive: Mapping[str, Any], path: Path, shape: tuple[int, int], problems: Problems) -> _FireMetadata | None:
    text = array_files.array(archive, "about", str(path), problems)
    if text is None:
        return None
    try:
        about = msgspec.json.decode(str(text), type=_FireMetadata)
    except msgspec.DecodeError as error:
        problems.add(str(path), f"cannot be read ({plain_words(error)})", _REMEDY)
        return None
    if about.format > _FORMAT:
        problems.add(str(path), f"was written by a newer firegui (format {about.format})", "update firegui")
    elif about.shape != shape:
        what = f"has {about.shape[0]} × {about.shape[1]} cells, and the run {shape[0]} × {shape[1]}"
        problems.add(str(path), what, _REMEDY)
    return None if problems else about


def _codes(
    archive: Mapping[str, Any], number: int, entry: _Entry, shape: tuple[int, int], path: Path, problems: Problems
) -> NDArray[np.uint8] | None:
    cells = shape[0] * shape[1]
    codes = np.zeros((entry.days, *shape), np.uint8)
    for name, code in (("burning", 1), ("burned", 2)):
        packed = array_files.array(archive, f"{name}_{number}", str(path), problems)
        if packed is None:
            return None
        if packed.dtype != np.uint8 or packed.shape != (entry.days, -(-cells // 8)):
            problems.add(str(path), f"{name}_{number} is of another size than it says", _REMEDY)
            return None
        codes[np.unpackbits(packed, axis=1, count=cells).reshape(codes.shape) == 1] += np.uint8(code)
    if not entry.days or codes_hash(codes) != entry.sha256:
        problems.add(str(path), "was changed or is damaged: its fires do not match their sha256", _REMEDY)
        return None
    return codes
