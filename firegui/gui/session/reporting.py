"""Turning what goes wrong with a file into the one message a person sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.session.session import Session


@contextmanager
def refusing(session: Session, where: str) -> Iterator[None]:
    """Report bad input met inside the block through ``session.refuse`` and go on after it; ``where`` names the file."""
    try:
        yield
    except (FireguiError, OSError) as error:
        session.refuse(as_input_error(error, where))


def as_input_error(error: Exception, where: str) -> InputError:
    """``error`` as an :class:`InputError`: itself when it is one, else a list of one problem."""
    if isinstance(error, InputError):
        return error
    if isinstance(error, OSError):
        place = str(error.filename or where)
        return InputError([Problem(place, error.strerror or str(error), "check that it is there and may be used")])
    return InputError([Problem(where, str(error))])
