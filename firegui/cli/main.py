"""The command ``firegui``: without a word behind it, it opens the workbench.

A command is imported when it is called, by name: the window must be on screen, and ``--help`` of one command there,
before what the others need is loaded.
"""

from __future__ import annotations

from importlib import import_module

import click

from firegui.cli.shell import GuardedGroup
from firegui.cli.window import run_window

_NAMES = (
    "audit", "benchmark", "calibrate", "configure", "demo", "doctor", "evaluate", "export", "gradient", "info",
    "keep", "maps", "margin", "optimize", "plan", "prune", "replan", "scaling", "sensitivity", "skill", "snapshot",
    "stress", "study", "tactical", "uq",
)  # fmt: skip
COMMANDS = {name: (name, name) for name in _NAMES} | {
    "import": ("imports", "import_group"),
    "open": ("open", "open_command"),
}
"""Module of ``firegui.cli`` and name in it of every command."""


class CommandGroup(GuardedGroup):
    """Group of the commands in :data:`COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, imported now; ``None`` for a name there is not."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        found = getattr(import_module(f"firegui.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        version = import_module("firegui.runs.header").installed_versions()["firegui"]
        click.echo(f"firegui, version {version}")
        context.exit()


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def main(context: click.Context) -> None:
    """Plan the aerial attack on a wildfire.

    Without a command the workbench opens. PROJECT is a folder NAME.firegui, RUN a folder that
    plan, optimize, prune, tactical or keep wrote.
    Every command prints a short report, or one JSON object with --json. Exit codes: 0 done, 1 failed (or, for audit,
    violations found), 2 bad input and nothing written, 130 interrupted with the best so far saved.
    """
    if context.invoked_subcommand is None:
        context.exit(run_window(None))
