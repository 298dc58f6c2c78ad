from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from firegui.analyses.execution import processes
from tests.unit.analyses.task_contexts import TaskContexts, make_contexts
from tests.unit.analyses.workers import Colleague, Workplace


@pytest.fixture
def workplace(monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """Benchmarks of this test begin no processes."""
    place = Workplace()
    monkeypatch.setattr(processes, "WorkerProcess", partial(Colleague, place))
    return place


@pytest.fixture
def contexts(tmp_path: Path) -> Iterator[TaskContexts]:
    """Makes contexts in folders of the test; the other end of a context's line is ``context.link.other``."""
    yield from make_contexts(tmp_path)
