"""The two commands of the README, for a machine that has only Python.

``python3 packaging/bootstrap.py run`` makes a virtual environment beside this checkout, installs the pinned
dependencies, checks the system libraries that Qt needs, and opens the demo fire in the workbench.
``python3 packaging/bootstrap.py test`` does the same and runs the tests. A second call finds everything in place.
Whatever follows the command is handed on: ``run --out DIR``, ``test tests/unit -k calendar``.

Standard library only. ``FIREGUI_VENV`` puts the environment elsewhere, ``FIREGUI_TORCH=cpu`` or ``cuda`` chooses the
build of torch; pip's own settings (index, proxy, cache) hold.
"""

import sys


def python_problem(major: int, minor: int) -> str:
    """Return the problem with a Python of this version, or an empty text.

    Older Pythons must be able to read this far.
    """
    if (major, minor) >= (3, 11):
        return ""
    return f"firegui needs Python 3.11 or newer, and this is {major}.{minor}: start it with a newer one."


if python_problem(*sys.version_info[:2]):
    sys.exit(python_problem(*sys.version_info[:2]))

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Of firegui itself only what needs nothing but the standard library, before anything is installed.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from system_libraries import Machine, StepFailedError, apt_advice, ensure_system, install_system_packages, run_step, say

CHECKOUT = Path(__file__).resolve().parents[1]
CONSTRAINTS = CHECKOUT / "packaging" / "constraints.txt"
PROJECT = CHECKOUT / "pyproject.toml"
HASHES = CONSTRAINTS.with_name("hashes.txt")
DISK_GB, TESTS_GB, CUDA_GB = 1.8, 0.7, 5.0
"""Room that the environment takes with a CPU build of torch, and what the tests' tools and CUDA's libraries add."""
BUILD_TOOLS = ("hatchling", "editables")
WINDOW_PLATFORM = {"linux": "xcb", "darwin": "cocoa", "win32": "windows"}
MOST_AT_ONCE = 4
"""Processes of tests beside each other: each takes some gigabytes once torch and the window are loaded."""
WINDOW_TESTS = "tests/gui/test_real_window.py"
"""All tests that need a real window: reading the others to find none takes longer than these."""
USAGE = "usage: python3 packaging/bootstrap.py run|test [what the command itself takes]"


# -- what to do: no side effects --------------------------------------------------------------------------------------
def venv_python(folder: Path, system: str) -> Path:
    """Return the interpreter of a virtual environment."""
    return folder / "Scripts" / "python.exe" if system == "win32" else folder / "bin" / "python"


def stamp_of(*parts: str) -> str:
    """Return a text that changes whenever any part does."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def pin_of(name: str, constraints: str) -> str:
    """Return the line ``name==version`` of the constraints.

    Raises :class:`StepFailedError` when there is none.
    """
    for line in constraints.splitlines():
        if line.split("==")[0].strip().lower() == name.lower() and "==" in line:
            return line.strip()
    raise StepFailedError(f"packaging/constraints.txt has no line {name}==VERSION; take the file from the repository.")


def requirements(project: str, with_tests: bool) -> list[str]:
    """Return the requirements of ``pyproject.toml``, with the tools of the tests or without."""
    table = tomllib.loads(project)["project"]
    extra = table["optional-dependencies"]["dev"] if with_tests else []
    return [*table["dependencies"], *extra]


@dataclass(frozen=True)
class Wheel:
    """One package that pip would install; ``brings_cuda`` is set for torch's CUDA build on Linux."""

    name: str
    version: str
    brings_cuda: bool = False


def wheels(report: Mapping[str, Any], system: str) -> list[Wheel]:
    """Return what a report of pip (``--report``) would install, by name."""
    found = []
    for item in report["install"]:
        data = item["metadata"]
        needs = " ".join(data.get("requires_dist", ()))
        brings_cuda = system == "linux" and "nvidia-" in needs and not data["version"].endswith("+cpu")
        found.append(Wheel(normalized(data["name"]), data["version"], brings_cuda))
    return sorted(found, key=lambda wheel: wheel.name)


def normalized(name: str) -> str:
    """Return the name of a package as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def hashed_lines(hashes: str) -> dict[tuple[str, str], str]:
    """Return the requirements of ``packaging/hashes.txt`` by name and version."""
    found = re.findall(r"^(([\w.-]+)==(\S+)(?: \\\n    --hash=\S+)+)$", hashes, re.MULTILINE)
    return {(normalized(name), version): line for line, name, version in found}


def torch_build(offered_cuda: bool, has_device: bool, wish: str, system: str) -> str:
    """Return which build of torch is taken.

    It is ``offered``, the one of pip's index, or ``cpu`` or ``auto``, those of uv. ``wish`` is ``FIREGUI_TORCH``:
    ``cpu``, ``cuda``, or empty for what fits the machine.
    """
    wants_cuda = wish == "cuda" or (has_device and wish != "cpu")
    if wants_cuda == offered_cuda or system not in ("linux", "win32"):
        return "offered"
    return "auto" if wants_cuda else "cpu"


def announcement(folder: Path, found: Sequence[Wheel], build: str, offered_cuda: bool, with_tests: bool) -> str:
    """Return what is about to be downloaded, where it goes, and how large it is."""
    has_cuda = build == "auto" or (build == "offered" and offered_cuda)
    gigabytes = DISK_GB + (TESTS_GB if with_tests else 0.0) + (CUDA_GB if has_cuda else 0.0)
    names = ", ".join(f"{wheel.name} {wheel.version}" for wheel in found if not wheel.name.startswith("nvidia-"))
    kind = "a CUDA device was found or asked for: torch with CUDA" if has_cuda else "torch without CUDA"
    return f"This installs in {folder}, about {gigabytes:.1f} GB on the disk ({kind}): {names}"


@dataclass(frozen=True)
class Phase:
    """One call of pytest."""

    title: str
    qt_platform: str
    arguments: tuple[str, ...]


def pytest_phases(system: str, window_possible: bool, has_xvfb: bool, extra: Sequence[str]) -> list[Phase]:
    """Return the pytest calls of ``test``.

    Real windows are first. Everything else follows offscreen, with a process for each core and one more, because some
    tests wait. Windows take the focus from each other, so theirs stay in one process. With a marker expression of the
    caller's own there is one call, in a real window if there can be one.
    """
    # Colours are compared, and the virtual screen of pytest-xvfb has 16 bits of them unless told otherwise.
    xvfb = ["-o", "xvfb_colordepth=24"] if has_xvfb else ["-p", "no:xvfb"]
    native = WINDOW_PLATFORM.get(system, "xcb") if window_possible else "offscreen"
    if any(argument.startswith("-m") for argument in extra):
        return [Phase("the tests asked for", native, (*xvfb, *extra))]
    beside = ["-n", str(min((os.cpu_count() or 1) + 1, MOST_AT_ONCE)), "--dist", "loadfile", "--no-loadscope-reorder"]
    named = any((CHECKOUT / argument.split("::")[0]).exists() for argument in extra)
    files = () if named else (WINDOW_TESTS,)
    others = ["-p", "no:xvfb", "-m", "not window and not slow", *beside]
    return [
        Phase("the tests that need a real window", native, (*xvfb, "-m", "window and not slow", *files, *extra)),
        Phase("every other test", "offscreen", (*others, *extra)),
    ]


def combined_exit(codes: Sequence[int]) -> int:
    """Return one exit status for several pytest calls: the first failure.

    It is 5 (nothing selected) only if all are.
    """
    failures = [code for code in codes if code not in (0, 5)]
    if failures:
        return failures[0]
    return 5 if codes and all(code == 5 for code in codes) else 0


# -- doing it ---------------------------------------------------------------------------------------------------------
def is_usable(folder: Path) -> bool:
    """Return whether the environment runs on this very Python version and has pip."""
    python = venv_python(folder, sys.platform)
    probe = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([str(python), "-c", probe], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() == "{}.{}".format(*sys.version_info[:2])


def make_environment(folder: Path, machine: Machine) -> None:
    """Make the virtual environment, anew when it is broken. Never empties a folder that is not one."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise StepFailedError(f"{folder} is not a virtual environment and not empty: point FIREGUI_VENV elsewhere.")
    command = [sys.executable, "-m", "venv", "--clear", str(folder)]
    package = "python{}.{}-venv".format(*sys.version_info[:2])
    remedy = f"On Debian and Ubuntu: {apt_advice([package])}. Elsewhere install Python with its venv and ensurepip."
    try:
        run_step(f"Making the virtual environment {folder}", command, remedy)
    except StepFailedError:
        if not machine.may_install:
            raise
        install_system_packages("This Python came without venv", [package])
        run_step("Making the virtual environment again", command, remedy)


def has_cuda_device() -> bool:
    """Return whether the driver of NVIDIA's cards lists one."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return False
    answer = subprocess.run([command, "-L"], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and "GPU 0" in answer.stdout


def resolved(pip: Sequence[str], wanted: Sequence[str], folder: Path, remedy: str) -> list[Wheel]:
    """Return all that pip would install for these requirements. Nothing is installed yet."""
    report = folder / "report.json"
    command = [*pip, "--dry-run", "--ignore-installed", "--quiet", "--report", str(report), *wanted]
    run_step("Asking what has to be installed", command, remedy)
    return wheels(json.loads(report.read_text(encoding="utf-8")), sys.platform)


def install(folder: Path, with_tests: bool) -> None:
    """Install the pinned dependencies and firegui itself into the environment.

    Every file of a pin must have a known checksum (``packaging/hashes.txt``). Those of torch are known where its index
    is the one of all others.
    """
    constraints = CONSTRAINTS.read_text(encoding="utf-8")
    wanted = requirements(PROJECT.read_text(encoding="utf-8"), with_tests)
    python = str(venv_python(folder, sys.platform))
    pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    pinned = [*pip, "--constraint", str(CONSTRAINTS)]
    online = "Check the network and pip's settings (index, proxy), then call this again: it goes on where it stopped."
    machine_text = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    engine = f"{online} If pip finds no fitting version, there is no build of it for {machine_text}."
    torch = pin_of("torch", constraints)
    tools = [pin_of(tool, constraints) for tool in BUILD_TOOLS]
    with tempfile.TemporaryDirectory() as place:
        found = resolved(pinned, [torch, *wanted, *tools], Path(place), engine)
        offered_cuda = any(wheel.brings_cuda for wheel in found)
        wish = os.environ.get("FIREGUI_TORCH", "")
        build = torch_build(offered_cuda, has_cuda_device(), wish, sys.platform)
        say(announcement(folder, found, build, offered_cuda, with_tests))
        lines = hashed_lines(HASHES.read_text(encoding="utf-8"))
        named = [(wheel.name, wheel.version) for wheel in found]
        if build != "offered":
            named.append(("uv", pin_of("uv", constraints).partition("==")[2]))
        # For Linux and through uv, torch may come from elsewhere than all others.
        is_elsewhere = build != "offered" or sys.platform == "linux"
        hashed = [lines[key] for key in named if key in lines and not (is_elsewhere and key[0] == "torch")]
        listed = Path(place) / "requirements.txt"
        listed.write_text("\n".join(hashed) + "\n", encoding="utf-8")
        checked = [*pip, "--no-deps", "--require-hashes", "--requirement", str(listed)]
        run_step("Installing the dependencies whose checksums are known", checked, online)
    if build != "offered":
        try:
            install_torch_with_uv(python, torch, build)
        except StepFailedError as error:
            if build == "cpu":  # the other one is larger by gigabytes
                raise
            say(f"Taking the build of torch that pip's index offers. {error}")
            build = "offered"
    if build == "offered":
        title = f"Installing {torch}, the engine's arithmetic (the largest part, some minutes)"
        run_step(title, [*pinned, torch], engine)
    rest = [*pinned, *wanted, *tools]
    run_step("Installing what has no known checksum, at the versions firegui is tested with", rest, online)
    editable = [*pip, "--no-deps", "--no-build-isolation", "--editable", str(CHECKOUT)]
    run_step("Installing firegui from this checkout", editable, "Read pip's last lines; is the checkout complete?")


def install_torch_with_uv(python: str, torch: str, build: str) -> None:
    """Install the build of torch that fits the machine and that pip's index does not offer.

    uv, which is among the dependencies then, knows where the builds are.
    """
    remedy = "To take the CUDA build that pip's index offers, about 5 GB more, call this again with FIREGUI_TORCH=cuda."
    remedy = remedy if build == "cpu" else ""
    command = [python, "-m", "uv", "pip", "install", "--python", python, "--torch-backend", build, torch]
    run_step(f"Installing {torch}, {'without CUDA' if build == 'cpu' else 'with CUDA'}", command, remedy)


def ensure_environment(folder: Path, machine: Machine, with_tests: bool) -> None:
    """Bring the environment up to what this checkout pins; nothing to do when its stamp says so."""
    inputs = (CONSTRAINTS.read_text(encoding="utf-8"), PROJECT.read_text(encoding="utf-8"))
    stamp = stamp_of(*inputs, sys.version, str(CHECKOUT))
    marks = [folder / f".firegui-{name}.stamp" for name in (("run", "test") if with_tests else ("run",))]
    if all(mark.exists() and mark.read_text(encoding="utf-8") == stamp for mark in marks) and is_usable(folder):
        return
    if not is_usable(folder):
        make_environment(folder, machine)
    for mark in folder.glob(".firegui-*.stamp"):
        mark.unlink()
    install(folder, with_tests)
    for mark in marks:
        mark.write_text(stamp, encoding="utf-8")


def call(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> int:
    """Run the last step in ``folder`` with the terminal handed over, and return its status.

    It handles Ctrl+C itself.
    """
    process = subprocess.Popen(list(command), env=dict(environment), cwd=folder)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def become(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Go on as ``command`` in this very process, so that whatever stops the one stops the other."""
    if sys.platform == "win32":  # there it would only look like it: the terminal would not wait
        return call(command, environment, Path.cwd())
    os.execve(command[0], list(command), dict(environment))


def run_demo(python: Path, window: bool, extra: Iterable[str]) -> int:
    """Open the demo fire, or plan it without a window where there can be none."""
    environment = dict(os.environ)
    if not window and sys.platform.startswith("linux"):
        environment["QT_QPA_PLATFORM"] = "offscreen"
    say("Opening the demo fire" if window else "No display that answers: planning the demo fire without a window")
    return become([str(python), "-m", "firegui", "demo", *extra], environment)


def run_tests(python: Path, machine: Machine, window: bool, extra: Sequence[str]) -> int:
    """Run the tests; returns pytest's exit status."""
    has_xvfb = machine.platform.startswith("linux") and shutil.which("Xvfb") is not None
    codes = []
    for phase in pytest_phases(machine.platform, window and (has_xvfb or machine.has_display), has_xvfb, extra):
        say(f"Running {phase.title} (Qt draws: {phase.qt_platform})")
        environment = {**os.environ, "QT_QPA_PLATFORM": phase.qt_platform}
        # Tests start hundreds of processes, and each would compile every module again.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        codes.append(call([str(python), "-m", "pytest", *phase.arguments], environment, CHECKOUT))
    return combined_exit(codes)


def main(arguments: Sequence[str]) -> int:
    """Do what the command line asks; returns its exit status."""
    if not arguments or arguments[0] not in ("run", "test"):
        print(USAGE, file=sys.stderr)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    command, extra = arguments[0], arguments[1:]
    with_tests = command == "test"
    folder = Path(os.environ.get("FIREGUI_VENV") or CHECKOUT / ".venv").absolute()
    python = venv_python(folder, sys.platform)
    try:
        machine = Machine.here()
        window = ensure_system(machine, with_tests or machine.has_display, with_tests)
        ensure_environment(folder, machine, with_tests)
        return run_tests(python, machine, window, extra) if with_tests else run_demo(python, window, extra)
    except StepFailedError as error:
        print(f"firegui: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("firegui: interrupted; call this again to go on.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
