"""The pages of the help: Markdown files of ``resources/help``, in the order in which they are listed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firegui.assets import resource

FIRST = "getting-started"
GROUPS: tuple[tuple[str, ...], ...] = (
    (FIRST, "tutorial", "start-page", "shortcuts", "help", "whats-new", "releases"),
    (
        "map", "drops", "scenario", "layers", "regions", "fleet", "calendar", "objective", "constraints", "timeline",
        "progress", "runs", "log", "skill", "calibrate", "sensitivity", "uncertainty", "benchmark", "study",
        "fleet-value", "import", "export",
    ),
    (
        "method", "method-fire", "method-drops", "method-search", "method-pruning", "method-uncertainty", "limits",
    ),
    ("conventions", "files", "command-line", "troubleshooting"),
    ("extend-planner", "extend-fire-model", "extend-importer"),
)  # fmt: skip
"""How the pages are listed: to begin with, the docks, the method, what to look up, and how to add to firegui."""
PAGES = tuple(name for group in GROUPS for name in group)
_MARKS = re.compile(r"[*_`#>|]|!?\[(?P<text>[^\]]*)\]\([^)]*\)")
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its ``name`` is that of the file, its ``title`` the first heading."""

    name: str
    title: str
    markdown: str

    @property
    def plain(self) -> str:
        """The text without its marks, on one line."""
        bare = _MARKS.sub(lambda match: match["text"] or "", self.markdown)
        return " ".join(bare.split())


@dataclass(frozen=True, slots=True)
class Found:
    """A page that holds every word looked for, with the place where the first of them stands."""

    page: Page
    excerpt: str


def read_page(name: str) -> Page:
    """Read one page. Raises :class:`~firegui.errors.FireguiError` when it is not shipped."""
    text = resource(f"help/{name}.md").read_text(encoding="utf-8")
    first = next((line for line in text.splitlines() if line.startswith("#")), name)
    return Page(name, first.lstrip("# ").strip(), text)


def read_pages() -> tuple[Page, ...]:
    """Every page, in order."""
    return tuple(read_page(name) for name in PAGES)


def page_of_panel(title: str) -> str:
    """The page that explains the dock called ``title``; the first page where there is none."""
    name = title.lower()
    return name if name in PAGES else FIRST


def look_for(words: str, pages: Sequence[Page]) -> list[Found]:
    """Pages that hold every one of ``words``, those with a word in the title first; all of them for no word."""
    wanted = words.lower().split()
    found: list[tuple[int, Found]] = []
    for page in pages:
        plain = page.plain
        lower, title = plain.lower(), page.title.lower()
        if all(word in lower or word in title for word in wanted):
            in_title = sum(word in title for word in wanted)
            found.append((-in_title, Found(page, _excerpt(plain, wanted))))
    return [each for _rank, each in sorted(found, key=lambda pair: pair[0])]


def _excerpt(plain: str, wanted: Sequence[str]) -> str:
    places = [plain.lower().find(word) for word in wanted]
    at = next((place for place in places if place >= 0), 0)
    start, end = max(at - _AROUND // 2, 0), at + _AROUND
    return f"{'…' if start else ''}{plain[start:end].strip()}{'…' if end < len(plain) else ''}"
