# SPDX-FileCopyrightText: 2026 The tritonflow authors
# SPDX-License-Identifier: Apache-2.0
"""How one step of a dot is computed: fused multiply-add, or products of pairs.

A method owns the register tile, the element types of packed factors, and the operation
on vectors. It does not know where factors come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..mlir import arith, ir, llvm, vector
from .dot_operands import ElementReader, LeftOperand, StripLoader
from .features import CpuFeatures
from .transpose_kernels import (
    index_constant,
    offset,
    power_of_two_divisor,
    split,
    widen,
)


@dataclass(frozen=True)
class MicroTile:
    """The piece of the accumulator that stays in registers.

    Attributes:
        rows: rows of the left factor.
        chunks: vectors in a row of the tile.
        lanes: elements of the accumulator in a vector.
    """

    rows: int
    chunks: int
    lanes: int

    @property
    def columns(self) -> int:
        """Elements in a row of the tile."""
        return self.chunks * self.lanes


class DotMethod(Protocol):
    """One way to compute `acc += left * right` on the registers of a CPU."""

    @property
    def tile(self) -> MicroTile:
        """The register tile."""
        ...

    @property
    def acc(self) -> ir.Type:
        """Element type of sums in registers."""
        ...

    @property
    def left_element(self) -> ir.Type:
        """Element type of a left factor in scratch, `[m, k]`, if it is packed."""
        ...

    @property
    def right_element(self) -> ir.Type:
        """Element type of packed panels of the right factor."""
        ...

    @property
    def k_step(self) -> int:
        """Products that one operation adds up in each lane."""
        ...

    def wants_packed_left(self, element: ir.Type, *, has_pairs: bool) -> bool:
        """Whether a left factor should be copied to scratch as `left_element` first.

        Args:
            element: of the factor as it lies in memory.
            has_pairs: its elements k and k + 1 lie side by side.
        """
        ...

    def reads_right(self, element: ir.Type) -> bool:
        """Whether vectors of a right factor in scratch are used as they are."""
        ...

    def left_reader(self, left: LeftOperand, i: ir.Value) -> ElementReader:
        """Gives what emits the broadcast of row `i` at k, called outside the loop."""
        ...

    def right_strips(
        self, load: StripLoader, k: ir.Value, j: ir.Value
    ) -> list[ir.Value]:
        """Emits the vectors of a row of the tile for columns `j ..` and a step at k."""
        ...

    def column_strip(
        self, load: StripLoader, j: ir.Value, step: ir.Value, steps: int
    ) -> ir.Value:
        """Emits steps `step .. step + steps` of column `j`, one lane for a step."""
        ...

    def panel_strip(self, strip: ir.Value) -> ir.Value:
        """Emits what a panel stores of a transposed vector of `column_strip`s."""
        ...

    def multiply_add(self, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """Emits `acc + a * b`."""
        ...


def choose_method(
    shape: tuple[int, int, int],
    left: ir.Type,
    right: ir.Type,
    acc: ir.Type,
    cpu: CpuFeatures,
) -> DotMethod:
    """Gives the fastest method for a dot of `shape` (m, n, k) and these element types.

    Sums of f16 and bf16 are kept in f32; f8, f16 and bf16 factors are widened to f32
    unless the CPU multiplies pairs of bf16; integers are signed and sums wrap.
    """
    m, n, k = shape
    sums = acc
    if isinstance(acc, ir.FloatType) and acc.width < 32:
        sums = ir.F32Type.get()
    tile = choose_tile(m, n, sums, cpu)
    pair = _pair_intrinsic(left, right, sums, cpu)
    if pair is not None and k % 2 == 0 and tile.lanes == pair.lanes:
        return PairMethod(tile, sums, pair)
    return FmaMethod(tile, sums)


def choose_tile(m: int, n: int, acc: ir.Type, cpu: CpuFeatures) -> MicroTile:
    """Gives the register tile for an `[m, n]` accumulator.

    Half of the registers hold sums: that hides the latency of an FMA and leaves room
    for a row of the right factor and a broadcast. Two vectors a row need the fewest
    loads; narrow or flat blocks take other proportions.
    """
    width = acc.width if isinstance(acc, ir.IntegerType | ir.FloatType) else 32
    lanes = power_of_two_divisor(n, max(1, cpu.vector_bits // width))
    sums = cpu.vector_registers // 2
    rows = power_of_two_divisor(m, sums // 2)
    chunks = power_of_two_divisor(n // lanes, max(2, min(4, sums // rows)))
    if chunks == 1:
        rows = power_of_two_divisor(m, sums)
    return MicroTile(rows, chunks, lanes)


@dataclass(frozen=True)
class FmaMethod:
    """One product for each lane and step: `vector.fma`, or `muli` and `addi`."""

    tile: MicroTile
    acc: ir.Type
    k_step = 1

    @property
    def left_element(self) -> ir.Type:
        """The accumulator's own type."""
        return self.acc

    @property
    def right_element(self) -> ir.Type:
        """The accumulator's own type."""
        return self.acc

    def wants_packed_left(self, element: ir.Type, *, has_pairs: bool) -> bool:
        """Whether elements need a conversion, which costs more than a copy."""
        return element != self.acc

    def reads_right(self, element: ir.Type) -> bool:
        """Whether no conversion is needed."""
        return element == self.acc

    def left_reader(self, left: LeftOperand, i: ir.Value) -> ElementReader:
        """Gives what emits the element at k in all lanes."""
        read = left.element_reader(i)
        lanes = ir.VectorType.get([self.tile.lanes], self.acc)
        return lambda k: vector.broadcast(lanes, widen(read(k), self.acc))

    def right_strips(
        self, load: StripLoader, k: ir.Value, j: ir.Value
    ) -> list[ir.Value]:
        """Emits row k, columns `j ..`."""
        row = widen(load(k, j, self.tile.columns), self.acc)
        return split(row, self.tile.chunks)

    def column_strip(
        self, load: StripLoader, j: ir.Value, step: ir.Value, steps: int
    ) -> ir.Value:
        """Emits elements `step ..` of column `j`."""
        return widen(load(j, step, steps), self.acc)

    def panel_strip(self, strip: ir.Value) -> ir.Value:
        """Gives the vector as it is."""
        return strip

    def multiply_add(self, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """Emits a fused multiply-add, or its integer counterpart."""
        if isinstance(self.acc, ir.IntegerType):
            return arith.addi(acc, arith.muli(a, b))
        return vector.fma(a, b, acc)


@dataclass(frozen=True)
class PairIntrinsic:
    """An instruction that adds the products of two neighbours to each lane.

    Attributes:
        name: LLVM's intrinsic.
        lanes: of the accumulator.
        element: of the factors.
        accumulates: takes the accumulator as first operand; else its result is added.
    """

    name: str
    lanes: int
    element: ir.Type
    accumulates: bool


@dataclass(frozen=True)
class PairMethod:
    """Two products for each lane and step, from factors of 16 bits.

    Panels of the right factor hold elements k and k + 1 of a column side by side.
    """

    tile: MicroTile
    acc: ir.Type
    intrinsic: PairIntrinsic
    k_step = 2

    @property
    def left_element(self) -> ir.Type:
        """Bf16, or i16 for bytes."""
        return self.intrinsic.element

    @property
    def right_element(self) -> ir.Type:
        """Bf16, or i16 for bytes."""
        return self.intrinsic.element

    def wants_packed_left(self, element: ir.Type, *, has_pairs: bool) -> bool:
        """Whether pairs cannot be read from memory as they are."""
        return element != self.intrinsic.element or not has_pairs

    def reads_right(self, element: ir.Type) -> bool:
        """Never: rows have to be interleaved first."""
        return False

    def left_reader(self, left: LeftOperand, i: ir.Value) -> ElementReader:
        """Gives what emits the pair at k, k + 1 in all lanes."""
        read = left.pair_reader(i)
        word = ir.IntegerType.get_signless(32)
        words = ir.VectorType.get([self.tile.lanes], word)

        def broadcast_pair(k: ir.Value) -> ir.Value:
            pair = vector.bitcast(ir.VectorType.get([1], word), read(k))
            lanes = vector.broadcast(words, vector.extract(pair, [], [0]))
            return vector.bitcast(self._pairs, lanes)

        return broadcast_pair

    def right_strips(
        self, load: StripLoader, k: ir.Value, j: ir.Value
    ) -> list[ir.Value]:
        """Emits rows k and k + 1, columns `j ..`, interleaved."""
        element, columns = self.intrinsic.element, self.tile.columns
        even = widen(load(k, j, columns), element)
        odd = widen(load(offset(k, 1), j, columns), element)
        pairs = zip(
            split(even, self.tile.chunks), split(odd, self.tile.chunks), strict=True
        )
        return [vector.interleave(a, b) for a, b in pairs]

    def column_strip(
        self, load: StripLoader, j: ir.Value, step: ir.Value, steps: int
    ) -> ir.Value:
        """Emits pairs `step ..` of column `j`, each as a word of 32 bits."""
        k = arith.muli(step, index_constant(2))
        strip = widen(load(j, k, 2 * steps), self.intrinsic.element)
        word = ir.IntegerType.get_signless(32)
        return vector.bitcast(ir.VectorType.get([steps], word), strip)

    def panel_strip(self, strip: ir.Value) -> ir.Value:
        """Emits the words as pairs again."""
        pairs = 2 * ir.VectorType(strip.type).shape[0]
        return vector.bitcast(ir.VectorType.get([pairs], self.intrinsic.element), strip)

    def multiply_add(self, a: ir.Value, b: ir.Value, acc: ir.Value) -> ir.Value:
        """Emits the instruction, and an addition if it does not accumulate."""
        operands = [acc, a, b] if self.intrinsic.accumulates else [a, b]
        result = llvm.call_intrinsic(acc.type, self.intrinsic.name, operands, [], [])
        return result if self.intrinsic.accumulates else arith.addi(acc, result)

    @property
    def _pairs(self) -> ir.VectorType:
        return ir.VectorType.get([2 * self.tile.lanes], self.intrinsic.element)


def _pair_intrinsic(
    left: ir.Type, right: ir.Type, sums: ir.Type, cpu: CpuFeatures
) -> PairIntrinsic | None:
    """Gives the pair instruction for these types, or None if the CPU has none."""
    if left != right:
        return None
    if isinstance(left, ir.BF16Type) and isinstance(sums, ir.F32Type):
        if not cpu.has("avx512bf16"):
            return None
        return PairIntrinsic("llvm.x86.avx512bf16.dpbf16ps.512", 16, left, True)
    if not isinstance(left, ir.IntegerType) or left.width not in (8, 16):
        return None
    if not isinstance(sums, ir.IntegerType) or sums.width != 32 or left.width == 16:
        return None
    half = ir.IntegerType.get_signless(16)
    if cpu.has("avx512bw"):
        return PairIntrinsic("llvm.x86.avx512.pmaddw.d.512", 16, half, False)
    if cpu.has("avx2"):
        return PairIntrinsic("llvm.x86.avx2.pmadd.wd", 8, half, False)
    return None
