package dev.tilewright.tile.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import dev.tilewright.program.value.ValueType;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the lowering says of its choices. */
class ExplainTest {

    @Test
    void everyPassSaysWhatItChoseAndWhy() {
        String softmax = TileKernels.SOFTMAX.with(Schedule.parse("threads=64")).explain(Target.SM_90A,
                Map.of("columns", 101L));
        assertEquals("""
                tile kernel softmax for sm_90a, schedule threads=64, for columns=101
                layout    %0: f32 [columns]: 2 elements in each of 64 threads, at places to which register bits \
                add 64 elements; lane bits add 1, 2, 4, 8, 16 elements; warp bits add 32 elements
                """, softmax.lines().limit(2).map(line -> line + "\n").reduce("", String::concat));
        assertTrue(softmax.contains("""
                mechanism %0, load of x: each thread loads its own elements into registers (the thread that loads \
                an element uses it: shared memory would be a detour)
                pipeline  kernel softmax: none, each block waits for its loads (no copy engine: the schedule sets \
                the number of threads, which all do the same work; no cp.async: no loop adds up matrix products)
                grid      kernel softmax: each block takes one tile (tiles do not depend on each other)
                """), softmax);
        assertTrue(TileKernels.SOFTMAX.explain(Target.SM_90, Map.of("columns", 512L)).contains("""
                mechanism %0, load of x: each thread loads its own elements into registers, 4 at a time (the \
                thread that loads an element uses it: shared memory would be a detour)
                """));
        assertTrue(softmax.contains("\nsignature " + TileKernels.SOFTMAX.signature(Target.SM_90A).hash() + "\n"));
    }

    @Test
    void extentsOfOtherNamesAreRefused() {
        assertEquals("kernel 'softmax' has no dimension 'q': it has [rows, columns]", assertThrows(
                IllegalArgumentException.class, () -> TileKernels.SOFTMAX.explain(Target.SM_90, Map.of("columns", 512L,
                        "q", 1L))).getMessage());
        assertEquals("kernel 'softmax' has extents of 0 or more, got columns=-1", assertThrows(
                IllegalArgumentException.class, () -> TileKernels.SOFTMAX.explain(Target.SM_90, Map.of("columns",
                        -1L))).getMessage());
    }

    @Test
    void scattersSayWhichOrderTheyKeep() {
        TileKernel kernel = TileKernel.of("scattering", k -> {
            Tensor x = k.in("x", ValueType.F32, k.dim("rows")), y = k.inOut("y", ValueType.F32, k.dim("places"));
            k.forEachTile(x, 32, at -> y.scatter(Update.ADD, k.iota(at.get(0)), x.tile(at)));
        });
        LoweredKernel lowered = kernel.lowered(Target.SM_90, Map.of());
        assertTrue(lowered.decisions().contains(new Decision(Decision.Pass.GRID, "kernel scattering",
                "one block goes through rows in ascending order", "tiles scatter into the same rows")));
        assertTrue(lowered.decisions().contains(new Decision(Decision.Pass.EPILOGUE, "store of %1 into y",
                "through shared memory, one thread per column, rows in ascending order",
                "rows may update the same element, and the order shows in its bits")),
                lowered::toString);
    }

    @Test
    void anExtentThatProgramsAreMadeForIsAskedFor() {
        assertEquals("kernel 'softmax' has tiles of extent 'columns', which its programs are made for: say it, in "
                + "Java such as Map.of(\"columns\", 1024L), in the command "
                + "--extents columns=1024", assertThrows(IllegalArgumentException.class,
                () -> TileKernels.SOFTMAX.explain(Target.SM_90)).getMessage());
    }

    @Test
    void tilesOfProductsSuitTheLaunch() {
        TileKernel kernel = TileKernel.of("product", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth), b = k.in("b", ValueType.BF16, n, depth);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(ValueType.F32, 128, 256), k.steps(depth, 64),
                    (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(at.column(), i).transposed()))
                    .to(ValueType.BF16)));
        });
        assertEquals("tiles of 64 x 64, whose left factor copies bring by 8 rows", tiles(kernel, 1, 8192, 8192));
        assertEquals("tiles of 128 x 256", tiles(kernel, 8192, 8192, 8192));
        assertEquals("tiles of 64 x 32", tiles(kernel.with(Schedule.parse("tile=64x32")), 8192, 8192, 8192));
        String ragged = kernel.explain(Target.SM_90A, Map.of("m", 1000L, "n", 999L, "k", 64L));
        assertTrue(ragged.contains("""
                epilogue  store of %7 into c: through shared memory, one warp per row, neighbouring elements \
                together (rows of 'c' do not begin at multiples of 16 bytes, which copies need)
                """), ragged);
    }

    /** Copies by the copy engine have no order, which several stores of a tile into one tensor need. */
    @Test
    void resultsThatAreStoredSeveralTimesAreSaidToBe() {
        TileKernel kernel = TileKernel.of("twice", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", ValueType.BF16, m, depth), b = k.in("b", ValueType.BF16, n, depth);
            Tensor c = k.out("c", ValueType.BF16, m, n);
            k.forEachTile(c, 128, 128, at -> {
                Tile sum = k.fold(k.zeros(ValueType.F32, 128, 128), k.steps(depth, 64), (s, i) -> s.mma(
                        a.tile(at.row(), i), b.tile(at.column(), i).transposed())).to(ValueType.BF16);
                c.store(at, k.zeros(ValueType.BF16, 128, 128));
                c.store(at, sum);
            });
        });
        String said = kernel.explain(Target.SM_90A, Map.of("m", 1024L, "n", 1024L, "k", 1024L));
        assertTrue(said.contains("into c: each thread stores its own elements"), said);
        assertTrue(said.contains("('c' is stored to several times, and copies have no order)"), said);
    }

    private static String tiles(TileKernel kernel, long m, long n, long k) {
        return kernel.lowered(Target.SM_90A, Map.of("m", m, "n", n, "k", k)).decisions().stream()
                .map(Decision::choice).filter(choice -> choice.startsWith("tiles of")).findFirst().orElseThrow();
    }
}
