"""The command line loads a command when it is called, and no other."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from firegui.cli.main import COMMANDS, SUMMARIES, main


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


@pytest.mark.parametrize("module", ["firegui.cli.main", "firegui.cli.open", "firegui.cli.window"])
def test_nothing_large_is_loaded_before_a_command_is_chosen(module: str) -> None:
    large = ("numpy", "rasterio", "pyproj", "shapely", "h5py", "PySide6", "torch")
    code = f"import sys, {module}; print([name for name in {large!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
