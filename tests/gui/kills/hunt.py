"""Starts a firegui process, kills it at a random moment, and checks what the next start recovers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firegui.domain.project import Project
from firegui.io.project.store import save_project
from tests.support import make_project

REPOSITORY = Path(__file__).resolve().parents[3]
LOST_AT_MOST_S = 10.0
_START_S = 120.0


@dataclass(slots=True)
class Heard:
    """What a process reported: for every word its values, each with the time it was received."""

    said: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)
    over: bool = False

    def add(self, line: str) -> None:
        """Add a line."""
        word, _space, value = line.strip().partition(" ")
        with self.changed:
            self.said.setdefault(word, []).append((time.monotonic(), value))
            self.changed.notify_all()

    def end(self) -> None:
        """Record that no more lines will come."""
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def wait_for(self, word: str) -> str:
        """Return the first value of ``word``. Fail if it does not come."""
        with self.changed:
            self.changed.wait_for(lambda: word in self.said or self.over, _START_S)
            assert word in self.said, f"the window never said {word}; it said {sorted(self.said)}"
            return self.said[word][0][1]

    def last(self, word: str, before: float = float("inf")) -> int:
        """Return the latest number of ``word`` received before a moment; 0 for none."""
        found = [int(value) for when, value in self.said.get(word, []) if when <= before]
        return found[-1] if found else 0

    def count(self, word: str, before: float = float("inf")) -> int:
        """Return how often ``word`` was received before a moment."""
        return sum(when <= before for when, _value in self.said.get(word, []))


class Victim:
    """A firegui process that is killed."""

    def __init__(self, mode: str, project: Path, home: Path) -> None:
        places = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        environment = os.environ | places | {"PYTHONPATH": str(REPOSITORY), "QT_QPA_PLATFORM": "offscreen"}
        environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
        words = [sys.executable, "-m", "tests.gui.kills.victim", mode, str(project)]
        self.errors = home / f"errors-{mode}.txt"
        with self.errors.open("a") as errors:
            self._process = subprocess.Popen(
                words, env=environment, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self.heard = Heard()
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.heard.add(line)
        self.heard.end()

    def kill(self) -> float:
        """Kill the process; return the time."""
        when = time.monotonic()
        os.kill(self._process.pid, signal.SIGKILL)
        self._finish()
        return when

    def wait(self) -> int:
        """Return the exit status, once it has closed itself."""
        self._process.wait(_START_S)
        self._finish()
        return self._process.returncode

    def __enter__(self) -> Victim:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process.poll() is None:
            self.kill()

    def _finish(self) -> None:
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


@dataclass(frozen=True, slots=True)
class Found:
    """What the next start offered."""

    offered: bool
    number: int
    dirty: bool
    name: str
    states: tuple[str, ...]
    resumed: int = 0


def next_start(project: Path, home: Path) -> Found:
    """Start firegui again, accept the recovery, and close it; it must end normally."""
    with Victim("recover", project, home) as again:
        status = again.wait()
    assert status == 0, again.errors.read_text()
    assert "Traceback" not in again.errors.read_text()
    told: dict[str, Any] = json.loads(again.heard.wait_for("found"))
    told["states"] = tuple(told["states"])
    return Found(**told, resumed=again.heard.last("resumed"))


def saved_project(folder: Path, epochs: int) -> Path:
    """Return a small project that takes no noticeable time to roll out."""
    project: Project = make_project()
    optimizer = replace(project.plan.optimizer, epochs=epochs, patience=max(epochs, 1))
    save_project(replace(project, plan=replace(project.plan, optimizer=optimizer)), folder)
    return folder
