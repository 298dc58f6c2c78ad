"""List what firegui is made of: a CycloneDX bill of materials, and the licences of all of it.

``python packaging/bill_of_materials.py --out FOLDER`` writes ``firegui.cdx.json`` (CycloneDX 1.6) and ``LICENCES.txt``
for firegui and everything that it needs, as installed in the environment of this Python. Standard library only, no
network. Packages of extras and of the tests are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BILL, LICENCES = "firegui.cdx.json", "LICENCES.txt"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_LICENCE_FILE = re.compile(r"(?:^|/)(?:licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
_SHORT = 80


def needed(name: str) -> dict[str, Distribution]:
    """Return a package and everything that it needs, by normalized name, as far as it is installed.

    A requirement that is not installed is one for another system. Requirements of extras do not count.
    """
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        key = normalized(waiting.pop())
        if key in found:
            continue
        try:
            found[key] = distribution(key)
        except PackageNotFoundError:
            continue
        waiting += list(requirements(found[key]))
    return dict(sorted(found.items()))


def requirements(package: Distribution) -> Iterator[str]:
    """Yield the names of the packages that a package needs without extras."""
    for line in package.requires or ():
        match = _NAME.match(line)
        if match is not None and "extra ==" not in line:
            yield match[0]


def normalized(name: str) -> str:
    """Return the name of a package as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """Return the licence that a package declares: an SPDX expression where it has one, else its own words."""
    meta = package.metadata
    for key in ("License-Expression", "License"):
        text = "".join(meta.get_all(key) or ()).strip()
        if text and "\n" not in text and len(text) <= _SHORT:
            return text
    named = [line.rpartition(" :: ")[2] for line in meta.get_all("Classifier") or () if line.startswith("License :: ")]
    return ", ".join(named) or "not declared"


def licence_texts(package: Distribution) -> list[str]:
    """Return the licence files that come with a package."""
    files = (file for file in package.files or () if _LICENCE_FILE.search(file.as_posix()))
    paths = sorted({Path(str(file.locate())) for file in files})
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in paths if path.is_file()]


def bill(packages: Mapping[str, Distribution], main: str) -> dict[str, Any]:
    """Return the bill of materials of ``main`` as CycloneDX 1.6. The same packages give the same bill."""
    parts = {key: _component(key, package) for key, package in packages.items()}
    refs = {key: part["bom-ref"] for key, part in parts.items()}
    needs = {key: {normalized(each) for each in requirements(package)} for key, package in packages.items()}
    graph = [
        {"ref": refs[key], "dependsOn": sorted(refs[name] for name in names if name in refs)}
        for key, names in needs.items()
    ]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(refs.values()))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": {**parts[main], "type": "application"}},
        "components": [part for key, part in parts.items() if key != main],
        "dependencies": graph,
    }


def _component(key: str, package: Distribution) -> dict[str, Any]:
    purl = f"pkg:pypi/{key}@{package.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": key,
        "version": package.version,
        "purl": purl,
        "licenses": [{"license": {"name": licence(package)}}],
    }


def licence_list(packages: Mapping[str, Distribution]) -> str:
    """Return a table of packages with their licences, and the texts of the licences after it."""
    rows = [f"{key:<28} {package.version:<18} {licence(package)}" for key, package in packages.items()]
    texts = [
        f"{'=' * 100}\n{key} {package.version}\n{'=' * 100}\n" + "\n\n".join(licence_texts(package))
        for key, package in packages.items()
    ]
    return "\n".join(["firegui is made of these packages.", "", *rows, "", *texts]) + "\n"


def write(folder: Path) -> list[Path]:
    """Write both files into ``folder`` and return their paths."""
    packages = needed("firegui")
    if "firegui" not in packages:
        raise SystemExit("firegui is not installed in this environment: pip install -e . -c packaging/constraints.txt")
    folder.mkdir(parents=True, exist_ok=True)
    made = [folder / BILL, folder / LICENCES]
    made[0].write_text(json.dumps(bill(packages, "firegui"), indent=2) + "\n", encoding="utf-8")
    made[1].write_text(licence_list(packages), encoding="utf-8")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files and print their paths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for both files (default: dist)")
    for path in write(parser.parse_args(arguments).out):
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
