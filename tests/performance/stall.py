"""How long the window does not react while a plan is being worked out.

    python tests/performance/stall.py PROJECT [--seconds 60] [--platform offscreen|xcb] [--size 1440 900] [--trace 30]

Opens a copy of PROJECT in the whole workbench, waits for the fire without drops, starts the first stage as F5 does and
measures for so long. A heartbeat of one millisecond runs in the window's event loop all the while; what lies between
two beats beyond that millisecond is a stall: so long a key or a click would have waited. Told apart are the opening
with the first load of the engine, the start of the run up to its first epoch, and the first stage. Of each: the 99th
percentile over the beats, the same over time (the stall that a moment drawn at random lies in, which is stricter), the
worst, and how much of the time the window's own thread computed. Asked for during the first stage are at most 20 ms at
the 99th percentile and 100 ms at worst, and at most 500 ms once for the first load of the engine.

Other programs on the machine lengthen every stall. So each is also given without the time in which the window's thread
was ready and no processor was free, which Linux counts: what is left the window did itself, or waited for a lock of its
own process. That is the line to look at where the load, which is printed, is more than the run's own threads.

``--trace MS`` says where the window's thread and the run's were in stalls longer than that, the longest first; looking
costs a little by itself. With ``xcb`` and no ``DISPLAY`` it starts Xvfb, and a window manager if it finds one.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEventLoop, QObject, QSettings, Qt, QTimer
from PySide6.QtTest import QTest

from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.runs.stages import Stage
from tests.performance.startup import screen

BEAT_MS = 1
AIM_MS, WORST_MS, LOAD_MS = 20.0, 100.0, 500.0
_LOOK_MS = 100
_LONG_S = 600.0
_ENDLESS = 1_000_000
_DEPTH = 9
SCHEDULE = Path("/proc/thread-self/schedstat")
"""Nanoseconds on a processor and in the queue for one, of the thread that reads it."""


@dataclass(frozen=True, slots=True)
class Stalls:
    """What was measured while one thing went on; times in milliseconds."""

    what: str
    stalls: NDArray[np.float64]
    own: NDArray[np.float64]
    computed: float
    load: float

    @staticmethod
    def of(what: str, gaps: NDArray[np.float64], own: NDArray[np.float64], computed: float) -> Stalls:
        """From the milliseconds between beats, and what the window's thread computed in each."""
        return Stalls(what, np.maximum(gaps - BEAT_MS, 0.0), own, computed, os.getloadavg()[0])

    @property
    def percentile(self) -> float:
        """The 99th percentile over the beats."""
        return float(np.percentile(self.stalls, 99.0)) if len(self.stalls) else 0.0

    @property
    def over_time(self) -> float:
        """The 99th percentile over time: every stall counts as long as it lasts."""
        ordered = np.sort(self.stalls)
        lasted = np.cumsum(ordered + BEAT_MS)
        return float(ordered[np.searchsorted(lasted, 0.99 * lasted[-1])]) if len(ordered) else 0.0

    @property
    def worst(self) -> float:
        """The longest."""
        return float(self.stalls.max(initial=0.0))

    def line(self) -> str:
        """For people."""
        latest = np.argsort(self.stalls)[::-1][:5]
        longest = ", ".join(f"{self.stalls[k]:.0f} of which own {self.own[k]:.0f}" for k in latest)
        return (
            f"{self.what:<36} {len(self.stalls):>7,} beats   99 %: {self.percentile:6.1f} ms   over time "
            f"{self.over_time:6.1f} ms   worst {self.worst:6.1f} ms ({longest})   own thread {self.computed:4.0%}   "
            f"load {self.load:.1f}"
        )


class Heart(QObject):
    """Beats once a millisecond in the event loop and keeps how late it was."""

    def __init__(self) -> None:
        super().__init__()
        self.last = time.perf_counter()
        self._gaps: list[float] = []
        self._queued: list[float] = []
        self._own: list[float] = []
        self._counts = SCHEDULE.open("rb", buffering=0) if SCHEDULE.exists() else None
        self._waited, self._computed = self._wait(), time.thread_time()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)
        self._began, self._worked = self.last, time.thread_time()

    def _wait(self) -> float:
        """Milliseconds that this thread has been ready to run while it did not."""
        if self._counts is None:
            return 0.0
        self._counts.seek(0)
        return int(self._counts.read().split()[1]) / 1e6

    def _beat(self) -> None:
        now, waited, worked = time.perf_counter(), self._wait(), time.thread_time()
        self._gaps.append(1000.0 * (now - self.last))
        self._queued.append(waited - self._waited)
        self._own.append(1000.0 * (worked - self._computed))
        self.last, self._waited, self._computed = now, waited, worked

    def take(self, what: str) -> tuple[Stalls, Stalls]:
        """Everything since the last call: as it was, and without waiting for a processor."""
        now, worked = time.perf_counter(), time.thread_time()
        share = (worked - self._worked) / max(now - self._began, 1e-9)
        gaps, queued, own = np.array(self._gaps), np.array(self._queued), np.array(self._own)
        self._gaps, self._queued, self._own, self._began, self._worked = [], [], [], now, worked
        bare = "  without waiting for a processor"
        return Stalls.of(what, gaps, own, share), Stalls.of(bare, gaps - queued, own, share)


class Tracer(threading.Thread):
    """Looks at the heart from outside and notes where every thread is when it is late."""

    def __init__(self, heart: Heart, late_ms: float) -> None:
        super().__init__(daemon=True)
        self._heart, self._late = heart, late_ms / 1000.0
        self.notes: list[tuple[float, str]] = []

    def run(self) -> None:
        """Look until the program ends; a stall is noted once, as late as it still lasts."""
        noted = 0.0
        with tempfile.TemporaryFile("w+") as file:
            while True:
                time.sleep(0.002)
                last, now = self._heart.last, time.perf_counter()
                if now - last <= self._late:
                    continue
                late = 1000.0 * (now - last)
                note = late, f"-- {late:.0f} ms late and more\n{_places(file)}"
                if last == noted:
                    self.notes[-1] = note
                else:
                    self.notes.append(note)
                noted = last


def _places(file: TextIO) -> str:
    """Where every other thread is, the innermost call first."""
    file.seek(0)
    file.truncate()
    # Not by the frames themselves: to hold one keeps a painter alive that was to end with it.
    faulthandler.dump_traceback(file, all_threads=True)
    file.seek(0)
    lines = []
    for thread in file.read().split("\n\n"):
        calls = [
            line.split('"')[1].rpartition("/")[2] + line.split('"')[2] for line in thread.splitlines() if '"' in line
        ]
        if calls and not any("_places" in call for call in calls):
            lines.append("  " + " < ".join(calls[:_DEPTH]).replace(", line ", ":"))
    return "\n".join(lines)


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Let the window work until ``done``, at most so long; sleeps between events as the real event loop does."""
    end = time.perf_counter() + seconds
    while not done() and time.perf_counter() < end:
        loop = QEventLoop()
        QTimer.singleShot(_LOOK_MS, loop.quit)
        loop.exec()
    return done()


def measure(window: MainWindow, folder: Path, seconds: float, heart: Heart) -> list[tuple[Stalls, Stalls]]:
    """Open, wait for the fire without drops, plan, and look. Raises ``RuntimeError`` where no plan is worked out."""
    session, queue = window.workbench.session, window.workbench.queue
    session.refused.connect(lambda error: print(error, flush=True))
    heart.take("")
    if not window.workbench.documents.open(folder):
        raise RuntimeError(f"{folder.name} cannot be opened")
    if not wait_until(lambda: session.result.baseline is not None and not queue.activity, _LONG_S):
        raise RuntimeError("the fire without drops is not worked out")
    found = [heart.take("opening, first load of the engine")]
    session.set_stages((Stage.OPTIMIZE,))
    plan = session.project.plan
    optimizer = replace(plan.optimizer, epochs=_ENDLESS, patience=_ENDLESS)
    session.set_plan("go on and on", replace(plan, optimizer=optimizer))
    # Offscreen nothing gives the window its keys back after a box was shown.
    window.activateWindow()
    wait_until(window.isActiveWindow, _LONG_S)
    QTest.keyClick(window, Qt.Key.Key_F5)
    if not wait_until(lambda: queue.active is not None, _LONG_S):
        raise RuntimeError("the plan cannot be started")
    entry = queue.active
    if entry is None:
        raise RuntimeError("the plan cannot be started")
    if not wait_until(lambda: entry.epoch > 0, _LONG_S):
        raise RuntimeError(f"no epoch: {entry.status} {entry.message}")
    found.append(heart.take("start of the run"))
    wait_until(lambda: entry.is_over, seconds)
    found.append(heart.take(f"first stage, {entry.epoch} epochs"))
    queue.stop(entry)
    wait_until(lambda: _rests(entry, queue), _LONG_S)
    return [*found, heart.take("stopping")]


def _rests(entry: RunEntry, queue: RunQueue) -> bool:
    return entry.is_over and not queue.is_busy


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--platform", choices=("offscreen", "xcb"), default="offscreen")
    parser.add_argument("--size", type=int, nargs=2, default=(1440, 900), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--trace", type=float, metavar="MS")
    asked = parser.parse_args(given)
    with screen(asked.platform) as where, tempfile.TemporaryDirectory() as place:
        os.environ["QT_QPA_PLATFORM"] = asked.platform
        print(f"on {where}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before", flush=True)
        folder = Path(place) / asked.project.name
        shutil.copytree(asked.project, folder, ignore=shutil.ignore_patterns("runs"))
        found, notes = _in_a_window(folder, asked)
    print("\n".join(each.line() for pair in found for each in pair))
    print("\n".join(note for _late, note in sorted(notes, reverse=True)))
    verdicts = []
    for loading, _starting, planning, _stopping in zip(*found, strict=True):
        good = planning.percentile <= AIM_MS and planning.worst <= WORST_MS and loading.worst <= LOAD_MS
        verdicts.append("met" if good else "missed")
    aims = f"{AIM_MS:g} ms at the 99th percentile, {WORST_MS:g} ms at worst, {LOAD_MS:g} ms for the engine"
    print(f"asked for: {aims}: {verdicts[0]}; without waiting for a processor: {verdicts[1]}")
    return 0 if verdicts[0] == "met" else 1


def _in_a_window(
    folder: Path, asked: argparse.Namespace
) -> tuple[list[tuple[Stalls, Stalls]], list[tuple[float, str]]]:
    app = make_application(["firegui"])
    apply_theme(app, Theme.DARK)
    store = QSettings(str(folder.parent / "preferences.ini"), QSettings.Format.IniFormat)
    session = Session()
    window = MainWindow(session, RunQueue(session), Preferences(store))
    window.resize(*asked.size)
    window.show()
    window.activateWindow()
    wait_until(lambda: False, 1.0)
    heart = Heart()
    tracer = Tracer(heart, asked.trace) if asked.trace else None
    if tracer is not None:
        tracer.start()
    found = measure(window, folder, asked.seconds, heart)
    session.undo_stack.setClean()
    window.close()
    return found, tracer.notes if tracer is not None else []


if __name__ == "__main__":
    raise SystemExit(main())
