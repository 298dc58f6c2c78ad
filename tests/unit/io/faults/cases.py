"""What a case of fault is: a sound input, what is done to it, and what the program then has to say.

Every case is made from a seed: the same case is the same bytes, so that a failure can be looked at again.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Rng = np.random.Generator

REFUSED, WORKS, EITHER = "refused", "works", "either"


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound input: the file to damage, and the words of the command that reads it.

    The word ``OUT`` stands for the project that the command may make.
    """

    path: Path
    words: tuple[str, ...]


Make = Callable[[Path, Rng], Sound]
Damage = Callable[[Sound, Rng], object]


@dataclass(frozen=True, slots=True)
class Fault:
    """One way of damaging the input of some importers.

    ``kind`` is the class of the fault, its ``name``, and behind a colon the ``variant`` that tells ways of one class
    apart. ``damage`` changes the sound input in place, or gives another with other words. ``alone`` is what may hang
    or fill the memory of the process that reads it if something is wrong. ``said`` is a regular expression for
    the message of a refusal, or for the report of an import that works.
    """

    kind: str
    importers: tuple[str, ...]
    damage: Damage
    said: str
    outcome: str = REFUSED
    odd_path: bool = False
    protected: bool = False
    alone: bool = False

    @property
    def name(self) -> str:
        """Class of the fault."""
        return self.kind.partition(": ")[0]

    @property
    def variant(self) -> str:
        """Way of the class; empty where there is one only."""
        return self.kind.partition(": ")[2]


@dataclass(frozen=True, slots=True)
class Case:
    """One faulty file."""

    fault: Fault
    importer: str
    seed: int

    @property
    def name(self) -> str:
        """A name without blanks, unique."""
        parts = (self.fault.name, self.fault.variant, self.importer, str(self.seed))
        return "-".join(part.replace(" ", "_") for part in parts if part)

    def prepare(self, folder: Path, make: Make) -> tuple[str, ...]:
        """Write the damaged input below ``folder``; returns the words of the command."""
        rng = np.random.default_rng([self.seed, zlib.crc32(self.name.encode())])
        inside = folder / ("Größe 火 (2) & co" if self.fault.odd_path else "in")
        inside.mkdir()
        sound = make(inside, rng)
        damaged = self.fault.damage(sound, rng)
        sound = damaged if isinstance(damaged, Sound) else sound
        return tuple(str(folder / "new.firegui") if word == "OUT" else word for word in sound.words)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed and left behind; ``changed`` names the files that came, went or differ."""

    code: int
    out: str
    err: str
    changed: tuple[str, ...]


def all_cases(faults: Sequence[Fault], seeds: Sequence[int]) -> Iterator[Case]:
    """Every fault for every importer it is for, with every seed."""
    for fault in faults:
        for importer in fault.importers:
            for seed in seeds:
                yield Case(fault, importer, seed)


def few(faults: Sequence[Fault]) -> list[Case]:
    """One case for each class and each importer, of those that do not need a process of their own."""
    chosen: list[Case] = []
    for case in all_cases([fault for fault in faults if not (fault.alone or fault.protected)], (1,)):
        classes, importers = {held.fault.name for held in chosen}, {held.importer for held in chosen}
        if case.fault.name not in classes or case.importer not in importers:
            chosen.append(case)
    return chosen


def complaints(case: Case, answer: Answer) -> list[str]:
    """Everything in which the program did not do what it should; empty when it did."""
    wanted = case.fault.outcome
    outcome = (WORKS if answer.code == 0 else REFUSED) if wanted == EITHER else wanted
    if outcome == WORKS and answer.code != 0:
        return [f"exit code {answer.code}: {answer.err.strip()[-600:]}"]
    if outcome == REFUSED and answer.code == 0:
        return [f"is taken for sound, and nothing says {case.fault.said!r}: {answer.out.strip()[-1500:]}"]
    found = _of_refusal(answer) if outcome == REFUSED else _of_success(answer)
    text = answer.err if outcome == REFUSED else answer.out
    if not re.search(case.fault.said, text):
        found.append(f"does not say {case.fault.said!r}: {text.strip()[:600]}")
    return found


def _of_refusal(answer: Answer) -> list[str]:
    found = [] if answer.code == 2 else [f"exit code {answer.code}: {(answer.out + answer.err).strip()[-600:]}"]
    lines = answer.err.splitlines()
    if not lines or not lines[0].endswith(":") or any(not line.startswith("  • ") for line in lines[1:]):
        found.append(f"is not one message that lists problems: {answer.err.strip()[-600:]}")
    if answer.out:
        found.append(f"prints {answer.out.strip()[:200]}")
    return found + ([f"leaves {', '.join(answer.changed)}"] if answer.changed else [])


def _of_success(answer: Answer) -> list[str]:
    found = [] if answer.code == 0 else [f"exit code {answer.code}: {answer.err.strip()[-600:]}"]
    return found + ([f"prints on standard error: {answer.err.strip()[:300]}"] if answer.err else [])


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Time and size of everything below ``folder``, by its name."""
    return {
        str(entry.relative_to(folder)): (status.st_mtime_ns, status.st_size)
        for entry in folder.rglob("*")
        if (status := entry.lstat())
    }


def changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """What came, went or differs between two snapshots."""
    return tuple(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)))
