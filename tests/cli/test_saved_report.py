"""``firegui info`` keeps its report until something changes that it depends on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from firegui.cli import saved_report
from firegui.cli.saved_report import read_report, report_key, save_report
from firegui.runs.lock import FolderLock
from tests.cli.conftest import Run

Info = Callable[..., str]


@pytest.fixture(autouse=True)
def at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports are kept in a folder of their own, and of files that have just been written."""
    monkeypatch.setattr(saved_report, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(saved_report, "_SETTLED_S", -60.0)


@pytest.fixture
def kept(firegui: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> Info:
    """Prints what is kept of the project once ``info`` was called, and fails where nothing is."""
    first = firegui("info", project)
    assert first.code == 0

    def again(*words: object) -> str:
        with monkeypatch.context() as context:
            context.setattr("firegui.cli.project_report.load_project", lambda _: pytest.fail("read again"))
            answer = firegui(*words)
        assert answer.code == 0
        return answer.out

    assert again("info", project) == first.out
    return again


def test_an_unchanged_project_is_not_read_again(kept: Info, firegui: Run, project: Path) -> None:
    as_json = firegui("info", project, "--json")
    assert kept("info", project, "--json") == as_json.out != kept("info", project)
    in_feet = firegui("--units", "us", "info", project)
    assert kept("--units", "us", "info", project) == in_feet.out != kept("info", project)


def test_an_edited_project_is_read_again(kept: Info, firegui: Run, project: Path) -> None:
    assert firegui("configure", project, "--days", 1).code == 0
    assert "1 day from" in firegui("info", project).out


def test_a_changed_layer_is_refused_after_its_report_was_kept(kept: Info, firegui: Run, project: Path) -> None:
    layer = next((project / "layers").iterdir())
    layer.write_bytes(layer.read_bytes()[:-1] + b"x")
    firegui("info", project).assert_refused("the file was changed after it was saved")


def test_a_new_run_and_its_lock_count(kept: Info, firegui: Run, project: Path) -> None:
    run = project / "runs" / "one"
    run.mkdir(parents=True)
    assert "runs       1" in firegui("info", project).out
    (run / ".lock").touch()
    key = report_key(project)
    lock = FolderLock(run)
    assert report_key(project) != key
    lock.release()
    assert report_key(project) == key


def test_a_project_with_a_link_is_read_every_time(project: Path, tmp_path: Path) -> None:
    shutil.move(project / "layers", tmp_path / "elsewhere")
    (project / "layers").symlink_to(tmp_path / "elsewhere")
    assert report_key(project) is None


def test_a_project_that_has_just_changed_is_read_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_report, "_SETTLED_S", 60.0)
    assert report_key(project) is None


def test_a_damaged_report_is_none(tmp_path: Path) -> None:
    save_report("key", "21 aircraft")
    assert read_report("key") == "21 aircraft"
    path = tmp_path / "cache" / "reports" / "key"
    path.write_bytes(path.read_bytes().replace(b"21", b"22"))
    assert read_report("key") is None and read_report("another") is None


def test_only_the_last_reports_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_report, "_MOST_REPORTS", 2)
    for key in ("a", "b", "c"):
        save_report(key, key)
    assert sorted(path.name for path in (tmp_path / "cache" / "reports").iterdir()) == ["b", "c"]
