from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from firegui.runs import benchmark_workers
from tests.unit.runs.desks import Desks, made_desks
from tests.unit.runs.workers import Colleague, Workplace


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """Benchmarks of this test begin no processes."""
    place = Workplace()
    monkeypatch.setattr(benchmark_workers, "Worker", partial(Colleague, place))
    return place


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[Desks]:
    """Makes desks in folders of the test; the other end of a desk's line is ``desk.line.other``."""
    yield from made_desks(tmp_path)
