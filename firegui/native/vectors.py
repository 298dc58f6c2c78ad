"""Explicit vectors of float32 for numba: what the kernels are written in.

LLVM vectorises long loops by itself, but not the 8- and 16-cell pieces that an active front consists of. So the pieces
are values of their own here: ``Vector(16)`` and ``Vector(8)``, with ``+ - *``, and the functions below. On a processor
with narrower registers LLVM splits them; without fused multiply-add (:data:`FUSED`) ``fma`` is two operations.
No operation may be reassociated or contracted, so a result does not depend on how pieces are grouped.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import lower_builtin, models, register_model

FUSED = bool(llvm.get_host_cpu_features().get("fma", True))
"""Whether the processor multiplies and adds in one operation; elsewhere LLVM would call a slow library function."""

FLOAT, INT = ir.FloatType(), ir.IntType(32)


_Operation = Callable[..., Any]


def intrinsic(emit: _Operation) -> _Operation:
    """Declare an operation that kernels call. Vectors are ``Any`` to a type checker."""
    return cast(_Operation, numba_intrinsic(emit))


class Vector(types.Type):
    """``lanes`` float32 numbers in a register."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"Vector({lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(FLOAT, kind.lanes))


# -- arithmetic -------------------------------------------------------------------------------------------------------
def _define(symbol: Any, emit: Callable[[Any, Any, Any], Any]) -> None:
    """Teach numba ``symbol`` between two vectors of the same length."""

    @infer_global(symbol)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and all(isinstance(arg, Vector) for arg in args) and args[0] == args[1]:
                return signature(args[0], *args)
            return None

    @lower_builtin(symbol, Vector, Vector)  # type: ignore[untyped-decorator]
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, args[0], args[1])


_define(operator.add, lambda builder, a, b: builder.fadd(a, b))
_define(operator.sub, lambda builder, a, b: builder.fsub(a, b))
_define(operator.mul, lambda builder, a, b: builder.fmul(a, b))


def _call(builder: Any, name: str, kind: Any, *args: Any) -> Any:
    """Call a function of LLVM on whole vectors, such as ``llvm.fma.v16f32``."""
    suffix = f"v{kind.count}f32"
    made = ir.FunctionType(kind, [kind] * len(args))
    return builder.call(cgutils.get_or_insert_function(builder.module, made, f"{name}.{suffix}"), args)


def _constant(kind: Any, value: Any) -> Any:
    return ir.Constant(kind, [value] * kind.count)


# -- memory -----------------------------------------------------------------------------------------------------------
def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any, lanes: int) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    at = builder.gep(data, [index])
    return builder.bitcast(at, ir.VectorType(FLOAT, lanes).as_pointer())


def _loader(lanes: int) -> Any:
    @intrinsic
    def load(typing: Any, array: Any, index: Any) -> Any:
        """Return ``array[index : index + lanes]``, unchecked."""

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            at = context.cast(builder, args[1], sig.args[1], types.intp)
            return builder.load(_address(context, builder, sig.args[0], args[0], at, lanes), align=4)

        return signature(Vector(lanes), array, index), emit

    return load


load16, load8 = _loader(16), _loader(8)


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Store ``array[index : index + lanes] = value``, unchecked."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        at = context.cast(builder, args[1], sig.args[1], types.intp)
        pointer = _address(context, builder, sig.args[0], args[0], at, sig.args[2].lanes)
        builder.store(args[2], pointer, align=4)
        return context.get_dummy_value()

    return signature(types.none, array, index, value), emit


# -- making vectors ---------------------------------------------------------------------------------------------------
def _splatter(lanes: int) -> Any:
    @intrinsic
    def splat(typing: Any, value: Any) -> Any:
        """Return ``value`` in every lane."""

        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.VectorType(FLOAT, lanes)
            number = context.cast(builder, args[0], sig.args[0], types.float32)
            first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(INT, 0))
            zeros = ir.Constant(ir.VectorType(INT, lanes), [0] * lanes)
            return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), zeros)

        return signature(Vector(lanes), value), emit

    return splat


splat16, splat8 = _splatter(16), _splatter(8)


@intrinsic
def lanes8(typing: Any) -> Any:
    """Return ``0, 1, … 7``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return ir.Constant(ir.VectorType(FLOAT, 8), [float(k) for k in range(8)])

    return signature(Vector(8)), emit


# -- functions of vectors ---------------------------------------------------------------------------------------------
@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return ``a b + c``, rounded once where the processor can."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not FUSED:
            return builder.fadd(builder.fmul(args[0], args[1]), args[2])
        return _call(builder, "llvm.fma", args[0].type, *args)

    return signature(a, a, b, c), emit


@intrinsic
def minimum(typing: Any, a: Any, b: Any) -> Any:
    """Return the smaller number of each lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[0], args[1])

    return signature(a, a, b), emit


@intrinsic
def where_above(typing: Any, value: Any, limit: Any, result: Any) -> Any:
    """Return ``result`` where ``value > limit`` and 0 elsewhere."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        above = builder.fcmp_ordered(">", args[0], args[1])
        return builder.select(above, args[2], _constant(args[2].type, 0.0))

    return signature(value, value, limit, result), emit


@intrinsic
def bits_above(typing: Any, value: Any, limit: Any) -> Any:
    """Return an integer whose bit ``k`` says whether lane ``k`` of ``value`` is above that of ``limit``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        above = builder.fcmp_ordered(">", args[0], args[1])
        bits = builder.bitcast(above, ir.IntType(sig.args[0].lanes))
        return builder.zext(bits, ir.IntType(64))

    return signature(types.int64, value, limit), emit


@intrinsic
def any_nonzero(typing: Any, value: Any) -> Any:
    """Return whether a lane of ``value`` is not 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = ir.IntType(sig.args[0].lanes)
        differs = builder.fcmp_unordered("!=", args[0], _constant(args[0].type, 0.0))
        return builder.icmp_unsigned("!=", builder.bitcast(differs, lanes), ir.Constant(lanes, 0))

    return signature(types.boolean, value), emit


@intrinsic
def rounded(typing: Any, value: Any) -> Any:
    """Return the nearest integer, halves to even."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        # Adding and taking away 1.5·2²³ rounds numbers below 2²² as the processor does, without a library call.
        magic = _constant(args[0].type, 12582912.0)
        return builder.fsub(builder.fadd(args[0], magic), magic)

    return signature(value, value), emit


@intrinsic
def power_of_half(typing: Any, whole: Any) -> Any:
    """Return ``2^{−n}`` for whole numbers ``0 ≤ n ≤ 126``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        integers = ir.VectorType(INT, sig.args[0].lanes)
        exponent = builder.sub(_constant(integers, 127), builder.fptosi(args[0], integers))
        return builder.bitcast(builder.shl(exponent, _constant(integers, 23)), args[0].type)

    return signature(whole, whole), emit


@intrinsic
def to_left(typing: Any, value: Any) -> Any:
    """Return the lanes shifted down: lane ``k + 1`` in lane ``k``, 0 in the last."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        places = ir.Constant(ir.VectorType(INT, sig.args[0].lanes), list(range(1, sig.args[0].lanes + 1)))
        return builder.shuffle_vector(args[0], _constant(args[0].type, 0.0), places)

    return signature(value, value), emit


@intrinsic
def to_right(typing: Any, value: Any) -> Any:
    """Return the lanes shifted up: lane ``k − 1`` in lane ``k``, 0 in the first."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = sig.args[0].lanes
        places = ir.Constant(ir.VectorType(INT, lanes), [lanes, *range(lanes - 1)])
        return builder.shuffle_vector(args[0], _constant(args[0].type, 0.0), places)

    return signature(value, value), emit


@intrinsic
def first_lane(typing: Any, value: Any) -> Any:
    """Return the number in lane 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(INT, 0))

    return signature(types.float32, value), emit


@intrinsic
def last_lane(typing: Any, value: Any) -> Any:
    """Return the number in the last lane."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(INT, sig.args[0].lanes - 1))

    return signature(types.float32, value), emit


@intrinsic
def total(typing: Any, value: Any) -> Any:
    """Return the sum of all lanes.

    Halves are added to halves, always in the same order.
    """

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        part, count = args[0], sig.args[0].lanes
        while count > 1:
            count //= 2
            kind = ir.VectorType(INT, count)
            low = builder.shuffle_vector(part, part, ir.Constant(kind, list(range(count))))
            high = builder.shuffle_vector(part, part, ir.Constant(kind, list(range(count, 2 * count))))
            part = builder.fadd(low, high)
        return builder.extract_element(part, ir.Constant(INT, 0))

    return signature(types.float32, value), emit


@intrinsic
def lowest_bit(typing: Any, word: Any) -> Any:
    """Return the number of the lowest bit set in ``word``, which is not 0."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return signature(types.int64, word), emit


@intrinsic
def set_bits(typing: Any, word: Any) -> Any:
    """Return how many bits are set in ``word``."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return signature(types.int64, word), emit


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of ``array[index]``, which will be read soon."""

    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        at = builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        byte = builder.bitcast(at, ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), INT, INT, INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [byte, ir.Constant(INT, 0), ir.Constant(INT, 3), ir.Constant(INT, 1)])
        return context.get_dummy_value()

    return signature(types.none, array, index), emit
