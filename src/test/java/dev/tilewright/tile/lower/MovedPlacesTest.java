package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
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
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiles that begin where a launch's extents say: not at a multiple of 16 bytes of a row, and not within a row. */
class MovedPlacesTest {
    private static final int TILE = 64;

    /** Boxes begin at multiples of 16 bytes: factors and results that need not do so are moved by threads. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"1, 1", "8, 1", "1, 8", "8, 8"})
    void productsBeginWhereExtentsSay(int loaded, int stored) {
        TileKernel kernel = TileKernel.of("moved", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), all = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, all), b = k.in("b", ValueType.BF16, all, n);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            UnaryOperator<Span> from = span -> span.plus(times(all, loaded));
            k.forEachTile(c, TILE, TILE, at -> c.store(k.fold(k.zeros(ValueType.F32, TILE, TILE), k.steps(all, 32),
                    (sum, i) -> sum.mma(a.tile(at.row(), from.apply(i)), b.tile(from.apply(i), at.column())))
                    .to(ValueType.BF16), at.row(), at.column().plus(times(n, stored))));
        });
        Map<String, Long> extents = Map.of("m", 80L, "n", 136L, "k", 72L);
        Launch launch = leavesTheExecutorsBytes(kernel, extents);
        assertEquals(loaded == 8 ? stored == 8 ? 3 : 2 : 0, launch.arguments().stream().filter(
                Argument.Tensor.class::isInstance).count());
    }

    /** A number of elements that an extent of 72 or 136 decides, and of which a multiple is known. */
    private static Expr times(Dim dim, int multiple) {
        return dim.value().dividedBy(Expr.of(24L)).times(Expr.of((long) multiple));
    }

    /** What is dropped is not loaded either: before a tensor's first element there is nothing. */
    @Test
    void nothingIsLoadedBeforeATensor() {
        TileKernel kernel = TileKernel.of("around", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", ValueType.F32, rows, columns), y = k.out("y", ValueType.F32, rows, columns);
            k.forEachTile(y, 4, 512, at -> {
                Span row = at.row(), column = at.column().plus(Expr.of(512L).minus(times(columns, 24)));
                y.store(x.tile(row.nearest(), column.nearest()).plus(x.tile(row.nearest(), column.plus(1).nearest())),
                        row, column);
            });
        });
        leavesTheExecutorsBytes(kernel, Map.of("rows", 5L, "columns", 1024L));
    }

    /** Coordinates of boxes have 32 bits. */
    @Test
    void tensorsOfMorePlacesThanCoordinatesAreNotMovedInBoxes() {
        for (long rows : new long[] {Lowering.MOST_PLACES, Lowering.MOST_PLACES + 1}) {
            Launch launch = Gemm.of(ValueType.BF16).kernel().launch(Map.of("a", ArrayShape.dense(rows, 64), "b",
                    ArrayShape.dense(64, 8), "c", ArrayShape.dense(rows, 8)), Scalars.NONE, Target.SM_90A, 132);
            assertEquals(rows <= Lowering.MOST_PLACES, launch.arguments().stream().anyMatch(
                    Argument.Tensor.class::isInstance));
        }
    }

    /** A place far outside is not one within, 2^32 places before. */
    @Test
    void placesFarOutsideStayOutside() {
        TileKernel kernel = TileKernel.of("far", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), all = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, all), b = k.in("b", ValueType.BF16, all, n);
            Tensor c = k.out("c", ValueType.F32, m, n);
            Expr far = all.value().times(Expr.of(1L << 26));
            k.forEachTile(c, TILE, TILE, at -> c.store(at, k.fold(k.zeros(ValueType.F32, TILE, TILE), k.steps(all,
                    32), (sum, i) -> sum.mma(a.tile(at.row(), i.plus(far)), b.tile(i.plus(far), at.column())))));
        });
        leavesTheExecutorsBytes(kernel, Map.of("m", 64L, "n", 64L, "k", 64L));
    }

    private static Launch leavesTheExecutorsBytes(TileKernel kernel, Map<String, Long> extents) {
        Map<String, ArrayShape> shapes = new LinkedHashMap<>();
        List<MemorySegment> memory = new ArrayList<>();
        CpuLaunch cpu = kernel.onCpu();
        Random random = new Random(1);
        for (Tensor tensor : kernel.tensors()) {
            long[] shape = tensor.dims().stream().mapToLong(dim -> dim.in(extents).orElseThrow()).toArray();
            shapes.put(tensor.name(), ArrayShape.dense(shape));
            memory.add(Arena.ofAuto().allocate(shape[0] * shape[1] * tensor.type().bytes(), 256));
            for (long i = 0; i < memory.getLast().byteSize() / 2; i++) {
                memory.getLast().setAtIndex(ValueLayout.JAVA_SHORT, i, (short) (0x3f00 + random.nextInt(256)));
            }
            cpu.set(tensor.name(), memory.getLast(), shape);
        }
        MemorySegment result = memory.getLast();
        byte[] before = result.toArray(ValueLayout.JAVA_BYTE);
        cpu.run();
        byte[] wanted = result.toArray(ValueLayout.JAVA_BYTE);
        result.copyFrom(MemorySegment.ofArray(before));
        Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, 2);
        Reference.run(launch, memory);
        assertEquals(-1, result.mismatch(MemorySegment.ofArray(wanted)));
        assertEquals(List.of(), HazardCheck.check(launch, memory).findings());
        return launch;
    }
}
