"""Damaged files of a finished run: which they are, and which of them a resumed run makes again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.runs.checksums import DIFFERS, differing
from firegui.runs.header import RunHeader
from firegui.runs.run_folder import (
    BASELINE,
    CHECKPOINT,
    DROPS,
    ELIMINATION,
    ELIMINATION_CHECKPOINT,
    FILES,
    LEAK,
    LOOP_TABLE,
    METRICS,
    OCCUPANCY,
    PLAN,
    REFERENCE,
    SCHEDULE,
    SMOOTHING_CHECKPOINT,
    STORE,
    SUMMARY,
    TACTICAL_CHECKPOINT,
    RunRecord,
    read_run,
)
from firegui.runs.stages import Stage

_RESULTS = {PLAN, SCHEDULE, DROPS, METRICS, SUMMARY, OCCUPANCY, BASELINE, LOOP_TABLE, LEAK}
_SECOND_STAGE = {ELIMINATION, ELIMINATION_CHECKPOINT, SMOOTHING_CHECKPOINT}


def damaged_files(folder: Path, header: RunHeader, names: Collection[str] = FILES) -> frozenset[str]:
    """Return which of ``names`` are gone or differ from what the finished run wrote.

    A run that has not finished, or is of a version without checksums, has none.
    """
    return differing(folder, header.files or {}, names)


def damage_problems(folder: Path, damaged: Iterable[str]) -> list[Problem]:
    """Return a problem for every damaged file that a result cannot be read without."""
    remedy = "resume the run, which makes the file again, or restore it from a copy"
    return [Problem(str(folder / name), DIFFERS, remedy) for name in sorted(damaged)]


def files_to_make_again(folder: Path, header: RunHeader) -> frozenset[str]:
    """Return the files that a resumed run begins without, so that it makes them again.

    Raises :class:`~firegui.errors.InputError` where the rest of the run does not determine a damaged file.
    """
    damaged = damaged_files(folder, header)
    remedy = "nothing else in the folder determines it: restore it from a copy, or run again elsewhere"
    lost = [Problem(str(folder / name), DIFFERS, remedy) for name in sorted(_lost(folder, header, damaged))]
    if lost:
        raise InputError(lost, "The run cannot be resumed")
    # The log of the second stage and its states are of one moment.
    together = _SECOND_STAGE if damaged & _SECOND_STAGE else ()
    return damaged.union(name for name in together if (folder / name).is_file())


def check_out(path: Path, resume: bool) -> RunRecord | None:
    """Return the run in ``path`` to resume, or ``None`` if a new run may be written there. Write nothing.

    The record leaves out damaged files that the run makes again. Raises :class:`~firegui.errors.InputError` for a file,
    a folder with something else in it, a run that would be overwritten, one that another run is writing, one with
    damaged files that cannot be made again, or nothing to resume.
    """
    header = STORE.check(path, resume)
    return None if header is None else read_run(path, files_to_make_again(path, header))


def remove_damaged(folder: Path, header: RunHeader) -> list[str]:
    """Remove what a resumed run makes again, and return the names. The caller has the lock of the folder."""
    names = sorted(files_to_make_again(folder, header))
    for name in names:
        (folder / name).unlink(missing_ok=True)
    return names


def _lost(folder: Path, header: RunHeader, damaged: frozenset[str]) -> frozenset[str]:
    """Return which damaged files neither the state of the search nor another stage determines."""
    rest = damaged - _RESULTS
    if header.replan is not None and header.replan.closed_loop:
        return rest
    whole = (header.files or {}).keys() - damaged
    again = {TACTICAL_CHECKPOINT}
    # The state of a search that has ended holds the reference, and the second stage needs nothing but the reference.
    if CHECKPOINT in whole and Stage.OPTIMIZE in header.stages:
        again.add(REFERENCE)
    # Without a state the search begins again from what it began with.
    if REFERENCE in whole or not (folder / CHECKPOINT).exists():
        again.add(CHECKPOINT)
    if REFERENCE in whole or REFERENCE in again:
        again |= _SECOND_STAGE
    return rest - again
