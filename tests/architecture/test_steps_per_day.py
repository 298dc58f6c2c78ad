"""The steps of a day are asked from the project: no module hides the paper's 50 or a length that follows from it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "firegui"
HIDDEN = (50, 0.48, 28.8, 1728, 750)
"""The paper's steps of a day, a step in hours, minutes and seconds, and the steps of its fifteen days."""
ABOUT_TIME = re.compile(r"step|per_day|day|hour|turnaround|calendar|n_t\b", re.IGNORECASE)
NOT_TIME = re.compile(r"_MS\b|every", re.IGNORECASE)
DECLARED = "domain/calendar.py"
NO_PROJECT = {"domain/scenario.py", "api/inputs.py", "api/stress_tests.py", "rollout/synthetic_fires.py",
              "gui/map/timeline.py", "domain/physical.py", "domain/project.py", DECLARED}  # fmt: skip
"""Modules that may name the constant: an event that states nothing, a file read without a project, a made-up fire, and
the physical fire model, which has at least as many and leaves them to the model that replaces it."""


def _is_hidden(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value in HIDDEN


def _is_time(text: str) -> bool:
    return bool(ABOUT_TIME.search(text)) and not NOT_TIME.search(text)


def _pairs(target: ast.expr, value: ast.expr | None) -> list[tuple[ast.expr, ast.expr]]:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return [pair for one in zip(target.elts, value.elts, strict=False) for pair in _pairs(*one)]
    return [] if value is None else [(target, value)]


def hidden_steps(source: str) -> list[str]:
    """Return expressions of a module that give a name of time one of the numbers, or compute with both."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assign():
                pairs = [pair for target in node.targets for pair in _pairs(target, node.value)]
                found += [ast.unparse(at) for at, value in pairs if _is_hidden(value) and _is_time(ast.unparse(at))]
            case ast.AnnAssign() if _is_hidden(node.value) and _is_time(ast.unparse(node.target)):
                found.append(ast.unparse(node.target))
            case ast.keyword() if _is_hidden(node.value) and _is_time(node.arg or ""):
                found.append(ast.unparse(node))
            case ast.arguments():
                named = [*node.posonlyargs, *node.args]
                defaults = list(zip(named[len(named) - len(node.defaults) :], node.defaults, strict=True))
                defaults += [
                    (one, value) for one, value in zip(node.kwonlyargs, node.kw_defaults, strict=True) if value
                ]
                found += [one.arg for one, value in defaults if _is_hidden(value) and _is_time(one.arg)]
            case ast.BinOp(left, _, right) if _is_hidden(left) or _is_hidden(right):
                if _is_time(ast.unparse(right if _is_hidden(left) else left)):
                    found.append(ast.unparse(node))
            case ast.Compare(left, _, comparators) if any(_is_hidden(one) for one in (left, *comparators)):
                if _is_time(ast.unparse(node)):
                    found.append(ast.unparse(node))
            case ast.Call(ast.Name("Calendar" | "turnaround_steps"), arguments) if any(map(_is_hidden, arguments)):
                found.append(ast.unparse(node))
    return found


def _names_the_constant(source: str) -> bool:
    nodes = ast.walk(ast.parse(source)) if "STEPS_PER_DAY" in source else ()
    aliases = (alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names)
    return any(alias.name == "STEPS_PER_DAY" for alias in aliases)


def test_no_module_hides_the_steps_of_a_day() -> None:
    sources = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    assert {name: found for name, source in sources.items() if (found := hidden_steps(source))} == {
        DECLARED: ["STEPS_PER_DAY"]
    }
    assert {name for name, source in sources.items() if _names_the_constant(source)} <= NO_PROJECT


@pytest.mark.parametrize(
    "source",
    [
        "day = step // 50",
        "hours = step * 0.48",
        "STEPS_PER_DAY = 50",
        "SHAPE, STEPS_PER_DAY = (3, 4), 50",
        "class A:\n    steps_per_day: int = 50",
        "def f(hours, per_day=50): pass",
        "def f(*, n_steps=750): pass",
        "model(steps_per_day=50)",
        "Calendar(start, 15, 50)",
        "night = step % 50 < 20",
        "is_end = last_step == 750",
    ],
)
def test_the_rule_finds_a_hidden_constant(source: str) -> None:
    assert hidden_steps(source)


@pytest.mark.parametrize("source", ["INTERVAL_MS = 50", "weight = 50.5", "day = step // per_day", "f(low=50.0)"])
def test_the_rule_leaves_other_numbers(source: str) -> None:
    assert not hidden_steps(source)
