package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/**
 * Bytes that are loaded and stored again unread are copied at once, and late. A run that is watched does no such thing,
 * and leaves the same bytes.
 */
class LentBytesTest {
    private static final int BYTES = 1 << 14;
    private static final int UNIT = 16;
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    /** Bound to the start of what OUT is bound to, and describes all of that. */
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 1);
    /** Where a box is stored by one copy, bytes. */
    private static final int BOX = 256;
    private static final int SLICE = 4 * BOX;
    /** Bound to what of OUT lies behind the map's slice. */
    private static final Parameter.Pointer BEHIND = new Parameter.Pointer("behind", false);
    private static final Parameter.Pointer SHOWN = new Parameter.Pointer("shown", true);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", BYTES, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private static final ExecutionObserver WATCHER = (ExecutionObserver) Proxy.newProxyInstance(
            LentBytesTest.class.getClassLoader(), new Class<?>[] {ExecutionObserver.class},
            (_, method, _) -> method.getReturnType() == boolean.class ? true : null);

    /** A program of one thread that moves bytes about as a seed says. */
    private static final class Moves {
        private record Range(int at, int bytes) {
        }

        private final SplittableRandom random;
        /** Whether copies store through the map alone, and threads look at what lies behind its slice. */
        private final boolean byMap;
        private final List<Range> used = new ArrayList<>();
        private int phase;
        private int announced;
        private int names;

        Moves(long seed) {
            random = new SplittableRandom(seed);
            byMap = random.nextInt(4) == 0;
        }

        /** Often one that was used before, or a neighbour of it. */
        private Range range() {
            if (!used.isEmpty() && random.nextInt(4) > 0) {
                Range r = used.get(random.nextInt(used.size()));
                return random.nextInt(4) > 0 || r.at + 2 * r.bytes > BYTES ? r : new Range(r.at + r.bytes, r.bytes);
            }
            int bytes = byMap ? BOX : UNIT * (1 + random.nextInt(random.nextBoolean() ? 8 : 400));
            Range r = new Range(place(bytes), bytes);
            used.add(r);
            return r;
        }

        /** Few of boxes, so that what is stored is looked at. */
        private int place(int bytes) {
            return byMap ? BOX * random.nextInt(8) : UNIT * random.nextInt((BYTES - bytes) / UNIT + 1);
        }

        private void land(Body body) {
            if (announced > 0) {
                body.purpose("arrive").arriveExpectTx(FULL.at(0), announced);
                body.purpose("wait").waitParity(FULL.at(0), phase++ & 1);
                announced = 0;
            }
        }

        void add(Body body) {
            Range r = range();
            Address.Shared there = BUFFER.at(r.at);
            // The same place there and here, as a copy of tiles has it, or any other.
            int place = random.nextInt(3) > 0 ? r.at : place(r.bytes);
            switch (random.nextInt(9)) {
                case 0, 1, 2 -> {
                    body.purpose("load").bulkLoad(there, new Address.Global(IN, place), r.bytes, FULL.at(0));
                    announced += r.bytes;
                    if (random.nextInt(4) > 0) {
                        land(body);
                    }
                }
                case 3, 4, 5 -> {
                    if (byMap) {
                        body.purpose("store").tensorStore(MAP, Expr.list(place / 4), there);
                    } else {
                        body.purpose("store").bulkStore(new Address.Global(OUT, place), there, r.bytes);
                    }
                    body.purpose("commit").bulkCommit();
                }
                case 6 -> body.purpose("until it is read").bulkWaitRead(random.nextInt(3));
                case 7 -> body.purpose("until it is written").bulkWait(random.nextInt(3));
                default -> {
                    String name = "f" + names++;
                    int from = place(UNIT);
                    if (byMap) {
                        var behind = body.purpose("look").load(name, ElementType.U8, UNIT,
                                new Address.Global(BEHIND, from % SLICE));
                        body.purpose("show").store(new Address.Global(SHOWN, (long) UNIT * names), behind);
                        return;
                    }
                    var f = body.purpose("look").load(name, ElementType.U8, UNIT, BUFFER.at(from));
                    if (random.nextBoolean()) {
                        body.purpose("show").store(new Address.Global(OUT, place(UNIT)), f);
                    } else {
                        body.purpose("change").store(BUFFER.at(place(UNIT)), f);
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
        return new TileProgram("moves", "moves bytes about", 1, List.of(IN, OUT, BEHIND, SHOWN, MAP),
                new SharedLayout(List.of(BUFFER, FULL)), Body.steps(body -> {
                    body.purpose("init").barrierInit(FULL.at(0), 1);
                    code.accept(body);
                }));
    }

    /** What the program leaves in OUT, and behind that in SHOWN. */
    private static byte[] run(TileProgram program, MemorySegment in, ExecutionObserver observer) {
        TiledTensorMap words = TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(BYTES / 4L),
                List.of(BOX / 4), Swizzle.NONE);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(BYTES, 256);
            byte[] result = new byte[2 * BYTES];
            MemorySegment shown = MemorySegment.ofArray(result).asSlice(BYTES);
            Execution.run(program, 1, Map.of(IN, new Binding.Memory(in), OUT, new Binding.Memory(out),
                    BEHIND, new Binding.Memory(out.asSlice(SLICE)), SHOWN, new Binding.Memory(shown),
                    MAP, new Binding.BoundTensorMap(words, out.asSlice(0, SLICE))), ReferenceOptions.DEFAULT, observer);
            MemorySegment.ofArray(result).copyFrom(out);
            return result;
        }
    }

    @Property(tries = 120)
    @OrdinaryTries(40)
    void watchedOrNotTheBytesAreTheSame(@ForAll long seed) {
        TileProgram program = moves(seed);
        MemorySegment in = MemorySegment.ofArray(TestData.bytes(BYTES, seed));
        assertArrayEquals(run(program, in, WATCHER), run(program, in, null), "seed " + seed);
    }

    /** What a thread writes to is read when the copy lands, not later. */
    @Test
    void aSourceThatIsWrittenMayChange() {
        TileProgram program = program(body -> {
            body.purpose("first").bulkLoad(BUFFER.at(0), new Address.Global(OUT, 0), 16, FULL.at(0));
            body.purpose("arrive").arriveExpectTx(FULL.at(0), 16);
            body.purpose("wait").waitParity(FULL.at(0), 0);
            var f = body.purpose("other bytes").load("f", ElementType.U8, UNIT, new Address.Global(IN, 0));
            body.purpose("change the source").store(new Address.Global(OUT, 0), f);
            body.purpose("store").bulkStore(new Address.Global(OUT, 16), BUFFER.at(0), 16);
            body.purpose("commit").bulkCommit();
        });
        byte[] in = TestData.bytes(BYTES, 1);
        byte[] result = run(program, MemorySegment.ofArray(in), null);
        for (int i = 0; i < UNIT; i++) {
            assertTrue(result[i] == in[i] && result[UNIT + i] == 0, "byte " + i);
        }
    }

    private static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);

    private static void load(Body body, int from) {
        body.arriveExpectTx(FULL.at(0), UNIT);
        body.bulkLoad(BUFFER.at(0), new Address.Global(IN, from), UNIT, FULL.at(0));
        body.waitParity(FULL.at(0), 0);
    }

    private static void store(Body body) {
        body.bulkStore(new Address.Global(OUT, 0), BUFFER.at(0), UNIT);
        body.bulkCommit();
        body.bulkWait(0);
    }

    private static Input flag(int number) {
        return Input.of(new Address.Global(FLAGS, 4L * number));
    }

    private static void set(Body body, int flag) {
        body.issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), flag(flag), Input.of(1));
    }

    /** By a loop: an instruction that waits would have the run tell reading and writing apart. */
    private static void await(Body body, int flag) {
        Register seen = body.variable("seen", 0);
        body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> turn.assign(seen,
                turn.issue("now", Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32), flag(flag))));
    }

    private static TileProgram twoBlocks(Consumer<Body> first, Consumer<Body> second) {
        return new TileProgram("hand_over", "stores one after the other", 1, List.of(IN, OUT, FLAGS),
                new SharedLayout(List.of(BUFFER, FULL)), Body.steps(body -> {
                    body.barrierInit(FULL.at(0), 1);
                    body.when(Builtin.BLOCK.isEqualTo(0), first, second);
                }));
    }

    private static byte[] runTwo(TileProgram program, byte[] in, ReferenceOptions options) {
        byte[] out = new byte[UNIT];
        Map<Parameter, Binding> memory = Map.of(IN, new Binding.Memory(MemorySegment.ofArray(in)),
                OUT, new Binding.Memory(MemorySegment.ofArray(out)),
                FLAGS, new Binding.Memory(MemorySegment.ofArray(new byte[16])));
        try {
            Execution.run(program, 2, memory, options, null);
        } catch (ReferenceException e) {
            assertEquals(ReferenceException.Kind.OUT_OF_BOUNDS, e.kind());
        }
        return out;
    }

    /** What another block stores after a wait has ended stays: the store that was waited for came before. */
    @Test
    void aStoreIsWrittenWhenItsWaitEnds() {
        TileProgram program = twoBlocks(first -> {
            load(first, 0);
            store(first);
            set(first, 0);
            await(first, 1);
        }, second -> {
            load(second, 64);
            await(second, 0);
            store(second);
            set(second, 1);
        });
        byte[] in = TestData.bytes(BYTES, 1);
        assertArrayEquals(Arrays.copyOfRange(in, 64, 64 + UNIT), runTwo(program, in, ReferenceOptions.DEFAULT));
    }

    /** In a launch that ends with a fault, what was waited for is there, in every order. */
    @Test
    void aStoreThatWasWaitedForIsThereWhereTheLaunchIsStopped() {
        TileProgram program = twoBlocks(first -> {
            load(first, 0);
            store(first);
            set(first, 0);
            await(first, 1);
        }, second -> {
            await(second, 0);
            second.issue("beyond", Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), flag(100));
        });
        byte[] in = TestData.bytes(BYTES, 1);
        for (ReferenceOptions order : List.of(ReferenceOptions.DEFAULT, ReferenceOptions.DEFAULT.plain(),
                ReferenceOptions.DEFAULT.withSeed(1), ReferenceOptions.DEFAULT.withSeed(2))) {
            assertArrayEquals(Arrays.copyOf(in, UNIT), runTwo(program, in, order), order::toString);
        }
    }

    /** A map may describe more than the segment that it is bound to: all of that is written, and is not lent. */
    @Test
    void whatIsWrittenThroughAMapBeyondItsSegmentIsNotLent() {
        Parameter.Pointer whole = new Parameter.Pointer("whole", false);
        Parameter.TensorMap map = new Parameter.TensorMap("map", 1);
        TiledTensorMap words = TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(1024L), List.of(4),
                Swizzle.NONE);
        TileProgram program = new TileProgram("beyond", "writes behind a slice", 1, List.of(whole, IN, map, OUT),
                new SharedLayout(List.of(BUFFER, FULL)), Body.steps(body -> {
                    body.barrierInit(FULL.at(0), 1);
                    load(body, 0);
                    // Nothing has touched what was loaded, and where it came from is written.
                    var f = body.load("f", ElementType.U8, UNIT, new Address.Global(whole, 0));
                    body.store(BUFFER.at(128), f);
                    body.tensorStore(map, Expr.list(256), BUFFER.at(128));
                    body.bulkCommit();
                    body.bulkWait(0);
                    var g = body.load("g", ElementType.U8, UNIT, BUFFER.at(0));
                    body.store(new Address.Global(OUT, 0), g);
                }));
        byte[] in = TestData.bytes(4096, 1);
        byte[] out = new byte[UNIT];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(in.length, 256).copyFrom(MemorySegment.ofArray(in));
            Execution.run(program, 1, Map.of(whole, new Binding.Memory(all),
                    IN, new Binding.Memory(all.asSlice(1024, 1024)),
                    map, new Binding.BoundTensorMap(words, all.asSlice(0, 256)),
                    OUT, new Binding.Memory(MemorySegment.ofArray(out))), ReferenceOptions.DEFAULT, null);
        }
        assertArrayEquals(Arrays.copyOfRange(in, 1024, 1024 + UNIT), out);
    }
}
