"""Board of 64-bit words by which a second thread takes half of a step.

A rollout is a chain of steps of some 10 µs, far too short for a pool of threads. So the second thread waits on the
board while there is work, and the first offers it the half of a step under a ticket. The thread that claims the ticket
first does that half. So a thread that the system has not woken, or that another program has pushed aside, costs nothing
but its help. What each half is follows from the state of the fire alone, so the bits do not depend on the thread.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import intrinsic
from firegui.rollout.reused_threads import ReusedThreads

LINE = 8
"""Words of a cache line: what one thread writes must not lie beside what the other waits for."""
TICKET, CLAIMED, HALF, EDGE, DONE, OTHER, PRESENT, LEAVE, JOB, FOUND = (LINE * k for k in range(10))
"""``HALF``, ``EDGE`` and ``DONE`` say how far the second half of a step is, ``OTHER`` how far the first is."""
STEP, BEGIN, END, TO = (JOB + k for k in range(4))
IDLE_LOOKS = 4000
"""After so many looks without an offer, some tenths of a millisecond, the second thread leaves."""
PATIENT_LOOKS = 4000
"""After so many looks for the other half, the first thread lets others have its core."""

_CAN_PAUSE = platform.machine().lower() in ("x86_64", "amd64")
_CAN_YIELD = sys.platform != "win32"


class Board(NamedTuple):
    """``words``: ticket, claim, … , job; ``sums``: what each half sums up, a cache line each."""

    words: NDArray[np.int64]
    sums: NDArray[np.float64]


def new_board() -> Board:
    """Return a board on which nothing is offered."""
    return Board(np.zeros(10 * LINE, np.int64), np.zeros(2 * LINE))


# -- atomic operations ------------------------------------------------------------------------------------------------
def _signature(*kinds: Any) -> Any:
    return signature(*kinds)  # type: ignore[no-untyped-call]


def _word(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


@intrinsic
def look(typing: Any, words: Any, slot: Any) -> Any:
    """Return ``words[slot]`` as the other thread last left it."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.load_atomic(_word(context, builder, sig.args[0], args[0], at), "seq_cst", 8)

    return _signature(types.int64, words, slot), emit


@intrinsic
def post(typing: Any, words: Any, slot: Any, value: Any) -> Any:
    """Set ``words[slot] = value`` after everything written before."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        number = context.cast(builder, args[2], sig.args[2], types.int64)
        builder.store_atomic(number, _word(context, builder, sig.args[0], args[0], at), "seq_cst", 8)
        return context.get_dummy_value()

    return _signature(types.none, words, slot, value), emit


@intrinsic
def swap(typing: Any, words: Any, slot: Any, expected: Any, value: Any) -> Any:
    """Set ``words[slot] = value`` if it is ``expected``, and return whether it was."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        old, new = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        found = builder.cmpxchg(_word(context, builder, sig.args[0], args[0], at), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return _signature(types.boolean, words, slot, expected, value), emit


def _caller(name: str, result: Any, present: bool) -> Any:
    @intrinsic
    def call(typing: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if present:
                function: Any = cgutils.get_or_insert_function
                builder.call(function(builder.module, ir.FunctionType(result, []), name), [])
            return context.get_dummy_value()

        return _signature(types.none), emit

    return call


pause = _caller("llvm.x86.sse2.pause", ir.VoidType(), _CAN_PAUSE)
give_way = _caller("sched_yield", ir.IntType(32), _CAN_YIELD)


@inlined
def wait_for(board: Board, slot: int, ticket: int) -> None:
    """Return when the other thread has posted the ticket there."""
    looks = 0
    while look(board.words, slot) != ticket:
        pause()
        looks += 1
        if looks > PATIENT_LOOKS:
            give_way()


# -- the first thread -------------------------------------------------------------------------------------------------
@inlined
def offer(board: Board, step: int, begin: int, end: int) -> int:
    """Put the second half of a step on the board; returns its ticket."""
    words = board.words
    words[STEP], words[BEGIN], words[END] = step, begin, end
    ticket: int = words[TICKET] + 1
    post(words, TICKET, ticket)
    return ticket


@inlined
def left_to_me(board: Board, ticket: int) -> bool:
    """Return whether the half was not taken; from then on it cannot be."""
    free: bool = swap(board.words, CLAIMED, ticket - 1, ticket)
    return free


@kernel
def send_away(board: Board) -> None:
    """Tell the second thread to leave; returns when it has, or will see it before it touches anything."""
    post(board.words, LEAVE, 1)
    looks = 0
    while look(board.words, PRESENT) != 0:
        pause()
        looks += 1
        if looks > PATIENT_LOOKS:
            give_way()


# -- the second thread ------------------------------------------------------------------------------------------------
@inlined
def take_place(board: Board) -> bool:
    """Enter the wait and return whether there is still work; ends with :func:`leave_place`."""
    post(board.words, PRESENT, 1)
    welcome: bool = look(board.words, LEAVE) == 0
    return welcome


@inlined
def next_ticket(board: Board) -> int:
    """Wait for a job and claim it; 0 when it is time to leave."""
    words, looks = board.words, 0
    while looks < IDLE_LOOKS and look(words, LEAVE) == 0:
        ticket: int = look(words, TICKET)
        if ticket != look(words, CLAIMED) and swap(words, CLAIMED, ticket - 1, ticket):
            return ticket
        pause()
        looks += 1
    return 0


class HelperThread(ReusedThreads):
    """Second thread of a workspace."""

    def __init__(self) -> None:
        super().__init__(1, "firegui kernel")

    @contextmanager
    def helping(self, assist: Callable[..., None], *values: Any, wanted: bool) -> Iterator[Board]:
        """Yield a board and, if ``wanted``, run ``assist(board, *values)`` in a second thread meanwhile."""
        board = new_board()
        if not getattr(assist, "overloads", True):  # compile it here, where it is told, and not beside
            board.words[LEAVE] = 1
            assist(board, *values)
            board.words[LEAVE] = 0
        if not wanted:
            yield board
            return
        try:
            helper = self.submit(assist, board, *values)
        except RuntimeError:  # no thread is to be had, as when the interpreter is leaving
            yield board
            return
        try:
            yield board
        finally:
            send_away(board)
        if helper.done():
            helper.result()
