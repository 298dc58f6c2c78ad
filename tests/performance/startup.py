"""How soon the window is painted, against a window that shows an empty pyqtgraph plot and nothing else.

``python tests/performance/startup.py [--platform offscreen|xcb] [--repeats N] [PROJECT]`` starts both in turn, each in
a process of its own, and prints for each the median time from the start of the process to the end of its first paint,
then the ratio, and which of the large packages were loaded by then. Asked for is a ratio of 2 at most. With ``xcb`` and
no ``DISPLAY`` it starts Xvfb, and the first window manager it finds.

The processor's time is the measure on a machine that does other work too; the time on the clock is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
AIM = 2.0
LARGE = ("torch", "numba", "matplotlib", "rasterio", "pyproj", "shapely", "pyogrio", "pandas", "h5py")
MANAGERS = ("openbox", "metacity", "xfwm4", "icewm", "twm")

SAY = f"""
import json, os, sys, time
def say(moment):
    found = dict(moment=moment, wall=time.monotonic() - float(os.environ["STARTED"]), cpu=time.process_time(),
                 loaded=[name for name in {LARGE!r} if name in sys.modules])
    print(json.dumps(found), flush=True)
"""

EMPTY = """
import pyqtgraph
from PySide6.QtCore import QTimer
app = pyqtgraph.mkQApp()
class Plot(pyqtgraph.PlotWidget):
    said = False
    def paintEvent(self, event):
        super().paintEvent(event)
        if not self.said:
            self.said = True
            QTimer.singleShot(0, self, lambda: (say("painted"), app.quit()))
plot = Plot()
plot.resize(1440, 900)
plot.show()
app.exec()
"""

WORKBENCH = """
from firegui.cli.main import main
from firegui.gui.window.main_window import MainWindow
make = MainWindow.__init__
def listen(window, *given, **named):
    make(window, *given, **named)
    window.first_painted.connect(lambda: say("painted"))
    window.ui_built.connect(lambda: (say("ui_built"), window.close()))
MainWindow.__init__ = listen
main(sys.argv[1:], prog_name="firegui")
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened in a process, in seconds since its start: on the clock, and of the processor."""

    moment: str
    wall: float
    cpu: float
    loaded: tuple[str, ...]


def moments(code: str, words: Sequence[str], platform: str, home: Path) -> list[Moment]:
    """Start ``code`` in a process of its own and read what it says. Raises ``RuntimeError`` when it says nothing."""
    places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    # time.monotonic counts from the start of the machine, so that two processes may compare.
    environment = os.environ | places | {
        "QT_QPA_PLATFORM": platform, "PYTHONPATH": str(REPOSITORY), "STARTED": str(time.monotonic()),
        # As for a person, whose second start finds the modules compiled.
        "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home / "compiled"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SAY + code, *words], env=environment, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(done.stderr)
    return [Moment(each["moment"], each["wall"], each["cpu"], tuple(each["loaded"])) for each in lines]


@contextmanager
def screen(platform: str) -> Iterator[str]:
    """A display for ``xcb`` where there is none, with a window manager if one is found; says what it is."""
    if platform != "xcb" or os.environ.get("DISPLAY"):
        yield os.environ.get("DISPLAY", "") if platform == "xcb" else platform
        return
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "2560x1440x24", "-nolisten", "tcp"],
        pass_fds=(writing,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading) as said:
        os.environ["DISPLAY"] = f":{said.readline().strip()}"
    manager = next((name for name in MANAGERS if shutil.which(name)), "")
    helper = subprocess.Popen([manager], stderr=subprocess.DEVNULL) if manager else None
    try:
        yield f"{os.environ['DISPLAY']}, {manager or 'no window manager'}"
    finally:
        for process in (helper, server):
            if process is not None:
                process.terminate()
                process.wait()
        del os.environ["DISPLAY"]


def report(name: str, found: Sequence[Moment]) -> float:
    """Print the medians of one moment; returns that of the processor's time."""
    wall, cpu = statistics.median(each.wall for each in found), statistics.median(each.cpu for each in found)
    loaded = ", ".join(sorted({name for each in found for name in each.loaded})) or "none"
    print(f"{name:<28} {cpu:6.2f} s of the processor {wall:6.2f} s on the clock   large packages loaded: {loaded}")
    return cpu


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", nargs="?", type=Path, help="open this project; left out, the start page stays")
    parser.add_argument("--platform", choices=("offscreen", "xcb"), default="offscreen")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args(given)
    words = ["open", str(asked.project.resolve())] if asked.project is not None else []
    empty: list[Moment] = []
    ours: dict[str, list[Moment]] = {}
    with screen(asked.platform) as where, tempfile.TemporaryDirectory() as home:
        print(f"on {where}, once, then {asked.repeats} times in turn")
        for code in (EMPTY, WORKBENCH):
            moments(code, (), asked.platform, Path(home))
        for _turn in range(asked.repeats):
            empty += moments(EMPTY, (), asked.platform, Path(home))
            for moment in moments(WORKBENCH, words, asked.platform, Path(home)):
                ours.setdefault(moment.moment, []).append(moment)
    base = report("empty pyqtgraph window", empty)
    ratio = report("firegui, first paint", ours["painted"]) / base
    if "ui_built" in ours:
        report("firegui, everything there", ours["ui_built"])
    print(f"first paint: {ratio:.2f} times the empty window's; asked for is {AIM:g} at most")
    return 0 if ratio <= AIM else 1


if __name__ == "__main__":
    raise SystemExit(main())
