package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Bytes that are loaded and stored again unread are copied at once, and late. A run that is watched does no such thing, and
 * leaves the same bytes.
 */
class LentBytesTest {
    private static final int BYTES = 1 << 14;
    private static final int UNIT = 16;
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", BYTES, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private static final ExecutionObserver WATCHER = (ExecutionObserver) Proxy.newProxyInstance(
            LentBytesTest.class.getClassLoader(), new Class<?>[] {ExecutionObserver.class}, (_, _, _) -> null);

    /** A program of one thread that moves bytes about as a seed says. */
    private static final class Moves {
        private record Range(int at, int bytes) {
        }

        private final SplittableRandom random;
        private final List<Range> used = new ArrayList<>();
        private int phase;
        private int announced;
        private int names;

        Moves(long seed) {
            random = new SplittableRandom(seed);
        }

        /** Often one that was used before, or a neighbour of it. */
        private Range range() {
            if (!used.isEmpty() && random.nextInt(4) > 0) {
                Range r = used.get(random.nextInt(used.size()));
                return random.nextInt(4) > 0 || r.at + 2 * r.bytes > BYTES ? r : new Range(r.at + r.bytes, r.bytes);
            }
            int bytes = UNIT * (1 + random.nextInt(random.nextBoolean() ? 8 : 400));
            Range r = new Range(UNIT * random.nextInt((BYTES - bytes) / UNIT + 1), bytes);
            used.add(r);
            return r;
        }

        private int place(int bytes) {
            return UNIT * random.nextInt((BYTES - bytes) / UNIT + 1);
        }

        private void land(Body body) {
            if (announced > 0) {
                body.purpose("arrive").arriveExpectTx(FULL.at(Expr.of(0)), Expr.of(announced));
                body.purpose("wait").waitParity(FULL.at(Expr.of(0)), Expr.of(phase++ & 1));
                announced = 0;
            }
        }

        void add(Body body) {
            Range r = range();
            Address.Shared there = BUFFER.at(Expr.of(r.at));
            // The same place there and here, as a copy of tiles has it, or any other.
            int place = random.nextInt(3) > 0 ? r.at : place(r.bytes);
            switch (random.nextInt(9)) {
                case 0, 1, 2 -> {
                    body.purpose("load").bulkLoad(there, new Address.Global(IN, Expr.of((long) place)), Expr.of(r.bytes),
                            FULL.at(Expr.of(0)));
                    announced += r.bytes;
                    if (random.nextInt(4) > 0) {
                        land(body);
                    }
                }
                case 3, 4, 5 -> {
                    body.purpose("store").bulkStore(new Address.Global(OUT, Expr.of((long) place)), there, Expr.of(r.bytes));
                    body.purpose("commit").bulkCommit();
                }
                case 6 -> body.purpose("until it is read").bulkWaitRead(random.nextInt(3));
                case 7 -> body.purpose("until it is written").bulkWait(random.nextInt(3));
                default -> {
                    String name = "f" + names++;
                    int from = place(UNIT);
                    var f = body.purpose("look").load(name, ElementType.U8, UNIT, BUFFER.at(Expr.of(from)));
                    if (random.nextBoolean()) {
                        body.purpose("show").store(new Address.Global(OUT, Expr.of((long) place(UNIT))), f);
                    } else {
                        body.purpose("change").store(BUFFER.at(Expr.of(place(UNIT))), f);
                    }
                }
            }
        }
    }

    private static TileProgram moves(long seed) {
        return program(body -> {
            Moves moves = new Moves(seed);
            for (int i = 0; i < 40; i++) {
                moves.add(body);
            }
            moves.land(body);
        });
    }

    private static TileProgram program(Consumer<Body> code) {
        return new TileProgram("moves", "moves bytes about", 1, List.of(IN, OUT), new SharedLayout(List.of(BUFFER, FULL)),
                Body.steps(body -> {
                    body.purpose("init").barrierInit(FULL.at(Expr.of(0)), 1);
                    code.accept(body);
                }));
    }

    private static byte[] run(TileProgram program, MemorySegment in, ExecutionObserver observer) {
        byte[] out = new byte[BYTES];
        Execution.run(program, 1, Map.of(IN, new Binding.Memory(in), OUT, new Binding.Memory(MemorySegment.ofArray(out))),
                ReferenceOptions.DEFAULT, observer);
        return out;
    }

    @Property(tries = 400)
    void watchedOrNotTheBytesAreTheSame(@ForAll long seed) {
        TileProgram program = moves(seed);
        MemorySegment in = MemorySegment.ofArray(TestData.bytes(BYTES, seed));
        assertArrayEquals(run(program, in, WATCHER), run(program, in, null), "seed " + seed);
    }

    /** What a thread writes to is read when the copy lands, not later. */
    @Test
    void aSourceThatIsWrittenMayChange() {
        TileProgram program = program(body -> {
            body.purpose("first").bulkLoad(BUFFER.at(Expr.of(0)), new Address.Global(OUT, Expr.of(0L)), Expr.of(16),
                    FULL.at(Expr.of(0)));
            body.purpose("arrive").arriveExpectTx(FULL.at(Expr.of(0)), Expr.of(16));
            body.purpose("wait").waitParity(FULL.at(Expr.of(0)), Expr.of(0));
            var f = body.purpose("other bytes").load("f", ElementType.U8, UNIT, new Address.Global(IN, Expr.of(0L)));
            body.purpose("change the source").store(new Address.Global(OUT, Expr.of(0L)), f);
            body.purpose("store").bulkStore(new Address.Global(OUT, Expr.of(16L)), BUFFER.at(Expr.of(0)), Expr.of(16));
            body.purpose("commit").bulkCommit();
        });
        byte[] in = TestData.bytes(BYTES, 1);
        byte[] result = run(program, MemorySegment.ofArray(in), null);
        for (int i = 0; i < UNIT; i++) {
            assertTrue(result[i] == in[i] && result[UNIT + i] == 0, "byte " + i);
        }
    }
}
