"""What people install: all of it is in the wheel, and the Linux archive goes where a desktop looks, and away again."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from configparser import RawConfigParser
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
INSTALLER = ROOT / "packaging" / "installer"

MAIN_CATEGORIES = {
    "AudioVideo", "Development", "Education", "Game", "Graphics", "Network", "Office", "Science", "Settings", "System",
    "Utility",
}  # fmt: skip
"""Of the desktop menu specification of freedesktop.org, one of which an entry must have to be in a menu."""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the archive is for Linux")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is handed out, of a stand-in for the frozen program that says its arguments."""
    out = tmp_path_factory.mktemp("built")
    program = out / "dist" / "firegui"
    (program / "_internal").mkdir(parents=True)
    (program / "_internal" / "base_library.zip").write_bytes(b"a library")
    (program / "firegui").write_text('#!/bin/sh\necho "started with $*"\n', encoding="utf-8")
    (program / "firegui").chmod(0o755)
    code = f"import build; from pathlib import Path; print(build.pack(Path({str(program)!r}), Path({str(out)!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=INSTALLER, check=True, capture_output=True, text=True
    )  # fmt: skip
    return Path(done.stdout.strip())


@pytest.fixture
def unpacked(archive: Path, tmp_path: Path) -> Path:
    """The archive as its user unpacks it."""
    place = tmp_path / "un packed"
    with tarfile.open(archive) as packed:
        packed.extractall(place, filter="data")
    (folder,) = place.iterdir()
    return folder


def install(unpacked: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = ["sh", str(unpacked / "install.sh"), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@on_linux
def test_the_archive_is_one_folder_named_after_version_and_machine_with_all_that_installing_needs(
    archive: Path, unpacked: Path
) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert archive.name == f"firegui-{version}-linux-{platform.machine()}.tar.gz"
    assert unpacked.name == archive.name.removesuffix(".tar.gz")
    found = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    beside = {"install.sh", "firegui.desktop", "firegui.svg", "firegui.png", "LICENSE"}
    assert found == {"firegui/firegui", "firegui/_internal/base_library.zip", *beside}
    for name in ("install.sh", "firegui/firegui"):
        assert os.access(unpacked / name, os.X_OK), f"{name} cannot be started"


@on_linux
def test_the_desktop_entry_is_valid_and_offers_to_open_a_project(unpacked: Path, tmp_path: Path) -> None:
    assert install(unpacked, home=tmp_path).returncode == 0
    installed = tmp_path / ".local/share/applications/firegui.desktop"
    if validator := shutil.which("desktop-file-validate"):
        done = subprocess.run([validator, str(installed)], capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stdout, done.stdout
    entry = RawConfigParser(delimiters=("=",), interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(installed, encoding="utf-8")
    main = entry["Desktop Entry"]
    assert main["Type"] == "Application" and {"Name", "Exec", "Icon", "Categories"} <= set(main)
    assert MAIN_CATEGORIES & set(main["Categories"].split(";"))
    # A project is a folder: file managers offer firegui for folders, and hand one over.
    assert main["MimeType"] == "inode/directory;" and main["Exec"].endswith(" %f")
    actions = {f"Desktop Action {name}" for name in main["Actions"].split(";") if name}
    assert actions == set(entry.sections()) - {"Desktop Entry"}
    for section in entry.sections():
        word, *given = shlex.split(entry[section]["Exec"])
        assert os.access(word, os.X_OK), f"[{section}] starts {word}, which is not there"
        answer = subprocess.run([word, *given[:1]], capture_output=True, text=True, check=True).stdout
        assert answer == f"started with {' '.join(given[:1])}\n"
    assert list((tmp_path / ".local/share/icons").rglob(f"{main['Icon']}.svg"))


@on_linux
def test_taking_it_away_leaves_the_files_of_others(unpacked: Path, tmp_path: Path) -> None:
    other = tmp_path / ".local" / "bin" / "other"
    other.parent.mkdir(parents=True)
    other.write_text("of somebody else", encoding="utf-8")
    assert install(unpacked, home=tmp_path).returncode == 0
    shutil.rmtree(unpacked / "firegui")  # it is taken away from where it is, not by what is in the archive
    assert install(unpacked, "--remove", home=tmp_path).returncode == 0
    assert [path for path in (tmp_path / ".local").rglob("*") if not path.is_dir()] == [other]
    again = install(unpacked, "--remove", home=tmp_path)
    assert again.returncode == 0 and "Removed firegui" in again.stdout


@on_linux
def test_the_program_its_entry_and_its_icons_are_put_in_place_twice_and_taken_away(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home of a user"
    home.mkdir()
    for _attempt in range(2):
        done = install(unpacked, home=home)
        assert done.returncode == 0, done.stderr
    command = home / ".local" / "bin" / "firegui"
    assert subprocess.run([command, "doctor"], capture_output=True, text=True).stdout == "started with doctor\n"
    entry = (home / ".local/share/applications/firegui.desktop").read_text(encoding="utf-8")
    assert f'Exec="{command}" open %f' in entry and f'Exec="{command}" demo' in entry
    assert "Exec=firegui" not in entry
    assert (home / ".local/share/icons/hicolor/scalable/apps/firegui.svg").is_file()

    assert install(unpacked, "--remove", home=home).returncode == 0
    assert not [path for path in (home / ".local").rglob("*") if not path.is_dir()]


@on_linux
def test_another_place_may_be_named_and_what_is_not_known_is_refused(unpacked: Path, tmp_path: Path) -> None:
    place = tmp_path / "opt"
    assert install(unpacked, "--prefix", str(place), home=tmp_path).returncode == 0
    assert (place / "bin" / "firegui").exists()
    bad = install(unpacked, "--everywhere", home=tmp_path)
    assert bad.returncode == 2 and "usage" in bad.stderr
    assert install(unpacked, "--prefix", home=tmp_path).returncode == 2


def test_the_wheel_has_every_resource_and_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        points = next(name for name in names if name.endswith("entry_points.txt"))
        assert "firegui = firegui.__main__:main" in wheel.read(points).decode()
    resources = ROOT / "resources"
    shipped = {f"firegui/resources/{path.relative_to(resources).as_posix()}" for path in files_of(resources)}
    assert shipped <= names and len(shipped) > 30
    sources = {f"firegui/{path.relative_to(ROOT / 'firegui').as_posix()}" for path in files_of(ROOT / "firegui")}
    assert sources <= names


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def test_the_icon_comes_in_the_formats_of_windows_and_macos(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import build; from pathlib import Path; build.make_icons(Path({str(tmp_path)!r}))"],
        cwd=INSTALLER, check=True,
    )  # fmt: skip
    with Image.open(tmp_path / "firegui.ico") as icon:
        assert {(16, 16), (48, 48), (256, 256)} <= icon.info["sizes"]
    with Image.open(tmp_path / "firegui.icns") as icon:
        assert icon.format == "ICNS"


def test_the_bill_of_materials_and_the_licences_go_into_the_program(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", f"import build; from pathlib import Path; build.add_bill(Path({str(tmp_path)!r}))"],
        cwd=INSTALLER, check=True, capture_output=True,
    )  # fmt: skip
    names = {part["name"] for part in json.loads((tmp_path / "firegui.cdx.json").read_text("utf-8"))["components"]}
    assert {"numpy", "torch", "pyside6-essentials"} <= names
    licences = (tmp_path / "LICENCES.txt").read_text("utf-8")
    assert all(f"\n{name} " in licences for name in names)
