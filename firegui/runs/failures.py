"""Messages and logs of errors that end a run or a command. It loads nothing, so commands start fast."""

from __future__ import annotations

import os
import tempfile
import traceback
from datetime import datetime
from pathlib import Path

from firegui.errors import FireguiError, reason_of

LOG = "error.log"
_MEMORY_WORDS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")
MEMORY_REMEDY = "plan fewer days, close other programs, or use a machine with more memory; then resume the run"


def failure_message(error: Exception) -> str:
    """Return one line for an error whose cause lies outside the program.

    It has no traceback, and says what to do.
    """
    if is_out_of_memory(error):
        return f"ran out of memory; {MEMORY_REMEDY}"
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}; check the disk and the folder, then resume the run"
    return reason_of(error)


def is_foreseen(error: Exception) -> bool:
    """Return whether :func:`failure_message` is complete, so that no log is needed."""
    return isinstance(error, (FireguiError, OSError)) or is_out_of_memory(error)


def is_out_of_memory(error: Exception) -> bool:
    """Return whether the memory of the machine or of the card ran out.

    Torch reports both as a ``RuntimeError``.
    """
    text = str(error).lower()
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(words in text for words in _MEMORY_WORDS)
    )


def write_log(error: BaseException, folder: Path | None) -> Path | None:
    """Append the traceback of an unforeseen error to a file in ``folder``, or to a temporary file.

    The temporary file is readable by the user alone, and its name cannot be guessed: other users cannot put a link in
    its place. Returns the path, or ``None`` where nothing could be written.
    """
    text = f"{datetime.now().astimezone().isoformat(timespec='seconds')}\n" + "".join(traceback.format_exception(error))
    if folder is not None and _append(folder / LOG, text):
        return folder / LOG
    return _new_file(text)


def _new_file(text: str) -> Path | None:
    try:
        handle, name = tempfile.mkstemp(prefix="firegui-error-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        return None
    return Path(name)


def _append(path: Path, text: str) -> bool:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        return False
    return True
