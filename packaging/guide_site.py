"""Build the guide and the reference of the Python code as a static site.

``python packaging/guide_site.py [--out DIR]`` in an environment with the extra ``docs``
(``pip install -e .[docs] -c packaging/constraints.txt``). The site needs no server and no network: open its
``index.html``. Pages of the guide are those of the window, in the same order. The reference is made from the docstrings
without importing the code.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
PACKAGE = CHECKOUT / "firegui"
HELP = CHECKOUT / "resources" / "help"
GUIDE_PARTS = ("First steps", "The window", "The method", "Reference", "Extending firegui")
FLOORS = ("api", "analyses", "runs", "planning", "calibration", "ensembles", "rollout", "fire", "io", "domain")
"""Packages with a page in the reference, below the public interface."""
_PRIVATE = "rollout/kernels"
_ROLE = re.compile(r":(?:class|func|meth|mod|data|attr|exc):<code>(?P<short>~?)\.?(?P<name>[\w.]+)</code>")
_INDEX = """# firegui

A desktop workbench, a command line and a Python package that plan the aerial attack on a wildfire.

**What firegui shows is the output of a model, and not advice for operations.** See [Limits](limits.md).

- Begin with [Getting started](getting-started.md) and the [Tutorial](tutorial.md).
- [Command line](command-line.md) and [File formats](files.md) are the reference for scripts.
- [From Python](from-python.md) shows scripts and notebooks; [firegui](api/firegui.md) is the reference.
"""


def write_sources(folder: Path, groups: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """Write the pages of the site to ``folder`` and return its navigation.

    ``groups`` are the pages of the guide.
    """
    shutil.copytree(HELP, folder, dirs_exist_ok=True)
    (folder / "index.md").write_text(_INDEX, encoding="utf-8")
    parts = {title: [f"{page}.md" for page in pages] for title, pages in zip(GUIDE_PARTS, groups, strict=True)}
    (folder / "api").mkdir()
    reference = [_write_page(folder, "firegui", ["firegui"])]
    for floor in FLOORS:
        reference.append(_write_page(folder, f"firegui.{floor}", list(modules_of(PACKAGE / floor))))
    return [{"firegui": "index.md"}, *({title: pages} for title, pages in parts.items()), {"Python": reference}]


def modules_of(folder: Path) -> Iterator[str]:
    """Yield the dotted name of a package and of every module in it, but for private ones."""
    for path in sorted(folder.rglob("*.py"), key=lambda path: (path.parent, path.name != "__init__.py", path.name)):
        inside = path.relative_to(PACKAGE.parent).with_suffix("")
        parts = inside.parts[:-1] if inside.name == "__init__" else inside.parts
        if _PRIVATE not in "/".join(parts) and not any(part.startswith("_") for part in parts):
            yield ".".join(parts)


def _write_page(folder: Path, title: str, modules: Sequence[str]) -> dict[str, str]:
    blocks = [f"::: {name}\n" for name in modules]
    (folder / "api" / f"{title}.md").write_text("\n".join([f"# {title}\n", *blocks]), encoding="utf-8")
    return {title: f"api/{title}.md"}


def on_page_content(html: str, **_: object) -> str:
    """Replace roles of docstrings, such as ``:class:``, by their names. MkDocs calls this for every page."""
    return _ROLE.sub(
        lambda role: f"<code>{role['name'].split('.')[-1] if role['short'] else role['name']}</code>", html
    )


def build(out: Path, groups: Sequence[Sequence[str]]) -> None:
    """Build the site in ``out``. Raises an error of MkDocs for a link or an anchor that leads nowhere."""
    # MkDocs is installed with the extra only, and the tests import this module without it.
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as temporary:
        sources = Path(temporary) / "docs"
        navigation = write_sources(sources, groups)
        (Path(temporary) / "mkdocs.yml").write_text("site_name: firegui\n", encoding="utf-8")
        build_site(load_config(
            str(Path(temporary) / "mkdocs.yml"), docs_dir=str(sources), site_dir=str(out.resolve()), nav=navigation,
            theme={"name": "readthedocs", "highlightjs": False}, use_directory_urls=False, strict=True,
            hooks=[str(Path(__file__).resolve())],
            validation={"links": {"anchors": "warn"}},
            markdown_extensions=["tables", "fenced_code", "sane_lists", "toc"],
            plugins=["search", {"mkdocstrings": {"handlers": {"python": {
                "paths": [str(CHECKOUT)],
                "options": {
                    "docstring_style": "google", "show_root_heading": True, "show_source": False,
                    "show_submodules": False, "filters": ["!^_"], "members_order": "source",
                    "show_if_no_docstring": False, "heading_level": 2, "separate_signature": True,
                    "show_signature_annotations": True,
                },
            }}}}],
        ))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the site as the command line says."""
    parser = argparse.ArgumentParser(description="Build the guide and the reference as a static site.")
    parser.add_argument("--out", type=Path, default=CHECKOUT / "site", help="folder of the site; site unless given")
    asked = parser.parse_args(arguments)
    sys.path.insert(0, str(CHECKOUT))
    from firegui.gui.help.help_view import GROUPS

    build(asked.out, GROUPS)
    print(f"Open {asked.out / 'index.html'}")


if __name__ == "__main__":
    main()
