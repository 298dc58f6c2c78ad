"""What runs of any kind ask of their folder: whether they may write there, what lies there, what it says of itself."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from firegui.errors import InputError, Problem
from firegui.io.plain_words import plain_words
from firegui.runs.lock import held_problem, is_held

Header = TypeVar("Header")


def check_place(path: Path, thing: str, title: str) -> None:
    """Raise :class:`~firegui.errors.InputError` for a file, for what may not be written, and for one being written.

    ``path`` need not exist yet; ``thing`` is what is to be kept there, for people: ``run``.
    """
    there = next((place for place in (path, *path.absolute().parents) if place.exists()), path)
    if there.exists() and not there.is_dir():
        raise InputError([Problem(str(there), "is a file", f"give a folder for the {thing}")], title)
    if there.exists() and not os.access(there, os.W_OK):
        raise InputError([Problem(str(there), "may not be written to", "give a folder you may write to")], title)
    if is_held(path):
        raise InputError([held_problem(path)], title)


def names_in(path: Path) -> list[str]:
    """What lies in the folder, if it is there, without hidden files.

    Those are nobody's work: file managers leave them, and so does a write that was cut short.
    """
    return [entry.name for entry in path.iterdir() if not entry.name.startswith(".")] if path.exists() else []


def read_kept(path: Path, kind: type[Header], newest: int, again: str, title: str) -> Header:
    """The TOML header in ``path`` as ``kind``, of format ``newest`` at most.

    Raises :class:`~firegui.errors.InputError` where it is missing, damaged or too new; ``again`` is what to do then.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        if isinstance(raw.get("format"), int) and raw["format"] > newest:
            what = f"was written by a newer firegui (format {raw['format']})"
            raise InputError([Problem(str(path), what, "update firegui")], title)
        return msgspec.convert(raw, kind)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InputError([Problem(str(path), f"cannot be read ({plain_words(error)})", again)], title) from error
