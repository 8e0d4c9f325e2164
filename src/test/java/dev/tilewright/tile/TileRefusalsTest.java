package dev.tilewright.tile;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the language refuses while a kernel is traced: at its line, with the rule, the value and what would do. */
class TileRefusalsTest {

    /** Of a kernel with a matrix x of m by n, tiles of 8 by 16 of it, and one to store into. */
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

    private record Two(Tile first, Tile second) { }

    private record Mixed(Tile tile, int number) { }

    static Stream<Case> cases() {
        return Stream.of(
                within("tiles of shapes [8 x 16] and [16 x 8] do not go together: 8 and 16 must be equal, or one of "
                        + "them 1", (k, x, y, at) -> x.tile(at).plus(x.tile(at).transposed())),
                within("a tile of shape [16 x 8] does not fill [8 x 16]: its extents must be those, or 1",
                        (k, x, y, at) -> y.store(at, x.tile(at).transposed())),
                within("a tile of shape [8 x 16] does not fill [16]: its extents must be those, or 1, and its axes at "
                        + "most 1 (a step of 1, as a single place, has none: use kept(), reshaped(…) or slices)",
                        (k, x, y, at) -> y.store(x.tile(at), Span.at(0), at.column())),
                within("tensor 'y' has elements of type f32, the tile is of bf16: convert it, with to(F32)",
                        (k, x, y, at) -> y.store(at, x.tile(at).to(BF16))),
                within("tensor 'x' is only read: declare it with out to store into it",
                        (k, x, y, at) -> x.store(at, x.tile(at))),
                within("tensor 'y' is only written: declare it with inOut to load from it",
                        (k, x, y, at) -> y.tile(at)),
                within("tensor 'y' is only written: declare it with inOut to update what is in it",
                        (k, x, y, at) -> y.scatter(Update.ADD, k.iota(at.row()), x.tile(at))),
                within("a store with ADD has no order, and f32 depends on it: store into a tensor of partial results "
                        + "and add them in another kernel, or scatter in ascending order",
                        (k, x, y, at) -> y.update(Update.ADD, x.tile(at))),
                within("the rows of tensor 'x' are named by a tile of rank 1 of i32 or i64, got %0: f32 [8 x 16]",
                        (k, x, y, at) -> x.gather(x.tile(at))),
                within("tensor 'x' has 2 dimensions [m x n], and places are given for 3",
                        (k, x, y, at) -> x.tile(Span.at(0), Span.at(0), Span.at(0))),
                within("there is no product of f32 and f32 with sums of f16: f16, bf16, tf32, e4m3, e5m2 and f32 have "
                        + "sums of f32 (f16, e4m3 and e5m2 of f16, too), 8-bit integers of i32, f64 of f64",
                        (k, x, y, at) -> k.zeros(F16, 8, 8).mma(x.tile(at), x.tile(at).transposed())),
                within("a product of [8 x 16] and [8 x 16] does not go to sums [8 x 16]: a has their rows, b their "
                        + "columns, and both k", (k, x, y, at) -> k.zeros(F32, 8, 16).mma(x.tile(at), x.tile(at))),
                within("matrices have rank 2, got sums [8 x 16], a [16] and b [8 x 16]: take one of a batch by Span.at",
                        (k, x, y, at) -> k.zeros(F32, 8, 16).mma(x.tile(at).slice(0, 0, 1).reshaped(16), x.tile(at))),
                within("a loop carries %1: f32 [], and its body hands on %5: i32 []: convert it, with to(F32)",
                        (k, x, y, at) -> k.fold(k.zeros(F32), k.steps(x.dims().getFirst(), 8), (sum, i) ->
                                k.full(F32, 1).plus(k.zeros(F32)).to(I32))),
                within("a loop carries %1: f32 [8], and its body hands on %3: f32 [8 x 8]: begin with a tile of that "
                        + "shape", (k, x, y, at) -> k.fold(k.zeros(F32, 8), k.steps(x.dims().getFirst(), 8),
                                (sum, i) -> k.zeros(F32, 8, 8).plus(sum))),
                within("a loop carries %2: f32 [], and its body hands on %3: f32 [8]: begin with a tile of that shape",
                        (k, x, y, at) -> k.fold(new Two(k.zeros(F32), k.zeros(F32, 8)),
                                k.steps(x.dims().getFirst(), 8), (two, i) -> new Two(two.second, two.first))),
                within("a loop carries tiles alone, and 'number' of record Mixed is of type int",
                        (k, x, y, at) -> k.fold(new Mixed(k.zeros(F32), 1), k.steps(x.dims().getFirst(), 8),
                                (mixed, i) -> mixed)),
                within("a loop is split in at least 1 part, got 0", (k, x, y, at) -> k.foldInParts(0, k.zeros(F32),
                        k.steps(x.dims().getFirst(), 8), (sum, i) -> sum)),
                within("tile %4: f32 [8 x 16] came about in a loop or a condition that has ended: hand it on as what "
                        + "the loop carries", (k, x, y, at) -> {
                            Tile[] kept = new Tile[1];
                            k.loop(k.steps(x.dims().getFirst(), 8), i -> kept[0] = k.zeros(F32, 8, 16).plus(1).plus(
                                    x.tile(at)).plus(2));
                            y.store(at, kept[0]);
                        }),
                within("a tile is filled with a constant, a scalar or an index expression, and not with a value "
                        + "computed from one: fill a tile with it, and compute with that tile, such as "
                        + "full(…).to(I32)",
                        (k, x, y, at) -> k.full(at.row().start().toValue().to(I32), 8)),
                within("a tile of shape [8 x 16] has no axis 2: axes are 0 to 1", (k, x, y, at) -> x.tile(at).sum(2)),
                within("places 10 to 17 are not all within an axis of 16",
                        (k, x, y, at) -> x.tile(at).slice(1, 10, 8)),
                within("a tile of shape [8 x 16] has not as many elements as [8 x 8]",
                        (k, x, y, at) -> x.tile(at).reshaped(8, 8)),
                within("kernel 'wrong' goes through tiles already: what comes after all of them is another kernel",
                        (k, x, y, at) -> k.forEachTile(y, 8, 16, _ -> { })),
                within("'late' must be declared before the tiles are gone through", (k, x, y, at) -> k.dim("late")),
                new Case("kernel 'wrong' goes through no tiles: use forEachTile or forEachRow", k -> k.dim("m")),
                new Case("kernel 'wrong' has a 'm' already: dimensions, tensors and scalars have names of their "
                        + "own", k -> k.in("m", F32, k.dim("m"))),
                new Case("extent 'm' of tensor 'x' is no dimension of this kernel: make it with dim(\"…\")",
                        k -> k.in("x", F32, new Dim("m", k.dim("n").value()))),
                new Case("tensor 'x' must have rank 1 to 5, got 0", k -> k.in("x", F32)),
                new Case("tensor 'x': there are no tensors of tf32: use f32, and convert its tiles",
                        k -> k.in("x", ValueType.TF32, Dim.of(3))),
                new Case("a step must have at least 1 element, got 0", k -> k.steps(k.dim("m"), 0)),
                new Case("an extent must be at least 1, got 0", _ -> Dim.of(0)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isRefusedWithWhatWouldDo(Case one) {
        RuntimeException e = assertThrows(RuntimeException.class, () -> TileKernel.of("wrong", one.body));
        assertEquals(one.message, e.getMessage());
        assertTrue(e instanceof IllegalArgumentException || e instanceof IllegalStateException, e::toString);
        assertTrue(one.message.contains("goes through no tiles") || Arrays.stream(e.getStackTrace()).anyMatch(frame ->
                frame.getClassName().equals(TileRefusalsTest.class.getName())
                && frame.getMethodName().startsWith("lambda$cases")), "the line of the mistake is in the trace");
    }

    @Test
    void aTileOfAnotherKernelIsRefused() {
        Tile[] kept = new Tile[1];
        TileKernel.of("first", k -> {
            Tensor x = k.in("x", F32, Dim.of(8)), y = k.out("y", F32, Dim.of(8));
            k.forEachTile(y, 8, at -> {
                kept[0] = x.tile(at);
                y.store(at, kept[0]);
            });
        });
        assertEquals("tile %0: f32 [8] belongs to another kernel than 'second'",
                assertThrows(IllegalArgumentException.class, () -> TileKernel.of("second", k -> {
                    Tensor y = k.out("y", F32, Dim.of(8));
                    k.forEachTile(y, 8, at -> y.store(at, kept[0]));
                })).getMessage());
        assertEquals(List.of(Dim.of(8)), kept[0].shape());
    }

    @Test
    void aBodyThatHandsOnNothingIsRefused() {
        Case nothing = within("", (k, x, y, at) -> k.fold(x.tile(at), k.steps(y.dims().getLast(), 4),
                (sum, i) -> null));
        assertEquals("a loop's body hands on what the loop carries, got null: return it",
                assertThrows(NullPointerException.class, () -> TileKernel.of("nothing", nothing.body())).getMessage());
    }
}
