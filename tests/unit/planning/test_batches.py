from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from firegui.planning.elimination import Batches

Removed = frozenset[int]


def rule(count: int, first: int, largest: int, holds: Callable[[Removed], bool]) -> tuple[list[int], list[Removed]]:
    """The paper's words, one after the other: what is removed, and every set that is tested."""
    removed: set[int] = set()
    tested: list[Removed] = []

    def test(batch: list[int]) -> bool:
        tested.append(frozenset(removed | set(batch)))
        if holds(tested[-1]):
            removed.update(batch)
            return True
        if len(batch) > 1:
            middle = len(batch) // 2
            test(batch[:middle])
            test(batch[middle:])
        return False

    position, size = 0, first
    while position < count:
        batch = list(range(position, min(position + size, count)))
        size = min(2 * size, largest) if test(batch) else max(size // 2, 1)
        position += len(batch)
    return sorted(removed), tested


def walked(batches: Batches, holds: Callable[[Removed], bool]) -> tuple[list[int], list[Removed]]:
    removed: set[int] = set()
    tested: list[Removed] = []
    while not batches.is_done:
        batch = set(range(*batches.next))
        tested.append(frozenset(removed | batch))
        feasible = holds(tested[-1])
        removed |= batch if feasible else set()
        batches = batches.after(feasible)
    return sorted(removed), tested


def needed(seed: int, share: float) -> Callable[[Removed], bool]:
    """Sets hold when no needed element is in them and not too much in all; one pair goes only together with nothing."""
    rng = np.random.default_rng(seed)
    essential = set(np.flatnonzero(rng.uniform(size=400) < share).tolist())
    cost = rng.exponential(size=400)
    return lambda removed: not (removed & essential) and cost[sorted(removed)].sum() < 60.0 and not {3, 7} <= removed


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("count", "first", "largest", "share"), [(50, 32, 256, 0.1), (211, 4, 16, 0.5), (7, 1, 1, 0.3)]
)
def test_what_is_removed_is_what_the_papers_rule_removes(
    seed: int, count: int, first: int, largest: int, share: float
) -> None:
    holds = needed(seed, share)
    removed, tested = rule(count, first, largest, holds)
    found, asked = walked(Batches(count, largest, first), holds)
    assert found == removed
    known = [one for number, one in enumerate(tested) if one not in tested[:number]]
    assert [one for number, one in enumerate(asked) if one not in asked[:number]] == known


def test_a_set_that_was_just_refused_is_not_tested_again() -> None:
    def holds(removed: Removed) -> bool:
        return 5 not in removed

    _, tested = rule(8, 8, 8, holds)
    _, asked = walked(Batches(8, 8, 8), holds)
    assert len(asked) == len(set(asked)) < len(tested)


def test_accepted_batches_double_up_to_the_largest_and_refused_ones_halve() -> None:
    batches = Batches(1000, 256, 32)
    sizes = []
    for feasible in (True, True, True, True, True):
        sizes.append(batches.size)
        batches = batches.after(feasible)
    assert sizes == [32, 64, 128, 256, 256]
    assert batches.after(False).size == 128


def test_a_pass_that_was_saved_goes_on_where_it_was() -> None:
    holds = needed(3, 0.3)
    batches, removed = Batches(100, 64, 32), set[int]()
    while not batches.is_done:
        batch = set(range(*batches.next))
        feasible = holds(frozenset(removed | batch))
        removed |= batch if feasible else set()
        batches = batches.after(feasible)
        saved = Batches.stack_of(batches.stack_array())
        batches = Batches(100, 64, batches.size, batches.position, saved, batches.hopeful)
    assert sorted(removed) == rule(100, 32, 64, holds)[0]


def test_every_element_is_decided_once() -> None:
    holds = needed(1, 0.2)
    batches, removed, decided = Batches(90, 64, 32), set[int](), []
    while not batches.is_done:
        batch = set(range(*batches.next))
        feasible = holds(frozenset(removed | batch))
        removed |= batch if feasible else set()
        batches = batches.after(feasible)
        decided.append(batches.decided)
    assert decided == sorted(decided)
    assert decided[-1] == 90
