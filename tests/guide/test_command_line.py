"""The page on the command line: every command and option is on it, and none that there is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from firegui.assets import resource
from firegui.cli.main import main

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
_OF_ALL = {"--help"}


def commands(group: click.Group = main, head: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by the words it is called with."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{head}{name} ")
        else:
            yield f"{head}{name}", command


def options_of(command: click.Command) -> set[str]:
    """Every option of a command."""
    named = (param for param in command.params if isinstance(param, click.Option))
    return {word for option in named for word in (*option.opts, *option.secondary_opts) if word.startswith("--")}


def sections() -> dict[str, str]:
    """What the page says of each command; under ``""`` what it says of all of them."""
    head, *parts = resource("help/command-line.md").read_text(encoding="utf-8").split("\n### ")
    return {"": head} | {title.strip(): text for title, _, text in (part.partition("\n") for part in parts)}


def test_the_page_has_every_command_and_no_other() -> None:
    assert set(sections()) - {""} == {name for name, _command in commands()}


def test_a_command_has_all_of_its_options_on_the_page_and_no_other() -> None:
    wrong = {}
    for name, command in commands():
        there, written = options_of(command), set(_OPTION.findall(sections()[name]))
        if there != written:
            wrong[name] = {"missing": sorted(there - written), "too many": sorted(written - there)}
    assert wrong == {}


def test_no_option_says_its_default_twice() -> None:
    twice = []
    for name, command in commands():
        for option in command.params:
            record = option.get_help_record(click.Context(command))
            if record is not None and record[1].lower().count("default") > 1:
                twice.append(f"{name}: {' '.join(record)}")
    assert twice == []


def test_what_is_said_of_many_commands_holds_for_some() -> None:
    everywhere = (
        {"--version", "--units"} | _OF_ALL | {word for _name, command in commands() for word in options_of(command)}
    )
    assert set(_OPTION.findall(sections()[""])) <= everywhere


def test_the_line_of_a_command_names_what_it_needs() -> None:
    for name, command in commands():
        line = sections()[name].split("```")[1].strip()
        assert line.startswith(f"firegui {name}"), line
        needed = {option.opts[0] for option in command.params if isinstance(option, click.Option) and option.required}
        assert set(_OPTION.findall(line)) == needed, line
        arguments = [param for param in command.params if isinstance(param, click.Argument)]
        assert len([word for word in line.split()[1 + len(name.split()) :] if word.isupper()]) >= len(arguments), line
