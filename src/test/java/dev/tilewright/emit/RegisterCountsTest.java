package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code setmaxnreg} takes effect, or numbers that no block can have are refused when the program is built. */
class RegisterCountsTest {
    private static final int DRAWN = Integer.getInteger("tilewright.registers", 60);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);

    private static Nvrtc nvrtc;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("13.3");
    }

    /** The first warpgroup gives registers back, the others take them. @param inc 0 for none @param dec 0 for none */
    private static TileProgram roles(int threads, int dec, int inc) {
        return new TileProgram("roles", "warpgroups share registers", threads, List.of(OUT),
                new SharedLayout(List.of()),
                Body.steps(body -> body.purpose("roles").when(Expr.Builtin.THREAD.lessThan(128), b -> {
                    if (dec > 0) {
                        b.decreaseMaxRegisters(dec);
                    }
                    b.store(new Address.Global(OUT, Expr.Builtin.THREAD.times(4)),
                            Expr.of(1).toValue().to(ValueType.I32));
                }, b -> {
                    if (inc > 0) {
                        b.increaseMaxRegisters(inc);
                    }
                    b.store(new Address.Global(OUT, Expr.Builtin.THREAD.times(4)),
                            Expr.of(2).toValue().to(ValueType.I32));
                })));
    }

    @Test
    void blocksThatChangeRegistersAreAlone() {
        TileProgram program = roles(256, 24, 0);
        assertTrue(CudaEmitter.emit(program.withAtOnce(1)).text().contains("__launch_bounds__(256, 1)\n"));
        assertEquals("a block that changes its registers has a multiprocessor for itself, and 2 are to run at once: "
                + "leave that out, or setmaxnreg", assertThrows(IllegalArgumentException.class, () ->
                program.withAtOnce(2)).getMessage());
        assertTrue(CudaEmitter.emit(roles(256, 0, 0).withAtOnce(2)).text().contains("__launch_bounds__(256, 2)\n"));
        assertTrue(CudaEmitter.emit(roles(256, 0, 0)).text().contains("__launch_bounds__(256)\n"));
    }

    private static List<String> remarks(TileProgram program) {
        CudaSource source = CudaEmitter.emit(program);
        return EmbeddedCompiler.remarks(nvrtc, source.text(), List.of(source.kernelName()), Target.SM_90A);
    }

    @Test
    void whatIsBuiltTakesEffect() {
        Random random = new Random(9);
        int refused = 0;
        List<String> complaints = new ArrayList<>();
        for (int i = 0; i < DRAWN; i++) {
            int threads = 128 * random.nextInt(1, 9);
            int dec = random.nextInt(5) == 0 ? 0 : 8 * random.nextInt(3, 33);
            int inc = random.nextInt(5) == 0 ? 0 : 8 * random.nextInt(3, 33);
            TileProgram program;
            try {
                program = roles(threads, dec, inc);
            } catch (IllegalArgumentException e) {
                assertTrue(e.getMessage().startsWith("setmaxnreg."), e.getMessage());
                refused++;
                continue;
            }
            remarks(program).forEach(r -> complaints.add(threads + " threads, " + dec + ", " + inc + ": " + r));
        }
        assertEquals(List.of(), complaints);
        assertTrue(refused > DRAWN / 10 && refused < DRAWN * 9 / 10, refused + " of " + DRAWN + " refused");
    }

    /**
     * Each warpgroup has a number of its own: what is built has enough for all, counted here by giving and taking, and
     * what has not is refused. A number that a parameter decides over is no reason.
     */
    @Test
    void allWarpgroupsTogetherHaveEnough() {
        Random random = new Random(10);
        int refused = 0;
        for (int i = 0; i < 500; i++) {
            int groups = random.nextInt(1, 5);
            int[] numbers = random.ints(groups, 3, 32).map(n -> 8 * n).toArray();
            int start = Math.min(Math.min(256, 65_536 / (128 * groups) / 8 * 8),
                    Arrays.stream(numbers).max().orElseThrow());
            boolean enough = Arrays.stream(numbers).sum() <= start * groups;
            boolean decided = random.nextInt(4) > 0;
            String said = "";
            try {
                each(numbers, start, decided);
            } catch (IllegalArgumentException e) {
                said = e.getMessage();
            }
            boolean together =
                    said.startsWith("setmaxnreg.inc would wait for ever: in the end threads of the block's warpgroups "
                    + "keep ");
            String of = Arrays.toString(numbers) + (decided ? "" : ", undecided") + " from " + start + ": " + said;
            if (decided) {
                assertEquals(enough, said.isEmpty(), of);
                refused += together ? 1 : 0;
            } else {
                assertFalse(together, of);
            }
        }
        assertTrue(refused > 25, refused + " refused");
        assertEquals("setmaxnreg.inc would wait for ever: in the end threads of the block's warpgroups keep 40, 200, "
                + "200, 200 registers, "
                + "81920 in all, and its 512 threads begin with 128 each, 65536: let some keep fewer, or take fewer",
                assertThrows(IllegalArgumentException.class, () -> roles(512, 40, 200)).getMessage());
    }

    /**
     * @param numbers of registers, of each warpgroup @param start what it begins with @param decided by the thread's
     *         number alone
     */
    private static TileProgram each(int[] numbers, int start, boolean decided) {
        Parameter.Int n = new Parameter.Int("n", IntType.S32);
        return new TileProgram("each", "warpgroups share registers", 128 * numbers.length, List.of(OUT, n),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Expr group = body.let("warpgroup", Expr.Builtin.THREAD.dividedBy(128));
                    for (int i = 0; i < numbers.length; i++) {
                        int number = numbers[i];
                        Expr own = group.isEqualTo(i);
                        body.when(decided ? own : own.and(n.value().lessThan(5)), b -> {
                            if (number > start) {
                                b.increaseMaxRegisters(number);
                            } else {
                                b.decreaseMaxRegisters(number);
                            }
                        });
                    }
                }));
    }

    @Test
    void theNumbersThatProductsUseAreTaken() {
        int[][] used = {{256, 40, 200}, {384, 40, 232}, {384, 24, 240}, {512, 32, 160}, {128, 64, 0}};
        for (int[] u : used) {
            assertDoesNotThrow(() -> roles(u[0], u[1], u[2]));
        }
        assertEquals(List.of(), remarks(WarpKernels.roles().program()));
        assertTrue(CudaEmitter.emit(WarpKernels.roles().program()).text().contains("__launch_bounds__(256, 1)"));
    }

    @Test
    void whatNoBlockCanHaveIsRefused() {
        assertEquals("setmaxnreg.inc.sync.aligned.u32 240 would wait for ever: the block's 512 threads begin with 128 "
                + "registers each, and "
                + "if all other warpgroups keep 104, 200 are left for each thread of this one: let others keep fewer, "
                + "or take fewer", assertThrows(IllegalArgumentException.class, () -> roles(512, 104, 240))
                .getMessage());
        assertEquals("setmaxnreg.dec.sync.aligned.u32 72 gives no registers back: a thread has at most 64, as a block "
                + "of 1024 threads "
                + "shares 65536; keep fewer", assertThrows(IllegalArgumentException.class, () -> roles(1024, 72, 0))
                .getMessage());
        assertEquals("setmaxnreg.dec.sync.aligned.u32 48 gives no registers back: a thread has at most 40, the largest "
                + "number that the "
                + "kernel asks for; keep fewer", assertThrows(IllegalArgumentException.class, () -> roles(256, 48, 40))
                .getMessage());
    }
}
