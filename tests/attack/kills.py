"""Long commands killed at random moments and resumed: how much was lost, and whether the result is the same."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.attack.attack import Verdict
from tests.attack.judge import HALF

REPOSITORY = Path(__file__).resolve().parents[2]
LOST_AT_MOST_S = 10.0

Position = tuple[int, int]
"""Number of the stage and what was done in it."""
START: Position = (0, 0)

DONE = {"epoch": "epoch", "elimination": "rollouts", "members": "done", "study": "done"}
"""Events of a run's progress, with the number in them that rises."""


@dataclass(frozen=True, slots=True)
class LongCommand:
    """A command that works for a while: its words after the program's name, and what it needs to be resumed.

    ``header`` is the file whose presence makes ``--resume`` possible; without one, the command is begun anew.
    """

    name: str
    words: tuple[str, ...]
    header: str = ""

    def started(self, out: Path, *more: str) -> subprocess.Popen[str]:
        """Start it as a program of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "firegui", *self.words, "--out", str(out), *more],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=REPOSITORY,
        )  # fmt: skip


@dataclass(slots=True)
class Watch:
    """What a command reports: its positions with the moment of each, and the run's time that the report names."""

    command: subprocess.Popen[str]
    positions: list[tuple[float, Position]] = field(default_factory=list)
    run_times: dict[Position, float] = field(default_factory=dict)
    other: list[str] = field(default_factory=list)
    _stage: int = 0
    _reader: threading.Thread | None = None

    def begin(self) -> None:
        """Start listening."""
        self._reader = threading.Thread(target=self._listen)
        self._reader.start()

    def end(self, timeout_s: float = 900.0) -> int:
        """Wait for the end of the command and return its code."""
        code = self.command.wait(timeout_s)
        assert self._reader is not None
        self._reader.join(timeout_s)
        return code

    def last(self, before: float) -> Position:
        """Return the last position that was reported before a moment."""
        return max((position for when, position in self.positions if when <= before), default=START)

    def kept_of(self, killed: Watch) -> Position | None:
        """Return what this command goes on from after ``killed``; None if it never said.

        A resumed run first repeats what it has kept, with the run's time of then. What it does anew has another.
        """
        if not self.positions:
            return None
        repeated = [each for each, time_s in self.run_times.items() if killed.run_times.get(each) == time_s]
        return max([self.positions[0][1], *repeated])

    def _listen(self) -> None:
        assert self.command.stderr is not None
        with self.command.stderr as lines:
            for line in lines:
                self._take(line)

    def _take(self, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            self.other.append(line)
            return
        if event["event"] == "stage":
            self._stage = event["number"]
        elif event["event"] in DONE:
            position = (self._stage, event[DONE[event["event"]]])
            self.positions.append((time.monotonic(), position))
            self.run_times[position] = event["seconds"]


@dataclass(frozen=True, slots=True)
class Whole:
    """A command that ran twice without a kill: the files that were the same both times, and how long it took."""

    files: dict[str, bytes]
    seconds: float


def run_whole(command: LongCommand, folder: Path) -> Whole:
    """Run a command twice and keep the files that do not tell times."""
    found = []
    for name in ("one", "two"):
        began = time.monotonic()
        watch = watched(command, folder / name)
        assert watch.end() == 0, watch.other
        seconds = time.monotonic() - began
        found.append(_files(folder / name))
    one, two = found
    assert set(one) == set(two)
    same = {name: content for name, content in one.items() if content == two[name]}
    assert same, "no file is the same twice"
    return Whole(same, seconds)


def attack_command(command: LongCommand, whole: Whole, seed: int, number: int, folder: Path) -> Verdict:
    """Kill a command and go on: little is lost, nothing is torn, and its files are those of the unbroken one."""
    rng = np.random.default_rng([seed, number, 3])
    kill_s = float(rng.uniform(0.05, 1.05) * whole.seconds)
    out = folder / "out"
    folder.mkdir(parents=True)
    watch = watched(command, out)
    try:
        watch.command.wait(kill_s)
    except subprocess.TimeoutExpired:
        watch.command.send_signal(signal.SIGKILL)
    killed = time.monotonic()
    outcome = "killed" if watch.end() < 0 else "works"
    resumes = bool(command.header) and (out / command.header).exists()
    again = watched(command, out, *(["--resume"] if resumes else []))
    code = again.end()
    found = [f"does not go on: {''.join(again.other)}"] if code else []
    kept = again.kept_of(watch)
    known = watch.last(killed - LOST_AT_MOST_S)
    if resumes and kept is not None and kept < known:
        found.append(f"goes on at {kept}, but was at {known} {LOST_AT_MOST_S:g} s before the kill")
    if not resumes and known > START:
        found.append(f"cannot be resumed, but was at {known} {LOST_AT_MOST_S:g} s before the kill")
    files = _files(out)
    found += [f"{name} differs" for name, content in whole.files.items() if files.get(name) != content]
    found += [f"leaves what is half-written: {name}" for name in files if HALF.search(Path(name).name)]
    what = f"after {kill_s:.1f} s, {'resumed' if resumes else 'begun anew'}, at {watch.last(killed)} and again {kept}"
    if not found:
        shutil.rmtree(folder)
    return Verdict(f"kill of {command.name}", what, outcome, tuple(found))


def watched(command: LongCommand, out: Path, *more: str) -> Watch:
    """Start a command and listen to it."""
    watch = Watch(command.started(out, *more))
    watch.begin()
    return watch


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
