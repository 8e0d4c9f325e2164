package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.draw.ProductKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every kind and shape of mma.sync and wgmma on random and special operands, A in registers and in shared memory,
 * K-major and transposed, negated, with every swizzle: the same bits on the GPU as in the reference.
 */
@OnEveryStage
record ProductsGpuTest(Stage stage) {
    /** Instructions of each form of mma.sync and of wgmma, on a GPU. */
    private static final int SYNC = Integer.getInteger("tilewright.tests.mma", 2048);
    private static final int WGMMA = Integer.getInteger("tilewright.tests.wgmma", 160);
    private static final int BLOCKS = 16;
    private static final int FORMS_AT_ONCE = 4;

    @ParameterizedTest
    @EnumSource
    void productsOfAWarp(MmaTypes types) {
        List<MmaSync> forms = new ArrayList<>();
        for (MmaShape shape : MmaSync.shapes(types)) {
            forms.add(new MmaSync(shape, types));
            if (types.isInteger()) {
                forms.add(new MmaSync(shape, types).withSatfinite());
            }
        }
        int blocks = stage == Stage.GPU ? BLOCKS : 1;
        int turns = stage == Stage.GPU ? SYNC / BLOCKS : 5;
        assertSame(Target.SM_90, ProductKernels.ofWarps(forms, turns, blocks), forms, turns, blocks, types);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "F64_F64_F64")
    void productsOfAWarpgroup(MmaTypes types) {
        List<Wgmma> forms = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(types.ordinal());
        for (int n = 8; n <= 256; n += 8) {
            if (!types.isInteger()) {
                forms.add(drawn(random, types, n));
            } else if (n % 16 == 0 || n == 8 || n == 24) {
                WgmmaInteger form = new WgmmaInteger(types, n, random.nextBoolean(), random.nextBoolean());
                forms.add(form);
            }
        }
        int blocks = stage == Stage.GPU ? BLOCKS : 1;
        int turns = stage == Stage.GPU ? Math.max(1, WGMMA / BLOCKS) : 1;
        List<Wgmma> taken = new ArrayList<>();
        for (int i = 0; i < forms.size(); i++) {
            if (stage.takes(i, 16)) {
                taken.add(forms.get(i));
            }
        }
        for (int i = 0; i < taken.size(); i += FORMS_AT_ONCE) {
            List<Wgmma> some = taken.subList(i, Math.min(taken.size(), i + FORMS_AT_ONCE));
            assertSame(Target.SM_90A, ProductKernels.ofWarpgroups(some, turns, blocks, types.ordinal() + i),
                    some,
                    turns, blocks, types);
        }
    }

    private static WgmmaFloat drawn(SplittableRandom random, MmaTypes types, int n) {
        boolean registersA = random.nextInt(3) == 0;
        boolean may = types.a().bits() == 16;
        return new WgmmaFloat(types, n, registersA, random.nextInt(4) == 0, random.nextInt(4) == 0,
                may && !registersA && random.nextBoolean(), may && random.nextBoolean());
    }

    private void assertSame(Target minimum, TileProgram program, List<? extends MmaInstruction> forms, int turns,
            int blocks,
            MmaTypes types) {
        CaseDevice device = stage.device(minimum, 1);
        long bytes = ProductKernels.bytes(forms, turns, blocks);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pool = arena.allocate(4L * ProductKernels.POOL, 256);
            int[] words = ProductKernels.pool(types, 7 + types.ordinal());
            MemorySegment.copy(words, 0, pool, ValueLayout.JAVA_INT, 0, words.length);
            MemorySegment expected = run(Stage.IN_ORDER, program, pool, blocks, arena.allocate(bytes, 256));
            MemorySegment got = run(device, program, pool, blocks, arena.allocate(bytes, 256));
            long at = expected.mismatch(got);
            assertEquals("", at < 0 ? "" : difference(expected, got, at, forms, turns, blocks));
        }
        if (stage == Stage.GPU) {
            System.err.println(forms.size() * turns * blocks + " instructions: " + forms.getFirst().opcode() + " and "
                    + (forms.size() - 1) + " more");
        }
    }

    private static String difference(MemorySegment expected, MemorySegment got, long at,
            List<? extends MmaInstruction> forms,
            int turns, int blocks) {
        long start = 0;
        for (MmaInstruction form : forms) {
            long bytes = ProductKernels.bytes(List.of(form), turns, blocks);
            if (at < start + bytes) {
                boolean wide = form.opcode().contains("f64");
                long word = (at - start) / (wide ? 8 : 4);
                long count = 0;
                for (long i = start; i < start + bytes; i += 4) {
                    count += expected.get(ValueLayout.JAVA_INT, i) == got.get(ValueLayout.JAVA_INT, i) ? 0 : 1;
                }
                return form.opcode() + " " + form + ": " + count + " words of " + bytes / 4 + " differ, the first: "
                        + ProductKernels.place(form, word) + ": reference "
                        + Integer.toHexString(expected.get(ValueLayout.JAVA_INT, at & ~3)) + ", GPU "
                        + Integer.toHexString(got.get(ValueLayout.JAVA_INT, at & ~3));
            }
            start += bytes;
        }
        throw new AssertionError(at);
    }

    private static MemorySegment run(CaseDevice device, TileProgram program, MemorySegment pool, int blocks,
            MemorySegment result) {
        device.run(new Launch(program, blocks, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(pool.asReadOnly(), result.fill((byte) 0xCD)));
        return result;
    }
}
