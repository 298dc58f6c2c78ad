"""Copy the change log into the guide, as the page "What is new".

``python packaging/release_notes.py`` makes ``resources/help/whats-new.md``, which is shipped, from
``packaging/CHANGELOG.md``, which is not. Standard library only.
"""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
CHANGELOG = CHECKOUT / "packaging" / "CHANGELOG.md"
PAGE = CHECKOUT / "resources" / "help" / "whats-new.md"
_VERSION = re.compile(r"^## (?P<version>\S+).*$", re.MULTILINE)


def page_of(changelog: str) -> str:
    """Return the page: the versions of the change log, with links that lead to pages of the guide."""
    versions = changelog[changelog.index("\n## ") + 1 :]
    return _VERSION.sub(r"## What is new in \g<version>", versions).replace("](../resources/help/", "](")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page_of(CHANGELOG.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
