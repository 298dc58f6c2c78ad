"""Runs command lines one after another, each in a process of its own forked from here, and says what each took.

One JSON object a line comes in (``words``, ``folder``, ``humble``) and one goes out (``code``, ``seconds``, ``cpu``,
``peak_mb``). ``room_bytes`` limits the size of the files that a command writes, ``kill_s`` is when it is killed. A
first word ``MODULE:NAME`` calls that function with a path in place of a command. Modules named as arguments are loaded
first. Standard output and error of a command are the files ``out`` and ``err`` of its folder, as the operating system
saw them: what libraries print past Python is in them. The memory it may ask for is limited to
:data:`ALLOWED_BYTES` more than a program that has just started.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import firegui.cli.main  # noqa: F401  (every command begins with this, loaded once)
from firegui.__main__ import main
from firegui.cli.shell import report_error

ALLOWED_BYTES = 3 * 2**29
PATIENCE_S = 30


def serve() -> None:
    """Answer until the input ends."""
    for name in sys.argv[1:]:
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        for name in ("out", "err"):  # a command that is killed at once leaves them empty
            (Path(request["folder"]) / name).touch()
        child = os.fork()
        if child == 0:
            _command(request)
        if request.get("kill_s") is not None:
            time.sleep(request["kill_s"])
            os.kill(child, signal.SIGKILL)
        print(json.dumps(_outcome(child, began)), flush=True)


def _command(request: dict[str, Any]) -> None:
    """Be the command; never returns."""
    code = 99
    try:
        _settle(request)
        module, colon, name = request["words"][0].partition(":")
        if colon:
            code = _called(getattr(import_module(module), name), Path(request["words"][1]))
        else:
            main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 98
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _called(function: Callable[[Path], object], path: Path) -> int:
    try:
        function(path)
    except Exception as error:
        return report_error(error, as_json=False)
    return 0


def _settle(request: dict[str, Any]) -> None:
    folder = request["folder"]
    for number, name in ((1, "out"), (2, "err")):
        file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(file, number)
    os.environ["TMPDIR"] = f"{folder}/tmp"
    os.chdir(f"{folder}/work")
    with open("/proc/self/statm", encoding="ascii") as file_:
        size = int(file_.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ALLOWED_BYTES, size + ALLOWED_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request.get("room_bytes") is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["room_bytes"], resource.RLIM_INFINITY))
    if request["humble"]:
        _be_humble()
    signal.alarm(PATIENCE_S)
    sys.argv = ["firegui", *request["words"]]


def _be_humble() -> None:
    """Give up root's right to read what it may not: capset(2) without CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, held = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(header, held) != 0:
        raise OSError(ctypes.get_errno(), "capget")
    for part in (0, 1):  # effective, permitted
        held[part] &= ~0b110
    if libc.capset(header, held) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def _outcome(child: int, began: float) -> dict[str, Any]:
    _, status, usage = os.wait4(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": time.monotonic() - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


if __name__ == "__main__":
    serve()
