package dev.tilewright.builder.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LowerChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sums and scans of floats in blocks of any shape have the bits that the documented order gives. */
class BlockReductionTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final int LANES = 32;

    private static Dim3 shape(SplittableRandom random, int warps) {
        int threads = LANES * warps;
        for (;;) {
            int x = 1 + random.nextInt(threads);
            int y = 1 + random.nextInt(threads);
            if (threads % x == 0 && threads / x % y == 0 && threads / x / y <= 64) {
                return new Dim3(x, y, threads / x / y);
            }
        }
    }

    private static TileProgram program(Dim3 shape, boolean scan) {
        BlockReduction block = new BlockReduction("totals", ValueType.F32, (int) shape.count());
        Expr own = Builtin.THREAD_Z.times(shape.y()).plus(Builtin.THREAD_Y).times(shape.x()).plus(Builtin.THREAD)
                .times(4);
        return new TileProgram("sums", "of all threads", shape, ClusterSize.NONE, List.of(IN, OUT),
                new SharedLayout(List.of(block.scratch())), Body.steps(body -> {
                    Value value = body.load("value", ValueType.F32, new Address.Global(IN, own.toS64()));
                    body.store(new Address.Global(OUT, own.toS64()), scan ? block.scan(body, value, Value::plus)
                            : block.reduce(body, value, Value::plus));
                }));
    }

    /** With fewer, threads would write behind the scratch memory; with more, they would read what is not written. */
    @ParameterizedTest
    @CsvSource({"64, 128", "32, 128", "128, 64", "64, 32"})
    void blocksOfAnotherSizeAreRefused(int reduced, int block) {
        BlockReduction sum = new BlockReduction("sums", ValueType.I32, reduced);
        for (boolean scan : new boolean[] {false, true}) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> new TileProgram("sums", "of another block", block, List.of(OUT),
                            new SharedLayout(List.of(sum.scratch())), Body.steps(body -> {
                                Value mine = Builtin.THREAD.toValue();
                                Value all = scan ? sum.scan(body, mine, Value::plus)
                                        : sum.reduce(body, mine, Value::plus);
                                body.store(new Address.Global(OUT, Builtin.THREAD.times(4)), all);
                            }))).getMessage();
            assertTrue(message.startsWith("this step is for blocks of " + reduced + " threads, and those of the kernel "
                    + "have " + block + ": give both the same number (step: "), message);
        }
    }

    /** Two of one name are two regions; only where they are equal in all else are they one. */
    @Property(tries = 200)
    @OrdinaryTries(60)
    void twoOfOneNameAreRefused(@ForAll @LowerChars @StringLength(min = 1, max = 8) String letters,
            @ForAll("types") ValueType first,
            @ForAll("types") ValueType second, @ForAll @IntRange(min = 2, max = 8) int warps) {
        String name = "my_" + letters;
        BlockReduction declared = new BlockReduction(name, first, LANES * warps);
        BlockReduction other = new BlockReduction(name, second, LANES * warps);
        Supplier<TileProgram> program = () -> new TileProgram("sums", "two of one name", LANES * warps, List.of(OUT),
                new SharedLayout(List.of(declared.scratch())), Body.steps(body -> {
                    declared.reduce(body, Builtin.THREAD.toValue().to(first), Value::plus);
                    other.reduce(body, Builtin.THREAD.toValue().to(second), Value::plus);
                }));
        if (declared.scratch().equals(other.scratch())) {
            program.get();
            return;
        }
        String message = assertThrows(IllegalArgumentException.class, program::get).getMessage();
        assertTrue(message.startsWith("two regions of shared memory are called '" + name
                + "': this kernel's layout has "
                + warps * first.bytes() + " bytes, aligned to 16, and the step means one of " + warps * second.bytes()
                + " bytes, aligned to 16, which is not in it: give each a name of its own (step: "), message);
        assertThrows(IllegalArgumentException.class,
                () -> new SharedLayout(List.of(declared.scratch(), other.scratch())));
    }

    @Provide
    Arbitrary<ValueType> types() {
        return Arbitraries.of(ValueType.I32, ValueType.I64, ValueType.U32, ValueType.F32, ValueType.F64);
    }

    /** Within each warp by halves, or by doubled distances, then from the first warp to the last. */
    private static float[] expected(float[] values, boolean scan) {
        int warps = values.length / LANES;
        float[][] within = new float[warps][];
        for (int w = 0; w < warps; w++) {
            float[] sums = Arrays.copyOfRange(values, LANES * w, LANES * w + LANES);
            for (int step : scan ? new int[] {1, 2, 4, 8, 16} : new int[] {16, 8, 4, 2, 1}) {
                float[] before = sums.clone();
                for (int lane = 0; lane < LANES; lane++) {
                    if (!scan) {
                        sums[lane] = before[lane] + before[lane ^ step];
                    } else if (lane >= step) {
                        sums[lane] = before[lane - step] + before[lane];
                    }
                }
            }
            within[w] = sums;
        }
        float[] result = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            int last = scan ? i / LANES - 1 : warps - 1;
            float sum = 0;
            for (int w = 0; w <= last; w++) {
                float total = within[w][scan ? LANES - 1 : 0];
                sum = w == 0 ? total : sum + total;
            }
            result[i] = !scan ? sum : last < 0 ? within[0][i] : sum + within[last + 1][i % LANES];
        }
        return result;
    }

    @Property(tries = 60)
    @OrdinaryTries(20)
    void inBlocksOfAnyShape(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int warps, @ForAll boolean scan) {
        SplittableRandom random = new SplittableRandom(seed);
        Dim3 shape = shape(random, warps);
        float[] values = new float[LANES * warps];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextDouble(-1000, 1000);
        }
        float[] result = new float[values.length];
        var report = HazardCheck.check(new Launch(program(shape, scan), 1,
                List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(MemorySegment.ofArray(values), MemorySegment.ofArray(result)));
        assertEquals(List.of(), report.findings());
        assertArrayEquals(expected(values, scan), result, shape.text());
    }
}
