"""Pictures and films of the real window, made without a display.

For the README, for reports and for headless machines.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QSize
from PySide6.QtWidgets import QApplication

from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.tasks import run_events
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_board import MapRenderer, film_steps, sample_steps
from firegui.gui.session.session import FireView, Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.atomic import write_bytes, write_problem
from firegui.io.exporters.animation import AnimationFrames, write_film
from firegui.io.project.store import load_project

_LOOK_MS = 50
_SETTLE_MS = 400
"""Time for throttled charts, late layouts and the timers of the map."""
_PLAYED_SHARE = 0.6
FILM_SIZE = (1320, 960)
"""Size of the window whose map is filmed, its panels hidden."""


def render_workbench(
    project_folder: Path,
    run_folder: Path | None,
    png: Path,
    *,
    size: tuple[int, int] = (1440, 900),
    step: int | None = None,
    dark: bool = True,
) -> None:
    """Open the project in a hidden window, show ``run_folder``, and write a picture to ``png``.

    ``step`` is the shown step; by default one after the middle of the plan. Raises :class:`~firegui.errors.InputError`
    for a project or run that cannot be shown or a file that cannot be written; ``png`` then stays as it was.
    """
    with _hidden_window(project_folder, run_folder, size, dark=dark) as window:
        session, timeline = window.workbench.session, window.workbench.timeline
        last = session.project.calendar.n_steps
        session.set_step(round(_PLAYED_SHARE * last) if step is None else step)
        run_events(_SETTLE_MS)
        # The picture shows the plan while it plays. No event is handled before the picture is taken, so the step does
        # not change. At the last step playback would restart from the beginning, so it stays off there.
        timeline.play(run_folder is not None and session.step < last)
        _save(window, png)


def film_run(project_folder: Path, run_folder: Path, film: Path, views: Sequence[str], fps: int) -> None:
    """Play the run in ``run_folder`` on a hidden map and write every frame to ``film``.

    ``views`` are the sides shown next to each other, as :class:`~firegui.gui.session.session.FireView` names them. The
    suffix of ``film`` selects the format. Raises :class:`~firegui.errors.InputError` like :func:`render_workbench` and
    :func:`~firegui.io.exporters.animation.write_film`.
    """
    with _hidden_window(project_folder, run_folder, FILM_SIZE, dark=True) as window:
        window.workbench.shell.show_map_only()
        run_events(_SETTLE_MS)
        window.workbench.maps.fit()
        stage = MapRenderer(window.workbench.session, window.workbench.maps, tuple(FireView(view) for view in views))
        try:
            steps = film_steps(window.workbench.session)
            samples = [stage.picture(step) for step in sample_steps(steps)]
            write_film(film, AnimationFrames((stage.picture(step) for step in steps), fps, samples))
        finally:
            stage.deleteLater()


@contextmanager
def _hidden_window(
    project_folder: Path, run_folder: Path | None, size: tuple[int, int], *, dark: bool
) -> Iterator[MainWindow]:
    """Yield a hidden window with the project open and the run shown."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    project = load_project(project_folder)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else make_application(["firegui"])
    apply_theme(app, Theme.DARK if dark else Theme.LIGHT)
    session = Session()
    queue = RunQueue(session)
    window = MainWindow(session, queue, Preferences())
    # A hidden window has no user to close a dialog. Refused input raises an exception instead.
    session.refused.disconnect()
    refused: list[InputError] = []
    session.refused.connect(refused.append)
    try:
        window.resize(QSize(*size))
        window.show()
        session.open_project(project, project_folder)
        if run_folder is not None:
            queue.show_folder(run_folder)
        _wait_for(lambda: bool(refused) or not queue.activity)
        if refused:
            raise refused[0]
        yield window
    finally:
        window.workbench.timeline.play(False)
        queue.shutdown()
        window.hide()
        window.deleteLater()
        session.undo_stack.clear()


def _wait_for(done: Callable[[], bool]) -> None:
    while not done():
        run_events(_LOOK_MS)


def _save(window: MainWindow, png: Path) -> None:
    """Write the picture completely or not at all."""
    drawn = QBuffer()
    drawn.open(QIODevice.OpenModeFlag.WriteOnly)
    if not window.grab().save(drawn, "PNG"):
        raise InputError([Problem(str(png), "could not be drawn", "try again")], "The picture was not drawn")
    try:
        png.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([write_problem(png, error)], "The picture was not drawn") from error
    write_bytes(png, drawn.data().data())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``python -m firegui.gui.snapshot PROJECT [--run RUN] --out F.png``; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m firegui.gui.snapshot", description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--run", type=Path, default=None, help="the run folder whose plan is shown")
    parser.add_argument("--out", type=Path, required=True, help="the PNG to write")
    parser.add_argument("--step", type=int, default=None, help="the step to show")
    parser.add_argument("--size", type=int, nargs=2, default=(1440, 900), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--light", action="store_true", help="the light theme")
    given = parser.parse_args(arguments)
    try:
        render_workbench(
            given.project, given.run, given.out, size=tuple(given.size), step=given.step, dark=not given.light
        )
    except FireguiError as error:
        print(error)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
