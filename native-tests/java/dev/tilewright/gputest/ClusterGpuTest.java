package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.AsyncKernels.Case;
import dev.tilewright.program.AsyncKernels;
import dev.tilewright.program.AtomicKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clusters, remote shared memory, multicast, barriers in every state, flags between blocks and atomic updates: on the
 * GPU and in the reference these kernels leave the same bytes, twenty times over.
 */
@OnEveryStage
record ClusterGpuTest(Stage stage) {
    private static final int BYTES = AsyncKernels.BYTES;
    private static final int ROUNDS = 20;
    /** Bits of floats at which arithmetic is special: infinities, NaNs, subnormals, the largest number, -0. */
    private static final int[] SPECIAL = {0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0001, 1, 0x807F_FFFF,
            0x7F7F_FFFF, 0xFF7F_F000,
        0x8000_0000, 0x7F80_0001, 0x0080_0000, 0x8080_0001};
    private static final long F64_EXPONENT = 0x7FF0_0000_0000_0000L;

    static Stream<Case> cases() {
        return AsyncKernels.all().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void blocksThatWaitForEachOther(Case c) {
        assertSame(c.program(), c.blocks(), data(7));
    }

    @ParameterizedTest
    @EnumSource(names = {"GLOBAL", "SHARED_CTA"})
    void everyAtomicUpdate(Space space) {
        assertSame(AtomicKernels.program(space), 1, data(8));
    }

    /** Random words, among them special floats; those of 64 bits are finite numbers, whose NaNs were not measured. */
    private static long[] data(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long[] words = new long[BYTES / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = random.nextLong();
            if (random.nextInt(3) == 0) {
                words[i] = words[i] & ~0xFFFF_FFFFL | SPECIAL[random.nextInt(SPECIAL.length)] & 0xFFFF_FFFFL;
            }
            if (random.nextInt(8) == 0) {
                words[i] &= 0xFF;
            }
            if ((words[i] & F64_EXPONENT) == F64_EXPONENT) {
                words[i] ^= 1L << 60;
            }
        }
        return words;
    }

    private void assertSame(TileProgram program, int blocks, long[] data) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(BYTES, 256);
            MemorySegment.copy(data, 0, source, ValueLayout.JAVA_LONG, 0, data.length);
            stage.device(program.minimumTarget());
            MemorySegment expected = run(Stage.IN_ORDER, program, blocks, source, arena);
            for (int round = 0; round < stage.most(2, ROUNDS); round++) {
                CaseDevice device = stage.device(program.minimumTarget(), round);
                assertEquals(-1, expected.mismatch(run(device, program, blocks, source, arena)), "round " + round);
            }
        }
    }

    private static MemorySegment run(CaseDevice device, TileProgram program, int blocks, MemorySegment source,
            Arena arena) {
        MemorySegment result = arena.allocate(BYTES, 256).fill((byte) 0xCD);
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(256, 32).box(8, 32)
                .build(Target.SM_90);
        Map<Parameter, Argument> arguments = Map.of(AsyncKernels.SOURCE, new Argument.Buffer(0),
                AsyncKernels.RESULT, new Argument.Buffer(1), AsyncKernels.FLAGS, new Argument.Buffer(2),
                AsyncKernels.MAP, new Argument.Tensor(map, 0));
        device.run(Launch.of(program, blocks, arguments),
                List.of(source.asReadOnly(), result, arena.allocate(BYTES, 256)));
        return result;
    }
}
