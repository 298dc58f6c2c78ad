"""The two commands: what they would do on each kind of machine, and what they do with an environment that is there."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[3] / "packaging"


@pytest.fixture
def bootstrap(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module: it lies in no package."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "bootstrap", raising=False)
    return __import__("bootstrap")


@pytest.fixture
def libraries(bootstrap: Any) -> Any:
    """The part that knows the system below Python."""
    return sys.modules["system_libraries"]


class Recorder:
    """Stands for the steps: writes down what would run, and fails where it is told to."""

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self.commands: list[list[str]] = []
        self._failing = failing

    def __call__(self, command: Sequence[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(list(command))
        failed = any(word in self._failing for word in command)
        return subprocess.CompletedProcess(list(command), 1 if failed else 0, "3.0", "")


# -- Python -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("version", [(2, 7), (3, 6), (3, 10)])
def test_an_older_python_is_told_what_is_needed(bootstrap: Any, version: tuple[int, int]) -> None:
    said = bootstrap.python_problem(*version)

    assert "3.11 or newer" in said
    assert f"{version[0]}.{version[1]}" in said


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 20), (4, 0)])
def test_a_new_enough_python_is_accepted(bootstrap: Any, version: tuple[int, int]) -> None:
    assert bootstrap.python_problem(*version) == ""


def test_an_older_python_can_read_the_script_as_far_as_its_message() -> None:
    source = (SCRIPTS / "bootstrap.py").read_text(encoding="utf-8")

    tree = ast.parse(source, feature_version=(3, 7))

    refusal = next(node.lineno for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno < refusal]
    assert [ast.unparse(node) for node in imports] == ["import sys"]


@pytest.mark.parametrize("name", ["bootstrap.py", "system_libraries.py"])
def test_only_the_standard_library_is_imported(name: str) -> None:
    tree = ast.parse((SCRIPTS / name).read_text(encoding="utf-8"))
    roots = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    roots |= {str(node.module).split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert roots - set(sys.stdlib_module_names) <= {"system_libraries", "firegui"}


def test_the_script_starts_where_nothing_is_installed(tmp_path: Path) -> None:
    command = [sys.executable, "-S", str(SCRIPTS / "bootstrap.py"), "--help"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "run|test" in done.stderr


def test_no_package_index_is_named() -> None:
    for path in SCRIPTS.iterdir():
        if path.suffix in (".py", ".txt"):
            assert "://" not in path.read_text(encoding="utf-8")


# -- the system below -------------------------------------------------------------------------------------------------
def test_each_missing_package_is_named_once(libraries: Any) -> None:
    needed = {"liba.so.1": "liba1", "libb.so.2": "libb2", "libb-extra.so.2": "libb2", "libc.so.3": "libc3"}

    missing = libraries.missing_packages(needed, lambda library: library.startswith("liba"))

    assert missing == ["libb2", "libc3"]


def test_a_library_that_is_not_there_cannot_be_loaded(libraries: Any) -> None:
    assert not libraries.can_load("libthere-is-no-such-thing.so.77")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ID=debian\n", True),
        ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', True),
        ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
        ('ID="fedora"\nID_LIKE=""\n', False),
        ('NAME="not debian"\nID=arch\n', False),
        ("", False),
    ],
)
def test_debian_and_what_is_made_from_it_are_recognised(libraries: Any, text: str, expected: bool) -> None:
    assert libraries.is_debian(text) is expected


def test_a_display_that_does_not_answer_is_none(libraries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for trouble in ("display :99 does not answer", ""):
        monkeypatch.setattr(libraries, "display_trouble", lambda text=trouble: text)
        assert libraries.Machine.here().has_display is (trouble == "")


def test_advice_can_be_typed_as_it_stands(libraries: Any) -> None:
    assert libraries.apt_advice(["libegl1", "xvfb"]) == (
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 xvfb"
    )


def machine(libraries: Any, **changes: Any) -> Any:
    """A Debian machine without a display where nothing may be installed, with changes."""
    return libraries.Machine(
        **{"platform": "linux", "is_root": False, "is_debian": True, "has_display": False, **changes}
    )


@pytest.fixture
def bare(libraries: Any, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """A machine whose loader finds just the libraries in the returned set; fonts and Xvfb are there."""
    loadable = set(libraries.ALWAYS_NEEDED) | set(libraries.WINDOW_NEEDED)
    monkeypatch.setattr(libraries, "can_load", loadable.__contains__)
    monkeypatch.setattr(libraries, "has_fonts", lambda: True)
    monkeypatch.setattr(libraries.shutil, "which", lambda name: f"/usr/bin/{name}")
    return loadable


@pytest.mark.usefixtures("bare")
def test_a_complete_machine_needs_nothing(libraries: Any) -> None:
    assert libraries.system_needs(machine(libraries), window=True, with_tests=True).packages == []
    assert libraries.ensure_system(machine(libraries, has_display=True), True, False) is True


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_bring_everything_themselves(libraries: Any, bare: set[str], system: str) -> None:
    bare.clear()

    assert libraries.system_needs(machine(libraries, platform=system), True, True).packages == []


def test_without_the_windows_libraries_an_ordinary_user_goes_on_offscreen_and_is_told_what_to_type(
    libraries: Any, bare: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    bare.discard("libxcb-cursor.so.0")

    assert libraries.ensure_system(machine(libraries, has_display=True), True, False) is False
    assert "sudo apt-get install -y --no-install-recommends libxcb-cursor0" in capsys.readouterr().err


def test_without_the_libraries_of_every_window_nothing_is_tried(libraries: Any, bare: set[str]) -> None:
    bare.discard("libEGL.so.1")

    with pytest.raises(libraries.StepFailedError, match="Qt cannot start"):
        libraries.ensure_system(machine(libraries), False, False)


def test_root_on_debian_installs_what_is_missing(
    libraries: Any, bare: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bare.discard("libxcb-icccm.so.4")
    steps = Recorder()

    def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        if "libxcb-icccm4" in command:
            bare.add("libxcb-icccm.so.4")
        return steps(command, **options)

    monkeypatch.setattr(libraries.subprocess, "run", run)

    assert libraries.ensure_system(machine(libraries, is_root=True), True, True) is True
    assert [command[:2] for command in steps.commands] == [["apt-get", "update"], ["apt-get", "install"]]


@pytest.mark.parametrize("changes", [{"is_root": False}, {"is_root": True, "is_debian": False}])
def test_nobody_else_installs_anything(
    libraries: Any, bare: set[str], monkeypatch: pytest.MonkeyPatch, changes: dict[str, bool]
) -> None:
    bare.discard("libxcb-icccm.so.4")
    steps = Recorder()
    monkeypatch.setattr(libraries.subprocess, "run", steps)

    libraries.ensure_system(machine(libraries, **changes), True, True)

    assert steps.commands == []


def test_on_wayland_the_libraries_of_x11_are_not_asked_for(libraries: Any, bare: set[str]) -> None:
    bare -= set(libraries.WINDOW_NEEDED)
    bare |= set(libraries.WAYLAND_NEEDED)
    here = machine(libraries, has_display=True, has_wayland=True)

    assert libraries.system_needs(here, window=True, with_tests=False).packages == []
    assert libraries.system_needs(here, window=True, with_tests=True).packages != []


@pytest.mark.usefixtures("bare")
def test_a_machine_without_fonts_is_given_one(libraries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "has_fonts", lambda: False)

    assert libraries.system_needs(machine(libraries), False, False).packages == ["fonts-dejavu-core"]


def test_a_step_that_fails_says_what_to_do(libraries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries.subprocess, "run", Recorder(failing=["install"]))

    with pytest.raises(libraries.StepFailedError, match="Check the network"):
        libraries.run_step("Installing", ["pip", "install"], "Check the network.")


def test_a_program_that_is_not_there_says_what_to_do(libraries: Any) -> None:
    with pytest.raises(libraries.StepFailedError, match=r"could not be started .* Get it\."):
        libraries.run_step("Trying", ["there-is-no-such-program"], "Get it.")


# -- the environment --------------------------------------------------------------------------------------------------
def test_the_interpreter_lies_where_the_system_puts_it(bootstrap: Any) -> None:
    assert bootstrap.venv_python(Path("e"), "linux") == Path("e/bin/python")
    assert bootstrap.venv_python(Path("e"), "darwin") == Path("e/bin/python")
    assert bootstrap.venv_python(Path("e"), "win32") == Path("e/Scripts/python.exe")


def test_the_stamp_changes_with_every_part_and_with_where_one_ends(bootstrap: Any) -> None:
    stamps = {bootstrap.stamp_of(*parts) for parts in [("a", "b"), ("a", "c"), ("ab", ""), ("", "ab"), ("b", "a")]}

    assert len(stamps) == 5
    assert bootstrap.stamp_of("a", "b") in stamps


def test_a_pin_is_found_whatever_its_neighbours(bootstrap: Any) -> None:
    text = "# torch first\ntorchlike==1.0\nTorch==2.13.0\n"

    assert bootstrap.pin_of("torch", text) == "Torch==2.13.0"
    with pytest.raises(bootstrap.StepFailedError, match="no line numpy==VERSION"):
        bootstrap.pin_of("numpy", text)


def test_the_tools_of_the_tests_are_asked_for_by_the_tests_alone(bootstrap: Any) -> None:
    project = '[project]\ndependencies = ["numpy"]\n[project.optional-dependencies]\ndev = ["pytest"]\n'

    assert bootstrap.requirements(project, with_tests=False) == ["numpy"]
    assert bootstrap.requirements(project, with_tests=True) == ["numpy", "pytest"]


CLICK = re.findall(r"^click==(.+)$", (SCRIPTS / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)[0]
CUDA_NEEDS = ["filelock", 'nvidia-cudnn-cu13==9.20.0.48; platform_system == "Linux"']


def pip_report(torch: str) -> dict[str, Any]:
    """A report of pip for torch, click, and a package of which no checksum is known."""
    found = {"torch": torch, "click": CLICK, "Odd_Name": "1.0"}
    needs = {"torch": CUDA_NEEDS}
    packages = [{"name": name, "version": each, "requires_dist": needs.get(name, [])} for name, each in found.items()]
    return {"install": [{"metadata": each} for each in packages]}


@pytest.mark.parametrize(
    ("version", "system", "cuda"),
    [("2.13.0", "linux", True), ("2.13.0+cpu", "linux", False), ("2.13.0", "win32", False)],
)
def test_the_build_of_torch_is_known_before_it_is_downloaded(
    bootstrap: Any, version: str, system: str, cuda: bool
) -> None:
    found = bootstrap.wheels(pip_report(version), system)
    assert [(wheel.name, wheel.version) for wheel in found] == [
        ("click", CLICK), ("odd-name", "1.0"), ("torch", version),
    ]  # fmt: skip
    assert [wheel.brings_cuda for wheel in found] == [False, False, cuda]


@pytest.mark.parametrize(
    ("offered_cuda", "has_device", "wish", "system", "build"),
    [
        (True, False, "", "linux", "cpu"),
        (True, True, "", "linux", "offered"),
        (False, True, "", "linux", "auto"),
        (False, False, "", "linux", "offered"),
        (True, False, "cuda", "linux", "offered"),
        (True, True, "cpu", "linux", "cpu"),
        (False, True, "cpu", "linux", "offered"),
        (False, True, "", "win32", "auto"),
        (False, False, "", "darwin", "offered"),
    ],
)
def test_cuda_is_installed_where_there_is_a_card_or_it_is_asked_for(
    bootstrap: Any, offered_cuda: bool, has_device: bool, wish: str, system: str, build: str
) -> None:
    assert bootstrap.torch_build(offered_cuda, has_device, wish, system) == build


@pytest.mark.parametrize(
    ("build", "offered_cuda", "with_tests", "size"),
    [("offered", False, False, "1.8 GB"), ("cpu", True, True, "2.5 GB"), ("offered", True, False, "6.8 GB")],
)
def test_what_is_downloaded_is_said_with_its_size(
    bootstrap: Any, build: str, offered_cuda: bool, with_tests: bool, size: str
) -> None:
    found = bootstrap.wheels(pip_report("2.13.0"), "linux")
    said = bootstrap.announcement(Path("here"), found, build, offered_cuda, with_tests)
    assert f"click {CLICK}, odd-name 1.0, torch 2.13.0" in said and "in here," in said and size in said
    assert ("torch with CUDA" in said) is (size == "6.8 GB")


class Pip:
    """Stands for pip: answers with a report, and notes what is asked of it and what was said."""

    def __init__(self, torch: str) -> None:
        self.torch, self.commands = torch, list[list[str]]()
        self.listed = ""

    def step(self, title: str, command: Sequence[str], remedy: str) -> None:
        self.commands.append(list(command))
        if "--report" in command:
            report = Path(command[command.index("--report") + 1])
            report.write_text(json.dumps(pip_report(self.torch)), encoding="utf-8")
        if "--requirement" in command:
            self.listed = Path(command[-1]).read_text(encoding="utf-8")


@pytest.mark.parametrize(("torch", "is_uv_asked"), [("2.13.0+cpu", False), ("2.13.0", True)])
def test_nothing_is_installed_before_it_is_announced_and_checksums_are_required(
    bootstrap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torch: str, is_uv_asked: bool
) -> None:
    pip = Pip(torch)
    monkeypatch.setattr(bootstrap, "say", lambda text: pip.commands.append([text]))
    monkeypatch.setattr(bootstrap, "run_step", pip.step)
    monkeypatch.setattr(bootstrap, "has_cuda_device", lambda: False)
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.delenv("FIREGUI_TORCH", raising=False)

    bootstrap.install(tmp_path, with_tests=False)

    asked, (said,), checked, *rest = pip.commands
    assert "--dry-run" in asked and said.startswith("This installs in")
    assert {"--require-hashes", "--no-deps"} <= set(checked)
    assert pip.listed.startswith(f"click=={CLICK} \\\n    --hash=sha256:") and "odd" not in pip.listed.lower()
    pin = bootstrap.pin_of("torch", bootstrap.CONSTRAINTS.read_text(encoding="utf-8"))
    assert any("--torch-backend" in command for command in rest) is is_uv_asked
    assert any(command[-1] == pin for command in rest)
    assert "--no-deps" in rest[-1]


@pytest.mark.parametrize(
    ("offered", "has_device", "falls_back"), [("2.13.0", False, False), ("2.13.0+cpu", True, True)]
)
def test_where_uv_reaches_no_build_only_the_small_one_of_pip_is_taken_unasked(
    bootstrap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offered: str, has_device: bool, falls_back: bool
) -> None:
    pip = Pip(offered)

    def step(title: str, command: Sequence[str], remedy: str) -> None:
        pip.step(title, command, remedy)
        if "--torch-backend" in command:
            raise bootstrap.StepFailedError(f"uv ended with 1. {remedy}")

    monkeypatch.setattr(bootstrap, "say", lambda text: None)
    monkeypatch.setattr(bootstrap, "run_step", step)
    monkeypatch.setattr(bootstrap, "has_cuda_device", lambda: has_device)
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    monkeypatch.delenv("FIREGUI_TORCH", raising=False)

    with nullcontext() if falls_back else pytest.raises(bootstrap.StepFailedError, match="FIREGUI_TORCH=cuda"):
        bootstrap.install(tmp_path, with_tests=False)

    pin = bootstrap.pin_of("torch", bootstrap.CONSTRAINTS.read_text(encoding="utf-8"))
    installs = [command for command in pip.commands if command[-1] == pin and "--torch-backend" not in command]
    assert len(installs) == falls_back


def test_the_checksums_are_those_of_the_pins(bootstrap: Any) -> None:
    lines = bootstrap.hashed_lines(bootstrap.HASHES.read_text(encoding="utf-8"))
    pinned = [line.partition("==") for line in bootstrap.CONSTRAINTS.read_text(encoding="utf-8").splitlines()]
    pins = {(bootstrap.normalized(name), version) for name, sign, version in pinned if sign and name[0] != "#"}
    assert set(lines) <= pins
    assert len(pins - set(lines)) < len(pins) / 20, sorted(pins - set(lines))


@pytest.fixture
def environment(bootstrap: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Path, list[str]]:
    """A folder for an environment, and what was done to it."""
    done: list[str] = []
    folder = tmp_path / "venv"

    def make(where: Path, _: object) -> None:
        done.append("make")
        where.mkdir()

    monkeypatch.setattr(bootstrap, "is_usable", lambda where: where.exists())
    monkeypatch.setattr(bootstrap, "make_environment", make)
    monkeypatch.setattr(bootstrap, "install", lambda _, with_tests: done.append(f"install {with_tests}"))
    return folder, done


def test_a_second_call_finds_everything_in_place(bootstrap: Any, environment: tuple[Path, list[str]]) -> None:
    folder, done = environment

    for _ in range(2):
        bootstrap.ensure_environment(folder, None, with_tests=True)
    bootstrap.ensure_environment(folder, None, with_tests=False)

    assert done == ["make", "install True"]


def test_the_tests_add_to_an_environment_made_to_run(bootstrap: Any, environment: tuple[Path, list[str]]) -> None:
    folder, done = environment

    bootstrap.ensure_environment(folder, None, with_tests=False)
    bootstrap.ensure_environment(folder, None, with_tests=True)

    assert done == ["make", "install False", "install True"]


def test_another_pin_is_installed(
    bootstrap: Any, environment: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, done = environment
    bootstrap.ensure_environment(folder, None, with_tests=False)
    (tmp_path / "constraints.txt").write_text("torch==3.0.0\n", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "CONSTRAINTS", tmp_path / "constraints.txt")

    bootstrap.ensure_environment(folder, None, with_tests=False)

    assert done == ["make", "install False", "install False"]


def test_an_interrupted_installation_is_taken_up_again(
    bootstrap: Any, environment: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, done = environment

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, "install", interrupted)
        with pytest.raises(KeyboardInterrupt):
            bootstrap.ensure_environment(folder, None, with_tests=False)
    bootstrap.ensure_environment(folder, None, with_tests=False)

    assert done == ["make", "install False"]


def test_a_folder_that_is_no_environment_is_never_emptied(bootstrap: Any, libraries: Any, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")

    with pytest.raises(bootstrap.StepFailedError, match="point FIREGUI_VENV elsewhere"):
        bootstrap.make_environment(tmp_path, machine(libraries))

    assert (tmp_path / "thesis.txt").exists()


def test_a_python_without_venv_is_given_it_by_root_on_debian(
    bootstrap: Any, libraries: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    steps = Recorder(failing=["venv"])
    monkeypatch.setattr(libraries.subprocess, "run", steps)

    with pytest.raises(bootstrap.StepFailedError):
        bootstrap.make_environment(tmp_path / "venv", machine(libraries, is_root=True))

    package = "python{}.{}-venv".format(*sys.version_info[:2])
    assert [package in command for command in steps.commands] == [False, False, True, False]


def test_an_ordinary_user_without_venv_is_told_what_to_type(
    bootstrap: Any, libraries: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(libraries.subprocess, "run", Recorder(failing=["venv"]))

    with pytest.raises(bootstrap.StepFailedError, match=r"sudo apt-get .*python3\.\d+-venv"):
        bootstrap.make_environment(tmp_path / "venv", machine(libraries))


# -- the last step ----------------------------------------------------------------------------------------------------
def test_real_windows_are_tested_under_xvfb_and_everything_else_offscreen(bootstrap: Any) -> None:
    window, rest = bootstrap.pytest_phases("linux", True, True, ["-x"])

    assert window.qt_platform == "xcb"
    real = "tests/gui/test_real_window.py"
    assert window.arguments == ("-o", "xvfb_colordepth=24", "-m", "window and not slow", real, "-x")
    assert rest.qt_platform == "offscreen"
    assert rest.arguments[:4] == ("-p", "no:xvfb", "-m", "not window and not slow")
    assert rest.arguments[-1] == "-x"


def test_only_files_of_ones_own_are_searched_for_tests_of_real_windows(bootstrap: Any) -> None:
    window, _ = bootstrap.pytest_phases("linux", True, True, ["tests/gui/test_app.py::test_about", "-x"])

    assert window.arguments[-2:] == ("tests/gui/test_app.py::test_about", "-x")
    assert bootstrap.WINDOW_TESTS not in window.arguments


def test_all_tests_of_real_windows_are_in_the_file_that_is_read_for_them(bootstrap: Any) -> None:
    tests = (bootstrap.CHECKOUT / "tests").rglob("test_*.py")
    marked = [path for path in tests if re.search(r"mark\.window\b", path.read_text(encoding="utf-8"))]

    assert [path.relative_to(bootstrap.CHECKOUT).as_posix() for path in marked] == [bootstrap.WINDOW_TESTS]


@pytest.mark.parametrize(("cores", "processes"), [(1, "2"), (2, "3"), (64, "4")])
def test_a_core_each_and_one_more_test_what_needs_no_real_window(
    bootstrap: Any, monkeypatch: pytest.MonkeyPatch, cores: int, processes: str
) -> None:
    monkeypatch.setattr(bootstrap.os, "cpu_count", lambda: cores)
    window, rest = bootstrap.pytest_phases("linux", True, True, ["-n0"])

    assert "-n" not in window.arguments
    assert rest.arguments[rest.arguments.index("-n") + 1] == processes
    assert rest.arguments[-1] == "-n0", "a number of one's own has the last word"


def test_without_a_screen_the_windows_tests_are_skipped_with_a_reason(bootstrap: Any) -> None:
    window, rest = bootstrap.pytest_phases("linux", False, False, [])

    assert (window.qt_platform, rest.qt_platform) == ("offscreen", "offscreen")


@pytest.mark.parametrize(("system", "name"), [("darwin", "cocoa"), ("win32", "windows")])
def test_other_systems_open_their_own_windows(bootstrap: Any, system: str, name: str) -> None:
    window, _ = bootstrap.pytest_phases(system, True, False, [])

    assert window.qt_platform == name


@pytest.mark.parametrize("extra", [["-m", "slow"], ["-mslow"], ["-k", "x", "-m", "gpu"]])
def test_a_marker_expression_of_ones_own_is_obeyed_in_one_call(bootstrap: Any, extra: list[str]) -> None:
    (only,) = bootstrap.pytest_phases("linux", True, True, extra)

    assert only.arguments[-len(extra) :] == tuple(extra)
    assert not any("window" in argument for argument in only.arguments)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [([0, 0], 0), ([5, 0], 0), ([0, 5], 0), ([5, 5], 5), ([1, 0], 1), ([0, 1], 1), ([5, 2], 2), ([2, 1], 2), ([4], 4)],
)
def test_a_failure_of_either_call_is_the_failure_of_the_command(
    bootstrap: Any, codes: list[int], expected: int
) -> None:
    assert bootstrap.combined_exit(codes) == expected


def test_the_status_of_the_last_step_is_handed_on(bootstrap: Any, tmp_path: Path) -> None:
    assert bootstrap.call([sys.executable, "-c", "raise SystemExit(130)"], os.environ, tmp_path) == 130


@pytest.mark.parametrize(("window", "platform"), [(True, None), (False, "offscreen")])
def test_what_follows_run_is_handed_to_the_demo(
    bootstrap: Any, monkeypatch: pytest.MonkeyPatch, window: bool, platform: str | None
) -> None:
    seen: list[tuple[list[str], str | None]] = []

    def become(command: list[str], environment: Mapping[str, str]) -> int:
        seen.append((command, environment.get("QT_QPA_PLATFORM")))
        return 130

    monkeypatch.setattr(bootstrap, "become", become)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("QT_QPA_PLATFORM")

    assert bootstrap.run_demo(Path("python"), window, ["--out", "here"]) == 130
    assert seen == [(["python", "-m", "firegui", "demo", "--out", "here"], platform)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot put one program in another's place")
def test_the_demo_takes_the_place_of_the_script_so_that_an_interrupt_reaches_it(tmp_path: Path) -> None:
    child = "import os, sys; print(os.getpid(), os.environ['WORD']); sys.exit(130)"
    script = f"""
import os, sys
sys.path.insert(0, {str(SCRIPTS)!r})
import bootstrap
bootstrap.become([sys.executable, "-c", {child!r}], {{**os.environ, "WORD": "kept"}})
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        said, _ = process.communicate(timeout=60)

    assert process.returncode == 130
    assert said.split() == [str(process.pid), "kept"]


def test_an_interrupt_before_the_demo_ends_everything(
    bootstrap: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap.Machine, "here", interrupted)
    monkeypatch.setattr(bootstrap, "become", lambda *_: pytest.fail("it went on"))

    assert bootstrap.main(["run"]) == 130
    assert "call this again to go on" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["walk"], ["-h"]])
def test_any_other_command_gets_the_usage(
    bootstrap: Any, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bootstrap.main(arguments) == (0 if arguments == ["-h"] else 2)
    assert "run|test" in capsys.readouterr().err
