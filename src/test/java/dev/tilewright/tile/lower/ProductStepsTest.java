package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages of two steps along k, where threads multiply: the last may have one, and a step may be ragged. */
class ProductStepsTest {
    private static final long ROWS = 72;
    private static final long COLUMNS = 136;

    @ParameterizedTest
    @OrdinaryShare(7)
    @CsvSource({"F32, false, false, 16, 128x128", "F32, false, false, 48, 64x256", "F32, true, false, 40, 256x64",
            "F32, false, true, 32, 64x256", "F32, true, true, 72, 128x256", "F64, false, false, 48, 128x64",
            "F64, true, true, 38, 64x128"})
    void bytesStay(ValueType type, boolean transposedA, boolean transposedB, long depth, String tile) {
        Gemm gemm = Gemm.of(type);
        gemm = transposedA ? gemm.withTransposedA() : gemm;
        TileKernel kernel = (transposedB ? gemm.withTransposedB() : gemm).kernel().with(Schedule.parse("steps=2 tile="
                + tile));
        Map<String, Long> extents = Map.of("m", ROWS, "n", COLUMNS, "k", depth);
        Map<String, ArrayShape> shapes = new LinkedHashMap<>();
        List<MemorySegment> memory = new ArrayList<>();
        CpuLaunch cpu = kernel.onCpu();
        for (Tensor tensor : kernel.tensors()) {
            long[] shape = tensor.dims().stream().mapToLong(dim -> extents.get(dim.name())).toArray();
            shapes.put(tensor.name(), ArrayShape.dense(LongStream.of(shape).boxed().toList()));
            memory.add(numbers(type, memory.size(), shape[0] * shape[1]));
            cpu.set(tensor.name(), memory.getLast(), shape);
        }
        cpu.run();
        MemorySegment wanted = numbers(type, 2, ROWS * COLUMNS).copyFrom(memory.getLast());
        memory.getLast().fill((byte) -1);
        Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 2);
        assertTrue(launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance), "no copies of boxes");
        Reference.run(launch, memory);
        assertEquals(-1, wanted.mismatch(memory.getLast()));
        assertEquals(List.of(), HazardCheck.check(launch, memory).findings());
    }

    /** Every other block of k: two steps are not one of twice the length. */
    @Test
    void stepsNeedNotFollowEachOther() {
        int m = 128, n = 128, depth = 96;
        TileKernel kernel = TileKernel.of("every_other", k -> {
            Dim all = k.dim("k");
            Tensor a = k.in("a", ValueType.F32, Dim.of(m), all), b = k.in("b", ValueType.F32, all, Dim.of(n));
            Tensor c = k.out("c", ValueType.F32, Dim.of(m), Dim.of(n));
            k.forEachTile(c, m, n, at -> c.store(at, k.fold(k.zeros(ValueType.F32, m, n), k.steps(all, 32),
                    (sum, i) -> sum.mma(a.tile(at.row(), Span.of(i.start(), 16)), b.tile(Span.of(i.start(), 16),
                            at.column())))));
        });
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(m, depth), "b", ArrayShape.dense(depth, n), "c",
                ArrayShape.dense(m, n));
        MemorySegment a = numbers(ValueType.F32, 1, m * depth), b = numbers(ValueType.F32, 2, depth * n);
        MemorySegment wanted = numbers(ValueType.F32, 3, m * n), got = numbers(ValueType.F32, 4, m * n);
        kernel.onCpu().set("a", a, m, depth).set("b", b, depth, n).set("c", wanted, m, n).run();
        Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 2);
        assertTrue(launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance), "no copies of boxes");
        Reference.run(launch, List.of(a, b, got));
        assertEquals(-1, wanted.mismatch(got));
        TileKernel two = kernel.with(Schedule.parse("steps=2"));
        String message = assertThrows(BadRequestException.class, () -> two.launch(shapes, Scalars.NONE, Target.SM_90A,
                2)).getMessage();
        assertTrue(message.contains("steps along k that follow each other"), message);
    }

    /** The copy engine's boxes begin at multiples of 16 bytes of a row. */
    @Test
    void stepsMayBeginWithinSixteenBytes() {
        int m = 64, n = 64, depth = 96;
        TileKernel kernel = TileKernel.of("from_eight", k -> {
            Dim all = k.dim("k");
            Tensor a = k.in("a", ValueType.I8, Dim.of(m), all), b = k.in("b", ValueType.I8, Dim.of(n), all);
            Tensor c = k.out("c", ValueType.I32, Dim.of(m), Dim.of(n));
            k.forEachTile(c, m, n, at -> c.store(at, k.fold(k.zeros(ValueType.I32, m, n), k.steps(all, 32),
                    (sum, i) -> sum.mma(a.tile(at.row(), i.plus(8)), b.tile(at.column(), i.plus(8)).transposed()))));
        });
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(m, depth), "b", ArrayShape.dense(n, depth), "c",
                ArrayShape.dense(m, n));
        MemorySegment a = numbers(ValueType.F32, 1, m * depth / 4), b = numbers(ValueType.F32, 2, n * depth / 4);
        MemorySegment wanted = numbers(ValueType.F32, 3, m * n), got = numbers(ValueType.F32, 4, m * n);
        kernel.onCpu().set("a", a, m, depth).set("b", b, n, depth).set("c", wanted, m, n).run();
        Reference.run(kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 2), List.of(a, b, got));
        assertEquals(-1, wanted.mismatch(got));
    }

    /** Threads read what the kernel declares, whatever it says of elements outside, and before it is stored to. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"false", "true"})
    void aTensorThatSaysWhatIsOutsideIsTheOneThatIsDeclared(boolean storedMeanwhile) {
        int m = 72, n = 136, depth = 64;
        TileKernel kernel = TileKernel.of("beside", k -> {
            Dim all = k.dim("k");
            Tensor a = k.in("a", ValueType.F32, Dim.of(m), all), b = k.in("b", ValueType.F32, all, Dim.of(n));
            Tensor c = k.inOut("c", ValueType.F32, Dim.of(m), Dim.of(n));
            Tensor d = k.out("d", ValueType.F32, Dim.of(m), Dim.of(n));
            k.forEachTile(d, 128, 128, at -> {
                Tile before = c.outside(2).tile(at);
                Tile sum = k.fold(k.zeros(ValueType.F32, 128, 128), k.steps(all, 16), (s, i) ->
                        s.mma(a.tile(at.row(), i), b.tile(i, at.column())));
                if (storedMeanwhile) {
                    c.store(at, sum);
                }
                d.store(at, before.plus(sum));
            });
        });
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(m, depth), "b", ArrayShape.dense(depth, n), "c",
                ArrayShape.dense(m, n), "d", ArrayShape.dense(m, n));
        MemorySegment a = numbers(ValueType.F32, 1, m * depth), b = numbers(ValueType.F32, 2, depth * n);
        MemorySegment c = numbers(ValueType.F32, 3, m * n), copy = numbers(ValueType.F32, 3, m * n);
        MemorySegment wanted = numbers(ValueType.F32, 4, m * n), got = numbers(ValueType.F32, 5, m * n);
        Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 2);
        assertEquals(!storedMeanwhile, launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance));
        kernel.onCpu().set("a", a, m, depth).set("b", b, depth, n).set("c", c, m, n).set("d", wanted, m, n).run();
        Reference.run(launch, List.of(a, b, copy, got));
        assertEquals(-1, wanted.mismatch(got));
        assertEquals(-1, c.mismatch(copy));
    }

    private static MemorySegment numbers(ValueType type, long seed, long count) {
        Random random = new Random(seed);
        MemorySegment numbers = Arena.ofAuto().allocate(count * type.bytes(), 256);
        for (long i = 0; i < count; i++) {
            if (type == ValueType.F32) {
                numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
            } else {
                numbers.setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextGaussian());
            }
        }
        return numbers;
    }
}
