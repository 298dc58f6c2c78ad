"""The errors a user can meet, all under one base.

Bad input never ends in a traceback: every importer, reader and validator collects *all* its problems in a
:class:`Problems` and raises one :class:`InputError` that lists them, each with its place and what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

_LONGEST = 1_000
_SPACES = "\u00a0\u2009\u200a\u202f"
_OPTIONS = re.compile(r"\s*\([^()]*--[a-z][^()]*\)")


class FireguiError(Exception):
    """Base of every error that firegui raises on purpose."""


class CancelledError(FireguiError):
    """Cancellation of long work. The function that catches it keeps the best result so far."""


class RunFailedError(FireguiError):
    """Run that ended with an error that is not about its input; the message says what to do."""


Check = Callable[[], None]
"""Called often by long work, by a batch of rollouts from several threads; raises :class:`CancelledError` to end it."""


@dataclass(frozen=True, slots=True)
class SettingNames:
    """Names of a setting.

    ``title`` is that of the window, ``name`` that of the field, and ``flag`` the command-line option. ``prefix`` goes
    before the name in a keyword.
    """

    title: str
    name: str
    flag: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    ``where`` names the file, layer, row or field; ``what`` says what is wrong with it; ``remedy`` says what to do.
    All three may quote a file. Control characters are shown as escapes, and a long text is cut. ``setting`` are the
    names of the setting whose title ``what`` begins with, if it does.
    """

    where: str
    what: str
    remedy: str = ""
    setting: SettingNames | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Make each part a text of one line."""
        for name in ("where", "what", "remedy"):
            text = getattr(self, name)
            if len(text) > _LONGEST or not text.isprintable():
                object.__setattr__(self, name, _one_line(text))

    @property
    def head(self) -> str:
        """Where and what: the problem without what to do."""
        return f"{self.where}: {self.what}"

    def __str__(self) -> str:
        return f"{self.head} — {self.remedy}" if self.remedy else self.head

    def renamed(self, name: str) -> Problem:
        """Return the problem with ``name`` in place of the title of its setting."""
        if self.setting is None:
            return self
        return replace(self, what=name + self.what.removeprefix(self.setting.title))

    def for_window(self) -> Problem:
        """Return the problem without options of the command line."""
        return replace(
            self, where=without_options(self.where), what=without_options(self.what),
            remedy=without_options(self.remedy),
        )  # fmt: skip


def _one_line(text: str) -> str:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    # What is a space to readers stays; what ends lines, turns text around or is no character does not.
    return "".join(c if c.isprintable() or c in _SPACES else repr(c)[1:-1] for c in shown)


def without_options(text: str) -> str:
    """Return ``text`` without the brackets that name options of the command line.

    The window does not have them. Shared messages therefore say what to do in plain words, and name the option in
    brackets after them.
    """
    return _OPTIONS.sub("", text)


def reason_of(error: BaseException) -> str:
    """Return what an error says, or its kind where it says nothing, as ``MemoryError`` does."""
    return str(error).strip() or type(error).__name__


class InputError(FireguiError):
    """Input that cannot be used. Holds every problem found, never only the first."""

    def __init__(self, problems: Iterable[Problem], title: str = "The input cannot be used") -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.title = title
        super().__init__(str(self))

    def for_window(self) -> InputError:
        """Return the error without options of the command line."""
        problems = tuple(problem.for_window() for problem in self.problems)
        return self if problems == self.problems else InputError(problems, self.title)

    @property
    def short_text(self) -> str:
        """What is wrong and what to do, in sentences for a message at the field, which needs no place."""
        texts = ("; ".join(filter(None, (each.what, each.remedy))) for each in self.for_window().problems)
        return ". ".join(f"{text[:1].upper()}{text[1:]}" for text in texts)

    def __str__(self) -> str:
        return "\n".join([f"{self.title}:", *(f"  • {problem}" for problem in self.problems)])


class Problems:
    """Collector of problems that are reported together."""

    def __init__(self) -> None:
        self._found: list[Problem] = []

    def add(self, where: str, what: str, remedy: str = "") -> None:
        """Note one problem."""
        self._found.append(Problem(where, what, remedy))

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note several problems found elsewhere."""
        self._found.extend(problems)

    def __len__(self) -> int:
        """Return how many problems there are."""
        return len(self._found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def raise_if_any(self, title: str = "The input cannot be used") -> None:
        """Raise one :class:`InputError` with everything found, if anything was."""
        if self._found:
            raise InputError(self._found, title)


def raise_new_problems(before: Iterable[Problem], after: Iterable[Problem], title: str) -> None:
    """Raise :class:`InputError` with every problem that an edit would add.

    Problems that were there before do not count, so that a project with several can be corrected one by one.
    """
    added = Counter(after) - Counter(before)
    if added:
        raise InputError(added, title)
