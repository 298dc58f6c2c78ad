from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from firegui.cli import shell
from firegui.errors import FireguiError, InputError, Problem
from firegui.runs.failures import write_log
from tests.cli.conftest import Run
from tests.support import write_schedule

NOTHING_LIKE_IT = "no-such-thing"


def test_bad_input_is_listed_on_standard_error_with_exit_code_2(firegui: Run, project: Path, tmp_path: Path) -> None:
    rows = [(999, "R-1", 1.0, 1.0, 0.0), (0, "NOPE-1", 1.0, 1.0, 0.0), (1, "R-1", -5.0, 1.0, 0.0)]
    answer = firegui("evaluate", project, "--schedule", write_schedule(tmp_path / "bad.csv", rows))
    assert answer.code == 2
    assert answer.out == ""
    for said in ("step 999", "'NOPE-1' is not in the fleet", "y -5.0 lies outside"):
        assert said in answer.err


def test_bad_input_is_one_json_object_when_json_is_asked_for(firegui: Run, project: Path, tmp_path: Path) -> None:
    rows = [(999, "R-1", 1.0, 1.0, 0.0), (0, "NOPE-1", 1.0, 1.0, 0.0)]
    answer = firegui("evaluate", project, "--schedule", write_schedule(tmp_path / "bad.csv", rows), "--json")
    assert answer.code == 2
    assert answer.err == ""
    assert set(answer.json) == {"error", "problems"}
    assert [set(problem) for problem in answer.json["problems"]] == [{"where", "what", "remedy"}] * 2


@pytest.mark.parametrize(
    "words",
    [
        ("info", NOTHING_LIKE_IT),
        ("open", NOTHING_LIKE_IT),
        ("evaluate", NOTHING_LIKE_IT),
        ("gradient", NOTHING_LIKE_IT, "--schedule", "s.csv", "--out", "g.npz"),
        ("maps", NOTHING_LIKE_IT, "--out", "m.npz"),
        ("configure", NOTHING_LIKE_IT, "--days", "3"),
        ("optimize", NOTHING_LIKE_IT, "--out", "run"),
        ("audit", NOTHING_LIKE_IT, "--schedule", "s.csv"),
        ("export", NOTHING_LIKE_IT, "--format", "csv", "--out", "out"),
        ("import", "maps", NOTHING_LIKE_IT, "--out", "new.firegui"),
        ("import", "pytorchfire", NOTHING_LIKE_IT, "--out", "new.firegui"),
        ("doctor", "--bench", "--project", NOTHING_LIKE_IT),
    ],
    ids=lambda words: " ".join(words[:2]),
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_missing_input_is_bad_input_for_every_command_and_nothing_is_written(
    firegui: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], as_json: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = firegui(*words, *(["--json"] if as_json else []))
    assert answer.code == 2
    assert NOTHING_LIKE_IT in (answer.out if as_json else answer.err)
    if as_json:
        assert answer.json["problems"]
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_command_line_is_exit_code_2_with_json_when_asked_for(firegui: Run) -> None:
    assert firegui("optimize", "x", "--out", "y", "--epochs", "many").code == 2
    answer = firegui("optimize", "x", "--out", "y", "--epochs", "many", "--json")
    answer.assert_refused("many")
    assert "firegui optimize --help" in answer.json["problems"][0]["remedy"]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError([Problem("a", "b", "c")], "T"), 2, "T:\n  • a: b — c"),
        (FireguiError("resources are missing"), 1, "resources are missing"),
        (PermissionError(13, "Permission denied", "f.npz"), 2, "f.npz: Permission denied"),
        (MemoryError(), 1, "ran out of memory; plan fewer days"),
        (click.Abort(), 130, "interrupted; nothing was written"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_every_foreseen_error_has_its_exit_code_and_words(
    error: Exception, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.report_error(error, as_json=False) == code
    assert said in capsys.readouterr().err


def test_an_unforeseen_error_is_one_line_and_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert shell.report_error(ZeroDivisionError("boom"), as_json=False) == 1
    said = capsys.readouterr().err.strip()
    (log,) = tmp_path.glob("firegui-error-*.log")
    assert said.splitlines() == [f"firegui: an error in firegui: ZeroDivisionError: boom. Details are in {log}."]
    assert "ZeroDivisionError: boom" in log.read_text(encoding="utf-8")


def test_the_log_of_a_raised_error_holds_its_traceback(
    firegui: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(folder: Path) -> None:
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("firegui.cli.project_report.load_project", broken)
    answer = firegui("info", project, "--json")
    assert answer.code == 1
    assert "ZeroDivisionError: deep inside" in answer.json["error"]
    (log,) = tmp_path.glob("firegui-error-*.log")
    assert "in broken" in log.read_text(encoding="utf-8")


def test_a_setting_of_a_file_keeps_its_title(firegui: Run, project: Path, tmp_path: Path) -> None:
    scenarios = tmp_path / "s.toml"
    scenarios.write_text('[[scenario]]\nname = "fast"\ndraws = 0\nseed = -1\n', encoding="utf-8")
    schedule = write_schedule(tmp_path / "s.csv", [])
    words = ("--schedule", schedule, "--scenarios", scenarios, "--draws", 3, "--seed", 4, "--out", tmp_path / "out")
    answer = firegui("stress", project, *words)
    assert "fast: Draws is 0" in answer.err and "fast: Random seed is -1" in answer.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows gives every user a temporary folder")
def test_the_log_is_the_users_own_and_follows_no_link_that_another_user_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    (tmp_path / "firegui-error.log").symlink_to(tmp_path / "precious")
    logs = {write_log(ZeroDivisionError("boom"), None) for _ in range(2)}
    assert None not in logs and len(logs) == 2
    assert {log.stat().st_mode & 0o777 for log in logs if log is not None} == {0o600}
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("evaluate", "PROJECT", "--backend", "gpu9", "--eta-water", "2", "--schedule", "s.csv", "--state", "no/s"),
            ("'gpu9' is unknown", "--eta-water is 2", "--schedule s.csv: ", "no/s: cannot be written"),
        ),
        (
            ("evaluate", "nowhere", "--backend", "gpu9", "--eta-water", "-1", "--schedule", "s.csv", "--state", "."),
            (
                "nowhere: ",
                "'gpu9' is unknown",
                "--eta-water is -1",
                "--schedule s.csv: the file does not exist",
                ".: is a folder",
            ),
        ),
        (
            ("gradient", "PROJECT", "--schedule", "nope.csv", "--eta-water", "7", "--out", "no/g.npz"),
            ("--schedule nope.csv: ", "--eta-water is 7", "no/g.npz: cannot be written: its folder does not exist"),
        ),
        (
            (
                *("optimize", "PROJECT", "--epochs", "0", "--lr", "-1", "--seed", "-3", "--design-water", "5"),
                *("--warm-start", "nope.csv", "--out", "FILE", "--backend", "gpu9"),
            ),
            (
                "--epochs is 0",
                "--lr is -1",
                "--seed is -3",
                "--design-water is 5",
                "nope.csv",
                "FILE: is a file",
                "gpu9",
            ),
        ),
        (
            ("optimize", "nowhere", "--epochs", "0", "--warm-start", "nope.csv", "--out", "FILE", "--resume"),
            ("nowhere: ", "--epochs is 0", "--warm-start nope.csv: the file does not exist", "FILE: is a file"),
        ),
        (
            ("import", "pytorchfire", "/nope", "--perimeters", "/none", "--crs", "FOO", "--start", "x", "--out", "n"),
            ("/nope: the folder does not exist", "/none: the file does not exist", "'FOO' is unknown", "not a time"),
        ),
        (
            ("configure", "PROJECT", "--weights", "burn=nan,final=x", "--days", "0"),
            ("Weight of burned area day by day is nan", "final is 'x'", "--days is 0"),
        ),
        (
            ("configure", "nowhere", "--weights", "final=x", "--regions", "r.toml", "--fleet", "f.toml", "--days", "0"),
            (
                "nowhere: ",
                "final is 'x'",
                "--regions r.toml: the file does not exist",
                "f.toml: the file does not",
                "--days is 0",
            ),
        ),
        (
            ("import", "pytorchfire", "/nope", "--out", "PROJECT", "--transform", "1,2", "--start", "soon"),
            ("/nope: ", "exists already", "'1,2' is not six numbers", "'soon' is not a time"),
        ),
        (
            ("plan", "PROJECT", "--out", "run", "--epochs", "0", "--slack", "0.5", "--allowance", "0"),
            ("--epochs is 0", "--slack is 0.5", "--allowance is 0"),
        ),
        (
            ("tactical", "PROJECT", "--out", "run", "--budget", "0", "--seed", "-1", "--design-water", "3"),
            ("budget", "--seed is -1", "--design-water is 3"),
        ),
        (
            ("calibrate", "nowhere", "--out", ".", "--epochs", "0"),
            ("nowhere: the project does not exist", "--epochs is 0", ".: is a folder"),
        ),
        (
            ("scaling", "nowhere", "--out", "run", "--repeats", "0", "--seeds", "0", "--backend", "gpu9"),
            ("nowhere: ", "--repeats is 0", "--seeds is 0", "gpu9"),
        ),
        (
            (
                *("benchmark", "nowhere", "--planners", "gradient,magic", "--matched", "wishes", "--seeds", "0"),
                *("--allowance", "-1", "--backend", "gpu9", "--out", "run"),
            ),
            ("nowhere: ", "'magic'", "'wishes'", "--seeds is 0", "--allowance is -1", "gpu9"),
        ),
        (("maps", "nowhere", "--out", "no/m.npz"), ("nowhere: ", "no/m.npz: cannot be written")),
        (("audit", "nowhere", "--schedule", "s.csv"), ("nowhere: ", "--schedule s.csv: the file does not exist")),
        (("export", "nowhere", "--format", "csv,doc", "--out", "new"), ("nowhere: ", "format doc: is not known")),
    ],
    ids=lambda value: " ".join(value[:2]),
)
def test_everything_wrong_with_a_command_line_is_said_at_once_and_nothing_is_written(
    firegui: Run,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: tuple[str, ...],
) -> None:
    (tmp_path / "FILE").write_text("in the way")
    monkeypatch.chdir(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    answer = firegui(*(project if word == "PROJECT" else word for word in words), "--json")
    assert answer.code == 2
    listed = [f"{problem['where']}: {problem['what']}" for problem in answer.json["problems"]]
    missing = [part for part in said if not any(part in line for line in listed)]
    assert not missing, listed
    assert len(set(listed)) == len(listed) == len(said)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
