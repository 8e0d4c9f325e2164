package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.drawn.DrawnCase;
import dev.tilewright.tile.drawn.DrawnKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Rows that the blocks of a cluster share have the executor's bits, and no block reads what another overwrites. */
class ClusterRowsTest {

    @Test
    void sharedRowsHaveTheExecutorsBits() {
        SplittableRandom random = new SplittableRandom(27);
        for (int i = 0; i < Thorough.of(4, 8); i++) {
            int columns = random.nextBoolean() ? 1024 * (1 + random.nextInt(5)) : 513 + random.nextInt(2000);
            boolean softmax = random.nextBoolean();
            int bits = 1 + random.nextInt(3);
            int threads = 32 << random.nextInt(2);
            TileKernel kernel = softmax ? softmax(columns) : places(columns);
            int each = 1 + random.nextInt(4);
            int rows = 3 + random.nextInt(3);
            float[] x = new float[rows * columns];
            for (int j = 0; j < x.length; j++) {
                x[j] = (float) (random.nextGaussian() * Math.scalb(1, random.nextInt(3)));
            }
            float[] wanted = new float[x.length];
            kernel.onCpu().set("x", x, rows, columns).set("y", wanted, rows, columns).run();
            Map<String, ArrayShape> shapes = Map.of("x", ArrayShape.dense(rows, columns), "y",
                    ArrayShape.dense(rows, columns));
            Lowered lowered = Lowering.of(kernel, Map.of(), t -> Lowering.isAligned(t, shapes.get(t.name())), 1 << bits,
                    threads);
            boolean ahead = columns % 1024 == 0;
            assertEquals(ahead, lowered.grid().isPresent());
            Launch launch = (ahead ? sharedOut(lowered, GridPolicy.tilesEach(each)) : lowered).launch(Map.of("rows",
                    (long) rows), shapes, Map.of(), 1);
            assertEquals((ahead ? Math.ceilDiv(rows, each) : rows) << bits, launch.grid().count());
            float[] got = new float[x.length];
            Reference.run(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(got)));
            assertArrayEquals(wanted, got, () -> columns + " columns, " + (1 << bits) + " blocks of " + threads);
            HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(x),
                    MemorySegment.ofArray(new float[x.length])));
            assertTrue(report.findings().isEmpty(), report::toString);
        }
    }

    /** The compiler is told: NVRTC 13.0 gives a thread of the widest rows 222 registers where nothing limits it. */
    @Test
    void asManyBlocksRunAtOnceAsHaveRoom() {
        for (int columns : new int[] {65536, 131072}) {
            LoweredKernel lowered = softmax(columns).lowered(Target.SM_90A, Map.of("rows", 16384L));
            assertEquals(3, lowered.program().atOnce());
            assertTrue(CudaEmitter.emit(lowered.program()).text().contains("__launch_bounds__(128, 3)\n"));
        }
        assertEquals(0, softmax(4096).lowered(Target.SM_90A, Map.of("rows", 16384L)).program().atOnce());
    }

    @Test
    void asManyBlocksRunAtOnceAsTheScheduleSays() {
        LoweredKernel lowered = softmax(4096).with(Schedule.parse("resident=4 threads=256")).lowered(Target.SM_80,
                Map.of("rows", 16384L));
        assertEquals(4, lowered.program().atOnce());
        assertTrue(CudaEmitter.emit(lowered.program()).text().contains("__launch_bounds__(256, 4)\n"));
        assertTrue(lowered.toString().contains("4 blocks at once on a multiprocessor (the schedule says so)"));
    }

    @Test
    void asManyBlocksAsHoldARowShareItAndWiderOnesAreRefused() {
        for (int columns : new int[] {32768, 65536, 131072}) {
            String how = softmax(columns).explain(Target.SM_90A);
            assertTrue(columns == 32768 ? how.contains("each block takes one tile")
                    : how.contains("a cluster of " + columns / 16384 + " blocks takes one tile after another"), how);
        }
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> softmax(262144)
                .onCpu());
        assertTrue(refused.getMessage().startsWith("no schedule makes room on any GPU: kernel 'softmax': a tile of "
                + "[262144] elements of f32 takes 256 registers of each of the 8 blocks' 128 threads, and there are "
                + "255: use smaller tiles, or go along them in a loop (at ClusterRowsTest.java:"), refused::getMessage);
        assertThrows(IllegalArgumentException.class, () -> softmax(131072).explain(Target.SM_80));
    }

    @Test
    void theNextRowIsBroughtWhereRowsAreOfWholeLapsAndEachClusterTakesUpToFour() {
        String how = softmax(131072).explain(Target.SM_90A);
        assertTrue(how.contains("load of x: the copy engine loads rows into 65536 bytes of each block's shared memory"),
                how);
        assertTrue(how.contains("the next tile's %0 is loaded while one tile is computed"), how);
        assertTrue(softmax(131071).explain(Target.SM_90A).contains("a cluster of 8 blocks takes a tile ("));
        Map<Integer, Integer> clusters = Map.of(1, 1, 1024, 1024, 1025, 513, 16384, 4096);
        clusters.forEach((rows, count) -> {
            ArrayShape shape = ArrayShape.dense(rows, 131072);
            assertEquals(8 * count, Lowering.of(softmax(131072), Map.of(), _ -> true, Choices.NONE, Target.SM_90A)
                    .launch(Map.of("rows", (long) rows), Map.of("x", shape, "y", shape), Map.of(), 132).grid().count());
        });
    }

    /** A fence of the whole GPU costs as long as a tenth of a row. */
    @Test
    void blocksShareWithoutFences() {
        String code = CudaEmitter.emit(softmax(131072).lowered(Target.SM_90A, Map.of()).program()).text();
        assertTrue(code.contains("ptx::st_async"), code);
        assertFalse(code.contains("cluster_arrive_release"), code);
    }

    /** Blocks of a cluster that share a row need no barriers where nothing goes from one to the other. */
    @Test
    void blocksMayShareARowAndExchangeNothing() {
        DrawnCase drawn = DrawnKernel.stencil(1066).small(0);
        Launch launch = drawn.launch(drawn.drawn().kernel().with(Schedule.parse("tile=27")), Target.SM_90A);
        assertTrue(launch.cluster().count() > 1, launch::toString);
        MemorySegment memory = drawn.memory();
        Reference.run(launch, List.of(memory));
        assertEquals("", drawn.difference(memory, drawn.executed(1)));
    }

    private static Lowered sharedOut(Lowered of, GridPolicy grid) {
        return new Lowered(of.kernel(), of.program(), of.known(), of.direct(), of.maps(), Optional.of(grid),
                of.cluster(), of.decisions());
    }

    private static TileKernel softmax(int columns) {
        return TileKernel.of("softmax", k -> {
            Tensor x = k.in("x", ValueType.F32, k.dim("rows"), Dim.of(columns));
            Tensor y = k.out("y", ValueType.F32, x.dims().toArray(Dim[]::new));
            k.forEachRow(x, row -> {
                Tile v = x.row(row);
                Tile e = v.minus(v.max()).exp();
                y.storeRow(row, e.dividedBy(e.sum()));
            });
        });
    }

    /** Less the place of the greatest element, and the sum of all. */
    private static TileKernel places(int columns) {
        return TileKernel.of("places", k -> {
            Tensor x = k.in("x", ValueType.F32, k.dim("rows"), Dim.of(columns));
            Tensor y = k.out("y", ValueType.F32, x.dims().toArray(Dim[]::new));
            k.forEachRow(x, row -> {
                Tile v = x.row(row);
                y.storeRow(row, v.minus(v.argMax(0).to(ValueType.F32)).plus(v.sum()));
            });
        });
    }
}
