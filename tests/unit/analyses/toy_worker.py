"""A worker without a fire, for tests of executors: a task is a word that says what happens."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from firegui.analyses.execution.tasks import TaskLink, WorkerSetup
from firegui.errors import InputError, Problem
from firegui.io.safe_open.processes import READERS
from firegui.runs.control import RunControl


class ToyWorker:
    """Answers ``echo``, fails, dies or works until it is stopped, as the task says."""

    def __init__(self, setup: WorkerSetup, control: RunControl) -> None:
        if setup.data == b"no room":
            raise MemoryError
        if setup.data == b"reads":
            READERS.warm()

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Do what the task says."""
        word, _, rest = task.decode().partition(" ")
        if word == "children":
            return " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children")).strip().encode()
        if word == "fail":
            raise InputError([Problem("toy", "is broken", "mend it")])
        if word == "die" and not os.path.exists(rest):
            with open(rest, "w"):
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "always-die":
            os.kill(os.getpid(), signal.SIGKILL)
        while word == "wait":
            link.send_progress(1, 2.5, 0.1, 10)
            link.control.check()
            time.sleep(0.01)
        link.warn(f"did {word}")
        return task.upper()


TOY = f"{__name__}:ToyWorker"
