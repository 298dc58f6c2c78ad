"""The command ``firegui``; without a subcommand it opens the workbench.

A command is imported when it is called, by name: the window must be on screen, and ``--help`` of one command there,
before what the others need is loaded.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

from firegui.cli.output import UNITS_KEY
from firegui.cli.shell import GuardedGroup
from firegui.cli.window import run_window

SUMMARIES = {
    "audit": "Check a schedule against turnaround times and constraints.",
    "barriers": "List, add or remove roads, rivers and fire lines.",
    "bases": "List, add or remove bases, and set what their aircraft may fly.",
    "benchmark": "Compare planners on a project.",
    "calibrate": "Fit the fire model to observed perimeters.",
    "configure": "Change a project: fleet, regions, constraints, days and more.",
    "demo": "Make and open the demo project; without a display, plan it.",
    "doctor": "List versions and devices, and how to get what is missing.",
    "evaluate": "Roll a schedule out, or the fire without drops.",
    "export": "Write a plan as tables, GIS files, maps or a briefing.",
    "front-speed": "Measure how fast the front moves on uniform maps.",
    "gradient": "Write the gradient of the objective for a schedule.",
    "import": "Make a project from existing data.",
    "info": "Show grid, dates, layers, fleet, regions and runs of a project.",
    "keep": "Save a schedule as a run, scored and audited.",
    "maps": "Write the maps that a project plans with.",
    "margin": "Plan with increasing margin; compare drops and worst case.",
    "open": "Open a project in the workbench.",
    "optimize": "Place drops by gradient descent, without removing any.",
    "plan": "Place drops, then remove unneeded ones.",
    "prune": "Remove the drops of a plan that its limit does not need.",
    "removal": "Show drops against hectares during the removal; pick a plan.",
    "replan": "Plan the remaining days anew from an observed fire.",
    "scaling": "Time simulations and gradients as fleet, raster and days grow.",
    "sensitivity": "Vary what a schedule depends on and compare the results.",
    "skill": "Check the fire model against perimeters.",
    "spread": "Print speed, direction and flame length of a surface fire.",
    "stress": "Test a schedule in worlds that differ from the model.",
    "study": "Plan every cell of a study file and write the tables.",
    "tactical": "Place drops by rule, in a minute, without optimization.",
    "uq": "Estimate the uncertainty of a plan with an ensemble.",
    "values": "List, add or remove values at risk, such as structures.",
}
"""Line on every command in ``firegui --help``. They are kept here so that the list loads no command."""

_HIDDEN = ("snapshot",)
COMMANDS = {name: (name, name) for name in (*SUMMARIES, *_HIDDEN)} | {
    "front-speed": ("front_speed", "front_speed"),
    "import": ("imports", "import_group"),
    "open": ("open", "open_command"),
}
"""Module of ``firegui.cli`` and name in it of every command."""
_NOT_WARMED = (("info",), ("open",), ("import", "maps"), ("import", "pytorchfire"))
"""Commands that start the process that reads files themselves: most often they do not need it, or not before a window
is painted."""
_WINDOW_WORDS = ("gui", "ui", "window", "workbench", "app", "run", "start")
"""Words for the window, which needs none."""


class CommandGroup(GuardedGroup):
    """Group of the commands in :data:`COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; ``None`` for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        found = getattr(import_module(f"firegui.cli.{module}"), attribute)
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that ``args`` name; ``open`` for a project in place of a command.

        Raises ``click.UsageError`` for another word, which says what to call instead.
        """
        if args and args[0] not in COMMANDS and (args[0].rstrip("/\\").endswith(".firegui") or Path(args[0]).is_dir()):
            args = ["open", *args]
        is_warmed = {tuple(args[:1]), tuple(args[:2])}.isdisjoint(_NOT_WARMED)
        reads = bool(args) and args[0] in COMMANDS and is_warmed
        if reads and not ctx.resilient_parsing and not {"-h", "--help"}.intersection(args):
            # The process that reads the files loads its libraries while this one loads the command.
            import_module("firegui.io.safe_open.processes").READERS.warm()
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(f"{error.message} {_suggestion(args[0])}", error.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands with their summaries into ``formatter``."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))


def _suggestion(word: str) -> str:
    """Return what to call instead of a command that does not exist."""
    alike = get_close_matches(word, SUMMARIES)
    if alike and word not in _WINDOW_WORDS:
        return f"Did you mean firegui {alike[0]}?"
    return "firegui opens the workbench, and firegui open PROJECT a project (a folder NAME.firegui) in it."


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        version = import_module("firegui.runs.header").installed_versions()["firegui"]
        click.echo(f"firegui, version {version}")
        context.exit()


def _choose_units(context: click.Context, _option: click.Parameter, units: str | None) -> None:
    if units is not None:
        context.meta[UNITS_KEY] = units


@click.group(cls=CommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.option(
    "--units",
    type=click.Choice(["metric", "us"]),
    envvar="FIREGUI_UNITS",
    expose_value=False,
    callback=_choose_units,
    help="Units of reports and printed pages; us: acres, feet, miles, mph. JSON and data files keep metric units.",
)
@click.pass_context
def main(context: click.Context) -> None:
    """Plan the aerial attack on a wildfire.

    Without a command the workbench opens; firegui PROJECT opens it on a project. PROJECT is a folder
    NAME.firegui, RUN a folder that plan, optimize, prune, tactical or keep wrote.
    Every command prints a short report, or one JSON object with --json. Exit codes: 0 done, 1 failed (or, for audit,
    violations found), 2 bad input and nothing written, 130 interrupted with the best so far saved.
    """
    if context.invoked_subcommand is None:
        context.exit(run_window(None))
