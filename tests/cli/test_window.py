from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from firegui.cli import window
from firegui.cli.demo import draw
from firegui.cli.display import NO_DISPLAY
from firegui.cli.doctor import loads
from firegui.errors import FireguiError
from tests.cli.conftest import Run
from tests.support import make_project


def test_without_a_display_the_workbench_says_what_to_do(
    firegui: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window, "display_trouble", lambda: NO_DISPLAY)
    monkeypatch.delenv("QT_QPA_PLATFORM")
    for words in ((), ("open", project)):
        answer = firegui(*words)
        answer.assert_refused("firegui demo plans without a window")


def test_no_command_and_open_reach_the_window(firegui: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path | None] = []
    app = SimpleNamespace(main=_noting(opened))
    monkeypatch.setattr(window, "import_module", lambda name: {"firegui.gui.app": app}[name])
    assert firegui().code == 0
    assert firegui("open", project).code == 0
    assert firegui(project).code == 0
    assert opened == [None, project, project]
    assert firegui("nonsense").code == 2


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("gui",), "firegui open PROJECT"), (("gui", "nowhere"), "firegui open PROJECT"),
        (("fires/bear",), "firegui open PROJECT"), (("opne", "p"), "Did you mean firegui open?"),
    ],
)  # fmt: skip
def test_a_wrong_command_says_what_to_call_instead(firegui: Run, words: tuple[str, ...], instead: str) -> None:
    answer = firegui(*words)
    assert answer.code == 2 and instead in answer.err


@pytest.fixture
def headless(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, Path]]:
    """No display, a small demo, and a picture that is only touched."""
    drawn: list[tuple[Path, Path]] = []

    def draw(project: Path, run: Path, picture: Path) -> str:
        drawn.append((project, run))
        picture.write_bytes(b"png")
        return ""

    monkeypatch.setattr("firegui.cli.demo.display_trouble", lambda: NO_DISPLAY)
    monkeypatch.setattr("firegui.fire.demo.make_demo", lambda: make_project(epochs=4))
    monkeypatch.setattr("firegui.cli.demo.draw", draw)
    return drawn


def test_a_demo_without_a_display_is_planned_and_drawn_and_says_where(
    firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path
) -> None:
    answer = firegui("demo", "--out", tmp_path / "d")
    assert answer.code == 0
    for place in ("demo.firegui", "demo.firegui/runs/demo", "workbench.png"):
        assert str(tmp_path / "d" / place) in answer.out
        assert (tmp_path / "d" / place).exists()
    assert "step 4/4" in answer.err


def test_a_second_demo_does_not_plan_again(firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path) -> None:
    firegui("demo", "--out", tmp_path / "d")
    answer = firegui("demo", "--out", tmp_path / "d", "--json")
    assert answer.code == 0
    assert "epoch" not in answer.err
    assert answer.json["run"] == str(tmp_path / "d" / "demo.firegui" / "runs" / "demo")


def test_an_edited_demo_is_planned_into_a_run_of_its_own(
    firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path
) -> None:
    firegui("demo", "--out", tmp_path / "d")
    firegui("configure", tmp_path / "d" / "demo.firegui", "--weights", "final=3")
    firegui("demo", "--out", tmp_path / "d")
    assert [run.name for _, run in headless] == ["demo", "demo-2"]


def test_a_picture_is_drawn_again_only_when_it_is_older_than_its_run(
    firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path
) -> None:
    for _ in range(2):
        firegui("demo", "--out", tmp_path / "d")
    assert len(headless) == 1
    os.utime(tmp_path / "d" / "workbench.png", (0, 0))
    firegui("demo", "--out", tmp_path / "d")
    assert len(headless) == 2


def test_a_picture_that_fails_does_not_take_the_plan_along(
    firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.cli.demo.draw", lambda *_: "libEGL is missing")
    answer = firegui("demo", "--out", tmp_path / "d")
    assert answer.code == 1
    assert "none: libEGL is missing" in answer.out
    assert (tmp_path / "d" / "demo.firegui" / "runs" / "demo" / "schedule.csv").is_file()


def test_with_a_display_the_demo_is_opened_again_not_refused(
    firegui: Run, headless: list[tuple[Path, Path]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path | None] = []
    monkeypatch.setattr("firegui.cli.demo.display_trouble", lambda: "")
    monkeypatch.setattr("firegui.cli.demo.run_window", _noting(opened))
    for _ in range(2):
        assert firegui("demo", "--out", tmp_path / "d").code == 0
    assert opened == [tmp_path / "d" / "demo.firegui"] * 2


@pytest.mark.slow
def test_drawing_runs_in_a_process_of_its_own_and_names_what_went_wrong(tmp_path: Path) -> None:
    said = draw(tmp_path / "no.firegui", tmp_path / "no-run", tmp_path / "p.png")
    assert said
    assert not (tmp_path / "p.png").exists()


def test_doctor_says_what_is_there_and_how_to_get_the_rest(firegui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firegui.cli.doctor.loads", lambda name: name != "libxcb-icccm.so.4")
    monkeypatch.setattr("firegui.cli.doctor.sys.platform", "linux")
    answer = firegui("doctor", "--json")
    assert answer.code == 0
    found = answer.json
    assert found["packages"]["torch"]
    assert found["engine"]["threads"] >= 1
    assert found["missing_libraries"] == ["libxcb-icccm4"]
    assert any("apt-get install libxcb-icccm4" in text for text in found["remedies"])
    assert "Missing:" in firegui("doctor").out


def test_a_shared_object_that_is_not_there_does_not_load() -> None:
    assert not loads("libnothing-of-that-name.so.9")


def test_doctor_misses_a_shipped_file(firegui: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Path:
        raise FireguiError(name)

    monkeypatch.setattr("firegui.cli.doctor.resource", gone)
    assert "install firegui again" in str(firegui("doctor", "--json").json["remedies"])


def _noting(opened: list[Path | None]) -> Callable[[Path | None], int]:
    def run(folder: Path | None) -> int:
        opened.append(folder)
        return 0

    return run
