package dev.tilewright.reference.simt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Threads that part and meet again: small kernels in which going together could differ from going one by one. */
class PartsTest {
    private static final int WORDS = 64;
    private static final Expr T = Builtin.THREAD;
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Barriers READY = new SharedRegion.Barriers("ready", 1);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 256, 16);

    private static TileProgram program(int threads, Consumer<Body> code) {
        return new TileProgram("parts", "threads part and meet", threads, List.of(IN, OUT),
                new SharedLayout(List.of(READY, BUFFER)), Body.steps(code));
    }

    private static Address.Global in(Expr word) {
        return new Address.Global(IN, word.times(4).toS64());
    }

    private static Address.Global out(Expr word) {
        return new Address.Global(OUT, word.times(4).toS64());
    }

    private static void move(Body body, Address from, Address to) {
        body.store(to, body.load("word", ElementType.U32, 1, from));
    }

    /** Words 0 to 63 are the numbers 100 to 163. @param steps what the run counts is put there */
    private static int[] run(TileProgram program, int blocks, ReferenceOptions options, long[] steps) {
        int[] in = new int[WORDS];
        for (int i = 0; i < WORDS; i++) {
            in[i] = 100 + i;
        }
        int[] out = new int[WORDS];
        steps[0] = Reference.run(new Launch(program, blocks, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(MemorySegment.ofArray(in), MemorySegment.ofArray(out)), options).threadSteps();
        return out;
    }

    /** What the program leaves in every way of running it, after as many steps. */
    private static int[] result(int threads, int blocks, Consumer<Body> code) {
        TileProgram program = program(threads, code);
        long[] plainSteps = new long[1];
        long[] steps = new long[1];
        int[] plain = run(program, blocks, ReferenceOptions.DEFAULT.plain(), plainSteps);
        assertArrayEquals(plain, run(program, blocks, ReferenceOptions.DEFAULT.sequential(), steps));
        assertEquals(plainSteps[0], steps[0], "steps");
        return plain;
    }

    /** Threads 0 and 2 wait at the same place, and thread 1 between them has ended. */
    @Test
    void lanesBetweenTwoPartsThatHaveEndedStayEnded() {
        int[] out = result(4, 1, body -> {
            body.when(T.isEqualTo(0), b -> b.barrierInit(READY.at(0), 1));
            body.syncThreads();
            body.when(T.isNotEqualTo(1), rest -> rest.when(T.isEqualTo(3), b -> b.arrive(READY.at(0)), b -> {
                b.waitParity(READY.at(0), 0);
                move(b, in(T), out(T));
            }));
        });
        assertArrayEquals(new int[] {100, 0, 102, 0}, Arrays.copyOf(out, 4));
    }

    /** In one block {@code T < 5} is asked, in the next {@code 5 < T}, by the same step. */
    @Test
    void aComparisonIsNotItsMirrorImage() {
        Expr first = Builtin.BLOCK.isEqualTo(0);
        int[] out = result(8, 2, body -> {
            Expr a = body.let("a", first.choose(T, 5));
            Expr b = body.let("b", first.choose(5, T));
            body.when(a.lessThan(b), less -> move(less, in(T), out(Builtin.BLOCK.times(8).plus(T))));
        });
        assertArrayEquals(new int[] {100, 101, 102, 103, 104, 0, 0, 0, 0, 0, 0, 0, 0, 0, 106, 107},
                Arrays.copyOf(out, 16));
    }

    /** Loops with other counts of turns for each thread, some with nothing in them. */
    @Test
    void emptyLoopsTakeTheirSteps() {
        for (Expr turns : Expr.list(3, T, T.modulo(3), Expr.of(4).minus(T))) {
            result(8, 1, body -> {
                body.loop("nothing", turns, (_, _) -> { });
                body.loop("own", turns, (each, turn) -> move(each, in(turn), out(T)));
            });
        }
    }

    /** Thread 0 ends with a store under way, which is written then: before threads 4 to 7 load the same bytes. */
    @Test
    void theEndOfAThreadWritesBeforeLaterThreadsLoad() {
        int[] out = result(8, 1, body -> {
            body.when(T.isEqualTo(0), one -> {
                one.store(BUFFER.at(0), one.load("words", ElementType.U32, 4, in(Expr.of(0))));
                one.bulkStore(out(Expr.of(0)), BUFFER.at(0), 16);
                one.bulkCommit();
            });
            body.syncThreads();
            body.when(T.lessThan(4), _ -> { }, others -> move(others, out(Expr.of(1)), out(T.plus(8))));
        });
        assertArrayEquals(new int[] {101, 101, 101, 101}, Arrays.copyOfRange(out, 12, 16));
    }
}
