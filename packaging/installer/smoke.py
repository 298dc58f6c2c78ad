"""Try a built firegui without a Python: a plan, an export, and the window.

``python packaging/installer/smoke.py PROGRAM [--user NAME] [--display] [--starts N]`` runs ``PROGRAM`` with an
environment that has nothing in it but a home of its own and an empty ``PATH``; ``--user`` as another account of this
computer (as root).
With ``--display`` the window is opened as well, on the display at hand or in Xvfb, and waited for until it is mapped.
``--starts N`` tries nothing but the start: N times, each to the window's first paint as the screen has it, which only
an Xvfb of its own can tell. Prints a line for every step, with its time, and ends with 1 at the first that fails.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 900.0
WINDOW_S = 60.0
FEWEST_COLORS = 9
"""Of a window that is painted: text has many, an empty one its ground and the screen's."""
FORMATS = "csv,geojson,kml,gpx,gpkg,geotiff,netcdf,pdf,ics220,gif"


class SmokeError(Exception):
    """A step did not do what it should."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who tries it, and the empty home that they have."""

    home: Path
    user: str

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment without this shell's: no Python on the path, no settings."""
        (self.home / "bin").mkdir(exist_ok=True)
        return {"HOME": str(self.home), "PATH": str(self.home / "bin"), "LANG": "C.UTF-8", **more}

    def run(self, words: Sequence[str], **more: str) -> str:
        """Return what the program prints.

        Raises :class:`SmokeError` for any status but 0.
        """
        done = subprocess.run(
            list(words), env=self.environment(**more), cwd=self.home, user=self.user or None, capture_output=True,
            text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SmokeError(f"{' '.join(words[1:])} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


def account(user: str) -> Account:
    """Return a new home, which belongs to ``user``."""
    home = Path(tempfile.mkdtemp(prefix="firegui-smoke-"))
    if user:
        entry = pwd.getpwnam(user)
        os.chown(home, entry.pw_uid, entry.pw_gid)
    return Account(home, user)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Say what is tried and how long it took."""
    began = time.monotonic()
    yield
    print(f"{time.monotonic() - began:7.1f} s  {title}", flush=True)


def try_commands(program: str, who: Account) -> None:
    """Run the commands from an empty folder to exported files."""
    project, run, out = who.home / "demo.firegui", who.home / "run", who.home / "out"
    with step("first start: --version"):
        print("          ", who.run([program, "--version"]).strip())
    with step("a second start"):
        who.run([program, "--version"])
    with step("doctor"):
        said = who.run([program, "doctor"])
    if "Missing:" in said:
        raise SmokeError(f"doctor is not content:\n{said}")
    with step("demo fire made and planned without a display"):
        who.run([program, "demo", "--out", str(who.home)])
    with step("plan, 20 epochs"):
        words = ["--margin", "none", "--epochs", "20", "--progress", "none"]
        who.run([program, "plan", str(project), "--out", str(run), *words])
    with step("audit"):
        who.run([program, "audit", str(project), "--schedule", str(run / "schedule.csv")])
    with step(f"export {FORMATS}"):
        said = who.run([program, "export", str(run), "--format", FORMATS, "--out", str(out), "--json"])
    files = json.loads(said)["files"]
    empty = [name for name in files if Path(name).stat().st_size == 0]
    if empty or len(files) < len(FORMATS.split(",")):
        raise SmokeError(f"the export lacks files: {files}, empty {empty}")


def try_window(program: str, who: Account, display: str) -> None:
    """Start the window with the project in it, and close it."""
    began = time.monotonic()
    project = who.home / "demo.firegui"
    with subprocess.Popen(
        [program, "open", str(project)], env=who.environment(DISPLAY=display, QT_QPA_PLATFORM="xcb"), cwd=who.home,
        user=who.user or None, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as window:  # fmt: skip
        try:
            name = _mapped(display, window)
            print(f"{time.monotonic() - began:7.1f} s  window on screen: {name}", flush=True)
        finally:
            window.terminate()
            try:
                window.wait(30)
            except subprocess.TimeoutExpired:
                window.kill()


def _mapped(display: str, window: subprocess.Popen[str]) -> str:
    deadline = time.monotonic() + WINDOW_S
    while time.monotonic() < deadline:
        if window.poll() is not None:
            said = window.stdout.read() if window.stdout is not None else ""
            raise SmokeError(f"the window ended with {window.returncode}:\n{said}")
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "firegui"], env={**os.environ, "DISPLAY": display},
            capture_output=True, text=True, check=False,
        ).stdout.split()  # fmt: skip
        if found:
            name = ["xdotool", "getwindowname", found[0]]
            return subprocess.run(
                name, env={**os.environ, "DISPLAY": display}, capture_output=True, text=True, check=False
            ).stdout.strip()
        time.sleep(0.05)
    raise SmokeError(f"no window within {WINDOW_S:.0f} s")


def colors_on(screen: Path) -> int:
    """Return how many colours a sample of the pixels of an Xvfb's screen has.

    The screen is in the file that Xvfb keeps in ``-fbdir``. The file is an X window dump (XWD): numbers of 4 bytes, the
    highest first, then colours of 12 bytes, then pixels.
    """
    content = screen.read_bytes()
    header = struct.unpack_from(">25I", content)
    start, height, line = header[0] + 12 * header[19], header[5], header[12]
    rows = (content[start + row * line : start + (row + 1) * line] for row in range(0, height, 3))
    return len({row[place : place + 4] for row in rows for place in range(0, len(row), 12)})


def try_starts(program: str, who: Account, times: int) -> None:
    """Start the program ``times`` times without a project, and print the median time to its start page.

    The first start of a build on a machine reads all of it from the disk, and is told by itself.
    """
    found = []
    for number in range(times):
        with xvfb() as (shown, screen):
            found.append(_first_paint(program, who, shown, screen))
        print(f"{found[-1]:7.2f} s  start {number + 1}, to the first paint", flush=True)
    if len(found) > 1:
        print(f"{statistics.median(found[1:]):7.2f} s  median of the starts after the first")


def _first_paint(program: str, who: Account, display: str, screen: Path) -> float:
    empty, began = colors_on(screen), time.monotonic()
    with subprocess.Popen(
        [program], env=who.environment(DISPLAY=display, QT_QPA_PLATFORM="xcb"), cwd=who.home, user=who.user or None,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as window:  # fmt: skip
        try:
            while time.monotonic() - began < WINDOW_S:
                if window.poll() is not None:
                    raise SmokeError(f"the window ended with {window.returncode} before it was painted")
                if colors_on(screen) >= empty + FEWEST_COLORS:
                    return time.monotonic() - began
                time.sleep(0.02)
            raise SmokeError(f"nothing was painted within {WINDOW_S:.0f} s")
        finally:
            window.kill()


@contextmanager
def display() -> Iterator[str]:
    """Yield the existing display, or one of Xvfb's."""
    there = os.environ.get("DISPLAY")
    if there:
        yield there
        return
    with xvfb() as (number, _screen):
        yield number


@contextmanager
def xvfb() -> Iterator[tuple[str, Path]]:
    """Yield the display of an Xvfb, and the file that has what is on its screen."""
    reading, writing = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        command = [_tool("Xvfb"), "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-fbdir", folder]
        with subprocess.Popen(command, pass_fds=(writing,), stderr=subprocess.DEVNULL) as server:
            os.close(writing)
            try:
                with os.fdopen(reading) as said:
                    number = said.readline().strip()
                if not number:
                    raise SmokeError("Xvfb did not start")
                yield f":{number}", Path(folder) / "Xvfb_screen0"
            finally:
                server.terminate()


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SmokeError(f"{name} is needed to try the window")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything; 0 when all of it worked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--user", default="", help="the account of this computer that tries it")
    parser.add_argument("--display", action="store_true", help="open the window too")
    parser.add_argument("--starts", type=int, default=0, metavar="N", help="only start it, N times, to the first paint")
    given = parser.parse_args(arguments)
    program, who = str(given.program.resolve()), account(given.user)
    try:
        if given.starts > 0:
            try_starts(program, who, given.starts)
        else:
            try_commands(program, who)
            if given.display:
                _tool("xdotool")
                with display() as shown:
                    try_window(program, who, shown)
    except SmokeError as error:
        print(f"FAILED: {error}")
        return 1
    finally:
        shutil.rmtree(who.home, ignore_errors=True)
    print("everything worked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
