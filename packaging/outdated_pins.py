"""Print which pins of ``packaging/constraints.txt`` are behind the newest release.

``python packaging/outdated_pins.py`` asks the package index of pip for every pin; ``NAME …`` asks for these alone.
Standard library only, and nothing is installed or changed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

CONSTRAINTS = Path(__file__).resolve().parent / "constraints.txt"
_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)==([^\s;]+)")
_NEWEST = re.compile(r"^\S+ \(([^)]+)\)", re.MULTILINE)


def pins(constraints: str) -> dict[str, str]:
    """Return the pinned version of every package, in the order of the file."""
    found = (_PIN.match(line) for line in constraints.splitlines())
    return {match[1]: match[2] for match in found if match is not None}


def pip_answer(name: str) -> str:
    """Return what pip says of the versions of a package; empty where the index does not answer."""
    command = [sys.executable, "-m", "pip", "index", "versions", "--disable-pip-version-check", name]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def newest(answer: str) -> str:
    """Return the newest version in an answer of pip, empty where it names none."""
    match = _NEWEST.search(answer)
    return "" if match is None else match[1]


def report(pinned: Mapping[str, str], ask: Callable[[str], str]) -> Iterator[str]:
    """Yield a line for every pin that is behind or of which nothing is known, and a line that counts them."""
    behind = unknown = 0
    for name, version in pinned.items():
        latest = newest(ask(name))
        if not latest:
            unknown += 1
            yield f"{name} {version}: the index does not answer"
        elif latest != version.partition("+")[0]:
            behind += 1
            yield f"{name} {version}: {latest} is the newest"
    yield f"{behind} of {len(pinned)} pins are behind" + (f", {unknown} are not known" if unknown else "")


def main(names: Sequence[str]) -> int:
    """Print the report for the pins called ``names``, for all without any; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0].replace("``", ""))
    parser.add_argument("names", nargs="*", metavar="NAME", help="ask for these packages alone")
    names = parser.parse_args(names).names
    pinned = pins(CONSTRAINTS.read_text(encoding="utf-8"))
    absent = [name for name in names if name not in pinned]
    if absent:
        print(f"packaging/constraints.txt does not pin {', '.join(absent)}", file=sys.stderr)
        return 2
    for line in report({name: pinned[name] for name in names or pinned}, pip_answer):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
