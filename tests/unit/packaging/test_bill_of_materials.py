"""The bill of materials and the licences of what firegui is made of."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging"))

import bill_of_materials
from bill_of_materials import BILL, LICENCES, bill, licence, licence_list, licence_texts, main, needed


def installed(place: Path, name: str, version: str, *lines: str, licence_text: str = "") -> None:
    folder = place / f"{name}-{version}.dist-info"
    (folder / "licenses").mkdir(parents=True)
    head = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *lines]
    (folder / "METADATA").write_text("\n".join(head) + "\n", encoding="utf-8")
    (folder / "licenses" / "LICENSE.txt").write_text(licence_text, encoding="utf-8")
    (folder / "RECORD").write_text(f"{folder.name}/METADATA,,\n{folder.name}/licenses/LICENSE.txt,,\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Distribution]:
    """Packages of an environment of their own."""
    mit = "License-Expression: MIT"
    extra = 'Requires-Dist: pytest>=8; extra == "dev"'
    absent = 'Requires-Dist: for-windows; sys_platform == "win32"'
    installed(tmp_path, "app", "1.0", mit, "Requires-Dist: Lib.One (>=2)", extra, absent, licence_text="MIT text")
    old = "Classifier: License :: OSI Approved :: BSD License"
    installed(tmp_path, "lib_one", "2.1", old, "Requires-Dist: app", "Requires-Dist: bare", licence_text="BSD text")
    installed(tmp_path, "bare", "3", "License: " + "long text " * 20)
    installed(tmp_path, "pytest", "9", mit)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return needed("app")


def test_what_is_needed_without_extras_is_found_through_all_packages(packages: dict[str, Distribution]) -> None:
    versions = {name: package.version for name, package in packages.items()}
    assert versions == {"app": "1.0", "bare": "3", "lib-one": "2.1"}


def test_a_licence_is_the_expression_or_the_classifier_or_said_to_be_missing(packages: dict[str, Distribution]) -> None:
    assert [licence(packages[name]) for name in ("app", "lib-one", "bare")] == ["MIT", "BSD License", "not declared"]
    assert licence_texts(packages["lib-one"]) == ["BSD text"]
    text = licence_list(packages)
    assert "lib-one                      2.1                BSD License" in text and "MIT text" in text


def test_the_bill_names_every_package_once_and_what_it_depends_on(packages: dict[str, Distribution]) -> None:
    made = bill(packages, "app")
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/app@1.0"
    assert [part["purl"] for part in made["components"]] == ["pkg:pypi/bare@3", "pkg:pypi/lib-one@2.1"]
    assert {"ref": "pkg:pypi/lib-one@2.1", "dependsOn": ["pkg:pypi/app@1.0", "pkg:pypi/bare@3"]} in made["dependencies"]
    assert made == bill(packages, "app")


def test_the_script_writes_both_files(
    tmp_path: Path, packages: dict[str, Distribution], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bill_of_materials, "needed", lambda name: {"firegui": packages["app"]})
    assert main(["--out", str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out" / BILL).read_text())["bomFormat"] == "CycloneDX"
    assert (tmp_path / "out" / LICENCES).read_text().startswith("firegui is made of these packages.")
