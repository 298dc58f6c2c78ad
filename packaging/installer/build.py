"""Build a wheel, a source archive, and a folder for this system that needs no Python.

``python packaging/installer/build.py [--out DIR] [--only wheel|program]`` in an environment with firegui's
dependencies, ``hatchling`` and ``pyinstaller``. On Linux the folder is packed together with its desktop entry, its icon
and ``install.sh``; on macOS PyInstaller makes ``firegui.app``; on Windows Inno Setup makes an installer of the folder
(``windows/firegui.iss``). Only the Linux build is tried by its makers (``smoke.py``); the other two are written from
the documentation of their tools.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ICONS = ROOT / "resources" / "icons"
PARTS = ("wheel", "program")
ICON_SIZES = [(16, 16), (24, 24), (32, 32), (48, 48), (64, 64), (128, 128), (256, 256)]


def version() -> str:
    """Return the version that is being built."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def make_icons(folder: Path) -> None:
    """Write the icon in the formats of Windows and macOS."""
    folder.mkdir(parents=True, exist_ok=True)
    with Image.open(ICONS / "firegui.png") as picture:
        picture.save(folder / "firegui.ico", sizes=ICON_SIZES)
        picture.save(folder / "firegui.icns")


def build_wheel(out: Path) -> list[Path]:
    """Return the wheel and the source archive."""
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", str(out)], cwd=ROOT, check=True)
    return [out / f"firegui-{version()}-py3-none-any.whl", out / f"firegui-{version()}.tar.gz"]


def build_program(out: Path) -> list[Path]:
    """Return the folder with everything in it, and on Linux the archive that is handed out."""
    make_icons(out / "icons")
    command = [
        sys.executable, "-m", "PyInstaller", "--noconfirm", "--distpath", str(out / "dist"),
        "--workpath", str(out / "work"), str(HERE / "firegui.spec"),
    ]  # fmt: skip
    subprocess.run(command, cwd=out, check=True)
    shutil.rmtree(out / "work", ignore_errors=True)
    made = [out / "dist" / "firegui"]
    add_bill(made[0])
    return [*made, pack(made[0], out)] if sys.platform == "linux" else made


def add_bill(program: Path) -> None:
    """Write the bill of materials and the licences of what was built in beside the program."""
    command = [sys.executable, str(ROOT / "packaging" / "bill_of_materials.py"), "--out", str(program)]
    subprocess.run(command, check=True)


def pack(program: Path, out: Path) -> Path:
    """Return the archive for Linux: the program, ``install.sh`` and what a desktop needs to find it."""
    name = f"firegui-{version()}-linux-{platform.machine()}"
    archive = out / f"{name}.tar.gz"
    beside = [
        HERE / "linux" / "install.sh", HERE / "linux" / "firegui.desktop", ICONS / "firegui.svg", ICONS / "firegui.png",
        ROOT / "LICENSE",
    ]  # fmt: skip
    with tarfile.open(archive, "w:gz", compresslevel=6) as packed:
        packed.add(program, f"{name}/firegui")
        for file in beside:
            packed.add(file, f"{name}/{file.name}")
    return archive


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the requested files and print their paths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for what is built (default: dist)")
    parser.add_argument("--only", choices=PARTS, help="one of the two")
    given = parser.parse_args(arguments)
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    builders = {"wheel": build_wheel, "program": build_program}
    for part in PARTS if given.only is None else (given.only,):
        for path in builders[part](out):
            print(f"built {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
