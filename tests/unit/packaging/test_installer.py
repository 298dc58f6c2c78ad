"""What people install: all of it is in the wheel, and the Linux archive goes where a desktop looks, and away again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
INSTALLER = ROOT / "packaging" / "installer"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the archive is for Linux")


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """The archive as its user unpacks it, with a program that says its arguments."""
    folder = tmp_path / "un packed"
    (folder / "firegui").mkdir(parents=True)
    program = folder / "firegui" / "firegui"
    program.write_text('#!/bin/sh\necho "started with $*"\n', encoding="utf-8")
    program.chmod(0o755)
    for file in (INSTALLER / "linux").iterdir():
        shutil.copy(file, folder)
    for name in ("firegui.svg", "firegui.png"):
        shutil.copy(ROOT / "resources" / "icons" / name, folder)
    return folder


def install(unpacked: Path, *words: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    command = ["sh", str(unpacked / "install.sh"), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


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
