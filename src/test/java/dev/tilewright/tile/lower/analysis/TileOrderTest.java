package dev.tilewright.tile.lower.analysis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.Lines;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** What a launch's blocks may do in any order, and what they may not. */
class TileOrderTest {
    private static final Map<String, ArrayShape> SHAPES = Map.of("index", ArrayShape.dense(10), "x",
            ArrayShape.dense(10, 70), "sums", ArrayShape.dense(3, 70));

    /** Rows of x go to rows of sums, tiles of 4 by 32: three by three of them. */
    private static TileKernel scattering(ValueType type, Update... updates) {
        return TileKernel.of("scattering", k -> {
            Dim n = k.dim("n"), rows = k.dim("rows"), columns = k.dim("columns");
            Tensor index = k.in("index", ValueType.I32, n).outside(-1), x = k.in("x", type, n, columns);
            Tensor sums = k.inOut("sums", type, rows, columns);
            k.forEachTile(x, 4, 32, at -> {
                for (Update update : updates) {
                    sums.scatter(update, index.tile(at.row()), x.tile(at), at.column());
                }
            });
        });
    }

    private static Launch launch(TileKernel kernel) {
        return kernel.launch(SHAPES, Scalars.NONE, Target.SM_90, 132);
    }

    @Test
    void columnsOfAnOrderedScatterAreFreeAndItsRowsAreNot() {
        assertEquals(3, launch(scattering(ValueType.F32, Update.ADD)).blocks());
        assertEquals(3, launch(scattering(ValueType.I32, Update.SET)).blocks());
        assertEquals(3, launch(scattering(ValueType.I32, Update.ADD, Update.MAX)).blocks());
        assertEquals(3, launch(scattering(ValueType.U8, Update.ADD)).blocks(), "which the hardware does not update");
        assertEquals(9, launch(scattering(ValueType.I32, Update.ADD, Update.ADD)).blocks());
    }

    @Test
    void sumsOfFloatsHaveTheBitsOfAscendingRows() {
        float[] x = new float[700], sums = new float[210], wanted = new float[210];
        int[] index = {0, 2, 2, 1, 2, 0, 7, 2, -1, 2};
        for (int i = 0; i < x.length; i++) {
            x[i] = (float) Math.scalb(1 + i % 13 / 16.0, i * 7 % 40);
        }
        Arrays.fill(sums, 0.1f);
        Arrays.fill(wanted, 0.1f);
        for (int i = 0; i < 10; i++) {
            for (int c = 0; c < 70 && index[i] >= 0 && index[i] < 3; c++) {
                wanted[index[i] * 70 + c] += x[i * 70 + c];
            }
        }
        Reference.run(launch(scattering(ValueType.F32, Update.ADD)), List.of(MemorySegment.ofArray(index),
                MemorySegment.ofArray(x), MemorySegment.ofArray(sums)));
        assertArrayEquals(wanted, sums);
    }

    private static final int[] APART = {0, -1, 7, 2, -1, 9, -4, 3, 1, 5};
    private static final int[] MEETING = {0, -1, 7, 2, -1, 9, -4, 3, 1, 2};

    /** Rows of x, each full of its number plus 1, to the rows of sums. */
    private static List<MemorySegment> rows(int[] index) {
        float[] x = new float[700];
        for (int i = 0; i < x.length; i++) {
            x[i] = i / 70 + 1;
        }
        return List.of(MemorySegment.ofArray(index.clone()), MemorySegment.ofArray(x),
                MemorySegment.ofArray(new float[210]));
    }

    @Test
    void rowsThatAreApartAreSetBesideEachOther() {
        TileKernel apart = scattering(ValueType.F32, Update.SET_APART);
        assertEquals(9, launch(apart).blocks());
        List<MemorySegment> there = rows(APART), here = rows(APART);
        HazardReport report = HazardCheck.check(launch(apart), there);
        assertEquals(List.of(), report.findings());
        apart.onCpu().set("index", here.get(0), SHAPES.get("index")).set("x", here.get(1), SHAPES.get("x"))
                .set("sums", here.get(2), SHAPES.get("sums")).run();
        for (int i = 0; i < 210; i++) {
            float wanted = new int[] {1, 9, 4}[i / 70];
            assertEquals(wanted, here.get(2).getAtIndex(ValueLayout.JAVA_FLOAT, i));
            assertEquals(wanted, there.get(2).getAtIndex(ValueLayout.JAVA_FLOAT, i));
        }
    }

    @Test
    void rowsThatMeetAreNotApart() {
        TileKernel apart = scattering(ValueType.F32, Update.SET_APART);
        List<MemorySegment> memory = rows(MEETING);
        assertEquals("kernel 'scattering' scatters rows of 'sums' with SET_APART, and two of them go to one place, "
                + "element 140 of the array: give each row a place of its own, or scatter with SET",
                Lines.without(assertThrows(IllegalArgumentException.class, () -> apart.onCpu()
                .set("index", memory.get(0), SHAPES.get("index")).set("x", memory.get(1), SHAPES.get("x"))
                .set("sums", memory.get(2), SHAPES.get("sums")).run()).getMessage()));
        HazardReport report = HazardCheck.check(launch(apart), rows(MEETING));
        assertFalse(report.isClean());
        assertThrows(IllegalArgumentException.class, () -> launch(TileKernel.of("mixed", k -> {
            Dim n = k.dim("n"), rows = k.dim("rows"), columns = k.dim("columns");
            Tensor index = k.in("index", ValueType.I32, n), x = k.in("x", ValueType.F32, n, columns);
            Tensor sums = k.inOut("sums", ValueType.F32, rows, columns);
            k.forEachTile(x, 4, 32, at -> {
                sums.store(at, x.tile(at));
                sums.scatter(Update.SET_APART, index.tile(at.row()), x.tile(at), at.column());
            });
        })));
    }

    private static TileKernel inPlace(BiConsumer<Tensor, Position> body) {
        return TileKernel.of("place", k -> {
            Tensor x = k.inOut("x", ValueType.F32, k.dim("m"), k.dim("n"));
            k.forEachTile(x, 4, 32, at -> body.accept(x, at));
        });
    }

    private static String refusal(TileKernel kernel) {
        return Lines.without(assertThrows(IllegalArgumentException.class, () -> kernel.launch(Map.of("x",
                ArrayShape.dense(8, 64)), Scalars.NONE, Target.SM_90, 132)).getMessage());
    }

    @Test
    void aTileAtItsOwnPlaceIsReadBeforeItIsStored() {
        TileKernel flipped = inPlace((x, at) -> x.store(at, x.tile(at).reshaped(32, 4).transposed()));
        float[] x = new float[8 * 64], onCpu;
        for (int i = 0; i < x.length; i++) {
            x[i] = i;
        }
        onCpu = x.clone();
        flipped.onCpu().set("x", onCpu, 8, 64).run();
        Reference.run(flipped.launch(Map.of("x", ArrayShape.dense(8, 64)), Scalars.NONE, Target.SM_90, 132),
                List.of(MemorySegment.ofArray(x)));
        assertArrayEquals(onCpu, x);
    }

    @Test
    void whatOtherTilesMayHaveStoredIsNotRead() {
        String message = "kernel 'place': tensor 'x' is read where other tiles, or earlier stores, may have changed it,"
                + " and a tile reads what was there before the launch: load and store it at the tile's own place, the "
                + "load first, or store into another tensor, or run it on the CPU";
        assertEquals(message, refusal(inPlace((x, at) -> x.store(at, x.tile(at.row(), at.column().plus(1))))));
        assertEquals(message, refusal(inPlace((x, at) -> x.store(at, x.tile(at.row()).sum(1)))));
        assertEquals(message, refusal(inPlace((x, at) -> {
            x.store(at, x.tile(at).plus(1));
            x.store(at, x.tile(at).plus(1));
        })));
        assertEquals(message, refusal(TileKernel.of("place", k -> {
            Dim n = k.dim("n");
            Tensor x = k.inOut("x", ValueType.F32, k.dim("m"), n);
            k.forEachTile(x, 4, 32, at -> k.loop(k.steps(n, 32), i -> x.store(at, x.tile(at).plus(1))));
        })));
    }

    @Test
    void aTensorThatIsScatteredIntoIsNotStoredIntoBesides() {
        TileKernel both = TileKernel.of("both", k -> {
            Tensor x = k.inOut("x", ValueType.F32, k.dim("m"), k.dim("n"));
            k.forEachTile(x, 4, 32, at -> {
                x.store(at, k.zeros(ValueType.F32));
                x.scatter(Update.ADD, k.iota(at.row()), k.full(ValueType.F32, 1, 4, 32), at.column());
            });
        });
        assertEquals("kernel 'both': tensor 'x' is scattered into after all other stores, and a launch on a GPU has no "
                + "such moment: make the other stores to another tensor, or run the kernel on the CPU", refusal(both));
        assertEquals("kernel 'written': tensor 'x' is scattered into after all other stores, and a launch on a GPU has "
                + "no such moment: make the other stores to another tensor, or run the kernel on the CPU",
                refusal(TileKernel.of("written", k -> {
                    Tensor x = k.out("x", ValueType.F32, k.dim("m"), k.dim("n"));
                    k.forEachTile(x, 4, 32, at -> {
                        x.scatter(Update.SET, k.iota(at.row()), k.full(ValueType.F32, 1, 4, 32), at.column());
                        x.store(at, k.zeros(ValueType.F32));
                    });
                })));
    }

    /** In each turn other threads store what goes to the place of the turn before. */
    @Test
    void theLastOfSeveralStoresStays() {
        TileKernel turns = TileKernel.of("turns", k -> {
            Dim n = k.dim("n");
            Dim eight = Dim.of(8);
            Tensor x = k.in("x", ValueType.F32, eight, n), y = k.out("y", ValueType.F32, eight, eight);
            k.forEachTile(y, 8, 8, at -> k.loop(k.steps(n, 8), i -> {
                y.store(at, x.tile(at.row(), i));
                y.store(at, x.tile(at.row(), i).transposed());
            }));
        });
        Launch launch = turns.launch(Map.of("x", ArrayShape.dense(8, 24), "y", ArrayShape.dense(8, 8)), Scalars.NONE,
                Target.SM_90, 132);
        float[] x = new float[192], y = new float[64];
        for (int i = 0; i < x.length; i++) {
            x[i] = i;
        }
        HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(x), MemorySegment.ofArray(y)));
        assertEquals(List.of(), report.findings());
        for (int i = 0; i < 64; i++) {
            assertEquals(16 + i % 8 * 24 + i / 8, y[i], 0);
        }
    }
}
