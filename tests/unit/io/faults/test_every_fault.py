"""Every class of fault for every importer, by the real command, each in a process of its own that may take little.

``python -m pytest -m slow -s tests/unit/io/faults`` prints the table: for each class and importer how many files there
were, how many of them the program named, and the longest time and largest memory they took.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.io.faults.cases import Answer, Case, all_cases, changed, complaints, snapshot
from tests.unit.io.faults.catalogue import FAULTS
from tests.unit.io.faults.sound import IMPORTERS

SEEDS = (1,)
MOST_CPU_S, MOST_MB = 5.0, 1024.0
NOBODY = 65534
REPOSITORY = Path(__file__).resolve().parents[4]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="each command runs in a fork of a program that has started"),
]


class Worker:
    """The process that :mod:`tests.unit.io.faults.worker` describes."""

    def __init__(self, *modules: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.io.faults.worker", *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY,
        )  # fmt: skip

    def run(self, words: tuple[str, ...], folder: Path, humble: bool, **more: Any) -> dict[str, Any]:
        """What a command took, and the code it ended with; ``more`` is passed on to the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"words": words, "folder": str(folder), "humble": humble, **more}) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        assert isinstance(found, dict)
        return found

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    process = Worker()
    yield process
    process.close()


def examined(case: Case, folder: Path, worker: Worker) -> tuple[dict[str, Any], list[str]]:
    """What the command on one faulty file took, and what is wrong with what it did."""
    for name in ("data", "work", "tmp"):
        (folder / name).mkdir()
    words = case.prepare(folder / "data", IMPORTERS[case.importer])
    # Root may read everything, so that it has to give that up, and the file has to be somebody else's.
    humble = case.fault.protected and os.geteuid() == 0
    if humble:
        for entry in (folder / "data").rglob("*"):
            if entry.is_file() and not entry.stat().st_mode & 0o777:
                os.chown(entry, NOBODY, NOBODY)
    before = {place: snapshot(folder / place) for place in ("data", "work", "tmp")}
    took = worker.run(words, folder, humble)
    after = {place: snapshot(folder / place) for place in ("data", "work", "tmp")}
    differing = tuple(name for place in before for name in changed(before[place], after[place]))
    out, err = ((folder / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
    found = complaints(case, Answer(took["code"], out, err, differing))
    if took["cpu"] > MOST_CPU_S:
        found.append(f"takes {took['cpu']:.1f} s")
    if took["peak_mb"] > MOST_MB:
        found.append(f"takes {took['peak_mb']:.0f} MB")
    return took, found


def table(rows: dict[tuple[str, str], list[tuple[dict[str, Any], list[str]]]]) -> list[str]:
    """One line for each class and importer."""
    lines = [f"{'class':<16} {'importer':<18} {'files':>5} {'named':>5} {'s':>6} {'cpu s':>6} {'MB':>6}"]
    for (fault, importer), results in sorted(rows.items()):
        most = {key: max(took[key] for took, _ in results) for key in ("seconds", "cpu", "peak_mb")}
        named = sum(not found for _, found in results)
        lines.append(
            f"{fault:<16} {importer:<18} {len(results):>5} {named:>5} {most['seconds']:>6.2f} {most['cpu']:>6.2f} "
            f"{most['peak_mb']:>6.0f}"
        )
    return lines


def test_every_fault_is_named_in_little_time_and_memory_and_nothing_is_left(tmp_path: Path, worker: Worker) -> None:
    rows: dict[tuple[str, str], list[tuple[dict[str, Any], list[str]]]] = {}
    failures = []
    cases = list(all_cases(FAULTS, SEEDS))
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        took, found = examined(case, folder, worker)
        rows.setdefault((case.fault.name, case.importer), []).append((took, found))
        failures += [f"{case.name} ({folder}): {complaint}" for complaint in found]
    print("", *table(rows), f"{len(cases)} files", sep="\n")
    assert len(cases) >= 300 and len({case.fault.name for case in cases}) >= 12
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("importer", ["maps npz", "landscape geotiff", "perimeters gpkg"])
def test_a_program_of_its_own_says_the_same(tmp_path: Path, importer: str) -> None:
    """The forks above begin where a program has loaded itself: here it begins from nothing."""
    fault = next(fault for fault in FAULTS if fault.name == "noise" and importer in fault.importers)
    words = Case(fault, importer, 1).prepare(tmp_path, IMPORTERS[importer])
    before = snapshot(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "firegui", *words], capture_output=True, text=True, cwd=REPOSITORY, timeout=120
    )
    answer = Answer(done.returncode, done.stdout, done.stderr, changed(before, snapshot(tmp_path)))
    assert complaints(Case(fault, importer, 1), answer) == []
