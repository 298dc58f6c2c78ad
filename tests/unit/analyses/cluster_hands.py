"""A scheduler and workers that are started by hand on loopback, as a person would in two terminals."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from distributed import Client

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "FIREGUI_THREADS": "1"}
_PATIENCE = 60.0


class Cluster:
    """See the module; :meth:`end` must be called."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self._begin("scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        """Begin one of one thread, without a nanny that would begin it anew."""
        return self._begin(
            "worker", "--nthreads", "1", "--no-nanny", "--dashboard-address", "127.0.0.1:0", "--host", "127.0.0.1",
            "--name", name, "--local-directory", str(self._folder / name),
        )  # fmt: skip

    def address(self) -> str:
        """The scheduler's, once it has one."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            text = self._file.read_text(encoding="utf-8") if self._file.is_file() else ""
            if '"address": "tcp://' in text:
                return text.split('"address": "')[1].split('"')[0]
            time.sleep(0.05)
        raise TimeoutError("the scheduler has no address")

    def await_workers(self, count: int) -> None:
        """Wait until ``count`` workers have joined."""
        with Client(self.address(), set_as_default=False) as client:
            client.wait_for_workers(count, timeout=_PATIENCE)

    def end(self) -> None:
        """Kill everybody."""
        for process in self.processes:
            process.kill()
            process.wait()

    def _begin(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(self._file), *words]
        process = subprocess.Popen(
            command, env=ENVIRONMENT, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.processes.append(process)
        return process
