"""Reports of refused edits and files: one message with all problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from firegui.domain.options import number_from_text
from firegui.errors import FireguiError, InputError, Problem, reason_of
from firegui.gui.session.session import Session
from firegui.runs.failures import failure_message


@contextmanager
def refusing(session: Session, where: str) -> Iterator[None]:
    """Report bad input within the block through ``session.refuse``, and continue after the block.

    ``where`` names the file.
    """
    try:
        yield
    except (FireguiError, OSError) as error:
        session.refuse(as_input_error(error, where))


def as_input_error(error: Exception, where: str) -> InputError:
    """Return ``error`` as an :class:`InputError`: itself if it is one, else with one problem."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, OSError):
        place = str(error.filename or where)
        return InputError(
            [Problem(place, error.strerror or reason_of(error), "check that it exists and can be accessed")]
        )
    return InputError([Problem(where, failure_message(error))])


def problems_of(make: Callable[[], object]) -> tuple[Problem, ...]:
    """Return the problems of the :class:`InputError` that ``make`` raises; empty if it raises none."""
    try:
        make()
    except InputError as error:
        return error.problems
    return ()


def typed_number(text: str, where: str, title: str, remedy: str, refused: str) -> float:
    """Return the number that was typed as ``title`` of ``where``.

    Raises :class:`InputError`, whose title is ``refused``, for what is not a number.
    """
    plain = text.strip()
    try:
        return number_from_text(plain)
    except ValueError:
        raise InputError([Problem(where, f"{title} '{plain}' is not a number", remedy)], refused) from None


def free_name(stem: str, taken: Iterable[str]) -> str:
    """Return ``stem``, or ``stem`` with the lowest number from 2 that no name in ``taken`` has.

    Names that differ only in letter case count as the same.
    """
    used = {name.casefold() for name in taken}
    if stem.casefold() not in used:
        return stem
    return next(name for number in range(2, len(used) + 3) if (name := f"{stem} {number}").casefold() not in used)
