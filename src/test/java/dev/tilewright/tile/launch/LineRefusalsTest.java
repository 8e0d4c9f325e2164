package dev.tilewright.tile.launch;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.Lines;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is known to be wrong of a kernel only when it is launched is refused with the lines of what is wrong; what is
 * wrong of a schedule, with the option, its value and what would do.
 */
class LineRefusalsTest {
    /** Lines that the kernel of a case marked. */
    private static final int[] MARKED = new int[2];

    /** @param message in which {@code {0}} and {@code {1}} stand for marked lines */
    private record Case(String message, Consumer<TileScope> body, Consumer<TileKernel> refused) {
        @Override
        public String toString() {
            return message;
        }
    }

    /** The next line is wrong. */
    private static void mark(int number) {
        MARKED[number] = new Throwable().getStackTrace()[1].getLineNumber() + 1;
    }

    private static Consumer<TileKernel> on(Target target, String schedule) {
        return kernel -> kernel.with(Schedule.parse(schedule)).lowered(target, kernel.dims().stream().collect(
                Collectors.toMap(Dim::name, _ -> 64L)));
    }

    private static Consumer<TileScope> product(ValueType type, Optional<MatrixArithmetic> named) {
        return k -> {
            named.ifPresent(k::arithmetic);
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", type, m, depth), b = k.in("b", type, n, depth), c = k.out("c", F32, m, n);
            mark(1);
            k.forEachTile(c, 64, 16, at -> c.store(at, k.fold(k.zeros(F32, 64, 16), k.steps(depth, 32), (sum, i) -> {
                mark(0);
                return sum.mma(a.tile(at.row(), i), b.tile(at.column(), i).transposed());
            })));
        };
    }

    /** Of a matrix x in tiles of 8 x 16. */
    private interface Body {
        void in(TileScope k, Tensor x, Tensor y, Position at);
    }

    private static Consumer<TileScope> tiles(ValueType type, Body body) {
        return k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.inOut("x", type, m, n), y = k.out("y", type, m, n);
            k.forEachTile(y, 8, 16, at -> {
                y.store(at, k.zeros(type, 8, 16));
                body.in(k, x, y, at);
            });
        };
    }

    private static final Consumer<TileKernel> ON_CPU = kernel -> kernel.onCpu().set("x", new int[64 * 64], 64, 64)
            .set("y", new int[64 * 64], 64, 64).run();

    static Stream<Case> cases() {
        return Stream.of(
                new Case("kernel 'wrong' has products %5: f32 [64 x 16] of AMPERE, and the bits of sm_90a are others: "
                        + "name no arithmetic, or run it on the CPU (at {0})",
                        product(BF16, Optional.of(MatrixArithmetic.AMPERE)), on(Target.SM_90A, "none")),
                new Case("kernel 'wrong' has products %5: f32 [64 x 16] of e4m3, which need sm_89 or later, got sm_80: "
                        + "run it on the CPU there (at {0})", product(E4M3, Optional.empty()),
                        on(Target.SM_80, "none")),
                new Case("kernel 'wrong' has tile %3: e4m3 [8 x 16], and a conversion to or from 8-bit floats needs "
                        + "sm_89 or later, got sm_80: run it on the CPU there (at {0})", tiles(F32, (k, x, y, at) -> {
                            var tile = x.tile(at).plus(1);
                            mark(0);
                            y.store(at, tile.to(E4M3).to(F32));
                        }), on(Target.SM_80, "none")),
                new Case("kernel 'wrong' has products %5: f32 [64 x 16] of e4m3 with the bits of wgmma, which sm_90a "
                        + "alone has, got sm_90: name the other products, with "
                        + "arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC), or run it on the CPU (at {0})",
                        product(E4M3, Optional.empty()), on(Target.SM_90, "none")),
                new Case("kernel 'wrong' has products %5: f32 [64 x 16] with the bits of wgmma, which takes groups of "
                        + "128 threads, got threads=64: choose threads=128 or more, leave it out, or name the other "
                        + "products, with arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC) (at {0})",
                        product(E4M3, Optional.empty()), on(Target.SM_90A, "threads=64")),
                new Case("kernel 'wrong' has no room with threads=1024 resident=2: choose resident=1, the most that do "
                        + "for these extents. kernel 'wrong': wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e4m3 "
                        + "takes at least 34 registers of each thread, and 2 blocks at once of 1024 threads leave it "
                        + "32: use fewer threads, or fewer blocks at once, or fewer columns a product; the schedule "
                        + "has tile=64x128: choose a smaller one, or leave it out (at {1})",
                        product(E4M3, Optional.empty()), on(Target.SM_90A, "threads=1024 resident=2 tile=64x128")),
                new Case("kernel 'wrong': tensor 'x' is scattered into (at {0}) after all other stores, and a launch on"
                        + " a GPU has no such moment: make the other stores to another tensor, or run the kernel on the"
                        + " CPU (at {1})", tiles(F32, (k, x, y, at) -> {
                            mark(0);
                            x.scatter(Update.ADD, k.iota(at.row()), k.full(F32, 1, 8, 16), at.column());
                            mark(1);
                            x.store(at, k.zeros(F32));
                        }), on(Target.SM_90A, "none")),
                new Case("kernel 'wrong': tensor 'x' is read where other tiles, or earlier stores, may have changed it "
                        + "(at {0}), and a tile reads what was there before the launch: load and store it at the tile's"
                        + " own place, the load first, or store into another tensor, or run it on the CPU (at {1})",
                        tiles(F32, (k, x, y, at) -> {
                            mark(0);
                            x.store(at, k.zeros(F32));
                            mark(1);
                            y.store(at, x.tile(at));
                        }), on(Target.SM_90A, "none")),
                new Case("kernel 'wrong': tiles (m 0, n 0) and (m 1, n 0) both store into 'x' at [0, 0], and their "
                        + "order, which is not said, would decide its bytes: store at the tile's own place, update with"
                        + " integers, or scatter (at {0})", tiles(I32, (k, x, y, at) -> {
                            mark(0);
                            x.store(k.zeros(I32, 8, 16), Span.of(0, 8), at.column());
                        }), ON_CPU),
                new Case("kernel 'wrong': tiles (m 0, n 0) and (m 1, n 0) both store into 'x' at [0, 0], and their "
                        + "order, which is not said, would decide its bytes: store at the tile's own place, update by "
                        + "one operation alone, where there are ADD and MAX, or scatter (at {0} and {1})",
                        tiles(I32, (k, x, y, at) -> {
                            mark(0);
                            x.update(Update.ADD, k.full(I32, 1, 8, 16), Span.of(0, 8), at.column());
                            k.when(at.row().start().lessThan(Expr.of(1000L)), () -> {
                                mark(1);
                                x.update(Update.MAX, k.full(I32, 9, 8, 16), Span.of(0, 8), at.column());
                            });
                        }), ON_CPU),
                new Case("kernel 'wrong' scatters rows of 'x' with SET_APART, and two of them go to one place, element "
                        + "0 of the array: give each row a place of its own, or scatter with SET (at {0})",
                        tiles(I32, (k, x, y, at) -> {
                            mark(0);
                            x.scatter(Update.SET_APART, k.zeros(I32, 8), k.zeros(I32, 8, 16), at.column());
                        }), ON_CPU),
                new Case("there is nothing to take together along axis 0 of tile %0: f32 [n]: its extent is 0 in this "
                        + "launch (at {0})", k -> {
                            Dim m = k.dim("m");
                            Tensor x = k.in("x", F32, m, k.dim("n")), y = k.out("y", F32, m);
                            k.forEachRow(x, at -> {
                                var row = x.row(at);
                                mark(0);
                                y.store(row.max(), at.get(0));
                            });
                        }, kernel -> kernel.onCpu().set("x", new float[0], 2, 0).set("y", new float[2], 2).run()),
                new Case("kernel 'wrong' is computed in tiles of its own extents, got tile=8x32: %1: f32 [8 x 16] "
                        + "takes together what lies along n (at {0}); leave it out", tiles(F32, (k, x, y, at) -> {
                            var tile = x.tile(at);
                            mark(0);
                            y.store(at, tile.minus(tile.sum(1)));
                        }), on(Target.SM_90A, "tile=8x32")),
                new Case("kernel 'wrong' cannot be cut into rows: a tile touches other places of 'x' along 'm' than "
                        + "its own rows (at {0})", tiles(F32, (k, x, y, at) -> {
                            mark(0);
                            y.store(at, x.tile(at.row().plus(1), at.column()));
                        }), TileKernel::rowCut),
                new Case("kernel 'wrong' has tiles of extent 'n', which is 2147483648 here, and a tile has less than "
                        + "2^31 elements along it: go along it in steps (at {0})", k -> {
                            Dim m = k.dim("m");
                            Tensor x = k.in("x", F32, m, k.dim("n")), y = k.out("y", F32, m);
                            mark(0);
                            k.forEachRow(x, at -> y.store(x.row(at).max(), at.get(0)));
                        }, kernel -> kernel.lowered(Target.SM_90A, Map.of("n", 1L << 31))));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void saysTheLine(Case one) {
        TileKernel kernel = TileKernel.of("wrong", one.body);
        String message = assertThrows(IllegalArgumentException.class, () -> one.refused.accept(kernel)).getMessage();
        assertEquals(one.message.replace("{0}", "LineRefusalsTest.java:" + MARKED[0]).replace("{1}",
                "LineRefusalsTest.java:" + MARKED[1]), message);
    }

    static Stream<Case> schedules() {
        Consumer<TileScope> copy = tiles(F16, (k, x, y, at) -> y.store(at, x.tile(at)));
        String none = ": no loop adds up matrix products";
        return Stream.of(
                new Case("kernel 'wrong' has no stages to choose, got stages=3" + none + "; leave it out", copy,
                        on(Target.SM_90A, "stages=3")),
                new Case("kernel 'wrong' has no cluster to choose, got cluster=2x1" + none + "; leave it out", copy,
                        on(Target.SM_90A, "cluster=2x1")),
                new Case("a block of kernel 'wrong' takes 1 tile, got the grid '5 blocks'" + none + "; leave it out",
                        copy, on(Target.SM_90A, "none, 5 blocks")),
                new Case("kernel 'wrong' cannot begin before the launch in front has ended, got early=1: sm_80 has no "
                        + "griddepcontrol, which begins with sm_90; leave it out", copy, on(Target.SM_80, "early=1")),
                new Case("kernel 'wrong' has no tensor 'z' to read early; it has x, y", copy,
                        on(Target.SM_90A, "early=z")),
                new Case("the schedule has early=x: this kernel reads nothing ahead of the launch in front; say early=1"
                        , copy, on(Target.SM_90A, "early=x")),
                new Case("kernel 'wrong' has tiles along 2 dimensions, got tile=8x8x8: give at most that many extents",
                        copy, on(Target.SM_90A, "tile=8x8x8")));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void saysTheOptionAndWhatWouldDo(Case one) {
        TileKernel kernel = TileKernel.of("wrong", one.body);
        String message = assertThrows(IllegalArgumentException.class, () -> one.refused.accept(kernel)).getMessage();
        assertEquals(one.message, message);
        assertFalse(Lines.any(message), message);
    }
}
