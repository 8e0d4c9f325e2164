package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Prefetching a tensor map, a parameter and one in memory, and releasing the one in memory, which a thread wrote there
 * by ordinary stores: boxes loaded through both are the reference's.
 */
@OnEveryStage
record PrefetchGpuTest(Stage stage) {
    private static final int SOURCE_BYTES = 64 * 100 * 4;
    private static final int THREADS = 32;

    /** Different boxes, strides and swizzles, so that one map cannot pass for the other. */
    private static final TiledTensorMap NEAR =
            TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(64L, 100L), List.of(16, 8), Swizzle.NONE);
    private static final TiledTensorMap STORED =
            TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(32L, 200L), List.of(32, 4), Swizzle.B128);

    private static final Parameter.TensorMap NEAR_MAP = new Parameter.TensorMap("near_map", 2);
    private static final Parameter.TensorMap TEMPLATE = MapKernels.template(2);
    /** Bytes of both boxes, a multiple of 16. */
    private static final int SHOWN = STORED.sharedBytes() + NEAR.sharedBytes();
    /** The swizzled box comes first, where the alignment is. */
    private static final SharedRegion.Buffer BOXES = new SharedRegion.Buffer("boxes", SHOWN, 1024);

    @Test
    void boxesLoadThroughPrefetchedMaps() {
        assertEquals(boxes(Stage.IN_ORDER), boxes(stage.device(Target.SM_90A, 1)));
    }

    /** Parameters: a map to use as it is, a map to copy to the workspace, the workspace, the result. */
    private static TileProgram program() {
        return new TileProgram("map_prefetch", "loads boxes through prefetched maps", THREADS,
                List.of(NEAR_MAP, TEMPLATE, MapKernels.WORKSPACE, MapKernels.RESULT),
                new SharedLayout(List.of(BOXES, MapKernels.FULL)), Body.steps(body -> {
                    body.purpose("one thread loads").when(Builtin.THREAD.isEqualTo(0), PrefetchGpuTest::load);
                    body.purpose("all may read").syncThreads();
                    body.purpose("show the boxes")
                            .loop("shown_at", Builtin.THREAD.times(16), SHOWN, 16 * THREADS,
                            (each, at) -> each.purpose("write it out")
                                    .store(new Address.Global(MapKernels.RESULT, at.toS64()),
                                    each.purpose("read").load("shown", ElementType.U32, 4, BOXES.at(at))));
                }));
    }

    private static void load(Body one) {
        MapSource stored = new MapSource.InMemory(MapKernels.PUBLISHED, 2);
        one.purpose("a parameter, before its first use").prefetchMap(NEAR_MAP);
        one.purpose("copy the template to memory")
                .loop("copied_at", 0, MapKernels.MAP_BYTES, 16,
                (each, at) -> each.purpose("write 16 bytes")
                        .store(new Address.Global(MapKernels.WORKSPACE, at.toS64()),
                        each.purpose("read 16 bytes")
                                .load("chunk", ElementType.U32, 4, new Address.MapBytes(TEMPLATE, at))));
        one.purpose("release").releaseMaps();
        one.purpose("acquire").acquireMap(MapKernels.PUBLISHED);
        one.purpose("one in memory").prefetchMap(stored);
        one.purpose("one arrival").barrierInit(MapKernels.LANDED, 1);
        one.purpose("known to the copy engine").barrierInitFence();
        one.purpose("announce both")
                .arriveExpectTx(MapKernels.LANDED, NEAR.transactionBytes() + STORED.transactionBytes());
        // Each box ends beyond its tensor along one dimension: zeros there.
        one.purpose("load through the parameter").tensorLoad(BOXES.at(STORED.sharedBytes()), NEAR_MAP,
                Expr.list(56, 40), MapKernels.LANDED);
        one.purpose("load through the map in memory")
                .tensorLoad(BOXES.at(0), stored, Expr.list(0, 198), MapKernels.LANDED);
        one.purpose("landed").waitParity(MapKernels.LANDED, 0);
    }

    /** Both boxes as hexadecimal digits. The source is random bits. */
    static String boxes(CaseDevice device) {
        TileProgram program = program();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = arena.allocate(SOURCE_BYTES, 256);
            SplittableRandom random = new SplittableRandom(7);
            for (long i = 0; i < SOURCE_BYTES; i += 8) {
                data.set(ValueLayout.JAVA_LONG, i, random.nextLong());
            }
            MemorySegment result = arena.allocate(SHOWN, 256).fill((byte) 0xCD);
            device.run(new Launch(program, 1, List.of(new Argument.Tensor(NEAR, 0), new Argument.Tensor(STORED, 0),
                    new Argument.Buffer(1), new Argument.Buffer(2))),
                    List.of(data, arena.allocate(MapKernels.MAP_BYTES, 256), result));
            return HexFormat.of().formatHex(result.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
