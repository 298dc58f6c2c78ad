"""Conversion of every error of a command into a message and an exit code, never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import click

from firegui.cli.output import error_data, print_json
from firegui.errors import CancelledError, FireguiError, InputError, Problem
from firegui.runs.failures import failure_message, is_foreseen, write_log

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class GuardedGroup(click.Group):
    """Group of commands that ends with the documented exit codes."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; see :meth:`click.Group.main`."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        words = list(sys.argv[1:] if args is None else args)
        _survive_any_encoding()
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except Exception as error:  # the border: nothing may pass it as a traceback
            code = report_error(error, "--json" in words, words)
        sys.exit(code if isinstance(code, int) else DONE)


def report_error(error: Exception, as_json: bool, words: Sequence[str] = ()) -> int:
    """Print ``error`` and return the exit code; ``words`` are those of the command line."""
    if isinstance(error, click.Abort):
        _tell("interrupted; nothing was written", (), as_json)
        return INTERRUPTED
    if isinstance(error, click.ClickException):
        return _usage(error, as_json)
    if isinstance(error, InputError):
        report_problems(error.title, _with_options(error.problems, words), as_json)
        return BAD_INPUT
    if isinstance(error, CancelledError):
        _tell(str(error), (), as_json)
        return INTERRUPTED
    if isinstance(error, FireguiError) or is_foreseen(error):
        _tell(failure_message(error), (), as_json)
        return BAD_INPUT if isinstance(error, OSError) else FAILED
    log = write_log(error, None)
    place = f" Details are in {log}." if log else ""
    _tell(f"an error in firegui: {type(error).__name__}: {error}.{place}", (), as_json)
    return FAILED


def _with_options(problems: Sequence[Problem], words: Sequence[str]) -> list[Problem]:
    """Return the problems with options in place of titles of settings, for the options that were given."""
    given = {word.partition("=")[0] for word in words}

    def named(problem: Problem) -> Problem:
        flag = "" if problem.setting is None else problem.setting.flag
        return problem.renamed(flag) if flag in given else problem

    return [named(problem) for problem in problems]


def report_problems(title: str, problems: Sequence[Problem], as_json: bool) -> None:
    """Print every problem once, on standard error or as the JSON object.

    Without problems only ``title`` is printed.
    """
    if as_json or not problems:
        _tell(title, problems, as_json)
    else:
        click.echo(InputError(problems, title), err=True)


def _usage(error: click.ClickException, as_json: bool) -> int:
    if as_json:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "firegui"
        _tell(
            "The command line cannot be used",
            [Problem("command line", error.format_message(), f"see {path} --help")],
            True,
        )
    else:
        error.show()
    return error.exit_code


def _tell(text: str, problems: Sequence[Problem], as_json: bool) -> None:
    if as_json:
        print_json(error_data(text, problems))
    else:
        click.echo(f"firegui: {text}", err=True)


def _survive_any_encoding() -> None:
    # A console that cannot show "η" shows "?"; it must not end the command.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
