"""Command-line options generated from settings dataclasses, and reading them back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from typing import Any, TypeVar, get_args

import click

from firegui.cli.arguments import NumberType, option_group
from firegui.domain.options import SettingField, replaced_at, setting_fields
from firegui.errors import Problems

F = TypeVar("F", bound=Callable[..., Any])
Settings = TypeVar("Settings")


def setting_options(
    settings: Any,
    *,
    prefix: str = "",
    only: Collection[str] = (),
    skip: Collection[str] = (),
    suffix: str = "",
    show_defaults: bool = True,
) -> Callable[[F], F]:
    """Return a decorator that adds an option for every declared setting, ``None`` where it is not given.

    ``only`` and ``skip`` name settings. ``suffix`` is added to every help text. Defaults are shown unless they are
    those of the project.
    """
    chosen = [item for item in setting_fields(settings) if item.name not in skip and (not only or item.name in only)]
    return option_group(*(option for item in chosen for option in _options(item, prefix, suffix, show_defaults)))


def given_settings(
    settings: Settings,
    given: Mapping[str, Any],
    problems: Problems,
    *,
    prefix: str = "",
    kind: StrEnum | None = None,
    noun: str = "kind",
) -> Settings:
    """Return ``settings`` with what was given on the command line replaced.

    What cannot be read, and options that ``kind`` does not read, are added to ``problems``.
    """
    for item in setting_fields(settings):
        words, value = _given(item, given, prefix, problems)
        if not words:
            continue
        owners = item.option.kinds
        if kind is not None and owners and kind not in owners:
            remedy = f"leave it out, or give --kind {' or '.join(owners)}"
            problems.add(words, f"does not belong to the {noun} {kind.value}", remedy)
        if value is not None:
            settings = replaced_at(settings, item.path, value)
    return settings


def parameter(item: SettingField, prefix: str = "") -> str:
    """Return the name under which a command receives a setting."""
    return f"{prefix}_{item.name}" if prefix else item.name


def _options(item: SettingField, prefix: str, suffix: str, show_default: bool) -> Iterator[Callable[[F], F]]:
    name, flag = parameter(item, prefix), item.flag(prefix)
    if item.option.flags:
        for value, words in item.option.flags.items():
            help = _help(item, f": {item.option.choices[value]}", show_default and value == item.value, "")
            where = f"{name}_{value.name.lower()}"
            if len(words) == 1:
                yield click.option(words[0], where, is_flag=True, default=None, help=help)
            else:
                yield click.option(words[0], where, metavar=words[1], help=help)
        return
    help = _help(item, suffix, show_default, _default(item))
    if item.kind is bool:
        yield click.option(f"{flag}/{item.off_flag(prefix)}", name, default=None, help=help)
    elif item.kind in (int, float):
        yield click.option(flag, name, type=_number_type(item), help=help)
    else:
        yield click.option(flag, name, metavar=_metavar(item), help=help)


def _number_type(item: SettingField) -> NumberType:
    """Return the type of the option of a number. Its limits are checked with those of the other settings."""
    option = item.option
    low, high = option.shown_bounds if option.degrees else (option.low, option.high)
    return NumberType(item.kind, low, high, check=False)


def _help(item: SettingField, suffix: str, show_default: bool, default: str) -> str:
    option = item.option
    about = option.about or option.help
    kinds = f"{', '.join(option.kinds)}: " if option.kinds else ""
    unit = "degrees" if option.degrees else option.unit
    text = f"{about}{f', {unit}' if unit and unit not in about.split() else ''}{suffix}"
    text = kinds + text if kinds else text[0].upper() + text[1:]
    return f"{text}.  [default{f': {default}' if default else ''}]" if show_default else f"{text}."


def _default(item: SettingField) -> str:
    if item.option.default_text:
        return item.option.default_text
    words = item.words(item.value)
    return words[0].removeprefix("--") if len(words) == 1 else words[-1]


def _metavar(item: SettingField) -> str:
    if item.is_choice:
        return "|".join(item.kind)
    element = get_args(item.kind)[0] if item.is_list else item.kind
    name = {float: "NUMBER", int: "INTEGER"}.get(element, item.option.metavar or "NAME")
    return f"{name},…" if item.is_list else name


def _given(item: SettingField, given: Mapping[str, Any], prefix: str, problems: Problems) -> tuple[str, Any]:
    """Return the option that was given, empty for none, and its value, ``None`` where it cannot be read."""
    name, flag = parameter(item, prefix), item.flag(prefix)
    if item.option.flags:
        return _given_flag(item, given, name, problems)
    value = given.get(name)
    if value is None:
        return "", None
    if item.kind is bool or not isinstance(value, str):
        return flag, item.option.kept(value) if item.option.degrees else value
    if item.is_list:
        return flag, _elements(item, value, flag, problems)
    try:
        return flag, item.parse(value)
    except ValueError:
        remedy = f"give one of {', '.join(item.kind)}" if item.is_choice else "see --help"
        problems.add(flag, f"{value!r} is not known", remedy)
        return flag, None


def _given_flag(item: SettingField, given: Mapping[str, Any], name: str, problems: Problems) -> tuple[str, Any]:
    flags = item.option.flags
    found = [value for value in flags if given.get(f"{name}_{value.name.lower()}")]
    for value in found:
        typed, words = given[f"{name}_{value.name.lower()}"], flags[value]
        if len(words) > 1 and typed != words[1]:
            problems.add(words[0], f"{typed!r} is not known", f"give {words[1]}")
    if len(found) > 1:
        first, second = (flags[value][0] for value in found[:2])
        problems.add(first, f"and {second} are two {item.option.title.lower()}s", "leave one of them out")
    return (flags[found[-1]][0], found[-1]) if found else ("", None)


def _elements(item: SettingField, text: str, flag: str, problems: Problems) -> tuple[Any, ...] | None:
    values = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            values.append(item.parse_element(part))
        except ValueError:
            problems.add(flag, f"{part!r} cannot be read", f"write {_metavar(item)}")
    if not text.strip(" ,"):
        problems.add(flag, "is empty", f"write {_metavar(item)}")
    return tuple(values) or None
