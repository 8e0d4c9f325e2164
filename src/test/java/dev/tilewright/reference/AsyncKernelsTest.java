package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.Thorough;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.AsyncKernels.Case;
import dev.tilewright.program.AsyncKernels;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Correct programs leave the words that they mean, in the fixed order and in every other. */
class AsyncKernelsTest {
    private static final ValueLayout.OfInt WORD = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int SEEDS = 60;

    static Stream<Case> cases() {
        return AsyncKernels.all().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theFixedOrderLeavesWhatIsMeant(Case c) {
        assertArrayEquals(expected(c), run(c, ReferenceOptions.DEFAULT));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everySeedLeavesTheSame(Case c) {
        byte[] expected = expected(c);
        for (long seed = 0; seed < SEEDS; seed++) {
            if (Thorough.takes(seed, 10)) {
                assertArrayEquals(expected, run(c, ReferenceOptions.DEFAULT.withSeed(seed)), "seed " + seed);
            }
        }
    }

    private static MemorySegment source() {
        return MemorySegment.ofArray(TestData.bytes(AsyncKernels.BYTES, 11));
    }

    private static byte[] expected(Case c) {
        MemorySegment source = source();
        byte[] result = new byte[AsyncKernels.BYTES];
        for (int i = 0; i < c.blocks() * c.wordsPerBlock(); i++) {
            MemorySegment.ofArray(result).set(WORD, 4L * i, c.expected().word(at -> source.get(WORD, 4L * at), i));
        }
        return result;
    }

    static byte[] run(Case c, ReferenceOptions options) {
        MemorySegment source = source();
        byte[] result = new byte[AsyncKernels.BYTES];
        Map<Parameter, Binding> all = new HashMap<>(Map.of(AsyncKernels.SOURCE, new Binding.Memory(source),
                AsyncKernels.RESULT, new Binding.Memory(MemorySegment.ofArray(result)),
                AsyncKernels.FLAGS, new Binding.Memory(MemorySegment.ofArray(new byte[AsyncKernels.BYTES])),
                AsyncKernels.MAP, new Binding.BoundTensorMap(map(), source)));
        all.keySet().retainAll(c.program().parameters());
        Execution.run(c.program(), c.blocks(), all, options, null);
        return result;
    }

    private static TiledTensorMap map() {
        return TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(256, 32).box(8, 32).build(Target.SM_90);
    }
}
