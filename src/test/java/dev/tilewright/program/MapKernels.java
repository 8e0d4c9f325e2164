package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;

/** Kernels of one block that change a tensor map: one that shows its bytes, one that loads a box through it. */
public final class MapKernels {
    public static final int MAP_BYTES = 128;
    public static final Parameter.Pointer WORKSPACE = new Parameter.Pointer("workspace", true);
    public static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    public static final SharedRegion.Buffer MAP = new SharedRegion.Buffer("map", MAP_BYTES, MAP_BYTES);
    public static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    public static final Address.Shared MAP_START = MAP.at(0);
    public static final Address.Barrier LANDED = FULL.at(0);
    public static final Address.Global PUBLISHED = new Address.Global(WORKSPACE, 0);
    private static final int THREADS = 64;

    private MapKernels() {
    }

    /** The map that {@link #bytes} and {@link #load} start from. */
    public static Parameter.TensorMap template(int rank) {
        return new Parameter.TensorMap("template_map", rank);
    }

    /** Every field with values at its ends and between. */
    public static List<MapEdit> edits() {
        List<MapEdit> all = new ArrayList<>(List.of(
                new MapEdit.GlobalAddress(Expr.of(0x7F12_3456_7890L)),
                new MapEdit.GlobalAddress(Expr.of(0xFEDC_BA98_7654_3210L)), new MapEdit.Rank(1), new MapEdit.Rank(3),
                new MapEdit.Rank(5)));
        for (int d = 0; d < 5; d++) {
            for (int extent : new int[] {1, 2, 100, 256}) {
                all.add(new MapEdit.BoxDim(d, extent));
            }
            for (int extent : new int[] {1, 2, 123_456_789, Integer.MAX_VALUE, -1}) {
                all.add(new MapEdit.GlobalDim(d, extent));
            }
            for (int step : new int[] {1, 2, 5, 8}) {
                all.add(new MapEdit.ElementStride(d, step));
            }
        }
        for (int i = 0; i < 4; i++) {
            for (long stride : new long[] {16, 4096, 0x12_3456_7890L, (1L << 40) - 16}) {
                all.add(new MapEdit.GlobalStride(i, stride));
            }
        }
        for (TensorDataType type : TensorDataType.values()) {
            all.add(new MapEdit.ElementType(type));
        }
        for (Interleave interleave : Interleave.values()) {
            all.add(new MapEdit.InterleaveLayout(interleave));
        }
        for (Swizzle swizzle : EnumSet.range(Swizzle.NONE, Swizzle.B128)) {
            all.add(new MapEdit.SwizzleMode(swizzle));
        }
        for (OobFill fill : OobFill.values()) {
            all.add(new MapEdit.FillMode(fill));
        }
        return all;
    }

    /** Writes the 128 bytes of the changed map to the result. Parameters: the template, the result. */
    public static TileProgram bytes(int rank, List<MapEdit> edits) {
        return new TileProgram("map_bytes", "shows what a changed map holds", THREADS, List.of(template(rank), RESULT),
                new SharedLayout(List.of(MAP)), Body.steps(body -> {
                    change(body, rank, edits);
                    body.purpose("eight threads show the map").when(Builtin.THREAD.lessThan(8), b -> {
                        Fragment data = b.purpose("read")
                                .load("shown", ElementType.U32, 4, MAP.at(Builtin.THREAD.times(16)));
                        b.purpose("write").store(new Address.Global(RESULT, Builtin.THREAD.times(16).toS64()), data);
                    });
                }));
    }

    /**
     * Loads the box at the tensor's start through the changed map and writes what shared memory then holds to the
     * result. Parameters: the template, the workspace (128 bytes), the result.
     *
     * @param rank the template's; @param changedRank the changed map's
     * @param boxBytes what the copy counts; @param sharedBytes how much of shared memory to show, a multiple of 16
     */
    public static TileProgram load(int rank, List<MapEdit> edits, int changedRank, int boxBytes, int sharedBytes) {
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        return new TileProgram("map_load", "loads a box through a changed map", THREADS,
                List.of(template(rank), WORKSPACE, RESULT), new SharedLayout(List.of(box, MAP, FULL)),
                Body.steps(body -> {
                    body.purpose("what the load does not touch is known").loop("clear_at", Builtin.THREAD.times(16),
                            sharedBytes, 16 * THREADS, (each, at) -> {
                                Fragment first = each.purpose("any bytes").load("filler", ElementType.U32, 4,
                                        new Address.MapBytes(template(rank), 112));
                                each.purpose("write").store(box.at(at), first);
                            });
                    change(body, rank, edits);
                    body.purpose("a warp publishes").when(Builtin.THREAD.lessThan(32),
                            warp -> warp.purpose("publish").publishMap(PUBLISHED, MAP_START));
                    body.purpose("one thread loads").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("acquire").acquireMap(PUBLISHED);
                        one.purpose("one arrival").barrierInit(LANDED, 1);
                        one.purpose("known to the copy engine").barrierInitFence();
                        one.purpose("and so is what was cleared").proxyFence(FenceProxyAsync.Memory.SHARED);
                        one.purpose("announce").arriveExpectTx(LANDED, boxBytes);
                        one.purpose("load")
                                .tensorLoad(box.at(0), new MapSource.InMemory(PUBLISHED, changedRank),
                                IntStream.range(0, changedRank).mapToObj(_ -> Expr.of(0)).toList(), LANDED);
                        one.purpose("landed").waitParity(LANDED, 0);
                    });
                    body.purpose("all may read").syncThreads();
                    body.purpose("show the box").loop("shown_at", Builtin.THREAD.times(16), sharedBytes,
                            16 * THREADS, (each, at) -> {
                                Fragment data = each.purpose("read").load("shown", ElementType.U32, 4, box.at(at));
                                each.purpose("write it out").store(new Address.Global(RESULT, at.toS64()), data);
                            });
                }));
    }

    private static void change(Body body, int rank, List<MapEdit> edits) {
        body.purpose("eight threads copy the template").when(Builtin.THREAD.lessThan(8), b -> {
            Fragment data = b.purpose("read 16 bytes").load("chunk", ElementType.U32, 4,
                    new Address.MapBytes(template(rank), Builtin.THREAD.times(16)));
            b.purpose("write 16 bytes").store(MAP.at(Builtin.THREAD.times(16)), data);
        });
        body.purpose("the copy is whole").syncThreads();
        body.purpose("one thread changes it").when(Builtin.THREAD.isEqualTo(0), one -> {
            for (int i = 0; i < edits.size(); i++) {
                one.purpose("change " + i).replaceMapField(MAP_START, edits.get(i));
            }
        });
        body.purpose("the changes are made").syncThreads();
    }
}
