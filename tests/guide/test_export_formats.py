"""The pages of the guide on files: every export format is on them."""

from __future__ import annotations

import re

from firegui.assets import resource
from firegui.io.exporters import FILMS, FORMATS, PROPOSAL_FORMATS
from tests.guide.test_command_line import sections


def row_of(option: str) -> str:
    """Return what the page on the command line says of an option of ``export``."""
    (row,) = re.findall(rf"^\| `{option} [^|]*\| (.*) \|$", sections()["export"], re.MULTILINE)
    return str(row)


def test_the_table_of_files_has_every_format() -> None:
    page = resource("help/files.md").read_text(encoding="utf-8")
    table = page.split("\n## What is handed over\n")[1].split("\n## ")[0]
    named = re.findall(r"`([^`]+)`", " ".join(line.split("|")[1] for line in table.splitlines() if "|" in line))
    assert sorted(named) == sorted((*FORMATS, *FILMS))


def test_the_command_line_names_every_format_in_the_order_of_its_help() -> None:
    assert row_of("--format") == f"Formats, with commas between: {', '.join((*FORMATS, *FILMS))}"


def test_the_command_line_names_the_formats_that_list_proposals() -> None:
    assert f"({', '.join(PROPOSAL_FORMATS)})" in row_of("--drops")
