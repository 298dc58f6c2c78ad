"""What every test shares: no window unless one is asked for, one thread for the engine, reproducible examples."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Read by torch when it is first imported. One thread keeps sums in one order and leaves the cores to what tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Exponentials of MKL differ in the last bits between processors, and the thin edge of a fire in float32 hangs on them.
os.environ.setdefault("MKL_CBWR", "AVX2")

import pytest
from hypothesis import settings

# Without kept bytecode each worker and each program that a test starts would compile all sources again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("firegui", deadline=None, derandomize=True, database=None)
settings.load_profile("firegui")

_WINDOWLESS = {"offscreen", "minimal"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the length and the seed of the attacks in ``tests/attack``."""
    parser.addoption("--attack-seconds", type=float, default=10.0, help="How long tests/attack attacks the program.")
    parser.addoption("--attack-seed", type=int, default=1, help="Seed of the attacks.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a real window where Qt draws to none, and say how to run it."""
    platform = os.environ["QT_QPA_PLATFORM"]
    if platform not in _WINDOWLESS:
        return
    reason = f"needs a real window, Qt draws {platform}: python3 packaging/bootstrap.py test runs it"
    for item in items:
        if item.get_closest_marker("window") is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """Keep what is loaded by now out of garbage collections, which would look through millions of objects each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _unflushed() -> Iterator[None]:
    """Leave what is written in the cache of the disk: it would only be lost in a power cut, and each wait takes ms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _handle: None)
        yield


@pytest.fixture(scope="module")
def short_repairs() -> Iterator[None]:
    """Make repairs of plans in exercises a sixth as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firegui.planning.repair.SEARCH_EPOCHS", 10)
        patch.setattr("firegui.planning.repair.TRAINING_EPOCHS", 12)
        yield
