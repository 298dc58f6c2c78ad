"""Compile every GPU kernel for a Hopper chip; no GPU is needed. Prints how many fused multiply-adds each one has."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

FLOATS = frozenset({
    "unburned", "scaled", "retardant", "emission", "wet", "laid", "before", "heats", "afters", "burnings", "table",
    "gains", "adjoint", "slopes", "remaining", "flows", "emitted", "collected", "current", "passing", "sources",
})  # fmt: skip
DOUBLES = frozenset({"drops", "shares", "sums", "protection", "results"})
BYTES = frozenset({"working"})
INTEGERS = frozenset({"pairs", "slots", "flags", "log", "clock", "offsets"})
TILE = {"TILE_HEIGHT": 8, "TILE_WIDTH": 32}
BAND = {"LONG": 16, "WIDE": 16}


def variants() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Module, kernel, and what it is specialised for."""
    yield "gpu_forward", "norms", BAND
    for limited in (False, True):
        yield "gpu_forward", "doses", {"GROUP": 32, "LIMITED": limited, **TILE}
        yield "gpu_backward", "products", {"LIMITED": limited, **BAND, **TILE}
    for receiver, emitter in ((True, True), (True, False), (False, True)):
        # Triton makes a number that is 1 a constant, as it does with one period a day.
        for count, periods in ((8, {"periods": 1}), (16, {})):
            sides = {"COUNT": count, "RECEIVER": receiver, "EMITTER": emitter}
            yield "gpu_forward", "drop_now", {"COUNT": count, "EMITTER": emitter, "HISTORY": receiver, **TILE}
            yield "gpu_backward", "seed", {**sides, **TILE}
            yield "gpu_backward", "back", {**sides, **periods, **TILE}
            for chunk, history in ((1, True), (1, False), (32, False)):
                special = {"PROTECTED": history, "HISTORY": history, "CHUNK": chunk}
                yield "gpu_forward", "step", {**sides, **special, **periods, **TILE}


def signature(kernel: Any, constants: dict[str, Any]) -> dict[str, str]:
    """The type of every argument."""
    kinds = {"*fp32": FLOATS, "*fp64": DOUBLES, "*i32": INTEGERS, "*u8": BYTES}
    pointers = {name: kind for kind, names in kinds.items() for name in names}
    return {name: "constexpr" if name in constants else pointers.get(name, "i32") for name in kernel.arg_names}


def main() -> None:
    """One line of JSON for each kernel."""
    for module, name, constants in variants():
        kernel = getattr(importlib.import_module(f"firegui.rollout.kernels.{module}"), name)
        places = {(kernel.arg_names.index(key),): value for key, value in constants.items()}
        source = ASTSource(fn=kernel, signature=signature(kernel, constants), constexprs=places)
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"enable_fp_fusion": False})
        code = compiled.asm["ptx"]
        print(json.dumps({"kernel": name, "fma": code.count("fma.rn.f32"), "atomics": code.count("atom.")}))


if __name__ == "__main__":
    main()
