"""What may lie in the repository."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
TOP_LEVEL = {"pyproject.toml", "firegui", "resources", "tests", "packaging", "README.md", "LICENSE"}
LARGEST = 1_000_000
# Put together here so that this file does not hold what it looks for.
OF_ONE_MACHINE = re.compile(r"(?<![\w.])/(?:" + "|".join(["work", "root", "home/" + r"\w+", "Users/" + r"\w+"]) + ")/")
IGNORED = {".git", ".venv", "__pycache__", "build", "dist"}


def repository_files() -> list[Path]:
    """Files that are, or are about to be, in the repository; in a tree without git every file that is not a cache."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    if (CHECKOUT / ".git").exists():
        done = subprocess.run(listing, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return [path for name in done.stdout.split("\0") if name and (path := CHECKOUT / name).is_file()]
    return [path for path in CHECKOUT.rglob("*") if path.is_file() and not is_ignored(path)]


def is_ignored(path: Path) -> bool:
    """Whether a file lies in a folder that git ignores here."""
    parts = path.relative_to(CHECKOUT).parts[:-1]
    return any(part in IGNORED or part.endswith(("_cache", ".egg-info", ".hypothesis")) for part in parts)


def text_of(path: Path) -> str:
    """The text of a file, empty for a binary one."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def test_no_file_names_a_path_of_one_machine() -> None:
    named = [str(path.relative_to(CHECKOUT)) for path in repository_files() if OF_ONE_MACHINE.search(text_of(path))]

    assert named == []


@pytest.mark.parametrize("path", ["/ro" + "ot/x", "see /wo" + "rk/main/x", "'/ho" + "me/me/x'", "(/Us" + "ers/me/x)"])
def test_a_path_of_one_machine_is_recognised(path: str) -> None:
    assert OF_ONE_MACHINE.search(path)


@pytest.mark.parametrize("path", ["../shared/data", "network/root/x", "https://host.org/home/", "a/work/b", "/etc/x"])
def test_other_paths_are_left_alone(path: str) -> None:
    assert not OF_ONE_MACHINE.search(path)


def test_no_file_is_larger_than_a_megabyte() -> None:
    large = {str(path.relative_to(CHECKOUT)): path.stat().st_size for path in repository_files()}

    assert {name: size for name, size in large.items() if size > LARGEST} == {}


def test_nothing_but_the_planned_folders_lies_at_the_top() -> None:
    top = {path.relative_to(CHECKOUT).parts[0] for path in repository_files()}

    assert {name for name in top if not name.startswith(".")} <= TOP_LEVEL


EXECUTES = re.compile(
    r"pickle\.(?:loads?|dumps?|Unpickler|Pickler)\b|allow_pickle=True|torch\.(?:load|save)\(|(?<![\w.])(?:eval|exec)\("
)


def test_nothing_is_read_by_executing_it() -> None:
    sources = (path for path in (CHECKOUT / "firegui").rglob("*.py") if EXECUTES.search(text_of(path)))

    assert [str(path.relative_to(CHECKOUT)) for path in sources] == []


@pytest.mark.parametrize("line", ["x = eval(text)", "pickle.load(file)", "torch.load(path)", "exec(code)"])
def test_reading_by_execution_is_recognised(line: str) -> None:
    assert EXECUTES.search(line)


@pytest.mark.parametrize("line", ["dialog.exec()", "model.eval()", "except pickle.UnpicklingError:", "evaluate(plan)"])
def test_other_calls_are_left_alone(line: str) -> None:
    assert not EXECUTES.search(line)


UNPLACED = re.compile(r"\.legend\((?![^\n]*loc=\"(?!best))")
"""A legend without a place: matplotlib looks for the best one, and warns where that takes more than a second."""


def test_every_legend_has_a_place() -> None:
    sources = (path for path in (CHECKOUT / "firegui").rglob("*.py") if UNPLACED.search(text_of(path)))

    assert [str(path.relative_to(CHECKOUT)) for path in sources] == []


@pytest.mark.parametrize("line", ["axes.legend(fontsize=7)", 'axes.legend(loc="best")', "axes.legend()"])
def test_a_legend_without_a_place_is_recognised(line: str) -> None:
    assert UNPLACED.search(line)


def test_every_dependency_is_pinned_to_one_version() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(need for name in ("dev", "docs") for need in extras[name])]
    lines = (CHECKOUT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {plain(line.split("==")[0]): line.split("==")[1] for line in lines if line and not line.startswith("#")}

    missing = [need for need in wanted if plain(re.split(r"[^\w.-]", need, maxsplit=1)[0]) not in pins]

    assert missing == []
    assert all(re.fullmatch(r"\d[\w.]*", version) for version in pins.values())


def plain(name: str) -> str:
    """A distribution name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
