package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches that begin before the one in front of them has ended: what they touch, and when they wait. */
class EarlyLaunchTest {
    private static final long SIDE = 192;

    /** Writes the second tensor, 'x', from the first; the third is not touched. */
    private static final TileKernel FRONT = TileKernel.of("front", k -> {
        Dim m = k.dim("m"), n = k.dim("n");
        Tensor y = k.in("y", ValueType.BF16, m, n), x = k.out("x", ValueType.BF16, m, n);
        k.in("w", ValueType.BF16, m, n);
        k.forEachTile(x, 64, 64, at -> x.store(at, y.tile(at).to(ValueType.F32).times(2).to(ValueType.BF16)));
    });

    /** Writes what the one in front reads; reads what that writes as the left factor, or as the right one. */
    private static TileKernel product(boolean left) {
        return TileKernel.of("behind", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor y = k.inOut("y", ValueType.BF16, m, n);
            Tensor x = k.in("x", ValueType.BF16, n, n), w = k.in("w", ValueType.BF16, n, n);
            k.forEachTile(y, 64, 64, at -> y.store(at, k.fold(k.zeros(ValueType.F32, 64, 64), k.steps(n, 64),
                    (sum, i) -> sum.mma((left ? x : w).tile(at.row().along(n), i), (left ? w : x).tile(i,
                            at.column())))
                    .to(ValueType.BF16).plus(y.tile(at))));
        });
    }

    private static Launch launch(TileKernel kernel) {
        return launch(kernel, 2);
    }

    private static Launch launch(TileKernel kernel, int multiprocessors) {
        Map<String, ArrayShape> shapes = new HashMap<>();
        kernel.tensors().forEach(tensor -> shapes.put(tensor.name(), ArrayShape.dense(SIDE, SIDE)));
        return kernel.launch(shapes, Scalars.NONE, Target.SM_90A, multiprocessors);
    }

    private static HazardReport check(TileKernel behind) {
        return check(behind, 2);
    }

    private static HazardReport check(TileKernel behind, int multiprocessors) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = IntStream.range(0, 3).mapToObj(_ -> arena.allocate(2 * SIDE * SIDE, 256))
                    .toList();
            return HazardCheck.check(launch(FRONT), launch(behind, multiprocessors), memory);
        }
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @ValueSource(strings = {"early=1", "early=w", "early=w stages=2", "early=1 threads=256", "early=w, 1 tile a block",
            "early=w threads=256"})
    void whatTheLaunchInFrontTouchesIsWaitedFor(String schedule) {
        TileKernel behind = product(true).with(Schedule.parse(schedule));
        assertTrue(launch(behind).program().waitsForPriorGrid());
        HazardReport report = check(behind);
        assertTrue(report.isClean(), report::toString);
    }

    /** Where nothing is said, a launch that begins early touches nothing before it has waited. */
    @Test
    void shortProductsTouchNothingBeforeTheyWait() {
        for (boolean left : List.of(true, false)) {
            HazardReport report = check(product(left), 132);
            assertTrue(report.isClean(), report::toString);
        }
    }

    /** Where each multiprocessor takes one tile at most, the start is a good part of a launch. */
    @Test
    void shortProductsBeginEarlyWhereNothingIsSaid() {
        assertTrue(launch(product(true), 132).program().waitsForPriorGrid());
        assertFalse(launch(product(true).with(Schedule.parse("early=0")), 132).program().waitsForPriorGrid());
        assertFalse(launch(product(true).with(Schedule.parse("tile=16x16")), 2).program().waitsForPriorGrid());
    }

    /** It is a promise that no launch in front writes the tensor. */
    @Test
    void copiesThatGoAheadOfWhatTheyReadAreFound() {
        assertTrue(check(product(false).with(Schedule.parse("early=1"))).isClean());
        HazardReport report = check(product(false).with(Schedule.parse("early=x")));
        assertEquals(HazardCode.PRIOR_GRID_NOT_AWAITED, report.findings().getFirst().code(), report::toString);
    }

    /** The left factor goes ahead as the right one does. */
    @Test
    void eitherFactorGoesAhead() {
        HazardReport clean = check(product(false).with(Schedule.parse("early=w")));
        assertTrue(clean.isClean(), clean::toString);
        HazardReport report = check(product(true).with(Schedule.parse("early=x")));
        assertEquals(HazardCode.PRIOR_GRID_NOT_AWAITED, report.findings().getFirst().code(), report::toString);
    }

    /** Where nothing is left to load behind the wait. */
    @Test
    void bothFactorsGoAhead() {
        List<byte[]> left = new ArrayList<>();
        for (String schedule : List.of("early=1", "early=x+w")) {
            List<MemorySegment> memory = IntStream.range(0, 3).mapToObj(i -> {
                byte[] bytes = new byte[(int) (2 * SIDE * SIDE)];
                new SplittableRandom(i).nextBytes(bytes);
                return MemorySegment.ofArray(bytes);
            }).toList();
            Reference.run(launch(product(true).with(Schedule.parse(schedule))), memory);
            left.add(memory.getFirst().toArray(ValueLayout.JAVA_BYTE));
        }
        assertArrayEquals(left.getFirst(), left.getLast());
    }

    /** Of kernels that are no products, what is loaded in front of the first of anything else. */
    @Test
    void loadsAtTheBeginningGoAhead() {
        TileKernel sum = TileKernel.of("behind", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor y = k.out("y", ValueType.BF16, m, n);
            Tensor x = k.in("x", ValueType.BF16, m, n), w = k.in("w", ValueType.BF16, m, n);
            k.forEachTile(y, 64, 64, at -> {
                Tile weight = w.tile(at);
                y.store(at, x.tile(at).plus(weight));
            });
        });
        for (String schedule : List.of("early=1", "early=w")) {
            TileKernel behind = sum.with(Schedule.parse(schedule));
            HazardReport report = check(behind);
            assertTrue(report.isClean(), report::toString);
            String text = CudaEmitter.emit(launch(behind).program()).text();
            text = text.substring(text.indexOf("extern \"C\""));
            assertEquals(schedule.equals("early=w"), text.indexOf("w + (") < text.indexOf("griddepcontrol_wait"), text);
        }
        HazardReport report = check(sum.with(Schedule.parse("early=x+w")));
        assertEquals(HazardCode.PRIOR_GRID_NOT_AWAITED, report.findings().getFirst().code(), report::toString);
    }

    /** Copies of a packed factor go ahead alone: what a kernel loads in front of its loop waits. */
    @ParameterizedTest
    @ValueSource(longs = {4, 64})
    void whatPackedProductsLoadFirstWaits(long m) {
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(m, 128), "b", ArrayShape.dense(64, 128),
                "scales", ArrayShape.dense(64, 1), "r", ArrayShape.dense(m, 64), "c", ArrayShape.dense(m, 64));
        Launch front = packed(true).launch(shapes, Scalars.NONE, Target.SM_90A, 2);
        for (String schedule : List.of("early=1", "early=b")) {
            TileKernel behind = packed(false).with(Schedule.parse(schedule));
            assertTrue(behind.explain(Target.SM_90A, Map.of("m", m, "n", 64L, "k", 128L)).contains("become its left "
                    + "factor where they are"));
            try (Arena arena = Arena.ofConfined()) {
                HazardReport report = HazardCheck.check(front, behind.launch(shapes, Scalars.NONE, Target.SM_90A, 2),
                        IntStream.range(0, 5).mapToObj(_ -> arena.allocate(128 * 128 * 2, 256)).toList());
                assertTrue(report.isClean(), report::toString);
            }
        }
    }

    /** A product with weights of 8 bits, to which 'r' is added, which is loaded first; or what writes 'r'. */
    private static TileKernel packed(boolean front) {
        return TileKernel.of(front ? "front" : "behind", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k"), groups = depth.dividedBy(128);
            Tensor a = k.in("a", ValueType.BF16, m, depth), b = k.in("b", ValueType.I8, n, depth);
            Tensor scales = k.in("scales", ValueType.BF16, n, groups);
            Tensor r = front ? k.out("r", ValueType.F32, m, n) : k.in("r", ValueType.F32, m, n);
            if (front) {
                k.forEachTile(r, 4, 64, at -> r.store(at, k.full(ValueType.F32, 1f, 4, 64)));
                return;
            }
            Tensor c = k.out("c", ValueType.F32, m, n);
            k.forEachTile(c, 16, 64, at -> {
                Tile first = r.tile(at);
                c.store(at, k.foldInParts(8, k.zeros(ValueType.F32, 16, 64), k.steps(depth, 128), (sum, i) -> {
                    Span number = Span.at(i.start().dividedBy(Expr.of(128L))).kept();
                    Tile scale = scales.tile(at.column(), number).to(ValueType.F32).transposed();
                    return k.zeros(ValueType.F32, 16, 64).mma(a.tile(at.row(), i), b.tile(at.column(), i)
                            .to(ValueType.BF16).transposed()).fma(scale, sum);
                }).plus(first));
            });
        });
    }

    /** A launch behind waits for this one alone: it must not end before the one in front of it has. */
    @ParameterizedTest
    @CsvSource({"2, early=1", "2, early=index", "2, early=index+x", "0, early=1", "0, early=index", "0, early=index+x"})
    void eachBlockWaitsEvenIfItGoesThroughNothing(long rows, String schedule) {
        TileKernel scattering = TileKernel.of("scattering", k -> {
            Dim n = k.dim("n"), columns = k.dim("columns"), places = k.dim("places");
            Tensor index = k.in("index", ValueType.I32, n), x = k.in("x", ValueType.F32, n, columns);
            Tensor y = k.inOut("y", ValueType.F32, places, columns);
            k.forEachTile(x, 1, 64, at -> y.scatter(Update.ADD, index.tile(at.row().kept()), x.tile(at.row().kept(),
                    at.column()), at.column()));
        }).with(Schedule.parse(schedule));
        Launch launch = scattering.launch(Map.of("index", ArrayShape.dense(rows), "x", ArrayShape.dense(rows, SIDE),
                "y", ArrayShape.dense(2, SIDE)), Scalars.NONE, Target.SM_90A, 2);
        assertEquals(SIDE / 64, launch.blocks());
        assertAllWait(launch, 4 * rows, 4 * rows * SIDE, 8 * SIDE);
    }

    /** Short products by themselves: of whole tiles and of parts of some. */
    @ParameterizedTest
    @CsvSource({"192, 192, 64, 132", "8, 72, 200, 132", "72, 8, 72, 2"})
    void eachBlockOfAShortProductWaits(long m, long n, long depth, int multiprocessors) {
        TileKernel product = TileKernel.of("product", k -> {
            Dim rows = k.dim("m"), columns = k.dim("n"), inner = k.dim("k");
            Tensor x = k.in("x", ValueType.BF16, rows, inner), w = k.in("w", ValueType.BF16, inner, columns);
            Tensor y = k.out("y", ValueType.F32, rows, columns);
            k.forEachTile(y, 64, 64, at -> y.store(at, k.fold(k.zeros(ValueType.F32, 64, 64), k.steps(inner, 64),
                    (sum, i) -> sum.mma(x.tile(at.row(), i), w.tile(i, at.column())))));
        });
        assertAllWait(product.launch(Map.of("x", ArrayShape.dense(m, depth), "w", ArrayShape.dense(depth, n), "y",
                ArrayShape.dense(m, n)), Scalars.NONE, Target.SM_90A, multiprocessors), 2 * m * depth, 2 * depth * n,
                4 * m * n);
    }

    private static void assertAllWait(Launch launch, long... bytes) {
        Set<Integer> waited = new HashSet<>();
        ExecutionObserver observer = (ExecutionObserver) Proxy.newProxyInstance(EarlyLaunchTest.class.getClassLoader(),
                new Class<?>[] {ExecutionObserver.class}, (_, method, arguments) -> {
                    if (method.getName().equals("awaitsPriorGrid")) {
                        waited.add((Integer) arguments[0]);
                    }
                    return method.getReturnType() == boolean.class ? true : null;
                });
        try (Arena arena = Arena.ofShared()) {
            Reference.run(launch, LongStream.of(bytes).mapToObj(each -> arena.allocate(each, 256)).toList(),
                    ReferenceOptions.DEFAULT, observer);
        }
        assertTrue(launch.program().waitsForPriorGrid());
        assertEquals(IntStream.range(0, launch.blocks()).boxed().collect(Collectors.toSet()), waited);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "early=y|the schedule has early=y: this kernel reads only 'x' and 'w' ahead of the launch in front; say "
                + "early=x+w or 1",
        "early=w+y threads=128|the schedule has early=w+y: this kernel reads only 'x' and 'w' ahead of the launch in "
                + "front; say early=x+w or 1"})
    void otherCopiesDoNotGoAhead(String schedule, String message) {
        TileKernel behind = product(true).with(Schedule.parse(schedule));
        assertEquals(message, assertThrows(BadRequestException.class, () -> launch(behind)).getMessage());
    }

    /** The option is named, and without it the kernel runs there. */
    @ParameterizedTest
    @CsvSource({"early=1", "early=w"})
    void targetsThatHaveNoSuchLaunchesAreTold(String schedule) {
        TileKernel behind = product(true).with(Schedule.parse(schedule));
        assertEquals("kernel 'behind' cannot begin before the launch in front has ended, got " + schedule
                + ": sm_80 has no griddepcontrol, which begins with sm_90; leave it out",
                assertThrows(BadRequestException.class,
                () -> behind.explain(Target.SM_80)).getMessage());
        assertFalse(product(true).with(Schedule.parse("early=0")).lowered(Target.SM_80, Map.of()).program()
                .waitsForPriorGrid());
    }

    @Test
    void explainSaysWhenItBegins() {
        String said = product(true).with(Schedule.parse("early=w")).explain(Target.SM_90A);
        assertTrue(said.contains("starts before the previous launch has ended, and waits for it before it touches "
                + "any tensor but 'w' (its start-up overlaps that launch)"), said);
    }
}
