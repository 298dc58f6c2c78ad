"""Start of the window from the command line.

The window lies a floor above, and most commands must run where Qt cannot even load, so ``firegui.gui`` is imported by
name here and nowhere else below it: the second deliberate late import, beside the engine's.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from firegui.cli.display import NO_DISPLAY, display_trouble, is_offscreen
from firegui.errors import InputError, Problem

FILM_SIDES = {
    "plan": ("plan",), "baseline": ("baseline",), "difference": ("difference",),
    "three": ("baseline", "plan", "difference"),
}  # fmt: skip
"""Choices of a film, and the views that each shows side by side."""


def run_window(project: Path | None) -> int:
    """Open the workbench and return its exit code once it is closed.

    Raises :class:`~firegui.errors.InputError` where no display answers and none was requested on purpose.
    """
    trouble = "" if is_offscreen() else display_trouble()
    if trouble:
        remedy = "check DISPLAY, or unset it to plan without a window: firegui demo, firegui optimize"
        if trouble == NO_DISPLAY:
            remedy = "set DISPLAY, or use the commands: firegui --help; firegui demo plans without a window"
        raise InputError([Problem("window", trouble, remedy)], "The workbench cannot open")
    code: int = import_module("firegui.gui.app").main(project)
    return code


def render_workbench(project: Path, run: Path, picture: Path) -> None:
    """Draw the workbench with ``run`` shown into ``picture`` (PNG), without a display."""
    import_module("firegui.gui.snapshot").render_workbench(project, run, picture)


def film_run(project: Path, run: Path, film: Path, sides: str, fps: int) -> None:
    """Play ``run`` on the map of ``project`` into ``film``, without a display.

    ``sides`` is a key of :data:`FILM_SIDES`.
    """
    import_module("firegui.gui.snapshot").film_run(project, run, film, FILM_SIDES[sides], fps)


def own_command(*words: str) -> list[str]:
    """Return the command line that starts this program again with ``words``."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "firegui"]
    return [*program, *words]
