"""Declaration of settings: title, unit, bounds, help and option of every field.

Forms, command-line options, repeat commands and the checks of files are generated from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints, overload

from firegui.errors import Problem, SettingNames

Settings = TypeVar("Settings")
Number = TypeVar("Number", bound=float)
Path = tuple[str, ...]
_OPTION = "option"
_STORED = "stored"
NOT_STORED: Mapping[str, bool] = MappingProxyType({_STORED: False})
"""Metadata of a field that follows from others: no file has it."""
_GROUPED = 10_000
_SMALLEST_PLAIN = 1e-6
"""Smallest number that is written without an exponent."""
"""Bounds from here on are written with group separators."""


@dataclass(frozen=True, slots=True)
class Option:
    """Declaration of one setting.

    ``group`` names the folded section of a form that holds it; settings without one are always shown. ``label`` stands
    beside the field where that is not the title. ``choices`` titles the values of an enumeration. ``kinds`` are the
    kinds of an analysis that read the setting, empty for all. ``degrees`` says that radians are kept, and degrees shown
    and typed. ``percent`` says that forms show the value in percent. ``zero_text`` says in a form what 0 means.
    ``restarts`` is false for a setting that may change when a run is resumed. ``read`` reads one element of a tuple.

    ``symbol`` is the paper's, which only tooltips name. ``synonyms`` are other words that find the setting.

    ``flag`` is the command-line option where it is not made from the field's name, ``off_flag`` that of a yes or no
    that is off, and ``flags`` the words of every value where each has its own. ``metavar`` stands for an element in the
    help of the command line; ``about`` and ``default_text`` replace help and default there.
    """

    title: str
    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    group: str = ""
    label: str = ""
    symbol: str = ""
    synonyms: str = ""
    choices: Mapping[Any, str] = field(default_factory=dict)
    kinds: tuple[StrEnum, ...] = ()
    degrees: bool = False
    percent: bool = False
    zero_text: str = ""
    restarts: bool = True
    read: Callable[[str], Any] | None = None
    flag: str = ""
    off_flag: str = ""
    flags: Mapping[Any, tuple[str, ...]] = field(default_factory=dict)
    metavar: str = ""
    about: str = ""
    default_text: str = ""

    @property
    def field_label(self) -> str:
        """Text beside a field."""
        return self.label or self.title

    @property
    def explanation(self) -> str:
        """Help, with the symbol of the paper where there is one."""
        return f"{self.help}; {self.symbol} in the paper" if self.symbol else self.help

    @property
    def shown_unit(self) -> str:
        """Unit that is shown."""
        return "°" if self.degrees else "%" if self.percent else self.unit

    @property
    def shown_bounds(self) -> tuple[float | None, float | None]:
        """Bounds in the unit that is shown."""
        low, high = (None if end is None else self.shown(end) for end in (self.low, self.high))
        return low, high

    def shown(self, value: Any) -> Any:
        """Return a value in the unit that is shown."""
        if self.degrees or self.percent:
            return round(math.degrees(value) if self.degrees else 100.0 * value, 9)
        return value

    def kept(self, value: Any) -> Any:
        """Return a shown value in the unit that is kept."""
        return math.radians(value) if self.degrees else value / 100.0 if self.percent else value

    def tooltip(self, offset: int = 0) -> str:
        """Return help, unit and bounds; ``offset`` is added to the bounds for people, who count days from 1."""
        unit = " (degrees)" if self.degrees else f" ({self.shown_unit})" if self.shown_unit else " (plain number)"
        low, high = (None if end is None else end + offset for end in self.shown_bounds)
        return f"{self.explanation}{unit}\n{limits_text(low, high)}"


@dataclass(frozen=True, slots=True)
class SettingField:
    """Declared field of a settings dataclass.

    It has the path from the outermost dataclass, the type and the value of the field.
    """

    path: Path
    option: Option
    kind: Any
    value: Any

    @property
    def name(self) -> str:
        """Name of the field itself."""
        return self.path[-1]

    @property
    def is_list(self) -> bool:
        """Whether the value is a tuple."""
        return get_origin(self.kind) is tuple

    @property
    def is_choice(self) -> bool:
        """Whether the value is one of an enumeration."""
        return isinstance(self.kind, type) and issubclass(self.kind, StrEnum)

    def flag(self, prefix: str = "") -> str:
        """Return the command-line option; ``prefix`` goes before the name."""
        return flag_of(self.option, self.name, prefix)

    def off_flag(self, prefix: str = "") -> str:
        """Return the command-line option of a yes or no that is off."""
        return self.option.off_flag or f"--no-{self.flag(prefix).removeprefix('--')}"

    def words(self, value: Any, prefix: str = "") -> tuple[str, ...]:
        """Return the command-line words that set ``value``."""
        if self.option.flags:
            return self.option.flags[value]
        if isinstance(value, bool):
            return (self.flag(prefix) if value else self.off_flag(prefix),)
        return self.flag(prefix), self.text(value)

    def text(self, value: Any) -> str:
        """Return the value as it is typed; :meth:`parse` reads exactly the same value back."""
        if self.is_list:
            return ",".join(_text(part) for part in value)
        return degrees_text(value) if self.option.degrees else _text(value)

    def parse(self, text: str) -> Any:
        """Return the value of a text. Raises ``ValueError``."""
        if self.is_list:
            return tuple(self.parse_element(part.strip()) for part in text.split(",") if part.strip())
        value = number_from_text(text, self.kind) if self.kind in (int, float) else self.kind(text)
        return math.radians(value) if self.option.degrees else value

    def parse_element(self, text: str) -> Any:
        """Return one element of a tuple. Raises ``ValueError``."""
        element = get_args(self.kind)[0]
        if self.option.read is None and element in (int, float):
            return number_from_text(text, element)
        return (self.option.read or element)(text)


def option(default: Any, title: str, help: str, **more: Any) -> Any:
    """Return a dataclass field with its declaration; ``more`` are the other fields of :class:`Option`."""
    return field(default=default, metadata={_OPTION: Option(title, help, **more)})


def stored_fields(value: Any) -> tuple[Field[Any], ...]:
    """Return the fields of a dataclass that files have."""
    return tuple(item for item in fields(value) if item.metadata.get(_STORED, True))


def setting_fields(settings: Any) -> tuple[SettingField, ...]:
    """Return every declared field of a settings dataclass and of the dataclasses in it, in order."""
    return tuple(_setting_fields(settings, ()))


def _setting_fields(settings: Any, path: Path) -> Iterator[SettingField]:
    hints = get_type_hints(type(settings))
    for item in fields(settings):
        value, here = getattr(settings, item.name), (*path, item.name)
        if _OPTION in item.metadata:
            yield SettingField(here, item.metadata[_OPTION], hints[item.name], value)
        elif is_dataclass(value):
            yield from _setting_fields(value, here)


def option_of(settings: Any, name: str) -> Option | None:
    """Return the declaration of a field of a settings dataclass; ``None`` for a field without one."""
    found: Option | None = next(item for item in fields(settings) if item.name == name).metadata.get(_OPTION)
    return found


def declared_option(settings: Any, name: str) -> Option:
    """Return the declaration of a field of a settings dataclass.

    Raises ``KeyError`` for a field without one.
    """
    found = option_of(settings, name)
    if found is None:
        raise KeyError(name)
    return found


def title_of(settings: Any, name: str) -> str:
    """Return the title of a field, or its name in words."""
    declared = option_of(settings, name)
    return name.replace("_", " ") if declared is None else declared.title


def changeable(settings: Any) -> tuple[str, ...]:
    """Return the names of the settings that may change when a run is resumed."""
    return tuple(item.name for item in setting_fields(settings) if not item.option.restarts)


def value_at(settings: Any, path: Path) -> Any:
    """Return the value at ``path``, such as ``("optimizer", "epochs")``."""
    for name in path:
        settings = getattr(settings, name)
    return settings


def replaced_at(settings: Settings, path: Path, value: Any) -> Settings:
    """Return the settings with the value at ``path`` replaced."""
    name, rest = path[0], path[1:]
    changed = replaced_at(getattr(settings, name), rest, value) if rest else value
    return replace(settings, **{name: changed})  # type: ignore[type-var]


def setting_problem(
    settings: Any, name: str, where: str, said: str, remedy: str, prefix: str = "", *, has_flag: bool = True
) -> Problem:
    """Return the problem of a field: its title, then ``said``, such as ``is -1``.

    Python and the command line put their own name in place of the title. ``prefix`` goes before it where the keyword or
    option is ``prefix_name``. ``has_flag`` is false for a field without a command-line option.
    """
    declared, title = option_of(settings, name), title_of(settings, name)
    flag = flag_of(declared, name, prefix) if declared is not None and has_flag else ""
    return Problem(where, f"{title} {said}", remedy, SettingNames(title, name, flag, prefix))


def flag_of(declared: Option, name: str, prefix: str = "") -> str:
    """Return the command-line option of the field ``name``; ``prefix`` goes before the name."""
    return declared.flag or "--" + "-".join(filter(None, (prefix, name.replace("_", "-"))))


def bounds_problems(value: Any, where: str, prefix: str = "", *, has_flag: bool = True) -> list[Problem]:
    """Check every bounded number of a settings dataclass, without the dataclasses in it.

    ``prefix`` and ``has_flag`` are as in :func:`setting_problem`.
    """
    found = []
    for item in fields(value):
        number, declared = getattr(value, item.name), item.metadata.get(_OPTION)
        if declared is None or not isinstance(number, (int, float)) or isinstance(number, bool):
            continue
        low, high = declared.low, declared.high
        if low is None and high is None:
            continue
        # A whole number may be too large for a float, and is finite in any case.
        infinite = isinstance(number, float) and not math.isfinite(number)
        if infinite or (low is not None and number < low) or (high is not None and number > high):
            limits = f"{'-∞' if low is None else plain_number(low)} to {'∞' if high is None else plain_number(high)}"
            said, remedy = f"is {number}", f"use a value from {limits}"
            found.append(setting_problem(value, item.name, where, said, remedy, prefix, has_flag=has_flag))
    return found


@overload
def number_from_text(text: str) -> float: ...


@overload
def number_from_text(text: str, kind: Callable[[str], Number]) -> Number: ...


def number_from_text(text: str, kind: Callable[[str], Any] = float) -> Any:
    """Return the number that a person typed. Raises ``ValueError``.

    Python also reads ``1_0`` as 10, and digits of other scripts. Here a slip of the keyboard must not become a number.
    """
    if "_" in text or not text.isascii():
        raise ValueError(f"{text!r} is not a number")
    return kind(text)


def plain_number(value: float) -> str:
    """Return a number to ten digits in few characters: ``50``, ``0.003``, ``0.000001``, ``1e-8``.

    Only numbers that are smaller than that, or very large, have an exponent.
    """
    text = f"{value:.10g}"
    if _SMALLEST_PLAIN <= abs(value) < 1.0:
        return f"{Decimal(text):f}"
    return re.sub(r"e([+-])0*(\d)", lambda m: f"e{'-' if m[1] == '-' else ''}{m[2]}", text)


def limits_text(low: float | None, high: float | None) -> str:
    """Return bounds in words: ``0 to 1``, ``0 or more``, ``at most 1,000``, ``any number``."""
    if low is not None and high is not None:
        return f"{_bound(low)} to {_bound(high)}"
    if low is not None:
        return f"{_bound(low)} or more"
    return "any number" if high is None else f"at most {_bound(high)}"


def _bound(value: float) -> str:
    """Return a bound; a large one with group separators."""
    return f"{value:,.0f}" if abs(value) >= _GROUPED and value == round(value) else plain_number(value)


def degrees_text(radians: float) -> str:
    """Return the shortest number of degrees that is read back as ``radians``."""
    texts = (f"{math.degrees(radians):.{digits}g}" for digits in range(1, 18))
    plain = (text for text in texts if "e" not in text)
    return next((text for text in plain if math.radians(float(text)) == radians), repr(math.degrees(radians)))


def exact_number(value: float) -> str:
    """Return :func:`plain_number`, or every digit where that is read back as another number."""
    short = plain_number(value)
    return short if float(short) == value else repr(value)


def _text(value: Any) -> str:
    return exact_number(value) if isinstance(value, float) else str(value)
