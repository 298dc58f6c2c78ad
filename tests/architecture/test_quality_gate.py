"""Style, types and warnings are checked with the tests, and each check can fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.architecture.test_contracts import LINT

CHECKOUT = Path(__file__).resolve().parents[2]
SETTINGS = CHECKOUT / "pyproject.toml"
RUFF_CHECK = ("ruff", "check", ".")
RUFF_FORMAT = ("ruff", "format", "--check", ".")
MYPY = ("mypy",)
RARELY_COLLECTED = (
    "import gc; gc.set_threshold(500_000, 30, 10_000); gc.set_threshold = lambda *_: None; "
    "from mypy.__main__ import console_entry; console_entry()"
)
"""The same check. Mypy frees little before its end, and Python looks for garbage in a fifth of the time."""


def python(*arguments: str, folder: Path = CHECKOUT) -> subprocess.CompletedProcess[str]:
    """Run a module of this Python in ``folder``."""
    return run("-m", *arguments, folder=folder)


def run(*arguments: str, folder: Path = CHECKOUT) -> subprocess.CompletedProcess[str]:
    """Run this Python in ``folder``."""
    command = [sys.executable, *arguments]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_ruff_finds_nothing() -> None:
    done = python(*RUFF_CHECK)

    assert done.returncode == 0, done.stdout


def test_every_file_is_formatted() -> None:
    done = python(*RUFF_FORMAT)

    assert done.returncode == 0, done.stdout


def test_mypy_strict_finds_nothing() -> None:
    done = run("-c", RARELY_COLLECTED)

    assert done.returncode == 0, done.stdout + done.stderr


def hook_commands(configuration: str) -> list[str]:
    """Return the commands of the hooks in a configuration of pre-commit."""
    return re.findall(r"^ +entry: (.+)$", configuration, re.MULTILINE)


def test_the_hooks_before_a_commit_are_the_checks_of_the_tests() -> None:
    checks = [f"python -m {' '.join(check)}" for check in (RUFF_CHECK, RUFF_FORMAT, MYPY)]

    hooks = hook_commands((CHECKOUT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))

    assert hooks == [*checks, "lint-imports"]


def test_the_import_contracts_are_checked_by_one_function() -> None:
    (command,) = entry_points(group="console_scripts", name="lint-imports")
    module, _, function = command.value.partition(":")

    assert LINT[1].startswith(f"from {module} import {function} as lint;")


def test_another_hook_is_noticed() -> None:
    assert hook_commands("    hooks:\n      - id: mypy\n        entry: python -m mypy --no-strict\n") == [
        "python -m mypy --no-strict"
    ]


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("F401", '"""A module."""\n\nimport os\n'),
        ("E501", '"""A module."""\n\nWIDE = "' + "x" * 120 + '"\n'),
        ("D103", '"""A module."""\n\n\ndef public() -> None:\n    pass\n'),
        ("D401", '"""A module."""\n\n\ndef public() -> int:\n    """The number one."""\n    return 1\n'),
        ("I001", '"""A module."""\n\nimport sys\nimport os\n\nprint(os, sys)\n'),
        ("B006", '"""A module."""\n\n\ndef _keep(into: list[int] = []) -> None:\n    into.append(1)\n'),
    ],
)
def test_ruff_refuses_a_bad_module(tmp_path: Path, rule: str, source: str) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(source, encoding="utf-8")

    done = python("ruff", "check", "--config", str(SETTINGS), str(bad))

    assert done.returncode == 1
    assert rule in done.stdout


def test_ruff_refuses_a_badly_formatted_module(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("x = {'a':1}\n", encoding="utf-8")

    assert python("ruff", "format", "--check", "--config", str(SETTINGS), str(bad)).returncode == 1


def test_mypy_refuses_a_bad_module(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "def double(x):\n    return 2 * x\n\n\ndef first(of: list) -> int:\n    return 1\n\n\nfirst('2')\n", "utf-8"
    )

    # The types of Python's own library are in the cache of the checkout.
    done = python("mypy", "--config-file", str(SETTINGS), "--cache-dir", str(CHECKOUT / ".mypy_cache"), str(bad))

    assert done.returncode == 1
    assert re.findall(r"\[([\w-]+)\]$", done.stdout, re.MULTILINE) == ["no-untyped-def", "type-arg", "arg-type"]


def run_pytest_on(folder: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with this project's settings on one test module in ``folder``."""
    (folder / "pyproject.toml").write_text(SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "tests").mkdir()
    (folder / "tests" / "test_one.py").write_text(source, encoding="utf-8")
    return python("pytest", "-p", "no:xvfb", "-p", "no:cacheprovider", "-q", folder=folder)


def test_a_test_that_warns_fails(tmp_path: Path) -> None:
    warns = "import warnings\n\n\ndef test_warns():\n    warnings.warn('about something', UserWarning)\n"

    done = run_pytest_on(tmp_path, warns)

    assert done.returncode == 1
    assert "about something" in done.stdout


def test_a_test_with_an_unknown_marker_is_refused(tmp_path: Path) -> None:
    done = run_pytest_on(tmp_path, "import pytest\n\n\n@pytest.mark.slwo\ndef test_it():\n    pass\n")

    assert done.returncode != 0
    assert "slwo" in done.stdout


def test_a_test_that_holds_passes(tmp_path: Path) -> None:
    assert run_pytest_on(tmp_path, "def test_it():\n    assert True\n").returncode == 0
