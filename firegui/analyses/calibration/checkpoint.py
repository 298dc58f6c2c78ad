"""Checkpoint of a calibration: ``WEIGHTS.safetensors.part``, beside the weights.

One safetensors file: the tensors of the :class:`~firegui.domain.fit.FitState` as ``state.…``, its numbers as
``progress``, the ``history`` a row an epoch, the weights it began with as the bytes of their own file in ``start``; and
in the metadata entry ``firegui`` a JSON object with the command, the settings and the events. It is replaced whole, so
that a calibration killed at any moment leaves one that can be read. Complete weights take its place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from firegui.domain.fit import EventProgress, FitProgress, FitState, NetworkFitSettings
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem
from firegui.io.atomic import write_bytes
from firegui.io.project.weights_file import weights_bytes, weights_of_bytes

FORMAT = 1
SUFFIX = ".part"
_ENTRY = "firegui"
_STATE, _PROGRESS, _HISTORY, _START = "state.", "progress", "history", "start"
_HEAD = ("epoch", "loss", "best_loss", "best_epoch", "seconds")
_REMEDY = "delete it and start again (without --resume)"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FitEvent:
    """An event of a calibration: its name, :func:`~firegui.runs.header.fire_hash`, and its project folder."""

    name: str
    hash: str
    folder: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FitCheckpoint:
    """A calibration as it stands; ``state`` is ``None`` before the first epoch."""

    command: str
    settings: NetworkFitSettings
    events: tuple[FitEvent, ...]
    start: NetworkWeights | None
    state: FitState | None
    history: tuple[FitProgress, ...]

    @property
    def epochs_done(self) -> int:
        """Epochs completed, over all sessions."""
        return 0 if self.state is None else self.state.epoch


@dataclass(frozen=True, slots=True)
class _CheckpointMetadata:
    """The JSON object of the file. ``terms`` and ``scored`` name the columns of the history."""

    format: int
    command: str
    settings: NetworkFitSettings
    events: tuple[FitEvent, ...]
    terms: tuple[str, ...] = ()
    scored: tuple[tuple[str, tuple[int, ...]], ...] = ()


def part_of(out: Path) -> Path:
    """Return the path of the state of a calibration into ``out``."""
    return out.with_name(out.name + SUFFIX)


def out_problems(out: Path, *, resume: bool) -> list[Problem]:
    """Return what keeps a calibration from being written to ``out``, or resumed there. Write nothing."""
    there = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    folder = there if there.is_dir() else there.parent
    if out.is_dir():
        return [Problem(str(out), "is a folder", "give the name of a file, such as fire.safetensors")]
    if not there.is_dir() and there != out.absolute():
        return [Problem(str(there), "is a file, not a folder", "give a file in a folder")]
    if not os.access(folder, os.W_OK):
        return [Problem(str(folder), "may not be written to", "give a file in a folder you may write to")]
    begun = part_of(out).exists()
    if resume and not begun:
        return [Problem(str(out), "there is no interrupted calibration to resume", "start one (without --resume)")]
    if begun and not resume:
        remedy = "resume it (--resume), or give another name"
        return [Problem(str(part_of(out)), "holds a calibration that was interrupted or is at work", remedy)]
    if out.exists() and not resume:
        return [Problem(str(out), "is there already", "give another name, or delete it")]
    return []


def write_checkpoint(path: Path, checkpoint: FitCheckpoint) -> None:
    """Write it atomically. Raises :class:`~firegui.errors.InputError` where that is refused."""
    history, state, start = checkpoint.history, checkpoint.state, checkpoint.start
    first = history[0] if history else None
    about = _CheckpointMetadata(
        format=FORMAT,
        command=checkpoint.command,
        settings=checkpoint.settings,
        events=checkpoint.events,
        terms=() if first is None else tuple(first.terms),
        scored=() if first is None else tuple((event.name, event.days) for event in first.events),
    )
    tensors: dict[str, NDArray[Any]] = {_HISTORY: _table(history)}
    if state is not None:
        tensors |= {f"{_STATE}{name}": np.asarray(tensor, order="C") for name, tensor in state.tensors.items()}
        tensors[_PROGRESS] = np.array([state.epoch, state.best_epoch, state.best_loss], np.float64)
    if start is not None:
        tensors[_START] = np.frombuffer(weights_bytes(start), np.uint8)
    data = save(tensors, {_ENTRY: msgspec.json.encode(about).decode()})
    write_bytes(path, data)


def read_checkpoint(path: Path) -> FitCheckpoint:
    """Read what :func:`write_checkpoint` wrote. Raises :class:`~firegui.errors.InputError`."""
    try:
        data = path.read_bytes()
        tensors: dict[str, NDArray[Any]] = load(data)
        # The reader of tensors has checked that the header is as long as it says, and that it is JSON.
        header = msgspec.json.decode(data[8 : 8 + int.from_bytes(data[:8], "little")])
        about = msgspec.json.decode(header["__metadata__"][_ENTRY], type=_CheckpointMetadata)
        if about.format > FORMAT:
            raise ValueError(f"it was written by a newer firegui, format {about.format}")
        state = _state(tensors)
        history = _history(tensors[_HISTORY], about)
    except (OSError, SafetensorError, KeyError, ValueError, IndexError, msgspec.MsgspecError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({error})", _REMEDY)], "Nothing to resume") from error
    start = weights_of_bytes(tensors[_START].tobytes(), path.name) if _START in tensors else None
    return FitCheckpoint(about.command, about.settings, about.events, start, state, history)


def _state(tensors: dict[str, NDArray[Any]]) -> FitState | None:
    if _PROGRESS not in tensors:
        return None
    kept = {name.removeprefix(_STATE): tensor for name, tensor in tensors.items() if name.startswith(_STATE)}
    epoch, best_epoch, best_loss = tensors[_PROGRESS].tolist()
    return FitState(kept, int(epoch), int(best_epoch), best_loss)


def _table(history: Sequence[FitProgress]) -> Floats:
    """Return a row an epoch: its numbers, its terms, the IoU of every event and day."""
    rows = [
        [getattr(row, name) for name in _HEAD] + [*row.terms.values(), *(v for event in row.events for v in event.iou)]
        for row in history
    ]
    return np.array(rows, np.float64).reshape(len(rows), -1 if rows else len(_HEAD))


def _history(table: Floats, about: _CheckpointMetadata) -> tuple[FitProgress, ...]:
    first = len(_HEAD) + len(about.terms)
    if table.shape[1] != first + sum(len(days) for _name, days in about.scored):
        raise ValueError(f"its history has {table.shape[1]} columns")
    return tuple(_row(row, about, first) for row in table.tolist())


def _row(row: list[float], about: _CheckpointMetadata, first: int) -> FitProgress:
    epoch, loss, best_loss, best_epoch, seconds = row[: len(_HEAD)]
    terms = dict(zip(about.terms, row[len(_HEAD) : first], strict=True))
    events = []
    for name, days in about.scored:
        events.append(EventProgress(name, days, tuple(row[first : first + len(days)])))
        first += len(days)
    epochs = about.settings.epochs
    return FitProgress(int(epoch), epochs, loss, best_loss, int(best_epoch), terms, tuple(events), seconds)
