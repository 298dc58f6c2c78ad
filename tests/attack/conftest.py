from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.attack.attack import LOADED, Verdict
from tests.attack.judge import Tally
from tests.attack.samples import Sample, make_samples
from tests.unit.io.faults.test_every_fault import Worker
from tests.unit.io.listener import Listener, listening
from tests.unit.io.test_hostile_files import PROXIES

Property = Callable[[str, object], None]
Over = Callable[[float], Callable[[], bool]]


@pytest.fixture(scope="module")
def seed(pytestconfig: pytest.Config) -> int:
    """Seed of all attacks of the session."""
    return int(pytestconfig.getoption("--attack-seed"))


@pytest.fixture
def over(pytestconfig: pytest.Config) -> Over:
    """Returns a function that tells when a share of the session's time is over."""
    seconds = float(pytestconfig.getoption("--attack-seconds"))

    def begin(share: float) -> Callable[[], bool]:
        end = time.monotonic() + share * seconds
        return lambda: time.monotonic() > end

    return begin


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with pytest.MonkeyPatch.context() as patch, listening() as found:
        for name in PROXIES:
            patch.delenv(name, raising=False)
        yield found


@pytest.fixture(scope="module")
def commands(listener: Listener) -> Iterator[Worker]:
    """Runs commands, each in a fork of a program that has started."""
    if not hasattr(os, "fork"):
        pytest.skip("each command runs in a fork of a program that has started")
    process = Worker(*LOADED)
    yield process
    process.close()


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    """A sound input of every format."""
    return make_samples(tmp_path_factory.mktemp("samples"))


def report(verdicts: Sequence[Verdict], seed: int, record_property: Property) -> None:
    """Record the counts for the summary of the session, and fail with every failure."""
    tally = Tally()
    for verdict in verdicts:
        tally.add(verdict.row, "FAILED" if verdict.failures else verdict.outcome)
    record_property("attacks", json.dumps(tally.rows))
    failures = [
        f"{number} ({verdict.row}; {verdict.what}): {failure}"
        for number, verdict in enumerate(verdicts)
        for failure in verdict.failures
    ]
    assert verdicts and not failures, f"seed {seed}: " + "\n".join(failures)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the counts of the attacks."""
    tally = Tally()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "attacks" and getattr(report, "when", "") == "call":
                    tally.join(json.loads(value))
    if tally.rows:
        terminalreporter.section("attacks")
        for line in tally.lines():
            terminalreporter.write_line(line)
