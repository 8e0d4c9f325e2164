package dev.tilewright.hazard;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.check.HazardCheck;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.St;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Two launches, of which the second may begin before the first has ended: what both touch, and who waits. */
class PriorGridTest {
    private static final int THREADS = 64;
    private static final int WORDS = 24;
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Pointer FLAG = new Parameter.Pointer("flag", true);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 4 * THREADS, 16);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Expr T = Builtin.THREAD;

    private static TileProgram program(String name, Consumer<Body> code) {
        return new TileProgram(name, "one of two", THREADS, List.of(IN, OUT, FLAG),
                new SharedLayout(List.of(TILE, FULL)), Body.steps(code));
    }

    private static Launch launch(String name, int blocks, int in, int out, Consumer<Body> code) {
        return Launch.of(program(name, code), blocks, Map.of(IN, new Argument.Buffer(in), OUT, new Argument.Buffer(out),
                FLAG, new Argument.Buffer(3)));
    }

    private static Address.Global at(Parameter.Pointer pointer, Expr word) {
        return new Address.Global(pointer, word.times(4).toS64());
    }

    private static HazardReport check(Launch first, Launch second) {
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                memory.add(arena.allocate(8192, 256));
            }
            return HazardCheck.check(first, second, memory);
        }
    }

    /** A kernel after one that writes what it reads. */
    static HazardReport check(Consumer<Body> code) {
        return check(launch("first", 2, 0, 1, body -> {
            Fragment word = body.purpose("a word").load("word", ElementType.U32, 1, at(IN, T));
            body.purpose("write").when(Builtin.BLOCK.isEqualTo(0), b -> b.purpose("write").store(at(OUT, T), word));
        }), launch("second", 2, 1, 2, code));
    }

    static void addOne(Body body, boolean waits) {
        if (waits) {
            body.purpose("the one before has ended").waitForPriorGrid();
        }
        Fragment word = body.purpose("read").load("word", ElementType.U32, 1, at(IN, T));
        body.purpose("write").store(at(OUT, Builtin.BLOCK.times(THREADS).plus(T)), word);
    }

    private static void found(HazardReport report) {
        assertEquals(Set.of(HazardCode.PRIOR_GRID_NOT_AWAITED), report.codes(), report::toString);
    }

    @Test
    void aWaitByAThreadThatComesBeforeWillDo() {
        for (boolean waits : new boolean[] {true, false}) {
            for (boolean meets : new boolean[] {true, false}) {
                HazardReport report = check(body -> {
                    body.purpose("one thread").when(T.isEqualTo(0), one -> {
                        if (waits) {
                            one.purpose("the one before has ended").waitForPriorGrid();
                        }
                        one.purpose("own word").store(TILE.at(0), Value.u32(1));
                    });
                    if (meets) {
                        body.purpose("all meet").syncThreads();
                    }
                    addOne(body, false);
                });
                if (waits && meets) {
                    Twins.clean(report);
                } else {
                    found(report);
                    String message = report.findings().getFirst().message();
                    assertTrue(message.contains(waits ? "which waits for that grid" : "nothing waits for that grid"),
                            message);
                }
            }
        }
    }

    @Test
    void aFlagHandsTheWaitOnToAnotherBlock() {
        for (boolean waits : new boolean[] {true, false}) {
            HazardReport report = check(body -> {
                body.purpose("block 0").when(Builtin.BLOCK.isEqualTo(0), b -> b.purpose("one")
                        .when(T.isEqualTo(0), one -> {
                    if (waits) {
                        one.purpose("the one before has ended").waitForPriorGrid();
                    }
                    one.purpose("tell").issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32),
                            Input.of(at(FLAG, Expr.of(0))), Input.of(1));
                }), b -> {
                    b.purpose("one").when(T.isEqualTo(0), one -> one.purpose("told")
                            .waitUntil("told", ValueType.U32, at(FLAG, Expr.of(0)), v -> v.isEqualTo(1)));
                    b.purpose("all are told").syncThreads();
                    addOne(b, false);
                });
            });
            if (waits) {
                Twins.clean(report);
            } else {
                found(report);
            }
        }
    }

    @Test
    void whatTheCopyEngineReadsIsTouchedToo() {
        for (boolean waits : new boolean[] {true, false}) {
            HazardReport report = check(body -> {
                body.purpose("set up").when(T.isEqualTo(0), one -> {
                    one.purpose("full").barrierInit(FULL.at(0), 1);
                    one.purpose("known to the copy engine").barrierInitFence();
                    if (waits) {
                        one.purpose("the one before has ended").waitForPriorGrid();
                    }
                    one.purpose("announce").arriveExpectTx(FULL.at(0), 4 * THREADS);
                    one.purpose("load").bulkLoad(TILE.at(0), at(IN, Expr.of(0)), 4 * THREADS, FULL.at(0));
                });
                body.purpose("set up").syncThreads();
                body.purpose("it has landed").waitParity(FULL.at(0), 0);
                Fragment word = body.purpose("a word").load("word", ElementType.U32, 1, TILE.at(T.times(4)));
                body.purpose("write").store(at(OUT, Builtin.BLOCK.times(THREADS).plus(T)), word);
            });
            if (waits) {
                Twins.clean(report);
            } else {
                found(report);
            }
        }
    }

    /** What one thread does to a word. */
    private record Touch(boolean writes, int word) {
        void perform(Body body) {
            if (writes) {
                body.purpose("write").store(at(OUT, Expr.of(word)), Value.u32(1));
            } else {
                body.purpose("read").load("read", ElementType.U32, 1, at(IN, Expr.of(word)));
            }
        }

        boolean conflicts(Touch other, int distance) {
            return (writes || other.writes) && word + distance == other.word;
        }
    }

    private static List<Touch> draw(Random random, int most) {
        List<Touch> all = new ArrayList<>();
        for (int n = random.nextInt(most + 1); n > 0; n--) {
            all.add(new Touch(random.nextBoolean(), random.nextInt(WORDS)));
        }
        return all;
    }

    /** Both launches work on parts of one memory, which need not be the same parts. */
    @Test
    void whatBothTouchIsFoundWhereverItLies() {
        Random random = new Random(8);
        int wrong = 0;
        for (int n = 0; n < Thorough.of(80, 300); n++) {
            List<Touch> first = draw(random, 6);
            List<Touch> before = draw(random, 4);
            List<Touch> after = draw(random, 4);
            int[] starts = {random.nextInt(8), random.nextInt(8)};
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment whole = arena.allocate(1024, 256);
                List<MemorySegment> memory = List.of(whole.asSlice(4L * starts[0]), whole.asSlice(4L * starts[1]),
                        arena.allocate(64), arena.allocate(64));
                HazardReport report = HazardCheck.check(
                        launch("first", 1, 0, 0, body -> one(body, first, List.of())),
                        launch("second", 1, 1, 1, body -> one(body, before, after)), memory);
                boolean conflict = before.stream().anyMatch(b -> first.stream().anyMatch(f ->
                        f.conflicts(b, starts[0] - starts[1])));
                assertEquals(conflict ? Set.of(HazardCode.PRIOR_GRID_NOT_AWAITED) : Set.of(), report.codes(),
                        () -> first + " then " + before + " | " + after + " " + report);
                wrong += conflict ? 1 : 0;
            }
        }
        assertTrue(wrong > Thorough.of(8, 30), "wrong: " + wrong);
    }

    private static void one(Body body, List<Touch> before, List<Touch> after) {
        body.purpose("one thread").when(T.isEqualTo(0), b -> {
            before.forEach(t -> t.perform(b));
            b.purpose("the one before has ended").waitForPriorGrid();
            after.forEach(t -> t.perform(b));
        });
    }

    @Test
    void aFirstLaunchThatFaultsIsReported() {
        HazardReport report = check(launch("first", 1, 0, 1, body -> body.purpose("beyond").store(at(OUT, T.plus(4096)),
                Value.u32(1))), launch("second", 1, 1, 2, body -> addOne(body, true)));
        assertEquals("first", report.kernel());
        assertEquals(Set.of(HazardCode.FAULT), report.codes(), report::toString);
    }
}
