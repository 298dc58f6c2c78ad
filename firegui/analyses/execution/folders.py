"""Tasks that work in a folder below that of their run, from whose files they are resumed.

Workers of this machine work in the folder itself. Workers on other machines cannot: files are sent to them and back.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firegui.analyses.execution.archives import pack_folder, unpack_folder
from firegui.errors import CancelledError
from firegui.io import atomic
from firegui.io.paths import LOCK


@dataclass(frozen=True, slots=True)
class FolderTask:
    """Task in the folder ``place`` below that of the run; ``files`` is the archive of one that was begun."""

    place: str
    data: bytes
    files: bytes = b""


@dataclass(frozen=True, slots=True)
class FolderAnswer:
    """Result of a task in a folder, with its files if they had to be sent. A stopped task has no ``data``."""

    data: bytes
    files: bytes = b""


def folder_task(out: Path, place: str, data: bytes, *, sends_files: bool) -> bytes:
    """Return the task in the folder ``place`` below ``out``, with its files if they have to be sent."""
    begun = sends_files and (out / place).is_dir()
    return msgspec.msgpack.encode(FolderTask(place, data, pack_folder(out / place, (LOCK,)) if begun else b""))


def work_in_folder(task: bytes, out: str, work: Callable[[Path, bytes], bytes]) -> bytes:
    """Call ``work`` with the folder of the run and the data of ``task``, and return the encoded answer.

    Without ``out`` it is a temporary folder, whose files are sent back even when the task is stopped.
    """
    order = msgspec.msgpack.decode(task, type=FolderTask)
    if out:
        return msgspec.msgpack.encode(FolderAnswer(work(Path(out), order.data)))
    with tempfile.TemporaryDirectory(prefix="firegui-task-") as root:
        place = Path(root) / order.place
        place.mkdir(parents=True)
        if order.files:
            unpack_folder(order.files, place)
        try:
            data = work(Path(root), order.data)
        except CancelledError:
            data = b""
        return msgspec.msgpack.encode(FolderAnswer(data, pack_folder(place, (LOCK,))))


def save_answer(out: Path, place: str, result: bytes) -> bytes:
    """Save the files of an answer in ``place`` below ``out``. Return its data, empty for a stopped task.

    Raises :class:`~firegui.errors.InputError` where the files cannot be written.
    """
    if not result:
        return b""
    answer = msgspec.msgpack.decode(result, type=FolderAnswer)
    if answer.files:
        with atomic.new_folder(out / place) as temporary:
            unpack_folder(answer.files, temporary)
            # Only now: on a full disk the earlier state must stay.
            shutil.rmtree(out / place, ignore_errors=True)
    return answer.data
