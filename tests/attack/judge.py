"""What every attacked command must do: end in success or in one message, soon, with little memory, leaving nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.unit.io.faults.cases import Answer

MOST_S, MOST_MB = 30.0, 2048.0
_NEVER = re.compile(r"Traceback|an error in firegui|ran out of memory|Segmentation|double free|free\(\)|HDF5-DIAG")
_NOISE = re.compile(r"^(?:ERROR \d|Warning \d|.*Warning:|Exception |malloc|\*\*\*)", re.MULTILINE)
HALF = re.compile(r"\.tmp(?:\.|$)|\.export|(?:^|/)\.[^/]*\.tmp")


def complaints(answer: Answer, took: dict[str, Any], folder: Path, killed: bool = False) -> list[str]:
    """Return everything in which a command that worked in ``folder`` did not do what it must."""
    code, text = answer.code, answer.out + answer.err
    found = [f"prints {match.group()!r}: {text[-1500:]}" for match in [_NEVER.search(text)] if match]
    found += [f"a library prints: {answer.err[:300]!r}" for match in [_NOISE.search(answer.err)] if match]
    if killed:
        return found
    if code not in (0, 1, 2):
        found.append(f"ends with {code}: {answer.err[-1500:]}")
    reports = code == 1 and answer.out and not answer.err  # an audit that found violations
    if code in (1, 2) and not reports and not _one_message(answer.err):
        found.append(f"exit code {code} without one message: {answer.err[:600]!r}")
    if code == 2 and answer.changed:
        found.append(f"refuses and leaves {', '.join(answer.changed)}")
    half = [name for name in answer.changed if HALF.search(name) and (folder / name).exists()]
    if half:
        found.append(f"leaves what is half-written: {', '.join(half)}")
    if took["seconds"] > MOST_S:
        found.append(f"takes {took['seconds']:.1f} s")
    if took["peak_mb"] > MOST_MB:
        found.append(f"takes {took['peak_mb']:.0f} MB")
    return found


def _one_message(text: str) -> bool:
    """Return whether a text is a title with a list of problems, or one line of the program."""
    lines = text.splitlines()
    lists = [number for number, line in enumerate(lines) if line.endswith(":") and not line.startswith("  • ")]
    if lists and all(line.startswith("  • ") for line in lines[lists[-1] + 1 :]) and lists[-1] + 1 < len(lines):
        return not any("rror" in line for line in lines[: lists[-1]])
    return sum(line.startswith(("firegui: ", "Error: ")) for line in lines) == 1


class Tally:
    """Counts of attacks and their ends, by format."""

    def __init__(self) -> None:
        self.rows: dict[str, Counter[str]] = {}

    def add(self, row: str, outcome: str) -> None:
        """Count one attack."""
        self.rows.setdefault(row, Counter())[outcome] += 1

    def join(self, other: dict[str, dict[str, int]]) -> None:
        """Add the counts of another tally, given as plain values."""
        for row, counts in other.items():
            self.rows.setdefault(row, Counter()).update(counts)

    def lines(self) -> Iterable[str]:
        """Return a table: attacks, refusals, successes and failures by format."""
        kinds = ("refused", "works", "killed", "FAILED")
        total: Counter[str] = Counter()
        yield f"{'':<24}{'attacks':>9}" + "".join(f"{kind:>9}" for kind in kinds)
        for row, counts in sorted(self.rows.items()):
            total.update(counts)
            yield f"{row:<24}{counts.total():>9}" + "".join(f"{counts[kind] or '':>9}" for kind in kinds)
        yield f"{'all':<24}{total.total():>9}" + "".join(f"{total[kind] or '':>9}" for kind in kinds)
