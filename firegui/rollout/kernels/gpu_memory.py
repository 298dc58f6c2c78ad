"""What to do when the GPU's memory does not suffice: ask for less, step by step, and say so."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import torch

Result = TypeVar("Result")
Notice = Callable[[str], None]
"""Takes one plain sentence for the person at the window."""


def quiet(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Rung(Generic[Result]):
    """One way to compute: ``run`` it, and if memory runs out say ``failed`` and take the next."""

    run: Callable[[], Result]
    failed: str = ""


@dataclass(slots=True)
class Found:
    """What has been found to fit for one fire, so that nothing is tried, or said, at every call.

    ``batch`` schedules at once, and per kind of work the rung that it has come down to.
    """

    batch: int
    rung: dict[str, int] = field(default_factory=dict)


def climb_down(rungs: Sequence[Rung[Result]], notice: Notice, found: Found, kind: str) -> Result:
    """The result of the first rung that fits in memory, from the one on that ``kind`` of work has come down to.

    Raises :class:`torch.cuda.OutOfMemoryError` when not even the last one does.
    """
    begin = min(found.rung.get(kind, 0), len(rungs) - 1)
    for number, rung in enumerate(rungs[begin:-1], begin):
        try:
            return rung.run()
        except torch.cuda.OutOfMemoryError:
            # The traceback holds the tensors that were allocated until here; leaving this block lets them go.
            found.rung[kind] = number + 1
        release()
        notice(rung.failed)
    return rungs[-1].run()


def release() -> None:
    """Give unused memory of the device back to it."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def free_bytes(device: str) -> int:
    """Bytes that can be allocated on ``device``; plenty on a CPU."""
    return int(torch.cuda.mem_get_info()[0]) if device.startswith("cuda") else 2**33
