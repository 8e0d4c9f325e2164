package dev.tilewright.tile;

import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I64;
import static dev.tilewright.program.value.ValueType.U8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Elements of a table by numbers, and limits of elements: against loops over Java's arrays. */
class LookUpTest {
    /** Weights of 4 bits by a table of the 16 values that they stand for, as NF4 has it. */
    private static final TileKernel DECODE = TileKernel.of("decode", k -> {
        Dim n = k.dim("n"), entries = k.dim("entries");
        Tensor codes = k.in("codes", U8, n), values = k.in("values", F32, entries), w = k.out("w", F32, n);
        k.forEachTile(List.of(k.steps(n, 64)), at -> w.store(at, values.tile(Span.of(0, 16)).lookUp(
                codes.tile(at).map(code -> code.and(Value.of(U8, 15))))));
    });
    /** A table of 5 elements, by numbers that are none of it, too. */
    private static final TileKernel FIFTHS = TileKernel.of("fifths", k -> {
        Dim n = k.dim("n"), five = k.dim("five");
        Tensor numbers = k.in("numbers", I64, n), table = k.in("table", F32, five), y = k.out("y", F32, n);
        k.forEachTile(List.of(k.steps(n, 32)), at -> y.store(at, table.tile(Span.of(0, 5)).lookUp(numbers.tile(at))
                .clamp(-1, 1)));
    });

    @Test
    void codesAreDecoded() {
        SplittableRandom random = new SplittableRandom(5);
        byte[] codes = new byte[1000];
        random.nextBytes(codes);
        float[] values = new float[16];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(-1, 1);
        }
        float[] expected = new float[codes.length];
        for (int i = 0; i < codes.length; i++) {
            expected[i] = values[codes[i] & 15];
        }
        float[] cpu = new float[codes.length];
        DECODE.onCpu().set("codes", codes, codes.length).set("values", values, 16).set("w", cpu, cpu.length).run();
        assertArrayEquals(expected, cpu);
        float[] gpu = new float[codes.length];
        try (Gpu one = Gpu.options().checkHazards().emulated(); ArrayKernel kernel = one.load(DECODE)) {
            kernel.launch().set("codes", codes, codes.length).set("values", values, 16).set("w", gpu, gpu.length)
                    .run();
        }
        assertArrayEquals(expected, gpu);
    }

    @Test
    void aNumberOfNoElementGivesZero() {
        long[] numbers = {0, 4, 5, -1, 2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, (1L << 32) + 1, 3, 1};
        float[] table = {0.5f, -3, 7, Float.NaN, -0.25f};
        float[] expected = {0.5f, -0.25f, 0, 0, 1, 0, 0, 0, 0, -1, -1};
        float[] cpu = new float[numbers.length];
        FIFTHS.onCpu().set("numbers", numbers, numbers.length).set("table", table, 5).set("y", cpu, cpu.length).run();
        assertArrayEquals(expected, cpu);
        float[] gpu = new float[numbers.length];
        try (Gpu one = Gpu.options().checkHazards().emulated(); ArrayKernel kernel = one.load(FIFTHS)) {
            kernel.launch().set("numbers", numbers, numbers.length).set("table", table, 5).set("y", gpu, gpu.length)
                    .run();
        }
        assertArrayEquals(expected, gpu);
    }
}
