from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from firegui.cli.display import NO_DISPLAY, answers, display_trouble, x_addresses
from firegui.cli.saved_report import read_report, save_report
from firegui.io.array_cache import ArrayCache
from firegui.io.project.store import load_project
from tests.cli.conftest import Run
from tests.support import make_project

STALE = "display :99 does not answer"


@pytest.mark.parametrize(
    ("environ", "platform", "trouble"),
    [
        ({}, "linux", NO_DISPLAY),
        ({"DISPLAY": ""}, "linux", NO_DISPLAY),
        ({"DISPLAY": ":0"}, "linux", ""),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", ""),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "linux", NO_DISPLAY),
        ({"QT_QPA_PLATFORM": "minimal"}, "darwin", NO_DISPLAY),
        ({"QT_QPA_PLATFORM": "xcb"}, "linux", NO_DISPLAY),
        ({"QT_QPA_PLATFORM": "xcb", "WAYLAND_DISPLAY": "wayland-0"}, "linux", NO_DISPLAY),
        ({"QT_QPA_PLATFORM": "vnc:size=800x600"}, "linux", ""),
        ({}, "darwin", ""),
        ({}, "win32", ""),
    ],
)
def test_a_display_is_where_somebody_could_see_a_window(environ: dict[str, str], platform: str, trouble: str) -> None:
    assert display_trouble(environ, platform, lambda _: True) == trouble


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"DISPLAY": ":99"}, STALE),
        ({"WAYLAND_DISPLAY": "wayland-7"}, "display wayland-7 does not answer"),
        ({"WAYLAND_DISPLAY": "wayland-7", "DISPLAY": ":99"}, "display wayland-7 and :99 do not answer"),
        ({"DISPLAY": "nonsense"}, "display nonsense does not answer"),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":99"}, STALE),
    ],
)
def test_a_display_that_is_named_but_not_there_is_named(environ: dict[str, str], said: str) -> None:
    assert display_trouble(environ, "linux", lambda _: False) == said


def test_the_names_of_x_displays_are_taken_apart() -> None:
    local = [b"\0/tmp/.X11-unix/X7", "/tmp/.X11-unix/X7", ("localhost", 6007)]
    assert list(x_addresses(":7")) == list(x_addresses("unix:7.1")) == local
    assert list(x_addresses("far.away:10.0")) == [("far.away", 6010)]
    assert list(x_addresses("[::1]:2")) == [("::1", 6002)]
    assert list(x_addresses("nothing")) == list(x_addresses(":x")) == []


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """The path of a socket may have about a hundred characters, fewer than some temporary folders."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets in the file system")
def test_a_socket_answers_only_while_somebody_listens(short_folder: Path) -> None:
    path = short_folder / "wayland-9"
    environ = {"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": str(short_folder)}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert answers(str(path))
        assert display_trouble(environ, "linux") == ""
    assert path.exists()
    assert not answers(str(path))
    assert display_trouble(environ, "linux") == "display wayland-9 does not answer"


def test_a_port_answers_only_while_somebody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = ("127.0.0.1", int(server.getsockname()[1]))
        assert answers(address)
    assert not answers(address)


@pytest.fixture
def stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """``DISPLAY=:99`` with nothing behind it."""
    for module in ("window", "demo", "doctor"):
        monkeypatch.setattr(f"firegui.cli.{module}.display_trouble", lambda: STALE)
    monkeypatch.setattr("firegui.cli.window.is_offscreen", lambda: False)


@pytest.mark.usefixtures("stale")
def test_the_workbench_is_not_opened_on_a_display_that_does_not_answer(firegui: Run, project: Path) -> None:
    answer = firegui("open", project)
    answer.assert_refused("display :99 does not answer — check DISPLAY, or unset it to plan without a window")


@pytest.mark.usefixtures("stale")
def test_a_demo_is_planned_where_the_display_does_not_answer(
    firegui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.fire.demo.make_demo", lambda: make_project(epochs=2))
    monkeypatch.setattr("firegui.cli.demo.draw", lambda *_: "")
    answer = firegui("demo", "--out", tmp_path / "d e")
    assert answer.code == 0
    assert "display :99 does not answer: planning without a window" in answer.err
    assert f"firegui demo --out '{tmp_path / 'd e'}' opens it" in answer.out
    again = firegui("demo", "--out", tmp_path / "d e")
    assert again.code == 0 and again.out == answer.out
    assert "this demo is planned already" in again.err and "planning" not in again.err


def test_the_demo_project_can_be_made_alone(firegui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firegui.fire.demo.make_demo", lambda: make_project(epochs=2))
    answer = firegui("demo", "--out", tmp_path / "d", "--project-only")
    folder = tmp_path / "d" / "demo.firegui"
    assert answer.code == 0 and f"project     {folder}" in answer.out
    assert f"Next: firegui plan {folder} --out {folder / 'runs' / 'run-1'}" in answer.out
    assert load_project(folder).scenario.name and not (folder / "runs").exists()
    assert [each.name for each in (tmp_path / "d").iterdir()] == ["demo.firegui"]


@pytest.mark.usefixtures("stale")
def test_doctor_says_that_the_display_does_not_answer_and_counts_it_as_no_missing_part(firegui: Run) -> None:
    found = firegui("doctor", "--json").json
    assert (found["display"], found["display_trouble"]) == (False, STALE)
    assert not any("display" in remedy for remedy in found["remedies"])
    assert "display: :99 does not answer; check DISPLAY" in firegui("doctor").out


def test_doctor_lists_what_the_window_and_the_commands_are_made_of(firegui: Run) -> None:
    assert {"matplotlib", "QtAwesome", "click"} <= set(firegui("doctor", "--json").json["packages"])


def test_a_file_is_no_place_for_the_demo(firegui: Run, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("mine", encoding="utf-8")
    answer = firegui("demo", "--out", tmp_path / "f")
    answer.assert_refused(f"{tmp_path / 'f'}: is a file")


def test_doctor_shows_and_clears_the_saved_maps(firegui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firegui.cli.saved_report.cache_folder", lambda: tmp_path)
    save_report("key", "a report")
    monkeypatch.setattr("firegui.cli.doctor.maps_cache", lambda: ArrayCache(tmp_path / "maps"))
    ArrayCache(tmp_path / "maps").write("key", {"phi": np.zeros(1_000_000, np.float32)})
    assert f"saved fire maps: 1, 4 MB of at most 2,147 MB, in {tmp_path / 'maps'}" in firegui("doctor").out
    assert firegui("doctor", "--json").json["saved_maps"]["entries"] == 1
    assert "saved fire maps: none" in firegui("doctor", "--clear-cache").out
    assert ArrayCache(tmp_path / "maps").sizes() == {} and read_report("key") is None
