package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Im2colKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Loads, stores and reductions in im2col mode of random maps: the GPU leaves the reference's bytes. */
@OnEveryStage
record Im2colGpuTest(Stage stage) {
    private static final int TENSOR_BYTES = 1 << 16;
    private static final int CASES = 150;

    /** One map, a start inside its bounding box, and offsets. */
    private record Case(Im2colTensorMap map, int[] start, int[] offsets) {
        /** @param inside whether the bounding box lies in the tensor, as a store wants it */
        static Case random(SplittableRandom random, boolean inside, Interleave interleave) {
            boolean slices = interleave != Interleave.NONE;
            int unit = 16 * interleave.ordinal();
            int rank = 3 + random.nextInt(3);
            int spatial = rank - 2;
            TensorDataType type = List.of(TensorDataType.UINT8, TensorDataType.FLOAT16, TensorDataType.UINT32,
                    TensorDataType.FLOAT32)
                    .get(random.nextInt(4));
            int limit = rank == 3 ? 20 : rank == 4 ? 7 : 4;
            long[] dims = new long[rank];
            // With slices of channels, W comes first and the slices last but one.
            int width = slices ? 0 : 1;
            dims[0] = (1 + random.nextInt(4)) * 16L / type.bytes();
            for (int d = width; d < rank; d++) {
                dims[d] = 2 + random.nextInt(limit);
            }
            if (slices) {
                dims[rank - 2] = 2 + random.nextInt(3);
                dims[rank - 1] = 2 + random.nextInt(2);
            }
            Long[] strides = new Long[rank - 1];
            long stride = dims[0] * (slices ? unit : type.bytes());
            for (int d = 0; d < rank - 1; d++) {
                strides[d] = stride;
                stride *= dims[d + 1];
            }
            Integer[] lower = new Integer[spatial];
            Integer[] upper = new Integer[spatial];
            int[] start = new int[rank];
            int[] offsets = new int[spatial];
            for (int s = 0; s < spatial; s++) {
                lower[s] = random.nextInt(inside ? 0 : -2, 2);
                upper[s] = random.nextInt(-1, inside ? 1 : 2);
                int last = (int) dims[s + width] - 1 + upper[s];
                if (last < lower[s]) {
                    upper[s] = 0;
                    lower[s] = 0;
                    last = (int) dims[s + width] - 1;
                }
                start[s + width] = random.nextInt(lower[s], last + 1);
                offsets[s] = random.nextInt(3);
            }
            start[rank - 1] = random.nextInt((int) dims[rank - 1]);
            if (slices) {
                start[rank - 2] = random.nextInt((int) dims[rank - 2]);
            }
            int channels = slices ? unit / type.bytes() : Math.min((int) dims[0],
                    16 / type.bytes() * (1 + random.nextInt(2)));
            Swizzle swizzle = switch (interleave) {
                case NONE -> List.of(Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128).get(random.nextInt(4));
                case B16 -> Swizzle.NONE;
                case B32 -> Swizzle.B32;
            };
            Integer[] steps = IntStream.range(0, rank).mapToObj(d -> d < width ? 1 : 1 + random.nextInt(2))
                    .toArray(Integer[]::new);
            return new Case(new Im2colTensorMap(type, LongList.of(dims), List.of(strides), List.of(lower),
                    List.of(upper), channels, 1 + random.nextInt(40), List.of(steps), interleave, swizzle,
                    L2Promotion.NONE, OobFill.ZERO), start, offsets);
        }
    }

    private static final class LongList {
        static List<Long> of(long[] values) {
            return java.util.Arrays.stream(values).boxed().toList();
        }
    }

    @TestFactory
    Stream<DynamicTest> everyLoadAgrees() {
        return loads(1, List.of(Interleave.NONE), stage.most(12, CASES));
    }

    /** Of tensors whose channels lie in slices of 16 or 32 bytes. */
    @TestFactory
    Stream<DynamicTest> everyLoadOfSlicesAgrees() {
        return loads(3, List.of(Interleave.B16, Interleave.B32), stage.most(6, CASES / 2));
    }

    private Stream<DynamicTest> loads(long seed, List<Interleave> interleaves, int cases) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, cases).mapToObj(i -> {
            Case c = Case.random(random.split(), false, interleaves.get(i % interleaves.size()));
            TensorBox box = TensorBox.im2col(c.map);
            int held = Math.ceilDiv(box.sharedBytes(c.offsets), 16) * 16;
            TileProgram program = Im2colKernels.load(c.map.rank(), c.start, c.offsets, box.transactionBytes(c.offsets),
                    held);
            Launch launch = new Launch(program, 1, List.of(new Argument.Tensor(c.map, 0), new Argument.Buffer(1)));
            return DynamicTest.dynamicTest("load " + i, () -> assertSame(launch, held, 1, c));
        });
    }

    @TestFactory
    Stream<DynamicTest> everyStoreAndReductionAgrees() {
        return stores(2, List.of(Interleave.NONE), stage.most(12, CASES));
    }

    @TestFactory
    Stream<DynamicTest> everyStoreAndReductionOfSlicesAgrees() {
        return stores(4, List.of(Interleave.B16, Interleave.B32), stage.most(6, CASES / 2));
    }

    private Stream<DynamicTest> stores(long seed, List<Interleave> interleaves, int cases) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, cases).mapToObj(i -> {
            Case c = Case.random(random.split(), true, interleaves.get(i % interleaves.size()));
            boolean reduces = i % 3 == 0 && c.map.type() != TensorDataType.UINT8;
            int held = Math.ceilDiv(TensorBox.im2col(c.map).sharedBytes(), 16) * 16;
            TileProgram program = Im2colKernels.store(c.map.rank(), c.start, reduces ? Optional.of(AtomicOp.ADD)
                    : Optional.empty(), held);
            Launch launch = new Launch(program, 1, List.of(new Argument.Tensor(c.map, 0), new Argument.Buffer(1)));
            return DynamicTest.dynamicTest((reduces ? "add " : "store ") + i,
                    () -> assertSame(launch, held, 0, c));
        });
    }

    private void assertSame(Launch launch, int held, int shown, Case c) {
        CaseDevice device = stage.device(Target.SM_90, 1);
        assertEquals(run(Stage.IN_ORDER, launch, held, shown), run(device, launch, held, shown), c::toString);
    }

    /**
     * Buffer 0 is the tensor's memory, buffer 1 what shared memory is filled from. @param shown whose bytes to hand out
     */
    private static String run(CaseDevice device, Launch launch, int held, int shown) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(noise(arena, TENSOR_BYTES, 3), noise(arena, held, 4));
            device.run(launch, memory);
            return HexFormat.of().formatHex(memory.get(shown).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static MemorySegment noise(Arena arena, int bytes, long seed) {
        byte[] noise = new byte[bytes];
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < bytes; i++) {
            // Floats of these bytes are no NaNs, so that sums have one answer only where the recordings say which.
            noise[i] = (byte) (random.nextInt() & 0x3F);
        }
        return arena.allocate(bytes, 256).copyFrom(MemorySegment.ofArray(noise));
    }
}
