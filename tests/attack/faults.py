"""One attack on a command that writes: no room, a full disk, no right to write, or a kill."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.attack.attack import Commands, Verdict, ask, make_places
from tests.attack.judge import HALF, complaints
from tests.attack.mutators import pick
from tests.attack.samples import Sample
from tests.unit.io.faults.cases import Rng

WRITING = ("maps npz", "events hdf5", "layers geotiff", "wind csv", "fleet toml", "regions geojson", "run export")
"""Samples whose commands write."""

_DISK_BYTES = 8 * 2**20
_LONGEST_S = 0.8
"""About what one of the commands takes."""


def kinds() -> tuple[str, ...]:
    """Return the faults that this machine can make; a disk of our own needs the right to mount one."""
    mounts = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
    return ("no room", "read-only", "kill", *(["full disk"] if mounts else []))


def attack_writing(samples: Sequence[Sample], seed: int, number: int, folder: Path, commands: Commands) -> Verdict:
    """Run a command under a fault, then again without: nothing is torn, and the second time it works."""
    rng = np.random.default_rng([seed, number, 1])
    chosen = [sample for sample in samples if sample.name in WRITING]
    sample, kind = chosen[number % len(chosen)], pick(rng, kinds())
    make_places(folder)
    disk = Disk(folder / "data") if kind == "full disk" else None
    try:
        return _attacked(sample, kind, disk, rng, folder, commands)
    finally:
        if disk is not None:
            disk.close()


def _attacked(sample: Sample, kind: str, disk: Disk | None, rng: Rng, folder: Path, commands: Commands) -> Verdict:
    data = folder / "data"
    sound = sample.copy(data / "in")
    words = tuple(str(data / "new.firegui") if word == "OUT" else word for word in sound.words)
    more: dict[str, Any] = {}
    what = f"{sample.name}: {kind}"
    match kind:
        case "no room":
            more["room_bytes"] = int(2 ** rng.uniform(13, 18))
        case "kill":
            more["kill_s"] = float(rng.uniform(0.0, _LONGEST_S))
        case "read-only":
            more["humble"] = True
            for place in (data, data / "in", *(data / "in").glob("*.firegui")):
                place.chmod(0o555)
        case _:
            assert disk is not None
            disk.fill(int(2 ** rng.uniform(0, 20)))
    answer, took = ask(commands, words, folder, **more)
    found = complaints(answer, took, folder, killed=kind == "kill")
    for place in (data, *(entry for entry in data.rglob("*") if entry.is_dir())):
        place.chmod(0o755)
    if disk is not None:
        disk.empty()
    outcome = "killed" if answer.code == -9 else "refused" if answer.code else "works"
    if answer.code != 0 and not found:
        found = _second_time(sample, words, folder, commands)
    return Verdict(kind, f"{what} {more}", outcome, tuple(found))


def _second_time(sample: Sample, words: tuple[str, ...], folder: Path, commands: Commands) -> list[str]:
    """Return what is wrong once the fault is over. What was made whole before a kill may be there."""
    made = folder / "data" / "new.firegui"
    if (made / "project.toml").exists():
        words = ("info", str(made))
    answer, took = ask(commands, words, folder)
    found = [f"afterwards: {each}" for each in complaints(answer, took, folder)]
    found += [f"afterwards it does not work: {answer.err}"] if answer.code else []
    half = [str(path) for path in made.rglob("*") if HALF.search(path.name)]
    return found + ([f"leaves what is half-written: {half}"] if half else [])


def attack_plan(project: Path, whole: Path, seed: int, number: int, folder: Path, commands: Commands) -> Verdict:
    """Kill a plan and resume it: what it finds is what the run found that was not killed."""
    rng = np.random.default_rng([seed, number, 2])
    make_places(folder)
    run = folder / "data" / "run"
    words = plan_words(project, run)
    kill_s = float(rng.uniform(0.0, 3.0))
    answer, took = ask(commands, words, folder, kill_s=kill_s)
    found = complaints(answer, took, folder, killed=True)
    resumes = (run / "run.toml").exists()
    outcome = "killed" if answer.code == -9 else "works"
    answer, took = ask(commands, (*words, "--resume") if resumes else words, folder)
    found += [f"resumed: {each}" for each in complaints(answer, took, folder)]
    found += [f"does not resume: {answer.err}"] if answer.code else []
    names = ("plan.safetensors", "schedule.csv", "drops.json", "occupancy.tif")
    found += [f"{name} differs" for name in names if not _same(run / name, whole / name)]
    return Verdict("kill of a plan", f"after {kill_s:.2f} s", outcome, tuple(found))


def plan_words(project: Path, run: Path) -> tuple[str, ...]:
    """Return a plan that compiles no kernels."""
    return ("plan", str(project), "--out", str(run), "--backend", "reference", "--epochs", "30", "--progress", "none")


def _same(one: Path, other: Path) -> bool:
    return one.exists() and one.read_bytes() == other.read_bytes()


class Disk:
    """Small disk of our own, mounted on a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES}", "tmpfs", str(folder)], check=True)

    def fill(self, free: int) -> None:
        """Leave so many bytes free."""
        status = os.statvfs(self.folder)
        room = status.f_bavail * status.f_frsize
        (self.folder / "filling").write_bytes(bytes(max(0, room - free)))

    def empty(self) -> None:
        """Remove what :meth:`fill` wrote."""
        (self.folder / "filling").unlink()

    def close(self) -> None:
        """Unmount it. A reader process may need a moment more to close its file."""
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)
