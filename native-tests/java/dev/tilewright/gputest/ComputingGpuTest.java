package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.ComputingKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What statements on registers do, against the same computed directly in Java. */
@OnEveryStage
record ComputingGpuTest(Stage stage) {

    private byte[] run(TileProgram program, int blocks, byte[] x, byte[] y, Argument... more) {
        List<Argument> arguments = new ArrayList<>(List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        arguments.addAll(List.of(more));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment there = arena.allocate(y.length, 16).copyFrom(MemorySegment.ofArray(y));
            stage.device(program.minimumTarget(), 5).run(new Launch(program, blocks, arguments),
                    List.of(arena.allocate(x.length, 16).copyFrom(MemorySegment.ofArray(x)), there));
            return there.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static byte[] bytes(float... numbers) {
        return MemorySegment.ofArray(numbers).toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] random(int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(3).nextBytes(bytes);
        return bytes;
    }

    @Test
    void axpy() {
        float[] x = new float[256];
        float[] y = new float[256];
        float[] expected = new float[256];
        for (int i = 0; i < x.length; i++) {
            x[i] = 1.1f * i - 40;
            y[i] = 0.3f / (i + 1);
            expected[i] = Math.fma(x[i], 1.7f, y[i]);
        }
        assertArrayEquals(bytes(expected), run(ComputingKernels.axpy(), 2, bytes(x), bytes(y),
                new Argument.Scalar(Float.floatToRawIntBits(1.7f))));
    }

    @Test
    void loopsThatEndByData() {
        float[] x = new float[32];
        float[] expected = new float[32];
        for (int i = 0; i < 32; i++) {
            x[i] = i * i * i;
            int count = 0;
            for (float v = x[i]; v >= 1; v *= 0.5f) {
                count++;
            }
            expected[i] = count * (count - 1) / 2;
        }
        assertArrayEquals(bytes(expected), run(ComputingKernels.halvings(), 1, bytes(x), new byte[128]));
    }

    @Test
    void blocksUnderALock() {
        int blocks = 40;
        byte[] sum = run(ComputingKernels.lock(), blocks, new byte[16], new byte[8]);
        assertEquals(blocks * (blocks + 1L) / 2, MemorySegment.ofArray(sum).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    @Test
    void theNeighboursSharedMemory() {
        byte[] x = random(4 * 512);
        byte[] expected = new byte[x.length];
        for (int block = 0; block < 4; block++) {
            for (int thread = 0; thread < 32; thread++) {
                System.arraycopy(x, (block ^ 1) * 512 + 496 - 16 * thread, expected, block * 512 + 16 * thread, 16);
            }
        }
        assertArrayEquals(expected, run(ComputingKernels.neighbours(), 4, x, new byte[x.length]));
    }

    @Test
    void aTokenFromTurnToTurn() {
        int[] five = new int[32];
        Arrays.fill(five, 5);
        assertArrayEquals(MemorySegment.ofArray(five).toArray(ValueLayout.JAVA_BYTE),
                run(ComputingKernels.carriedToken(), 1, new byte[16], new byte[128]));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PRED")
    void valuesByOneAccess(ValueType type) {
        for (int count = 1; count * type.bytes() <= 16; count *= 2) {
            int size = type.bytes();
            byte[] x = random(32 * size * count);
            byte[] expected = new byte[x.length];
            for (int i = 0; i < 32 * count; i++) {
                int mirrored = i / count * count + count - 1 - i % count;
                System.arraycopy(x, mirrored * size, expected, i * size, size);
            }
            assertArrayEquals(expected, run(ComputingKernels.moved(type, count), 1, x, new byte[x.length]),
                    type + " x " + count);
        }
    }
}
