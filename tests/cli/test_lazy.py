"""The command line loads a command when it is called, and no other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from firegui.cli.main import COMMANDS, SUMMARIES, main
from firegui.io.safe_open.processes import READERS
from tests.cli.conftest import Run
from tests.support import write_schedule


def test_every_command_is_found_under_its_name() -> None:
    context = click.Context(main)
    assert main.list_commands(context) == sorted(COMMANDS)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None and command.name == name


def test_the_help_lists_every_command_that_is_not_hidden_on_one_line() -> None:
    context = click.Context(main, terminal_width=80)
    commands = {name: main.get_command(context, name) for name in COMMANDS}
    assert list(SUMMARIES) == sorted(name for name, command in commands.items() if command and not command.hidden)
    lines = main.get_help(context).partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == list(SUMMARIES)


def test_a_name_there_is_not_is_no_command() -> None:
    assert main.get_command(click.Context(main), "extinguish") is None


@pytest.mark.parametrize("code", ["import firegui", *(
    f"import firegui.cli.main; firegui.cli.main.main({words!r})"
    for words in (["--help"], ["--version"], ["plan", "--help"])
)])  # fmt: skip
def test_nothing_that_reads_no_file_starts_a_reader(code: str) -> None:
    refused = "import subprocess; subprocess.Popen.__init__ = None;"
    loaded_by(f"{refused} {code}")


@pytest.mark.parametrize(
    ("words", "is_started"),
    [("import landscape --folder", True), ("import maps", False), ("import pytorchfire", False), ("plan", True)],
)
def test_a_reader_starts_with_the_commands_that_need_one(
    words: str, is_started: bool, firegui: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = []
    monkeypatch.setattr(READERS, "warm", lambda: started.append(words))
    assert firegui(*words.split(), tmp_path / "none", "--out", tmp_path / "out").code == 2
    assert bool(started) is is_started


LARGE = {
    "PySide6", "gpxpy", "h5netcdf", "h5py", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "pygeomag", "pyogrio",
    "pyproj", "rasterio", "safetensors", "scipy", "shapely", "torch",
}  # fmt: skip
"""Packages that take long to load."""


def loaded_by(code: str) -> set[str]:
    """Names of the modules that a new interpreter has loaded after ``code``."""
    after = "import sys; print('\\n' + ' '.join(sys.modules))"
    script = f"try:\n    {code}\nexcept SystemExit as end:\n    assert not end.code\n{after}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(done.stdout.splitlines()[-1].split())


def loaded_by_command(*words: str) -> set[str]:
    """Names of the modules that ``firegui`` with ``words`` loads."""
    return loaded_by(f"import firegui.cli.main; firegui.cli.main.main({list(words)!r})")


def within(modules: set[str], *packages: str) -> set[str]:
    """Modules that are, or lie within, one of ``packages``."""
    return {name for name in modules if any(f"{name}.".startswith(f"{package}.") for package in packages)}


@pytest.mark.parametrize("module", ["firegui", "firegui.cli.main", "firegui.cli.open", "firegui.cli.window"])
def test_nothing_large_is_loaded_before_a_command_is_chosen(module: str) -> None:
    assert not within(loaded_by(f"import {module}"), *LARGE)


def test_the_help_loads_nothing_large_and_no_command() -> None:
    loaded = loaded_by_command("--help")
    assert not within(loaded, *LARGE)
    assert not within(loaded, *(f"firegui.cli.{module}" for module, _ in COMMANDS.values()))
    assert not within(loaded, "firegui.analyses", "firegui.domain", "firegui.io", "firegui.planning")


def test_info_on_a_project_with_a_run_loads_only_what_reads_them(firegui: Run, project: Path, tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path / "s.csv", [(0, "R-1", 7.0, 9.0, 0.5)])
    firegui("keep", project, "--schedule", schedule, "--out", project / "runs" / "one")
    loaded = loaded_by_command("info", str(project))
    needed = {"numpy", "pyproj", "rasterio", "safetensors", "shapely"}
    assert needed <= loaded
    assert not within(loaded, *(LARGE - needed))
    assert not within(loaded, "firegui.analyses", "firegui.gui", "firegui.io.exporters", "firegui.rollout")
    assert not within(loaded, "firegui.domain.sensitivity", "firegui.domain.scaling", "firegui.domain.uncertainty")
