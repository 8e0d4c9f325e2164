package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.F32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Lines;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Signature;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.drawn.DrawnKernel;
import dev.tilewright.tile.drawn.DrawnSchedules;
import dev.tilewright.tile.drawn.Refusals;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What decides bits has a signature, and schedules have no part in it. */
class SignatureTest {
    private static final Target HOPPER = Target.SM_90A;

    private static TileKernel product(ValueType factors, int step, int parts, double start) {
        return TileKernel.of("product", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", factors, m, depth), b = k.in("b", factors, depth, n), c = k.out("c", F32, m, n);
            k.forEachTile(c, 16, 8, at -> c.store(at, k.foldInParts(parts, k.full(F32, start, 16, 8),
                    k.steps(depth, step), (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column())))));
        });
    }

    @Test
    void itSaysWhatDecidesBits() {
        Signature signature = product(BF16, 32, 2, 0).signature(HOPPER);
        assertTrue(signature.text().matches("""
                loop over k: split in 2 parts, added in ascending order
                %4: product of bf16 and bf16 in f32: k ascending in one accumulator, wgmma or mma.sync of sm_90, 16 an \
                instruction
                batch: along 'm' a place depends on the same place of what is read alone
                elements: every operation rounded once, as in the kernel of SHA-256 [0-9a-f]{64}
                """), signature::text);
        assertTrue(signature.hash().matches("[0-9a-f]{64}"));
        assertEquals(signature, product(BF16, 32, 2, 0).signature(HOPPER), "of a kernel that is traced again");
        assertEquals("%1: SUM of f32 along axis 0: 1024 accumulators, each ascending, then in halves",
                sums(t -> t.sum(0)).signature(HOPPER).text().lines().findFirst().orElseThrow());
    }

    private static TileKernel sums(Function<Tile, Tile> function) {
        return of((k, x) -> function.apply(x));
    }

    private static TileKernel of(BiFunction<TileScope, Tile, Tile> function) {
        return TileKernel.of("sums", k -> {
            Tensor x = k.in("x", F32, Dim.of(64)), y = k.out("y", F32, Dim.of(64));
            k.forEachTile(y, 64, at -> y.store(at, function.apply(k, x.tile(at))));
        });
    }

    @Test
    void whatChangesBitsChangesIt() {
        List<TileKernel> kernels = List.of(product(BF16, 32, 2, 0), product(BF16, 32, 1, 0), product(BF16, 16, 2, 0),
                product(BF16, 32, 2, 1), product(ValueType.F16, 32, 2, 0), sums(t -> t), sums(t -> t.sum(0)),
                sums(t -> t.shifted(0, 1, 2)), sums(t -> t.shifted(0, 1, 3)), sums(t -> t.times(3)),
                sums(t -> t.times(5)), sums(t -> t.to(BF16).to(F32)), of((k, x) -> k.full(F32, 2).plus(x)),
                of((k, x) -> k.full(F32, 3).plus(x)), sums(t -> t.max(0)), sums(t -> t.slice(0, 1, 1)),
                sums(t -> t.slice(0, 2, 1)));
        assertEquals(kernels.size(), kernels.stream().map(kernel -> kernel.signature(HOPPER)).distinct().count());
        assertEquals(kernels.size(), kernels.stream().map(kernel -> kernel.signature(HOPPER).hash()).distinct()
                .count());
        assertNotEquals(kernels.getFirst().signature(Target.SM_80), kernels.getFirst().signature(HOPPER));
    }

    @Test
    void whereAKernelIsWrittenDecidesNoBit() {
        TileKernel one = of((k, x) -> x.plus(k.full(F32, 2)));
        TileKernel other = of((k, x) ->
                x.plus(k.full(F32, 2)));
        assertNotEquals(lines(one), lines(other));
        assertEquals(one.signature(HOPPER), other.signature(HOPPER));
    }

    private static List<String> lines(TileKernel kernel) {
        return kernel.grid().body().tiles().map(Tile::line).toList();
    }

    @Test
    void productsWhoseBitsTheTargetDoesNotGiveAreRefused() {
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(16, 32), "b", ArrayShape.dense(32, 8), "c",
                ArrayShape.dense(16, 8));
        assertEquals("kernel 'product' has products %4: f32 [16 x 8] with the bits of wgmma, which takes groups of 128 "
                + "threads, got threads=64: choose threads=128 or more, leave it out, or name the other products, with "
                + "arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC)", refusal(() -> product(E4M3, 32, 1, 0).with(
                Schedule.parse("threads=64")).launch(shapes, Scalars.NONE, HOPPER, 1)));
        TileKernel named = TileKernel.of("named", k -> {
            k.arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC);
            Tensor a = k.in("a", BF16, k.dim("m"), Dim.of(16)), b = k.in("b", BF16, Dim.of(16), Dim.of(8));
            Tensor c = k.out("c", F32, a.dims().getFirst(), Dim.of(8));
            k.forEachTile(c, 16, 8, at -> c.store(at, k.zeros(F32, 16, 8).mma(a.tile(at.row()), b.tile())));
        });
        assertEquals("kernel 'named' has products %3: f32 [16 x 8] of HOPPER_MMA_SYNC, and the bits of sm_80 are "
                + "others: name no arithmetic, or run it on the CPU", refusal(() -> named.lowered(Target.SM_80,
                Map.of())));
        assertEquals(MatrixArithmetic.HOPPER_MMA_SYNC, named.arithmetic(HOPPER));
        assertEquals(MatrixArithmetic.AMPERE, product(BF16, 32, 1, 0).arithmetic(Target.SM_86));
    }

    /** No signature names products that the target has not: just where a program is refused. */
    @Test
    void aTargetWithoutTheProductsHasNoSignature() {
        List<Optional<MatrixArithmetic>> whose = Stream.concat(Stream.of(Optional.<MatrixArithmetic>empty()),
                Arrays.stream(MatrixArithmetic.values()).map(Optional::of)).toList();
        for (ValueType type : List.of(E4M3, BF16, F32)) {
            for (Optional<MatrixArithmetic> named : whose) {
                TileKernel kernel = TileKernel.of("product", k -> {
                    named.ifPresent(k::arithmetic);
                    Dim m = k.dim("m");
                    Tensor a = k.in("a", type, m, Dim.of(32)), b = k.in("b", type, Dim.of(32), Dim.of(8));
                    Tensor c = k.out("c", F32, m, Dim.of(8));
                    k.forEachTile(c, 64, 8, at -> c.store(at, k.zeros(F32, 64, 8).mma(a.tile(at.row()), b.tile())));
                });
                for (Target target : Target.KNOWN) {
                    assertEquals(refusal(() -> kernel.lowered(target, Map.of())), refusal(() ->
                            kernel.signature(target)), () -> type + " " + named + " " + target);
                }
            }
        }
        assertEquals("kernel 'product' has products %4: f32 [16 x 8] of e4m3, which need sm_89 or later, got sm_80: "
                + "run it on the CPU there", refusal(() -> product(E4M3, 32, 1, 0).signature(Target.SM_80)));
        assertEquals("kernel 'product' has products %4: f32 [16 x 8] of e4m3 with the bits of wgmma, which sm_90a "
                + "alone has, got sm_90: name the other products, with arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC), "
                + "or run it on the CPU", refusal(() -> product(E4M3, 32, 1, 0).signature(Target.SM_90)));
    }

    private static String refusal(Supplier<?> what) {
        try {
            what.get();
            return "";
        } catch (IllegalArgumentException e) {
            return Lines.without(e.getMessage());
        }
    }

    /** Drawn kernels: by each schedule the signature is the same. */
    @Test
    void schedulesHaveNoPartInIt() {
        for (long seed = 0; seed < 20; seed++) {
            DrawnKernel drawn = DrawnKernel.of(seed);
            TileKernel kernel = drawn.kernel();
            for (Schedule schedule : DrawnSchedules.of(drawn, 2)) {
                Refusals.with(kernel, schedule).ifPresent(with -> assertEquals(kernel.signature(HOPPER),
                        with.signature(HOPPER)));
            }
        }
    }
}
