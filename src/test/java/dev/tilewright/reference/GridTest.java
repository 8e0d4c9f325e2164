package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Many blocks: the same result on one CPU thread or several, and every block starting from nothing. */
class GridTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.Scalar ADDED = new Parameter.Scalar("added", ElementType.U8);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 16, 16);
    private static final int BLOCKS = 1000;

    /** Every thread reads a byte of shared memory, writes it out, and leaves something else behind. */
    private static final TileProgram POISON_READER = new TileProgram("reader", "reads what nobody wrote", 16,
            List.of(IN, OUT), new SharedLayout(List.of(BUFFER)), Body.steps(body -> {
                Fragment f = body.purpose("read").load("f", ElementType.U8, 1, BUFFER.at(Builtin.THREAD));
                Expr at = Builtin.BLOCK.toS64().times(16).plus(Builtin.THREAD.toS64());
                body.purpose("write").store(new Address.Global(OUT, at), f);
                Fragment g = body.purpose("read something else")
                        .load("g", ElementType.U8, 1, new Address.Global(IN, 0));
                body.purpose("leave behind").store(BUFFER.at(Builtin.THREAD), g);
            }));

    private static byte[] run(TileProgram program, ReferenceOptions options) {
        byte[] out = new byte[16 * BLOCKS];
        ReferenceRun run = Execution.run(program, BLOCKS, bind(MemorySegment.ofArray(out)), options, null);
        assertEquals(BLOCKS, run.blocks());
        return out;
    }

    private static Map<Parameter, Binding> bind(MemorySegment out) {
        return Map.of(IN, new Binding.Memory(MemorySegment.ofArray(new byte[1])), OUT, new Binding.Memory(out));
    }

    @Test
    void everyBlockStartsWithFreshSharedMemory() {
        for (ReferenceOptions options : List.of(ReferenceOptions.DEFAULT, ReferenceOptions.DEFAULT.sequential(),
                ReferenceOptions.DEFAULT.plain(),
                new ReferenceOptions(true, (byte) 0x5A))) {
            byte[] expected = new byte[16 * BLOCKS];
            Arrays.fill(expected, options.poison());
            assertArrayEquals(expected, run(POISON_READER, options));
        }
    }

    /** A copy that nobody waited for in one block does not land in the next; nor does a store happen there early. */
    @Test
    void nothingPendingIsCarriedIntoTheNextBlock() {
        TileProgram program = new TileProgram("pending", "leaves things pending", 1, List.of(IN, OUT, ADDED),
                new SharedLayout(List.of(BUFFER)), Body.steps(body -> {
                    Address.Shared start = BUFFER.at(0);
                    Address.Global mine = new Address.Global(OUT, Builtin.BLOCK.toS64().times(16));
                    body.purpose("fetch")
                            .cpAsync(start, new Address.Global(IN, 0), 16).sourceBytes(1);
                    body.purpose("commit").cpAsyncCommit();
                    body.purpose("all but one").cpAsyncWait(1);
                    Register before = body.purpose("read").registers("before", ValueType.U8, 16);
                    body.load(before, start);
                    body.purpose("store").bulkStore(mine, start, 16);
                    body.purpose("commit the store").bulkCommit();
                    body.purpose("all but one of the stores").bulkWait(1);
                    body.purpose("write over the source").store(start, IntStream.range(0, 16)
                            .mapToObj(i -> before.at(i).plus(ADDED.value())).toList());
                }));
        byte[] expected = new byte[16 * BLOCKS];
        Arrays.fill(expected, (byte) (0xCD + 1));
        byte[] out = new byte[16 * BLOCKS];
        Map<Parameter, Binding> bindings = new HashMap<>(bind(MemorySegment.ofArray(out)));
        bindings.put(ADDED, new Binding.Scalar(1));
        Execution.run(program, BLOCKS, bindings, ReferenceOptions.DEFAULT.sequential(), null);
        assertArrayEquals(expected, out);
    }

    @Test
    void aStoreThatIsNeverCommittedIsDoneWithTheBlock() {
        TileProgram program = new TileProgram("uncommitted", "a committed store and one that is not", 1,
                List.of(IN, OUT), new SharedLayout(List.of(BUFFER)), Body.steps(body -> {
                    Address.Shared start = BUFFER.at(0);
                    Address.Global mine = new Address.Global(OUT, Builtin.BLOCK.toS64().times(16));
                    body.purpose("store").bulkStore(mine, start, 16);
                    body.purpose("commit").bulkCommit();
                    body.purpose("wait").bulkWait(0);
                    body.purpose("store again").bulkStore(mine, start, 16);
                }));
        byte[] expected = new byte[16 * BLOCKS];
        Arrays.fill(expected, (byte) 0xCD);
        assertArrayEquals(expected, run(program, ReferenceOptions.DEFAULT.sequential()));
    }

    @Test
    void theStepsAreCounted() {
        TileProgram program = new TileProgram("two", "two steps and the end", 4, List.of(IN, OUT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    body.purpose("one").let("x", Builtin.THREAD);
                    body.purpose("two").syncThreads();
                }));
        assertEquals(3 * 4 * 5, Execution.run(program, 5, bind(MemorySegment.ofArray(new byte[1])),
                ReferenceOptions.DEFAULT, null).threadSteps());
    }

    @RepeatedTest(20)
    void ofSeveralBlocksAtFaultTheLowestIsReported() {
        TileProgram program = new TileProgram("fault", "some blocks fail", 1, List.of(IN, OUT),
                new SharedLayout(List.of()),
                Body.steps(body -> body.purpose("from block 37 on").when(Builtin.BLOCK.atLeast(37),
                        late -> late.purpose("divide").let("x", Expr.of(1).dividedBy(Builtin.THREAD)))));
        ReferenceException e = assertThrows(ReferenceException.class, () -> run(program, ReferenceOptions.DEFAULT));
        assertEquals("kernel 'fault', block 37, thread 0, step 'divide': 1 / 0 divides by zero", e.getMessage());
        assertEquals(37, e.block());
    }

    @Test
    void memoryOfOneThreadIsEnough() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(16L * BLOCKS);
            Execution.run(POISON_READER, BLOCKS, bind(out), ReferenceOptions.DEFAULT, null);
            assertEquals((byte) 0xCD, out.get(ValueLayout.JAVA_BYTE, 16L * BLOCKS - 1));
        }
    }
}
