package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I64;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an index and a function of elements may not name: refused while a kernel is traced, at its line. */
class IndexRefusalsTest {
    private static final String NOT_GIVEN = "a function of elements uses an element of f32 that is not given to it, "
            + "such as one of another map: give all tiles to one map, as Tile.map(List.of(…), …) takes them";
    private static final String OF_VALUES = "an index within a function of elements is computed of extents and of "
            + "numbers of tiles and steps, and not of values: compute with values, as x.to(I64).plus(1) does, and "
            + "leave out toIndex()";
    private static final String NO_DIM = "extent 'q' is no dimension of this kernel: make it with dim(\"…\")";
    private static final String NO_NUMBER = " is no number of a tile or a step here: use it within the loop that it "
            + "belongs to";
    private static final String FAR = "a place is at most 1099511627776 elements away, which no tensor is long, got ";
    /** A function that uses more than it is given. */
    private static final ValueFunction OPEN = ValueFunction.of("open", "adds a scalar", F32, (_, x) -> x.plus(
            new Parameter.Scalar("s", ElementType.F32).value()));

    private interface Mistake {
        void in(TileScope k, Tensor x, Tensor y, Position at);
    }

    private record Case(String message, Consumer<TileScope> body) {
        @Override
        public String toString() {
            return message;
        }
    }

    private static Case within(String message, Mistake mistake) {
        return new Case(message, k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n);
            k.forEachTile(y, 8, 16, at -> mistake.in(k, x, y, at));
        });
    }

    /** A dimension of another kernel. */
    private static Dim other() {
        Dim[] kept = new Dim[1];
        TileKernel.of("other", k -> {
            Tensor y = k.out("y", F32, k.dim("q"));
            kept[0] = y.dims().getFirst();
            k.forEachTile(y, 8, at -> y.store(at, k.zeros(F32, 8)));
        });
        return kept[0];
    }

    static Stream<Case> cases() {
        return Stream.of(
                within(NOT_GIVEN, (k, x, y, at) -> {
                    Value[] kept = new Value[1];
                    x.tile(at).map(v -> kept[0] = v);
                    y.store(at, x.tile(at).times(2).map(v -> v.plus(kept[0])));
                }),
                within(NOT_GIVEN, (k, x, y, at) -> x.tile(at).map(v -> {
                    y.store(at, x.tile(at).map(w -> w.plus(v)));
                    return v;
                })),
                within(NOT_GIVEN, (k, x, y, at) -> x.tile(at).map(v -> v.plus(new Register("x0", F32, 1, 0).get()))),
                within("a function of elements has one element of each tile, and not one at tile_m: shift or gather "
                        + "the tile", (k, x, y, at) -> x.tile(at).map(v -> ((Value.Element) v).register().at(
                                new Expr.Var("tile_m", IntType.S32, 0)))),
                within(OF_VALUES, (k, x, y, at) -> k.zeros(I64, 8).map(v -> v.toIndex().plus(1).toValue())),
                new Case(OF_VALUES, k -> {
                    Value start = k.scalar("start", I64);
                    Tensor y = k.out("y", I64, k.dim("m"));
                    k.forEachTile(y, 8, at -> y.store(at, k.zeros(I64, 8).map(v -> v.plus(start.toIndex().plus(1)
                            .toValue()))));
                }),
                within("an index is computed of extents and of numbers of tiles and steps, and not of threadIdx.x: "
                        + "which thread computes what is left to the schedule", (k, x, y, at) -> k.zeros(I32, 8).map(
                                v -> v.plus(Expr.Builtin.THREAD.toValue()))),
                within("an index is computed of extents and of numbers of tiles and steps, and not of blockIdx.x: "
                        + "which thread computes what is left to the schedule", (k, x, y, at) -> x.tile(Span.at(
                                Expr.Builtin.BLOCK))),
                within("an index is computed of extents and of numbers of tiles and steps, and not of an address",
                        (k, x, y, at) -> k.full(new Parameter.Pointer("x", false).deviceAddress().toValue(), 8)),
                within("'step_n'" + NO_NUMBER, (k, x, y, at) -> {
                    Expr[] kept = new Expr[1];
                    k.loop(k.steps(x.dims().getLast(), 8), i -> kept[0] = i.start());
                    y.store(at, x.tile(at).map(v -> v.plus(kept[0].toValue().to(F32))));
                }),
                within("'step_n'" + NO_NUMBER, (k, x, y, at) -> {
                    Span[] kept = new Span[1];
                    k.loop(k.steps(x.dims().getLast(), 8), i -> kept[0] = i);
                    x.tile(at.row(), kept[0]);
                }),
                within("'tile_m'" + NO_NUMBER, (k, x, y, at) -> k.when(new Expr.Var("tile_m", IntType.S64, 0).isEqualTo(
                        0), () -> { })),
                within("scalar 's' of f32 is none of this kernel: declare it with scalar(\"s\", …)",
                        (k, x, y, at) -> x.tile(at).map(v -> v.plus(new Parameter.Scalar("s", ElementType.F32)
                                .value()))),
                within("scalar 's' of f32 is none of this kernel: declare it with scalar(\"s\", …)",
                        (k, x, y, at) -> k.full(new Parameter.Scalar("s", ElementType.F32).value(), 8)),
                within(ApproximateOp.EX2 + " has not the same bits everywhere: use an exact function of values",
                        (k, x, y, at) -> x.tile(at).map(v -> new Value.Approximate(ApproximateOp.EX2, v))),
                within("function 'open' uses s, and its value follows from its arguments alone, with the same bits "
                        + "everywhere: make it an argument", (k, x, y, at) -> x.tile(at).map(OPEN::of)),
                within("a function of elements is given no tile: use full(…)", (k, x, y, at) -> Tile.map(List.of(),
                        v -> Value.f32(1))),
                within(NO_DIM, (k, x, y, at) -> x.tile(at).map(v -> v.plus(other().value().toValue().to(F32)))),
                within(NO_DIM, (k, x, y, at) -> x.tile(at.row(), Span.all(other()))),
                within(NO_DIM, (k, x, y, at) -> y.store(k.zeros(F32), at.row(), Span.all(other()))),
                within(NO_DIM, (k, x, y, at) -> k.loop(k.steps(other(), 8), i -> { })),
                within(NO_DIM, (k, x, y, at) -> k.full(Value.f32(1), List.of(other()))),
                new Case(NO_DIM, k -> k.forEachTile(List.of(k.steps(other(), 8)), at -> { })),
                within("a condition compares numbers, got the number (tile_m * 8): compare it, such as with "
                        + "isNotEqualTo(0)", (k, x, y, at) -> k.when(at.row().start(), () -> { })),
                within("an index is divided by zero: ((tile_m * 8) / 0)", (k, x, y, at) -> x.tile(Span.at(
                        at.row().start().dividedBy(0)), at.column())),
                within("an index is shifted by a constant from 0 to 62, got ((tile_m * 8) >> 70)", (k, x, y, at) ->
                        x.tile(Span.at(at.row().start().shiftRight(70)), at.column())),
                within(FAR + Long.MAX_VALUE, (k, x, y, at) -> x.tile(Span.of(Long.MAX_VALUE, 8), at.column())),
                within(FAR + "-4611686018427387904", (k, x, y, at) -> y.store(k.zeros(F32), at.row().plus(-1L << 62))),
                within("the places of a span with nearest() are known only within a tensor: leave out nearest(), and "
                        + "clamp the places", (k, x, y, at) -> k.iota(at.row().nearest())),
                new Case("place 3 is outside of a filter of 3 along spatial dimension 1", k -> {
                    Tensor x = k.in("x", F32, k.dim("images"), k.dim("high"), k.dim("wide"), Dim.of(16)), y = k.out(
                            "y", F32, k.dim("pixels"), Dim.of(16));
                    k.forEachTile(y, 8, 16, at -> y.store(at, x.patches(Convolution.square(3, 1, 1), at.row(),
                            Expr.list(0L, 3L), at.column())));
                }),
                within("a convolution of 2 spatial dimensions has no dimension 2: they are counted from 0",
                        (k, x, y, at) -> Convolution.square(3, 1, 1).outputs(2, x.dims().getFirst())),
                new Case("extent 'odd' of tensor 'x' is no dimension of this kernel: make it with dim(\"…\")", k ->
                        k.in("x", F32, new Dim("odd", new Expr.Var("tile_m", IntType.S64, 0)))),
                within("extent 'odd' is no dimension of this kernel: make it with dim(\"…\")", (k, x, y, at) ->
                        x.tile(at.row(), Span.all(new Dim("odd", at.row().start())))),
                new Case("an extent must be at least 1, got -3", k -> k.in("x", F32, new Dim("odd", Expr.of(-3L)))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isRefusedAtItsLine(Case one) {
        RuntimeException e = assertThrows(RuntimeException.class, () -> TileKernel.of("wrong", one.body));
        assertEquals(one.message, e.getMessage().replaceFirst(" \\(at IndexRefusalsTest.java:\\d+\\)$", ""));
        assertTrue(e.getMessage().endsWith(")") && e.getMessage().contains("(at IndexRefusalsTest.java:"),
                e::getMessage);
    }

    /** A number of a tile may be shifted, as on the CPU. */
    @Test
    void indexesAreShiftedEverywhere() {
        TileKernel kernel = TileKernel.of("shifts", k -> {
            Tensor x = k.in("x", I32, k.dim("m")), y = k.out("y", I32, x.dims().getFirst());
            k.forEachTile(y, 8, at -> y.store(at, x.tile(Span.of(at.get(0).start().shiftRight(1).plus(
                    at.get(0).start().shiftLeft(1)), 8)).plus(k.full(
                            at.get(0).start().shiftRight(2).toValue(), 8).to(I32))));
        });
        int[] x = IntStream.range(0, 40).toArray(), onCpu = new int[40], onGpu = new int[40];
        kernel.onCpu().set("x", x, 40).set("y", onCpu, 40).run();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            loaded.launch().set("x", x, 40).set("y", onGpu, 40).run();
        }
        assertArrayEquals(IntStream.range(0, 40).map(i -> {
            int start = i / 8 * 8;
            int place = start / 2 + start * 2 + i % 8;
            return (place < 40 ? place : 0) + start / 4;
        }).toArray(), onCpu);
        assertArrayEquals(onCpu, onGpu);
    }
}
