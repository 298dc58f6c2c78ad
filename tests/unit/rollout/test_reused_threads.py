"""Threads that are kept from one call to the next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

from firegui.rollout.reused_threads import ReusedThreads


def test_results_are_in_the_order_of_the_jobs_whichever_ends_first() -> None:
    later = threading.Event()

    def first() -> int:
        assert later.wait(30.0)
        return 1

    def second() -> int:
        later.set()
        return 2

    assert ReusedThreads(2, "test").results([first, second]) == [1, 2]


def test_no_more_threads_than_asked_for_and_they_are_used_again() -> None:
    threads = ReusedThreads(2, "test")

    seen = {ident for _ in range(5) for ident in threads.results([threading.get_ident] * 4)}

    assert 1 <= len(seen) <= 2
    assert threading.get_ident() not in seen


def test_after_an_error_no_job_is_at_work_and_those_that_wait_are_not_begun() -> None:
    broken, done, threads = threading.Event(), list[int](), ReusedThreads(2, "test")

    def fail() -> None:
        broken.set()
        raise ValueError("broken")

    def slow() -> None:
        assert broken.wait(30.0)
        done.append(0)

    def wait_a_little(number: int) -> None:
        time.sleep(0.01)
        done.append(number)

    rest: list[Callable[[], None]] = [partial(wait_a_little, number) for number in range(1, 200)]
    with pytest.raises(ValueError, match="broken"):
        threads.results([slow, fail, *rest])

    assert 0 in done
    count = len(done)
    threads.results([lambda: None])
    assert len(done) == count < 200
