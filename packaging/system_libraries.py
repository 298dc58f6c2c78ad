"""System requirements of firegui: the libraries of Qt, a font, a virtual screen for the tests."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firegui.cli.display import display_trouble

# Without these no part of Qt or of the raster library loads, window or not: shared object -> Debian package.
ALWAYS_NEEDED = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libbrotlidec.so.1": "libbrotli1",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libzstd.so.1": "libzstd1",
    "libz.so.1": "zlib1g",
    "libexpat.so.1": "libexpat1",
    "libstdc++.so.6": "libstdc++6",
}
# A real window on X11 needs these as well.
WINDOW_NEEDED = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
# With these Qt opens its windows on Wayland and needs none of X11's.
WAYLAND_NEEDED = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
FONT_PACKAGE = "fonts-dejavu-core"
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")


class StepFailedError(Exception):
    """A step could not be done; the text says what to do about it."""


@dataclass(frozen=True)
class Machine:
    """What this machine is, as far as the steps depend on it."""

    platform: str
    is_root: bool
    is_debian: bool
    has_display: bool
    has_wayland: bool = False

    @staticmethod
    def here() -> Machine:
        """Read it off this machine."""
        release = Path("/etc/os-release")
        text = release.read_text(encoding="utf-8", errors="replace") if release.exists() else ""
        return Machine(
            platform=sys.platform,
            is_root=hasattr(os, "geteuid") and os.geteuid() == 0,
            is_debian=is_debian(text) and shutil.which("apt-get") is not None,
            has_display=not display_trouble(),
            has_wayland=bool(os.environ.get("WAYLAND_DISPLAY")),
        )

    @property
    def may_install(self) -> bool:
        """Whether system packages can be installed without asking anyone."""
        return self.is_root and self.is_debian


@dataclass
class Needs:
    """System packages to install, with what each is for."""

    required: list[str] = field(default_factory=list)
    for_windows: list[str] = field(default_factory=list)

    @property
    def packages(self) -> list[str]:
        """Everything, each once, in a fixed order."""
        return sorted({*self.required, *self.for_windows})


def is_debian(os_release: str) -> bool:
    """Return whether the text of ``/etc/os-release`` is Debian's or of a system made from it."""
    words: set[str] = set()
    for line in os_release.splitlines():
        key, _, value = line.partition("=")
        if key in ("ID", "ID_LIKE"):
            words.update(value.strip().strip("\"'").split())
    return bool(words & {"debian", "ubuntu"})


def missing_packages(needed: Mapping[str, str], can_load: Callable[[str], bool]) -> list[str]:
    """Return packages of the shared objects that cannot be loaded, each once."""
    return sorted({package for library, package in needed.items() if not can_load(library)})


def apt_commands(packages: Sequence[str]) -> list[list[str]]:
    """Return the two commands that install system packages on Debian."""
    return [["apt-get", "update"], ["apt-get", "install", "-y", "--no-install-recommends", *packages]]


def apt_advice(packages: Sequence[str]) -> str:
    """Return the same as one line for a person to type."""
    return " && ".join("sudo " + shlex.join(command) for command in apt_commands(packages))


def say(text: str) -> None:
    """Announce what happens next."""
    print(f"==> {text}", flush=True)


def run_step(title: str, command: Sequence[str], remedy: str) -> None:
    """Run one command; raises :class:`StepFailedError` with the remedy when it fails."""
    say(title)
    try:
        status = subprocess.run(list(command), stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        raise StepFailedError(f"{command[0]} could not be started ({error}). {remedy}") from error
    if status != 0:
        raise StepFailedError(f"`{shlex.join(command)}` ended with {status}. {remedy}")


def install_system_packages(title: str, packages: Sequence[str]) -> None:
    """Install Debian packages as root; raises :class:`StepFailedError` when that fails."""
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    # Another installer may be at work, as on a machine that has just started: wait for it.
    update, install = ([*command, "-o", "DPkg::Lock::Timeout=300"] for command in apt_commands(packages))
    remedy = f"Install them by hand: {apt_advice(packages)}"
    run_step(f"{title}: {' '.join(packages)}", update, remedy)
    run_step("Installing them", install, remedy)


def can_load(library: str) -> bool:
    """Return whether the loader finds a shared object and everything it needs."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_fonts() -> bool:
    """Return whether there is any font that Qt could write with."""
    folders = (Path(folder).expanduser() for folder in FONT_FOLDERS)
    return any(next(folder.rglob(kind), None) for folder in folders for kind in ("*.ttf", "*.otf", "*.pfb"))


def system_needs(machine: Machine, window: bool, with_tests: bool) -> Needs:
    """Return the system packages that are not there."""
    if not machine.platform.startswith("linux"):
        return Needs()
    needs = Needs(required=missing_packages(ALWAYS_NEEDED, can_load))
    if not has_fonts():
        needs.required.append(FONT_PACKAGE)
    on_wayland = machine.has_wayland and not missing_packages(WAYLAND_NEEDED, can_load)
    if with_tests or (window and not on_wayland):
        needs.for_windows += missing_packages(WINDOW_NEEDED, can_load)
    if with_tests and shutil.which("Xvfb") is None:
        needs.for_windows.append("xvfb")
    return needs


def ensure_system(machine: Machine, window: bool, with_tests: bool) -> bool:
    """Make sure that Qt can start; say whether it can open a real window.

    Installs what is missing as root on Debian, and elsewhere says what to type. Raises :class:`StepFailedError` when
    Qt could not even draw offscreen.
    """
    needs = system_needs(machine, window, with_tests)
    if needs.packages and machine.may_install:
        try:
            install_system_packages("Installing the system libraries that Qt needs", needs.packages)
        except StepFailedError as error:
            print(error, file=sys.stderr)
        needs = system_needs(machine, window, with_tests)
    if needs.packages:
        print(f"Missing on this system: {' '.join(needs.packages)} (Debian's names).", file=sys.stderr)
        print(f"To install them on Debian or Ubuntu: {apt_advice(needs.packages)}", file=sys.stderr)
    if [name for name in needs.required if name != FONT_PACKAGE]:
        raise StepFailedError("Without these libraries Qt cannot start. Install them, then call this again.")
    if needs.for_windows and window:
        say("Going on without a real window.")
    return window and not needs.for_windows
