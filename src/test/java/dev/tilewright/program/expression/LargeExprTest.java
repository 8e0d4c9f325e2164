package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Expressions as large as they may be are built, emitted and run; larger ones are refused in a sentence. */
class LargeExprTest {
    private static final Expr THREAD = Expr.Builtin.THREAD;

    private static Expr repeated(int times, UnaryOperator<Expr> step) {
        Expr e = THREAD;
        for (int i = 0; i < times; i++) {
            e = step.apply(e);
        }
        return e;
    }

    @Test
    void levelsAndPartsAreBounded() {
        assertEquals(new Expr.Size(256, 511), repeated(255, e -> e.plus(1)).size());
        String advice = ": keep a part of it in a variable, with Body.let";
        assertEquals("an expression may have 256 levels and 65536 parts, this one has 257 and 513" + advice,
                assertThrows(IllegalArgumentException.class, () -> repeated(256, e -> e.plus(1))).getMessage());
        // Every level doubles what there is to say.
        assertEquals("an expression may have 256 levels and 65536 parts, this one has 17 and 131071" + advice,
                assertThrows(IllegalArgumentException.class, () -> repeated(40, e -> e.plus(e))).getMessage());
        assertThrows(IllegalArgumentException.class, () -> repeated(600, e -> e.lessThan(1).choose(e, THREAD)));
        assertThrows(IllegalArgumentException.class, () -> repeated(600, e -> new Expr.Convert(e, IntType.S64)));
        assertThrows(IllegalArgumentException.class, () -> {
            Expr both = THREAD.lessThan(1);
            for (int i = 0; i < 600; i++) {
                both = both.and(THREAD.lessThan(2));
            }
        });
    }

    @Test
    void theSizeIsNoMattersOfTheCaller() {
        assertEquals(new Expr.Binary(Expr.Op.ADD, THREAD, THREAD),
                new Expr.Binary(Expr.Op.ADD, THREAD, THREAD, IntType.S64, new Expr.Size(9, 9)));
        assertEquals(IntType.S32, new Expr.Select(THREAD.lessThan(1), THREAD, THREAD, IntType.S64, new Expr.Size(1, 1))
                .type());
    }

    @Test
    void theTypeOfADeepExpressionIsKnownAtOnce() {
        Expr deep = repeated(255, e -> e.plus(1));
        assertTimeoutPreemptively(Duration.ofMinutes(2), () -> {
            for (int i = 0; i < 20_000_000; i++) {
                assertEquals(IntType.S32, deep.type());
            }
        });
    }

    /** On a stack of half the usual size: frames may be larger under an agent, and callers have some of their own. */
    @Test
    void theDeepestAreEmittedAndRun() throws Exception {
        FutureTask<Void> work = new FutureTask<>(this::emitAndRunTheDeepest, null);
        new Thread(null, work, "deep", 512 << 10).start();
        work.get();
    }

    private void emitAndRunTheDeepest() {
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        List<Expr> deep = List.of(repeated(255, e -> e.plus(1)),
                repeated(255, e -> new Expr.Binary(Expr.Op.ADD, Expr.of(1), e)),
                repeated(127, e -> THREAD.lessThan(0).choose(THREAD, e.plus(1))), repeated(15, e -> e.plus(e)));
        TileProgram program = new TileProgram("deep", "computes", 1, List.of(out), new SharedLayout(List.of()),
                Body.steps(b -> {
            for (int i = 0; i < deep.size(); i++) {
                b.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32),
                        Input.of(new Address.Global(out, 4L * i)), Input.of(deep.get(i)));
            }
        }));
        assertTrue(CudaEmitter.emit(program).text().length() > 10_000);
        byte[] bytes = new byte[16];
        Reference.run(new Launch(program, 1, List.of(new Argument.Buffer(0))), List.of(MemorySegment.ofArray(bytes)));
        assertArrayEquals(new byte[] {-1, 0, 0, 0, -1, 0, 0, 0, 127, 0, 0, 0, 0, 0, 0, 0}, bytes);
        assertFalse(program.toString().isEmpty());
    }

    @Test
    void aFragmentsBytesDoNotOverflow() {
        for (int count : new int[] {0x4000_0001, Integer.MAX_VALUE, 1 << 30, 0x2000_0002, -1, 0, 3}) {
            assertEquals("fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got " + count + " x f32",
                    assertThrows(IllegalArgumentException.class, () -> new Fragment("f", ElementType.F32, count))
                    .getMessage());
        }
    }
}
