"""The command ``firegui``: without a word behind it, it opens the workbench."""

from __future__ import annotations

import click

from firegui.cli.audit import audit
from firegui.cli.benchmark import benchmark
from firegui.cli.calibrate import calibrate
from firegui.cli.configure import configure
from firegui.cli.demo import demo
from firegui.cli.doctor import doctor
from firegui.cli.evaluate import evaluate
from firegui.cli.export import export
from firegui.cli.gradient import gradient
from firegui.cli.imports import import_group
from firegui.cli.info import info
from firegui.cli.maps import maps
from firegui.cli.open import open_command
from firegui.cli.optimize import optimize
from firegui.cli.plan import plan
from firegui.cli.prune import prune
from firegui.cli.replan import replan
from firegui.cli.scaling import scaling
from firegui.cli.sensitivity import sensitivity
from firegui.cli.shell import GuardedGroup
from firegui.cli.skill import skill
from firegui.cli.snapshot import snapshot
from firegui.cli.tactical import tactical
from firegui.cli.uq import uq
from firegui.cli.window import run_window
from firegui.runs.header import installed_versions


@click.group(cls=GuardedGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(installed_versions()["firegui"], prog_name="firegui")
@click.pass_context
def main(context: click.Context) -> None:
    """Plan the aerial attack on a wildfire.

    Without a command the workbench opens. PROJECT is a folder NAME.firegui, RUN a folder that
    plan, optimize, prune or tactical wrote.
    Every command prints a short report, or one JSON object with --json. Exit codes: 0 done, 1 failed (or, for audit,
    violations found), 2 bad input and nothing written, 130 interrupted with the best so far saved.
    """
    if context.invoked_subcommand is None:
        context.exit(run_window(None))


for _command in (
    audit,
    benchmark,
    calibrate,
    configure,
    demo,
    doctor,
    evaluate,
    export,
    gradient,
    import_group,
    info,
    maps,
    open_command,
    optimize,
    plan,
    prune,
    replan,
    scaling,
    sensitivity,
    skill,
    snapshot,
    tactical,
    uq,
):
    main.add_command(_command)
