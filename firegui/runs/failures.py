"""Messages and logs of errors that end a run or a command. It loads nothing, so commands start fast."""

from __future__ import annotations

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
    """Append the traceback of an unforeseen error to a file, in ``folder`` or the temporary folder.

    Returns where, or ``None`` when even that could not be written.
    """
    text = f"{datetime.now().astimezone().isoformat(timespec='seconds')}\n" + "".join(traceback.format_exception(error))
    places = [Path(tempfile.gettempdir()) / f"firegui-{LOG}"]
    if folder is not None:
        places.insert(0, folder / LOG)
    return next((place for place in places if _append(place, text)), None)


def _append(path: Path, text: str) -> bool:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        return False
    return True
