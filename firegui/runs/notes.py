"""Name of a run and notes on it: text files in its folder, which any editor opens."""

from __future__ import annotations

from pathlib import Path

from firegui.errors import InputError, Problem
from firegui.io.atomic import write_problem, write_text
from firegui.io.toml import plain_words
from firegui.runs.run_folder import RUN

NOTES, NAME = "notes.md", "name.txt"
MOST_LETTERS = 80
"""Length of a name."""
_TITLE = "The notes were not saved"


def takes_notes(folder: Path) -> bool:
    """Return whether a run has been written there.

    A run that is still to begin needs an empty folder.
    """
    return (folder / RUN).is_file()


def read_notes(folder: Path) -> str:
    """Read the notes on the run in ``folder``. Raises :class:`InputError` for a file that is no text."""
    return _read(folder / NOTES, "The notes cannot be read")


def read_name(folder: Path) -> str:
    """Read the name that the run in ``folder`` was given, empty for none; see :func:`read_notes`."""
    return _read(folder / NAME, "The name cannot be read").strip().partition("\n")[0][:MOST_LETTERS]


def _read(path: Path, title: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        problem = Problem(str(path), f"cannot be read ({plain_words(error)})", "mend it in a text editor, or move it")
        raise InputError([problem], title) from error


def write_notes(folder: Path, text: str) -> None:
    """Replace the notes on the run in ``folder``, whole; empty ones are taken away.

    Raises :class:`~firegui.errors.InputError` where there is no run, or the system refuses.
    """
    _write(folder, NOTES, text, _TITLE)


def write_name(folder: Path, name: str) -> None:
    """Give the run in ``folder`` another name; an empty one restores that of its folder.

    Raises :class:`~firegui.errors.InputError` for a long name, where there is no run, or the system refuses.
    """
    title = "The name was not saved"
    if len(name) > MOST_LETTERS or "\n" in name:
        what = f"has {len(name)} letters" if len(name) > MOST_LETTERS else "has more than one line"
        raise InputError([Problem("name of the run", what, f"use one line of up to {MOST_LETTERS} letters")], title)
    _write(folder, NAME, name, title)


def _write(folder: Path, file: str, text: str, title: str) -> None:
    if not takes_notes(folder):
        raise InputError([Problem(str(folder), "holds no run", "let the run begin first")], title)
    if text.strip():
        write_text(folder / file, text)
        return
    try:
        (folder / file).unlink(missing_ok=True)
    except OSError as error:
        raise InputError([write_problem(folder / file, error)], title) from error
