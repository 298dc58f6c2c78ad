"""Whether a display answers: Qt ends the whole process when it opens a window on one that does not.

Standard library only, for ``packaging/bootstrap.py`` asks the same before anything is installed.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

NO_DISPLAY = "there is no display"
_NO_SCREEN = frozenset({"offscreen", "minimal"})
_OWN_SCREEN = frozenset({"vnc", "eglfs", "linuxfb", "vkkhrdisplay"})
_X_SOCKET = "/tmp/.X11-unix/X{number}"
_X_PORT = 6000
_WAIT_SECONDS = 2.0

Address = str | bytes | tuple[str, int]
"""Address of a socket: a path, a name outside the file system, or a host and a port."""


def chosen_platform(environ: Mapping[str, str]) -> str:
    """Return the requested Qt platform without its options; empty when none was requested."""
    return environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]


def is_offscreen(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether a Qt platform without a screen was requested."""
    return chosen_platform(environ) in _NO_SCREEN


def answers(address: Address) -> bool:
    """Return whether a server answers at ``address``."""
    try:
        if isinstance(address, tuple):
            socket.create_connection(address, timeout=_WAIT_SECONDS).close()
            return True
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_WAIT_SECONDS)
            line.connect(address)
        return True
    except (OSError, ValueError, AttributeError):  # Windows' Python has no AF_UNIX
        return False


def display_trouble(
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    is_heard: Callable[[Address], bool] = answers,
) -> str:
    """Return why a window of Qt would not be seen here; empty if it would."""
    chosen = chosen_platform(environ)
    if chosen in _NO_SCREEN:
        return NO_DISPLAY
    if not platform.startswith("linux") or chosen in _OWN_SCREEN:
        return ""
    named: dict[str, list[Address]] = {}
    if chosen != "xcb" and environ.get("WAYLAND_DISPLAY"):
        name = environ["WAYLAND_DISPLAY"]
        named[name] = [str(Path(environ.get("XDG_RUNTIME_DIR", "")) / name)]
    if not chosen.startswith("wayland") and environ.get("DISPLAY"):
        named[environ["DISPLAY"]] = list(x_addresses(environ["DISPLAY"]))
    if any(is_heard(address) for addresses in named.values() for address in addresses):
        return ""
    if not named:
        return NO_DISPLAY
    return f"display {' and '.join(named)} {'does' if len(named) == 1 else 'do'} not answer"


def x_addresses(display: str) -> Iterator[Address]:
    """Return the addresses of the X server ``[host]:number[.screen]``, none for another text."""
    host, _, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdecimal():
        return
    host = host.rpartition("/")[2].strip("[]")
    if host in ("", "unix"):
        path = _X_SOCKET.format(number=number)
        yield b"\0" + path.encode()  # outside the file system, as Linux servers also listen
        yield path
        host = "localhost"
    yield host, _X_PORT + int(number)
