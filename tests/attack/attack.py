"""One attack on the program by a damaged file. Its seed and its number determine every byte."""

from __future__ import annotations

import shutil
import sqlite3
import struct
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rasterio.errors import RasterioError

from tests.attack.judge import complaints
from tests.attack.mutators import flip_bits, mutators_of, pick
from tests.attack.samples import Sample
from tests.unit.io.faults.cases import Answer, Rng, Sound, changed, snapshot

LOADED = ("firegui.cli.imports", "firegui.cli.configure", "firegui.cli.export", "firegui.cli.info", "firegui.cli.audit",
          "firegui.api.exports", "firegui.io.exporters.gpkg", "tests.attack.readers")  # fmt: skip
"""Modules that are loaded once, before commands are forked."""

ALONE = ("no_file", "other_content", "outside_table", "hollow")
CANNOT = (ValueError, TypeError, LookupError, OSError, sqlite3.Error, RasterioError, zipfile.BadZipFile, struct.error)
"""What a change of a file may raise."""

PLACES = ("data", "work", "tmp")


class Commands(Protocol):
    """Process that runs commands."""

    def run(self, words: tuple[str, ...], folder: Path, humble: bool, **more: Any) -> dict[str, Any]:
        """Run one command."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of an attack: its description, ``refused`` or ``works``, and what is wrong."""

    row: str
    what: str
    outcome: str
    failures: tuple[str, ...]


def attack_file(
    samples: Sequence[Sample], seed: int, number: int, folder: Path, commands: Commands, url: str
) -> Verdict:
    """Damage a sample in ``folder`` and give it to its command."""
    rng = np.random.default_rng([seed, number])
    sample = samples[number % len(samples)]
    make_places(folder)
    sound = sample.copy(folder / "data" / "in")
    path = _target(sound, rng)
    names = _damage(path, rng, url)
    words = tuple(str(folder / "data" / "new.firegui") if word == "OUT" else word for word in sound.words)
    answer, took = ask(commands, words, folder, humble=rng.random() < 0.1)
    found = complaints(answer, took, folder)
    if answer.code == 0 and (folder / "data" / "new.firegui" / "project.toml").exists():
        again, took = ask(commands, ("info", str(folder / "data" / "new.firegui")), folder)
        found += [f"what was imported does not open: {each}" for each in complaints(again, took, folder)]
        found += [f"what was imported does not open: {again.err}"] if again.code else []
    return Verdict(
        sample.name, f"{path.name}: {', '.join(names)}", "works" if answer.code == 0 else "refused", tuple(found)
    )


def make_places(folder: Path) -> None:
    """Make the folders that a command may use."""
    for name in PLACES:
        (folder / name).mkdir(parents=True, exist_ok=True)


def ask(commands: Commands, words: tuple[str, ...], folder: Path, **more: Any) -> tuple[Answer, dict[str, Any]]:
    """Run a command; return its answer and what it took."""
    before = {place: snapshot(folder / place) for place in PLACES}
    took = commands.run(words, folder, more.pop("humble", False), **more)
    after = {place: snapshot(folder / place) for place in PLACES}
    differing = tuple(
        f"{place}/{name}"
        for place in PLACES
        for name in changed(before[place], after[place])
        # Files that came and went again leave their folder with another time.
        if not (name in before[place] and (folder / place / name).is_dir())
    )
    out, err = ((folder / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
    return Answer(took["code"], out, err, differing), took


def _target(sound: Sound, rng: Rng) -> Path:
    """Return the file to damage: mostly the one that the sample is about, else one that is read with it."""
    near = [path for path in sound.path.parent.iterdir() if path.stem == sound.path.stem and path.is_file()]
    every = [path for path in sorted(_root(sound).rglob("*")) if path.is_file() and path.name != ".lock"]
    return Path(pick(rng, sorted(near) if rng.random() < 0.7 else every))


def _root(sound: Sound) -> Path:
    return next((part for part in sound.path.parents if part.suffix == ".firegui"), sound.path.parent)


def _damage(path: Path, rng: Rng, url: str) -> list[str]:
    """Change a file once by what knows its format, by changes of its bytes, or both; return their names."""
    known, general = mutators_of(path)
    chosen = [pick(rng, known)] if known and rng.random() < 0.7 else []
    if not chosen or rng.random() < 0.25:
        chosen += [pick(rng, general) for _ in range(int(rng.integers(1, 3)))]
    alone = [each for each in chosen if each.name in ALONE]
    chosen = alone[:1] or chosen
    names = []
    for each in chosen:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                each.change(path, rng, url)
            names.append(each.name)
        except CANNOT:
            # The library that writes the format refuses, or the file is not what its ending says.
            flip_bits(path, rng, url)
            names.append(flip_bits.__name__)
    return names


def attack_until(over: Callable[[], bool], attack: Callable[[int, Path], Verdict], folder: Path) -> list[Verdict]:
    """Attack until the time is over; keep the folders of failures."""
    verdicts: list[Verdict] = []
    while not over():
        place = folder / str(len(verdicts))
        verdict = attack(len(verdicts), place)
        verdicts.append(verdict)
        if not verdict.failures:
            remove(place)
    return verdicts


def remove(folder: Path) -> None:
    """Remove a folder in which rights were taken away."""
    for entry in folder.rglob("*"):
        if entry.is_dir() and not entry.is_symlink():
            entry.chmod(0o700)
    shutil.rmtree(folder)
