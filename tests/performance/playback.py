"""How many frames a second playback really paints, in the whole workbench.

    python tests/performance/playback.py --project PROJECT --run RUN [--fps 30] [--seconds 6] [--size 1440 900]
        [--side-by-side] [--all-layers] [--json]

Plays a finished run in a window with its drops shown and counts the frames that reach the map's viewport: a frame
counts once it was painted, and once only. Prints, for each way of looking, frames a second, the longest gap between
two of them, what one repaint of the map costs, and how long the window's thread worked for a frame: where other
programs share the processor only that last number means something. Set ``QT_QPA_PLATFORM=xcb`` and a ``DISPLAY`` for a
real window.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QObject, QSettings, QTimer
from PySide6.QtGui import QGuiApplication

from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import FireView, Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project

_LOOK_MS = 250


@dataclass(frozen=True, slots=True)
class Played:
    """What was measured of one way of looking; times in milliseconds."""

    what: str
    platform: str
    map_pixels: tuple[int, int]
    asked_fps: int
    painted_fps: float
    median_gap_ms: float
    longest_gap_ms: float
    repaint_ms: float
    cpu_ms: float

    def line(self) -> str:
        """For people."""
        width, height = self.map_pixels
        return (
            f"{self.what:<34} {self.platform:<9} {width}×{height:<6} asked {self.asked_fps:>2} fps  painted "
            f"{self.painted_fps:5.1f} fps  gap median {self.median_gap_ms:5.1f} ms, longest {self.longest_gap_ms:5.1f} "
            f"ms  repaint {self.repaint_ms:5.1f} ms, processor a frame {self.cpu_ms:5.1f} ms"
        )


class Painted(QObject):
    """Notes when the viewport of a map was painted with a step that was not painted before."""

    def __init__(self, shown: MapView) -> None:
        super().__init__(shown)
        self._map = shown
        self._last = -1
        self.times: list[float] = []
        shown.camera.viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count what is drawn just now."""
        if event.type() == QEvent.Type.Paint and self._map.drawn_step != self._last:
            self._last = self._map.drawn_step
            self.times.append(time.perf_counter())
        return False


def wait_until(done: Callable[[], bool], seconds: float) -> None:
    """Let the window work until ``done``, at most so long. Sleeps between events, as the real event loop does."""
    end = time.perf_counter() + seconds
    while not done() and time.perf_counter() < end:
        loop = QEventLoop()
        QTimer.singleShot(max(min(round(1000.0 * (end - time.perf_counter())), _LOOK_MS), 0), loop.quit)
        loop.exec()


def play(window: MainWindow, shown: MapView, what: str, fps: int, seconds: float) -> Played:
    """Play from the beginning, again and again, and count."""
    session, timeline = window.workbench.session, window.workbench.timeline
    session.set_step(0)
    frame_h = timeline.stride * session.project.calendar.hours_per_step
    timeline.speed.setValue(round(fps * frame_h))
    timeline._buttons["loop"].setChecked(True)
    wait_until(lambda: False, 1.0)
    painted = Painted(shown)
    timeline.play()
    began, worked = time.perf_counter(), time.thread_time()
    wait_until(lambda: False, seconds)
    worked = time.thread_time() - worked
    timeline.play(False)
    times = np.array([at for at in painted.times if at >= began])
    gaps = 1000.0 * np.diff(times) if len(times) > 1 else np.array([np.inf])
    painted.deleteLater()
    size = shown.camera.viewport.size()
    return Played(
        what, QGuiApplication.platformName(), (size.width(), size.height()), round(timeline.speed.value() / frame_h),
        (len(times) - 1) / max(times[-1] - times[0], 1e-9) if len(times) > 1 else 0.0,
        float(np.median(gaps)), float(gaps.max()), repaint_ms(shown), 1000.0 * worked / max(len(times), 1),
    )  # fmt: skip


def repaint_ms(shown: MapView) -> float:
    """What painting the map once costs while nothing changed, the median of some."""
    viewport, found = shown.camera.viewport, []
    for _ in range(15):
        began = time.thread_time()
        viewport.repaint()
        found.append(time.thread_time() - began)
    return 1000.0 * float(np.median(found))


def measure(window: MainWindow, arguments: argparse.Namespace) -> list[Played]:
    """Every way of looking that was asked for."""
    fps, seconds, found = arguments.fps, arguments.seconds, []
    for view in (FireView.PLAN, FireView.BASELINE, FireView.DIFFERENCE):
        window.workbench.session.set_view(view)
        found.append(play(window, window.workbench.map, f"{view.value}, first layers", fps, seconds))
    window.workbench.session.set_view(FireView.PLAN)
    if arguments.all_layers:
        for layer in window.workbench.map.layers:
            window.workbench.map.layers.set_visible(layer.key, True)
        found.append(play(window, window.workbench.map, "plan, every layer", fps, seconds))
    if arguments.side_by_side:
        window.workbench.session.set_side_by_side(True)
        found.append(play(window, window.workbench.maps.panes[1], "baseline | plan | difference", fps, seconds))
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; returns 2 where the run cannot be shown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--size", type=int, nargs=2, default=(1440, 900), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--side-by-side", action="store_true")
    parser.add_argument("--all-layers", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args(given)
    app = make_application(["firegui"])
    apply_theme(app, Theme.DARK)
    with tempfile.TemporaryDirectory() as folder:
        store = QSettings(str(Path(folder) / "preferences.ini"), QSettings.Format.IniFormat)
        session = Session()
        queue = RunQueue(session)
        window = MainWindow(session, queue, Preferences(store))
        window.resize(*arguments.size)
        window.show()
        session.open_project(load_project(arguments.project), arguments.project)
        queue.show_folder(arguments.run)
        wait_until(lambda: session.result.plan is not None, 300.0)
        if session.result.plan is None:
            print("the run cannot be shown", file=sys.stderr)
            return 2
        wait_until(lambda: False, 2.0)
        drops = sum(drop.executed for drop in session.result.drops)
        print(f"{session.project.scenario.name}: {drops:,} drops, {len(session.result.plan.fire)} frames", flush=True)
        found = measure(window, arguments)
        session.undo_stack.setClean()
        window.close()
    print(json.dumps([asdict(each) for each in found]) if arguments.json else "\n".join(each.line() for each in found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
