"""The picture of the workbench."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QLabel

from firegui.cli.main import main as firegui
from firegui.errors import InputError
from firegui.gui import snapshot
from firegui.gui.snapshot import render_workbench
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project
from firegui.runs.control import RunControl
from firegui.runs.run_requests import plan_spec
from firegui.runs.runner import execute
from tests.gui.test_jobs import NOON
from tests.support import DAYS, STEPS_PER_DAY, tiny_project

SIZE = (1100, 720)


@pytest.fixture
def folder(qapp: QApplication, tmp_path: Path) -> Path:
    return tiny_project(tmp_path)


@pytest.fixture
def run(folder: Path) -> Path:
    """Return a finished run of the project, outside its folder."""
    project = load_project(folder)
    spec = plan_spec(project, folder.parent, NOON)
    execute(spec, lambda _event: None, RunControl())
    return spec.out


@pytest.mark.slow
def test_the_picture_has_the_asked_size_and_something_on_it(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "new" / "picture.png"
    render_workbench(folder, None, picture, size=SIZE)
    image = QImage(str(picture))
    assert (image.width(), image.height()) == SIZE
    seen = {image.pixel(x, y) for x in range(0, SIZE[0], 7) for y in range(0, SIZE[1], 7)}
    assert len(seen) > 20


def test_a_run_changes_the_picture_and_light_is_lighter(folder: Path, run: Path, tmp_path: Path) -> None:
    without, dark, light = (tmp_path / name for name in ("without.png", "dark.png", "light.png"))
    render_workbench(folder, None, without, size=SIZE)
    render_workbench(folder, run, dark, size=SIZE)
    render_workbench(folder, run, light, size=SIZE, dark=False, step=3)
    assert QImage(str(dark)) != QImage(str(without))
    corner = SIZE[0] // 2, SIZE[1] - 3
    assert QImage(str(light)).pixelColor(*corner).lightness() > 128 > QImage(str(dark)).pixelColor(*corner).lightness()


def test_the_end_of_a_plan_is_drawn_as_its_end_on_map_and_timeline(
    folder: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def read(window: MainWindow, png: Path) -> None:
        drawn.extend(label.text() for label in window.workbench.timeline.findChildren(QLabel))
        drawn.append(window.workbench.map.decorations.caption.title)

    monkeypatch.setattr(snapshot, "_save", read)
    render_workbench(folder, run, tmp_path / "end.png", size=SIZE, step=DAYS * STEPS_PER_DAY)
    assert sum(f"End of day {DAYS}" in text for text in drawn) == 2


@pytest.mark.slow
def test_a_folder_that_is_no_run_is_refused_and_the_old_picture_stays(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"old")
    with pytest.raises(InputError, match="is not a run"):
        render_workbench(folder, tmp_path, picture, size=SIZE)
    assert picture.read_bytes() == b"old"


def test_the_command_reports_what_is_wrong_without_a_traceback(
    qapp: QApplication, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert snapshot.main([str(tmp_path / "none.firegui"), "--out", str(tmp_path / "p.png")]) == 2
    assert "none.firegui" in capsys.readouterr().out
    assert not (tmp_path / "p.png").exists()


@pytest.fixture
def planned(folder: Path, tmp_path: Path) -> Path:
    """Return a finished run that knows its project, moved out of it."""
    spec = plan_spec(load_project(folder), folder, NOON)
    execute(spec, lambda _event: None, RunControl())
    return Path(shutil.move(spec.out, tmp_path / "planned"))


def film_of(run: Path, out: Path, *words: str) -> Result:
    """Return what ``firegui export`` of a film answers."""
    return CliRunner().invoke(firegui, ["export", str(run), "--out", str(out), "--name", "film", *words])


@pytest.mark.slow
def test_the_export_command_films_every_frame_of_the_plan_beside_its_other_files(planned: Path, tmp_path: Path) -> None:
    answer = film_of(planned, tmp_path / "out", "--format", "gif,csv", "--fps", "10")

    assert answer.exit_code == 0, answer.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"film.csv", "film.gif"}
    with Image.open(tmp_path / "out" / "film.gif") as film:
        assert getattr(film, "n_frames", 1) > DAYS
        assert film.width > 600 and film.info["duration"] == 100
        first = film.convert("RGB").tobytes()
        film.seek(film.n_frames - 1)  # type: ignore[attr-defined]
        assert film.convert("RGB").tobytes() != first


@pytest.mark.slow
def test_three_sides_are_wider_than_one_and_a_film_may_be_all_there_is(planned: Path, tmp_path: Path) -> None:
    assert film_of(planned, tmp_path / "three", "--format", "gif", "--film", "three").exit_code == 0
    assert film_of(planned, tmp_path / "one", "--format", "gif").exit_code == 0
    with Image.open(tmp_path / "three" / "film.gif") as three, Image.open(tmp_path / "one" / "film.gif") as one:
        assert three.width > 2 * one.width


def test_a_film_needs_the_runs_project_and_a_known_pace(folder: Path, planned: Path, tmp_path: Path) -> None:
    bad = film_of(planned, tmp_path / "out", "--format", "gif", "--fps", "100")
    assert bad.exit_code == 2 and "use 1 to 30" in bad.output
    folder.rename(tmp_path / "elsewhere.firegui")
    gone = film_of(planned, tmp_path / "out", "--format", "gif")
    assert gone.exit_code == 2 and "needs the run's project" in gone.output
    assert not (tmp_path / "out").exists()
