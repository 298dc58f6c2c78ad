"""The way from the command line into the window.

The window lies a floor above, and most commands must run where Qt cannot even load, so ``firegui.gui`` is imported by
name here and nowhere else below it: the second deliberate late import, beside the engine's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from firegui.errors import InputError, Problem

_NO_SCREEN = frozenset({"offscreen", "minimal"})
_OWN_SCREEN = frozenset({"vnc", "eglfs", "linuxfb", "vkkhrdisplay"})


def has_display(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bool:
    """Whether somebody could see a window that Qt opens here."""
    chosen = environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    if chosen in _NO_SCREEN:
        return False
    if not platform.startswith("linux") or chosen in _OWN_SCREEN:
        return True
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def run_window(project: Path | None) -> int:
    """Open the workbench and return its exit code once it is closed.

    Raises :class:`~firegui.errors.InputError` where there is no display and none was asked for on purpose.
    """
    if not has_display() and not os.environ.get("QT_QPA_PLATFORM"):
        remedy = "set DISPLAY, or use the commands: firegui --help; firegui demo plans without a window"
        raise InputError([Problem("display", "there is none to open a window on", remedy)], "The workbench cannot open")
    code: int = import_module("firegui.gui.app").main(project)
    return code


def render_workbench(project: Path, run: Path, picture: Path) -> None:
    """Draw the workbench with ``run`` shown into ``picture`` (PNG), without a display."""
    import_module("firegui.gui.snapshot").render_workbench(project, run, picture)


def own_command(*words: str) -> list[str]:
    """The command line that starts this very program again with ``words``."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "firegui"]
    return [*program, *words]
