"""The board on which a second thread takes halves of steps: every offer is done once, by whoever comes first."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.native.compiled import kernel
from firegui.rollout.kernels.board import (
    DONE,
    LEAVE,
    PRESENT,
    STEP,
    Board,
    HelperThread,
    left_to_me,
    look,
    new_board,
    next_ticket,
    offer,
    post,
    send_away,
    take_place,
    wait_for,
)

Counts = NDArray[np.int64]


@kernel
def assist(board: Board, taken: Counts) -> None:
    if take_place(board):
        ticket = next_ticket(board)
        while ticket != 0:
            taken[board.words[STEP]] += 1
            post(board.words, DONE, ticket)
            ticket = next_ticket(board)
    post(board.words, PRESENT, 0)


@kernel
def give_out(board: Board, mine: Counts, work: int) -> None:
    """Offer every entry, do something else meanwhile, then do what nobody took."""
    for step in range(len(mine)):
        ticket = offer(board, step, 0, 0)
        for _ in range(work):
            if look(board.words, LEAVE) != 0:
                return
        if left_to_me(board, ticket):
            mine[step] += 1
        else:
            wait_for(board, DONE, ticket)


@pytest.mark.parametrize("wanted", [True, False])
def test_every_offer_is_done_exactly_once(wanted: bool) -> None:
    partner = HelperThread()
    for _ in range(20):
        mine, theirs = np.zeros(2000, np.int64), np.zeros(2000, np.int64)
        with partner.helping(assist, theirs, wanted=wanted) as board:
            give_out(board, mine, 50)
        np.testing.assert_array_equal(mine + theirs, 1)
        assert wanted or not theirs.any()


def test_a_second_thread_does_take_offers() -> None:
    partner = HelperThread()
    taken = 0
    for _ in range(200):  # a busy machine may not have a core for it at first
        mine, theirs = np.zeros(2000, np.int64), np.zeros(2000, np.int64)
        with partner.helping(assist, theirs, wanted=True) as board:
            give_out(board, mine, 2000)
        taken += int(theirs.sum())
        if taken:
            return
    pytest.fail("nobody ever helped")


def test_it_leaves_when_there_is_nothing_to_do() -> None:
    partner, theirs = HelperThread(), np.zeros(1, np.int64)
    with partner.helping(assist, theirs, wanted=True) as board:
        partner.submit(int).result(30.0)  # it has left when its pool takes the next job
        assert look_from_outside(board, PRESENT) == 0


def test_one_that_comes_too_late_touches_nothing() -> None:
    board, theirs = new_board(), np.zeros(1, np.int64)
    give_out(board, np.zeros(1, np.int64), 0)
    send_away(board)
    assist(board, theirs)
    assert not theirs.any()
    assert look_from_outside(board, PRESENT) == 0


def test_what_goes_wrong_beside_is_not_lost() -> None:
    def broken(board: Board) -> None:
        raise ValueError("broken")

    partner = HelperThread()
    with pytest.raises(ValueError, match="broken"):  # noqa: SIM117  the helper has to have ended inside
        with partner.helping(broken, wanted=True):
            partner.submit(int).result(30.0)


def look_from_outside(board: Board, slot: int) -> int:
    return int(board.words[slot])


def test_another_process_gets_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    partner = HelperThread()
    first, again = (partner.submit(threading.get_ident).result(30.0) for _ in range(2))
    process = os.getpid()

    monkeypatch.setattr(os, "getpid", lambda: process + 1)

    assert first == again
    assert partner.submit(threading.get_ident).result(30.0) != first


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_does_not_wait_for_a_thread_that_stayed_behind() -> None:
    partner = HelperThread()
    partner.submit(int).result(30.0)

    child = os.fork()
    if child == 0:
        done = 1
        try:
            done = partner.submit(int).result(30.0)
        finally:
            os._exit(done)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
