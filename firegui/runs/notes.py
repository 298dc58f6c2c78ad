"""What people write about a run: plain text in its folder, ``notes.md``, which any editor opens."""

from __future__ import annotations

from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem, write_text
from firegui.io.toml import plain_words
from firegui.runs.run_folder import RUN

NOTES = "notes.md"
_TITLE = "The notes were not saved"


def takes_notes(folder: Path) -> bool:
    """Return whether a run has been written there.

    A run that is still to begin needs an empty folder.
    """
    return (folder / RUN).is_file()


def read_notes(folder: Path) -> str:
    """Read the notes on the run in ``folder``. Raises :class:`InputError` for a file that is no text."""
    path = folder / NOTES
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem(str(path), f"cannot be read ({plain_words(error)})", "mend it in a text editor, or move it")
        raise InputError([problem], "The notes cannot be read") from error


def write_notes(folder: Path, text: str) -> None:
    """Replace the notes on the run in ``folder``, whole; empty ones are taken away.

    Raises :class:`~firegui.errors.InputError` where there is no run, or the system refuses.
    """
    if not takes_notes(folder):
        raise InputError([Problem(str(folder), "holds no run", "let the run begin first")], _TITLE)
    if text.strip():
        write_text(folder / NOTES, text)
        return
    try:
        (folder / NOTES).unlink(missing_ok=True)
    except OSError as error:
        raise InputError([write_problem(folder / NOTES, error)], _TITLE) from error
