package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I64;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the language refuses while a kernel is traced: at its line, with the rule, the value and what would do. */
class TileRefusalsTest {
    private static final String ORDER = ": their order, which is not said, would decide bytes. Store at the tile's own "
            + "place, update with integers, or scatter";

    private static final String NO_ROOM = "no schedule makes room on any GPU: kernel 'wrong': ";

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

    /** Of such a kernel, with a scalar as an index. */
    private interface OfScalar {
        void in(TileScope k, Tensor x, Tensor y, Expr start, Position at);
    }

    private static Case started(String of, OfScalar mistake) {
        return new Case("places and conditions of tiles are computed of extents and of numbers of tiles and steps, and "
                + "not of " + of + ": take rows by a tile of their numbers, such as "
                + "x.gather(k.iota(at.row()).plus(k.full(…)))", k -> {
                    Dim m = k.dim("m"), n = k.dim("n");
                    Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n);
                    Expr start = k.scalar("start", I64).toIndex();
                    k.forEachTile(y, 8, 16, at -> mistake.in(k, x, y, start, at));
                });
    }

    private static String alongOther(int number, String dim, String other) {
        return "dimension " + number + " of tensor 'x' [m x n] is '" + dim + "', and the places given for it are "
                + "counted along '" + other + "': give places of '" + dim + "', in the order of the tensor's "
                + "dimensions; or, if places of '" + other + "' are meant, say so with along(…) of '" + dim + "'";
    }

    private record Two(Tile first, Tile second) { }

    private record Mixed(Tile tile, int number) { }

    static Stream<Case> cases() {
        return Stream.of(
                within("tiles of shapes [8 x 16] and [16 x 8] do not go together: 8 and 16 must be equal, or one of "
                        + "them 1", (k, x, y, at) -> x.tile(at).plus(x.tile(at).transposed())),
                within("a tile of shape [16 x 8] does not fill [8 x 16] of tensor 'y': its extents must be those, or "
                        + "1",
                        (k, x, y, at) -> y.store(at, x.tile(at).transposed())),
                within("a tile of shape [8 x 16] does not fill [16] of tensor 'y': its extents must be those, or 1, "
                        + "and its axes at most 1 (a step of 1, as a single place, has none: use kept(), reshaped(…) "
                        + "or slices)",
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
                within("the rows of tensor 'x' are named by a tile of rank 1 of i32 or i64, got %0: f32 [8 x 16]: "
                        + "reshape it",
                        (k, x, y, at) -> x.gather(x.tile(at))),
                within("the rows of tensor 'x' are named by a tile of rank 1 of i32 or i64, got %0: f32 [8]: convert "
                        + "it, with to(I32)", (k, x, y, at) -> x.gather(x.tile(at.row(), Span.at(0)))),
                within("a tile of rank 1 has no rows and columns to exchange: make it a column, with asColumn()",
                        (k, x, y, at) -> k.iota(at.row()).transposed()),
                new Case("'x-y' cannot be a name: use a lower-case letter, then up to 62 of them, digits and _, and no "
                        + "C++ keyword", k -> k.in("x-y", F32, k.dim("m"))),
                new Case("'float' cannot be a name: use a lower-case letter, then up to 62 of them, digits and _, and "
                        + "no C++ keyword", k -> k.out("float", F32, k.dim("m"))),
                within(alongOther(0, "m", "n"), (k, x, y, at) -> x.tile(at.column(), at.row())),
                within(alongOther(1, "n", "m"), (k, x, y, at) -> x.tile(at.row(), at.row().widened(1, 1))),
                within(alongOther(1, "n", "m"), (k, x, y, at) -> x.tile(at.row(), Span.all(x.dims().getFirst()))),
                within(alongOther(0, "m", "n"), (k, x, y, at) -> x.tile(at.column().nearest())),
                within(alongOther(1, "n", "m"), (k, x, y, at) -> x.gather(k.iota(at.row()), at.row())),
                within(alongOther(0, "m", "n").replace("'x'", "'y'"),
                        (k, x, y, at) -> y.store(x.tile(at).transposed(), at.column(), at.row())),
                within(alongOther(0, "m", "ceil(m/8)"), (k, x, y, at) -> k.loop(
                        k.steps(x.dims().getFirst().dividedBy(8), 1), block -> x.tile(block, at.column()))),
                new Case("dimension 0 of tensor 'b' [k2 x n] is 'k2', and the places given for it are counted along "
                        + "'k': give places of 'k2', in the order of the tensor's dimensions; or, if places of 'k' are "
                        + "meant, say so with along(…) of 'k2'", k -> {
                            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
                            Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, k.dim("k2"), n);
                            k.forEachTile(k.out("c", F32, m, n), 16, 16, at -> k.fold(k.zeros(F32, 16, 16),
                                    k.steps(depth, 16), (sum, i) -> sum.mma(a.tile(at.row(), i),
                                            b.tile(i, at.column()))));
                        }),
                within("tensor 'x' [m x n] has 2 dimensions, and places are given for 3: give one span for each",
                        (k, x, y, at) -> x.tile(Span.at(0), Span.at(0), Span.at(0))),
                within("there is no product of f32 and f32 with sums of f16: f16, bf16, tf32, e4m3, e5m2 and f32 have "
                        + "sums of f32 (f16, e4m3 and e5m2 of f16, too), 8-bit integers of i32, f64 of f64; "
                        + "convert factors or sums, with to(…)",
                        (k, x, y, at) -> k.zeros(F16, 8, 8).mma(x.tile(at), x.tile(at).transposed())),
                within("a product of [8 x 16] and [8 x 16] does not go to sums [8 x 16]: a has their rows, b their "
                        + "columns, and both k; transposed() exchanges rows and columns",
                        (k, x, y, at) -> k.zeros(F32, 8, 16).mma(x.tile(at), x.tile(at))),
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
                within("a loop carries tiles alone, and 'number' of record Mixed is of type int: make it a "
                        + "Tile, such as full(…) of the number",
                        (k, x, y, at) -> k.fold(new Mixed(k.zeros(F32), 1), k.steps(x.dims().getFirst(), 8),
                                (mixed, i) -> mixed)),
                new Case("a loop carries a tile in 'second' of record Two, got null: give it one, such as zeros(…)",
                        k -> k.forEachTile(k.out("y", F32, k.dim("m")), 8, at -> k.fold(new Two(k.zeros(F32), k.zeros(
                                F32)), k.steps(Dim.of(8), 8), (two, i) -> new Two(two.first, null)))),
                within("a row of tensor 'x' [m x n] is at a place of all dimensions but the last, and the position has "
                        + "2 spans: take a position of forEachRow, or use tile(…) and store(…)",
                        (k, x, y, at) -> x.row(at)),
                within("a row of tensor 'y' [m x n] is at a place of all dimensions but the last, and the position has "
                        + "2 spans: take a position of forEachRow, or use tile(…) and store(…)",
                        (k, x, y, at) -> y.storeRow(at, x.tile(at))),
                new Case("tensor 'y' [m] has 1 dimension, and tiles of 2 extents are asked for: give an extent for "
                        + "each of its first dimensions",
                        k -> k.forEachTile(k.out("y", F32, k.dim("m")), 8, 16, at -> { })),
                within("a loop is split in at least 1 part, got 0", (k, x, y, at) -> k.foldInParts(0, k.zeros(F32),
                        k.steps(x.dims().getFirst(), 8), (sum, i) -> sum)),
                within("tile %4: f32 [8 x 16] was made in a loop that has ended: return it from the body of "
                        + "fold, which carries it", (k, x, y, at) -> {
                            Tile[] kept = new Tile[1];
                            k.loop(k.steps(x.dims().getFirst(), 8), i -> kept[0] = k.zeros(F32, 8, 16).plus(1).plus(
                                    x.tile(at)).plus(2));
                            y.store(at, kept[0]);
                        }),
                within("tile %1: f32 [] was made in a condition that has ended: store it within, or select elements "
                        + "with choose", (k, x, y, at) -> {
                            Tile[] kept = {k.zeros(F32)};
                            k.when(at.row().start().isEqualTo(0), () -> kept[0] = kept[0].plus(1));
                            y.store(at, kept[0]);
                        }),
                within("tile %1: f32 [] was made in a condition that has ended: store it within, or select elements "
                        + "with choose", (k, x, y, at) -> {
                            Tile[] kept = {k.zeros(F32)};
                            k.when(at.row().start().isEqualTo(0), () -> k.loop(k.steps(y.dims().getFirst(), 8),
                                    _ -> kept[0] = kept[0].plus(1)));
                            y.store(at, kept[0]);
                        }),
                within("tile %1: f32 [] was made in a loop that has ended: return it from the body of fold, which "
                        + "carries it", (k, x, y, at) -> {
                            Tile[] kept = {k.zeros(F32)};
                            k.loop(k.steps(y.dims().getFirst(), 8), _ -> k.when(at.row().start().isEqualTo(0),
                                    () -> kept[0] = kept[0].plus(1)));
                            y.store(at, kept[0]);
                        }),
                within("a tile is filled with a constant, a scalar or an index expression, and not with a value "
                        + "computed from one: fill a tile with it, and compute with that tile, such as "
                        + "full(…).to(I32)",
                        (k, x, y, at) -> k.full(at.row().start().toValue().to(I32), 8)),
                within("a tile of shape [8 x 16] has no axis 2: axes are 0 to 1", (k, x, y, at) -> x.tile(at).sum(2)),
                within("places 10 to 17 are not all within an axis of 16",
                        (k, x, y, at) -> x.tile(at).slice(1, 10, 8)),
                within("a tile of shape [8 x 16] has not as many elements as [8 x 8]: 128 and 64",
                        (k, x, y, at) -> x.tile(at).reshaped(8, 8)),
                within("kernel 'wrong' goes through tiles already: what comes after all of them is another kernel",
                        (k, x, y, at) -> k.forEachTile(y, 8, 16, _ -> { })),
                within("'late' must be declared before the tiles are gone through", (k, x, y, at) -> k.dim("late")),
                within("elements are looked up in a tile of rank 1, got %0: f32 [4 x 8]: reshape it",
                        (k, x, y, at) -> k.zeros(F32, 4, 8).lookUp(k.zeros(I32, 4, 8))),
                within("elements are looked up by integers, got %1: f32 [8]: convert it, with to(I32)",
                        (k, x, y, at) -> k.zeros(F32, 8).lookUp(k.zeros(F32, 8))),
                within("tiles along 'm' are 8 apart and store 10 places of 'y' each, so that they overlap" + ORDER,
                        (k, x, y, at) -> y.store(k.zeros(F32, 10, 16), at.row().widened(1, 1), at.column())),
                within("tiles along 'n' are 16 apart and store 17 places of 'y' each, so that they overlap" + ORDER,
                        (k, x, y, at) -> k.loop(k.steps(Dim.of(3), 1), i -> y.store(k.zeros(F32, 8, 17), at.row(),
                                Span.of(at.column().start().plus(i.start()), 17)))),
                within("tiles along 'm' are 8 apart and store 9 places, 2 apart, of 'y' each, so that they overlap"
                        + ORDER, (k, x, y, at) -> y.store(k.zeros(F32, 9, 16), new Span(at.row().start(), Dim.of(9), 2,
                                false), at.column())),
                new Case("a store with ADD is of integers of 32 or 64 bits, and u8 has 8: declare the tensor with U32, "
                        + "or scatter", k -> {
                            Tensor y = k.inOut("y", ValueType.U8, k.dim("m"));
                            k.forEachTile(y, 8, at -> y.update(Update.ADD, k.zeros(ValueType.U8, 8), at.get(0)));
                        }),
                within("a position of 2 spans has no span 5: it has one for each dimension that tiles or rows are "
                        + "counted along, get(0) to get(1)", (k, x, y, at) -> x.tile(at.get(5))),
                within("a position of 2 spans has no span -1: it has one for each dimension that tiles or rows are "
                        + "counted along, get(0) to get(1)", (k, x, y, at) -> x.tile(at.get(-1))),
                new Case("a position of 1 span has no row, which is the last span but one: it has one for each "
                        + "dimension that tiles or rows are counted along, get(0)", k -> k.forEachRow(k.out("y", F32,
                                k.dim("m"), k.dim("n")), Position::row)),
                new Case("a position of 0 spans has no column, which is the last span: it has one for each dimension "
                        + "that tiles or rows are counted along", k -> k.forEachRow(k.out("y", F32, k.dim("m")),
                                Position::column)),
                started("scalar 'start'", (k, x, y, start, at) -> x.tile(at.row().plus(start), at.column())),
                started("scalar 'start'", (k, x, y, start, at) -> x.tile(at.row(), Span.of(start, 16))),
                started("scalar 'start'", (k, x, y, start, at) -> y.store(x.tile(at), at.row().plus(start),
                        at.column())),
                started("scalar 'start'", (k, x, y, start, at) -> k.iota(Span.of(start, 8))),
                started("scalar 'start'", (k, x, y, start, at) -> k.full(start.plus(Expr.of(1L)).toValue(), 8)),
                started("scalar 'start'", (k, x, y, start, at) -> k.when(start.lessThan(Expr.of(8L)), () ->
                        y.store(at, x.tile(at)))),
                started("values", (k, x, y, start, at) -> x.tile(Span.at(Value.of(F32, 1).to(I64).toIndex()))),
                within("a tile of shape [65536 x 32768] has 2147483648 elements, and a tile has at most 2147483647, as "
                        + "an array of Java: use smaller tiles, or go along it in a loop",
                        (k, x, y, at) -> x.tile(Span.of(0, 65536), Span.of(0, 32768))),
                new Case("kernel 'wrong' stores nothing in 'z', which it declares with out: store tiles in it, or "
                        + "leave it out", k -> {
                            Tensor y = k.out("y", F32, k.dim("m"));
                            k.out("z", F32, y.dims().getFirst());
                            k.forEachTile(y, 8, at -> y.store(at, k.zeros(F32, 8)));
                        }),
                new Case("all 3 tiles along '9' store into the same places of 'y'" + ORDER, k -> {
                    Tensor y = k.out("y", F32, Dim.of(8));
                    k.forEachTile(List.of(k.steps(Dim.of(9), 4)), at -> y.store(k.zeros(F32, 8)));
                }),
                new Case("kernel 'wrong' stores nothing, so that it has no results: store its tiles, such as "
                        + "y.store(at, tile)", k -> k.forEachTile(k.in("x", F32, k.dim("m")), 8, at -> k.zeros(F32,
                                8))),
                new Case(NO_ROOM + "a tile of [512, 1024] elements of f32 takes 512 registers of each of the 8 blocks' "
                        + "128 threads, and there are 255: use smaller tiles, or go along them in a loop", k -> {
                            Tensor x = k.in("x", F32, k.dim("m"), Dim.of(1024)), y = k.out("y", F32, x.dims()
                                    .getFirst(), Dim.of(1024));
                            k.forEachTile(y, 512, 1024, at -> y.store(at, x.tile(at).minus(x.tile(at).max())));
                        }),
                new Case(NO_ROOM + "a tile of [128, 65536] elements of bf16 takes "
                        + "8192 registers of each of a block's 1024 threads, and there are 63: use smaller tiles, or "
                        + "go along them in a loop", k -> {
                            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
                            Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n);
                            Tensor c = k.out("c", F32, m, n);
                            k.forEachTile(c, 128, 128, at -> c.store(at, k.fold(k.zeros(F32, 128, 128),
                                    k.steps(depth, 1 << 16), (sum, i) -> sum.mma(a.tile(at.row(), i),
                                            b.tile(i, at.column())))));
                        }),
                new Case(NO_ROOM + "a tile of [256, 256] elements of f32 takes 512 registers of each of "
                        + "a block's 128 threads, and there are 255: use smaller tiles, or go along them in "
                        + "a loop", k -> {
                            Tensor x = k.in("x", F32, k.dim("m"), k.dim("n"));
                            Tensor y = k.out("y", F32, x.dims().getFirst(), x.dims().getLast());
                            Span all = Span.of(0, 256);
                            k.forEachTile(List.of(k.steps(Dim.of(1), 1)), _ -> y.store(x.tile(all, all).transposed(),
                                    all, all));
                        }),
                new Case("no tensor has dimension 'q', so that no launch gives it: declare a tensor along it, or use a "
                        + "number", k -> {
                            Dim q = k.dim("q");
                            Tensor y = k.out("y", F32, k.dim("m"), q.times(Dim.of(2)));
                            k.forEachTile(y, 8, 8, at -> k.loop(k.steps(q, 8), _ -> y.store(at, k.zeros(F32))));
                        }),
                new Case("scalar 's': a launch gives no scalars of tf32: use f32, and convert it",
                        k -> k.scalar("s", ValueType.TF32)),
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
        assertEquals(one.message, rule(e));
        assertTrue(e instanceof IllegalArgumentException || e instanceof IllegalStateException
                || e instanceof NullPointerException, e::toString);
    }

    /** A message without the line. */
    private static String rule(Throwable e) {
        return e.getMessage().replaceFirst(" \\(at TileRefusalsTest.java:\\d+\\)$", "");
    }

    private static int thisLine() {
        return new Throwable().getStackTrace()[1].getLineNumber();
    }

    @Test
    void theMessageSaysTheLineOfTheMistake() {
        int[] line = new int[1];
        RuntimeException e = assertThrows(IllegalArgumentException.class, () -> TileKernel.of("wrong", k -> {
            Tensor x = k.in("x", F32, k.dim("m")), y = k.out("y", F32, x.dims().getFirst());
            k.forEachTile(y, 8, at -> k.loop(k.steps(Dim.of(2), 1), i -> List.of(x.tile(at)).forEach(tile -> {
                line[0] = thisLine() + 1;
                tile.map(v -> v.plus(v.to(I32)));
            })));
        }));
        assertTrue(e.getMessage().endsWith(" (at TileRefusalsTest.java:" + line[0] + ")"), e::getMessage);
        assertTrue(e.getStackTrace()[0].getClassName().startsWith("dev.tilewright.program."), "the mistake's trace");
        RuntimeException large = assertThrows(IllegalArgumentException.class, () -> TileKernel.of("large", k -> {
            Tensor x = k.in("x", F32, Dim.of(1024), Dim.of(1024)), y = k.out("y", F32, Dim.of(1024), Dim.of(1024));
            line[0] = thisLine() + 1;
            k.forEachTile(List.of(), _ -> y.store(x.tile().plus(1)));
        }));
        assertTrue(large.getMessage().endsWith("loop (at TileRefusalsTest.java:" + line[0] + ")"), large::getMessage);
        line[0] = thisLine() + 2;
        assertEquals("name (at TileRefusalsTest.java:" + line[0] + ")", assertThrows(NullPointerException.class, () ->
                TileKernel.of("null", k -> k.dim(null))).getMessage());
        line[0] = thisLine() + 2;
        assertEquals("kernel 'empty' goes through no tiles: use forEachTile or forEachRow (at TileRefusalsTest.java:"
                + line[0] + ")", assertThrows(IllegalArgumentException.class, () -> TileKernel.of("empty", _ -> { }))
                .getMessage());
    }

    /** At the line of the second, of which the first is named, too. */
    @Test
    void differentOperationsOnPlacesThatTilesShareAreRefused() {
        Span some = Span.of(0, 4);
        String rest = ": the order of different operations, which is not said, would decide bytes. Use one operation "
                + "for both, another tensor, or the tile's own place";
        assertEquals("tensor 'z' is updated with MAX here and updated with ADD at #, and all tiles along 'm' store into"
                + " the same places of 'z'" + rest, mixed((z, at, tile) -> z.update(Update.ADD, tile, some),
                (z, at, tile) -> z.update(Update.MAX, tile, some)));
        assertEquals("tensor 'z' is updated with ADD here and stored into at #, and all tiles along 'm' store into the "
                + "same places of 'z'" + rest, mixed((z, at, tile) -> z.store(at, tile),
                (z, at, tile) -> z.update(Update.ADD, tile, some)));
        assertEquals("tensor 'z' is stored into here and updated with XOR at #, and all tiles along 'm' store into the "
                + "same places of 'z'" + rest, mixed((z, at, tile) -> z.update(Update.XOR, tile, some),
                (z, at, tile) -> z.store(at, tile)));
        assertEquals("tensor 'z' is updated with ADD here and stored into at #, and tiles along 'm' are 4 apart and "
                + "store 6 places of 'z' each, so that they overlap" + rest, mixed((z, at, tile) -> z.store(at, tile),
                (z, at, tile) -> z.update(Update.ADD, tile.slice(0, 0, 1), at.get(0).widened(1, 1))));
        // Each tile has these places for itself, or all operations are one.
        assertEquals("", mixed((z, at, tile) -> z.store(at, tile), (z, at, tile) -> z.update(Update.ADD, tile,
                at.get(0))));
        assertEquals("", mixed((z, at, tile) -> z.update(Update.ADD, tile, some),
                (z, at, tile) -> z.update(Update.ADD, tile, at.get(0))));
    }

    private interface Stored {
        void in(Tensor z, Position at, Tile tile);
    }

    /** The refusal of a kernel that stores twice, with # for the first's line; nothing where it is traced. */
    private static String mixed(Stored first, Stored second) {
        try {
            TileKernel.of("mixed", k -> {
                Tensor z = k.inOut("z", I32, k.dim("m"));
                k.forEachTile(z, 4, at -> {
                    Tile tile = k.iota(at.get(0)).to(I32);
                    first.in(z, at, tile);
                    second.in(z, at, tile);
                });
            });
            return "";
        } catch (IllegalArgumentException e) {
            return rule(e).replaceFirst("TileRefusalsTest.java:\\d+", "#");
        }
    }

    /** Rows are taken together each by itself, so that tiles of fewer rows do. */
    @Test
    void largeTilesThatMayBeSmallerAreTraced() {
        TileKernel kernel = TileKernel.of("rows", k -> {
            Tensor x = k.in("x", F32, k.dim("m"), Dim.of(1024)), y = k.out("y", F32, x.dims().getFirst(), Dim.of(
                    1024));
            k.forEachTile(y, 512, 1024, at -> y.store(at, x.tile(at).minus(x.tile(at).max(1))));
        });
        assertEquals("[2, 1024]", kernel.grid().inTiles(List.of(2, 1024)).steps().stream().map(s -> s.length())
                .toList().toString());
    }

    /** What may be right for a launch: one tile, a condition that few meet, places between those of others. */
    @Test
    void storesThatTilesMayHaveForThemselvesAreTraced() {
        TileKernel.of("right", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor y = k.out("y", F32, m, n), z = k.inOut("z", I32, m, n), ten = k.out("ten", F32, Dim.of(10));
            k.forEachTile(y, 8, 16, at -> {
                y.store(k.zeros(F32, 1, 16), Span.of(0, 1), at.column());
                k.when(at.row().start().lessThan(Expr.of(8L)), () -> y.store(k.zeros(F32, 10, 16), at.row()
                        .widened(1, 1), at.column()));
                z.update(Update.ADD, k.zeros(I32, 10, 16), at.row().widened(1, 1), at.column());
                ten.store(k.zeros(F32, 10), at.row().widened(1, 1));
                y.store(k.zeros(F32, 8, 16), new Span(at.row().start(), Dim.of(8), 3, false), at.column());
            });
        });
    }

    /** Places of another dimension that are meant: said to be, computed, moved, or of a dimension without a name. */
    @Test
    void placesThatAreMeantForAnotherDimensionAreTraced() {
        TileKernel kernel = TileKernel.of("right", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n), ten = k.in("ten", F32, Dim.of(10));
            k.forEachTile(y, 8, 8, at -> y.store(at, x.tile(at).plus(x.tile(at.column().along(m), at.row().along(n)))
                    .plus(x.tile(at.column().plus(0), at.row().every(1)))
                    .plus(x.tile(Span.of(at.column().start(), 8), at.column())).plus(ten.tile(at.row()))
                    .plus(k.fold(k.zeros(F32, 8, 8), k.steps(new Dim("before", at.row().start().plus(1)), 8),
                            (sum, i) -> sum.plus(x.tile(at.row(), i))))));
        });
        assertEquals(2, kernel.dims().size());
        float[] x = new float[16 * 16], y = new float[x.length];
        x[8] = 1;
        TileKernel mirror = TileKernel.of("mirror", k -> {
            Tensor in = k.in("x", F32, k.dim("m"), k.dim("n")), out = k.out("y", F32, in.dims().getFirst(),
                    in.dims().getLast());
            k.forEachTile(out, 8, 8, at -> out.store(at, in.tile(at.column().along(in.dims().getFirst()),
                    at.row().along(in.dims().getLast())).transposed()));
        });
        mirror.onCpu().set("x", x, 16, 16).set("y", y, 16, 16).run();
        assertEquals(1, y[8 * 16]);
    }

    @Test
    void whatTheApplicationThrowsStaysAsItIs() {
        IllegalArgumentException own = new IllegalArgumentException("mine");
        assertSame(own, assertThrows(IllegalArgumentException.class, () -> TileKernel.of("thrown", _ -> {
            throw own;
        })));
    }

    /** The line is that of the dimension, not that where tiles are gone through. */
    @Test
    void aDimensionThatNoTensorHasIsRefusedAtItsOwnLine() {
        int[] line = new int[1];
        String message = assertThrows(IllegalArgumentException.class, () -> TileKernel.of("wrong", k -> {
            line[0] = thisLine() + 1;
            k.dim("q");
            Tensor y = k.out("y", F32, k.dim("m"));
            k.forEachTile(y, 8, at -> y.store(at, k.zeros(F32, 8)));
        })).getMessage();
        assertTrue(message.endsWith("use a number (at TileRefusalsTest.java:" + line[0] + ")"), message);
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
                rule(assertThrows(IllegalArgumentException.class, () -> TileKernel.of("second", k -> {
                    Tensor y = k.out("y", F32, Dim.of(8));
                    k.forEachTile(y, 8, at -> y.store(at, kept[0]));
                }))));
        assertEquals(List.of(Dim.of(8)), kept[0].shape());
    }

    /** Before what is said of its position, which is of this kernel. */
    @Test
    void aTensorOfAnotherKernelIsRefused() {
        Tensor[] kept = new Tensor[1];
        TileKernel.of("first", k -> {
            kept[0] = k.inOut("z", I32, k.dim("m"), k.dim("n"));
            k.forEachTile(kept[0], 8, 16, at -> kept[0].store(at, kept[0].tile(at).plus(1)));
        });
        for (Mistake mistake : List.<Mistake>of((k, x, y, at) -> kept[0].tile(at),
                (k, x, y, at) -> kept[0].outside(1).tile(at.row()), (k, x, y, at) -> kept[0].tile(),
                (k, x, y, at) -> kept[0].gather(k.iota(at.row())), (k, x, y, at) -> kept[0].store(at, x.tile(at)),
                (k, x, y, at) -> kept[0].update(Update.ADD, k.zeros(I32)),
                (k, x, y, at) -> kept[0].scatter(Update.ADD, k.iota(at.row()), k.zeros(I32)))) {
            assertEquals("tensor 'z' belongs to kernel 'first', whose tiles have been gone through: use a tensor of "
                    + "the kernel that is traced, within its forEachTile or forEachRow",
                    rule(assertThrows(IllegalArgumentException.class, () -> TileKernel.of("second",
                            within("", mistake).body()))));
        }
    }

    /** One kernel may be traced while another is. */
    @Test
    void aTensorOfAKernelAroundIsRefused() {
        TileKernel.of("outer", k -> {
            Tensor z = k.inOut("z", I32, k.dim("m"), k.dim("n"));
            k.forEachTile(z, 8, 16, around -> {
                for (Mistake mistake : List.<Mistake>of((inner, x, y, at) -> z.tile(at),
                        (inner, x, y, at) -> z.tile(around), (inner, x, y, at) -> z.tile(),
                        (inner, x, y, at) -> z.outside(1).tile(at), (inner, x, y, at) -> z.store(at, x.tile(at)),
                        (inner, x, y, at) -> z.store(around, x.tile(at)),
                        (inner, x, y, at) -> z.gather(inner.iota(at.row())),
                        (inner, x, y, at) -> z.scatter(Update.ADD, inner.iota(at.row()), inner.zeros(I32)))) {
                    String message = assertThrows(IllegalArgumentException.class, () -> TileKernel.of("inner",
                            within("", mistake).body())).getMessage();
                    assertEquals("tensor 'z' belongs to kernel 'outer', within which 'inner' is traced: use a tensor "
                            + "of the kernel that is traced, within its forEachTile or forEachRow", message
                            .replaceFirst(" \\(at TileRefusalsTest.java:\\d+\\)$", ""));
                }
                z.store(around, z.tile(around).plus(1));
            });
        });
    }

    @Test
    void aBodyThatHandsOnNothingIsRefused() {
        Case nothing = within("", (k, x, y, at) -> k.fold(x.tile(at), k.steps(y.dims().getLast(), 4),
                (sum, i) -> null));
        assertEquals("a loop's body hands on what the loop carries, got null: return it",
                rule(assertThrows(NullPointerException.class, () -> TileKernel.of("nothing", nothing.body()))));
    }
}
