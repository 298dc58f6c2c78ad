"""Numbers on the command line are read by the types that refuse what only Python reads as a number."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

CLI = Path(__file__).resolve().parents[2] / "firegui" / "cli"
PLAIN = ("int", "float", "click.INT", "click.FLOAT", "click.Int", "click.Float")


def plain_types(source: str) -> list[str]:
    """Return the options of a module whose type is Python's own ``int`` or ``float``."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    types = (word.value for call in calls for word in call.keywords if word.arg == "type")
    return [text for found in types if (text := ast.unparse(found)).startswith(PLAIN)]


def test_no_option_reads_a_number_by_a_type_of_python() -> None:
    assert {path.name: found for path in CLI.glob("*.py") if (found := plain_types(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("kind", ["int", "float", "click.IntRange(1, 9)"])
def test_the_rule_finds_one(kind: str) -> None:
    assert plain_types(f"click.option('--n', type={kind})") == [kind]
