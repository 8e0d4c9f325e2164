package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.compile.Binding;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A cp.async pipeline written by hand: each thread fetches 16 bytes of a tile and writes out what its neighbour
 * fetched, so that every wait and every barrier matters. The result is padded with zeros to whole tiles.
 */
class CpAsyncProgramTest {
    private static final int THREADS = 8;
    private static final int TILE = 16 * THREADS;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);
    private static final Parameter.Int TILES = new Parameter.Int("tiles", IntType.S32);

    private static TileProgram pipeline(int stages) {
        SharedRegion.Buffer ring = new SharedRegion.Buffer("ring", stages * TILE, 16);
        return new TileProgram("pipeline", "a pipeline", THREADS, List.of(SOURCE, RESULT, BYTES, TILES),
                new SharedLayout(List.of(ring)), Body.steps(body -> {
                    body.purpose("fill").loop("first", 0, stages - 1, 1, (fill, first) -> {
                        fetch(fill, "first_", ring, Builtin.BLOCK.plus(first.times(Builtin.GRID)), first);
                        fill.purpose("commit while filling").cpAsyncCommit();
                    });
                    body.purpose("tiles").loop("tile", Builtin.BLOCK, TILES.value(), Builtin.GRID, (loop, tile) -> {
                        Expr turn = loop.purpose("turn").let("turn", tile.dividedBy(Builtin.GRID));
                        loop.purpose("wait for the oldest").cpAsyncWait(stages - 2);
                        loop.purpose("all have waited").syncThreads();
                        Expr neighbour = Builtin.THREAD.plus(1).modulo(THREADS).times(16);
                        Fragment f = loop.purpose("read").load("chunk", ElementType.U32, 4,
                                ring.at(turn.modulo(stages).times(TILE).plus(neighbour)));
                        loop.purpose("write")
                                .store(new Address.Global(RESULT, tile.toS64().times(TILE).plus(neighbour)), f);
                        Expr ahead = turn.plus(stages - 1);
                        fetch(loop, "next_", ring, Builtin.BLOCK.plus(ahead.times(Builtin.GRID)), ahead.modulo(stages));
                        loop.purpose("commit in the loop").cpAsyncCommit();
                    });
                }));
    }

    /** Fetches this thread's chunk; beyond the end fewer bytes are read, down to none, and the rest is zeros. */
    private static void fetch(Body body, String prefix, SharedRegion.Buffer ring, Expr tile, Expr stage) {
        Expr offset = body.purpose("offset")
                .let(prefix + "offset", tile.toS64().times(TILE).plus(Builtin.THREAD.times(16)));
        Expr left = BYTES.value().minus(offset).max(0).min(16).toS32();
        body.purpose("copy " + prefix).cpAsync(ring.at(stage.times(TILE).plus(Builtin.THREAD.times(16))),
                new Address.Global(SOURCE, offset), 16).sourceBytes(left);
    }

    private static byte[] run(TileProgram program, byte[] source, int grid) {
        int tiles = Math.ceilDiv(source.length, TILE);
        byte[] result = new byte[tiles * TILE];
        Execution.run(program, grid, Map.of(SOURCE, new Binding.Memory(MemorySegment.ofArray(source)),
                RESULT, new Binding.Memory(MemorySegment.ofArray(result)),
                BYTES, new Binding.Integer(source.length), TILES, new Binding.Integer(tiles)), ReferenceOptions.DEFAULT,
                null);
        return result;
    }

    private static byte[] padded(byte[] source) {
        return Arrays.copyOf(source, Math.ceilDiv(source.length, TILE) * TILE);
    }

    @Property(tries = 70)
    void thePipelineCopiesAndPadsWithZeros(
            @ForAll @IntRange(min = 2, max = 6) int stages, @ForAll @IntRange(min = 1, max = 2000) int bytes,
            @ForAll @IntRange(min = 1, max = 5) int grid) {
        byte[] source = TestData.bytes(bytes, bytes);
        assertArrayEquals(padded(source), run(pipeline(stages), source, grid));
    }

    @ParameterizedTest
    @ValueSource(strings = {"wait for the oldest", "commit in the loop", "commit while filling", "all have waited",
        "copy first_", "copy next_"})
    void everyStepMatters(String purpose) {
        assertWrong(Mutation.without(pipeline(3), purpose));
    }

    @Test
    void waitingForOneGroupTooFewIsNotEnough() {
        assertWrong(Mutation.replace(pipeline(3), "wait for the oldest", b -> b.cpAsyncWait(2)));
    }

    @Test
    void waitingForMoreThanNeededIsFine() {
        byte[] source = TestData.bytes(1000, 1);
        TileProgram eager = Mutation.replace(pipeline(3), "wait for the oldest", b -> b.cpAsyncWait(0));
        assertArrayEquals(source, Arrays.copyOf(run(eager, source, 2), 1000));
    }

    private static void assertWrong(TileProgram mutant) {
        byte[] source = TestData.bytes(10 * TILE, 1);
        assertFalse(Arrays.equals(source, run(mutant, source, 2)), "the mistake went unnoticed");
    }

    @Test
    void aCopyThatNobodyWaitsForNeverLands() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 16, 16);
        TileProgram program = new TileProgram("late", "no wait", 1, List.of(SOURCE, RESULT),
                new SharedLayout(List.of(buffer)), Body.steps(body -> {
                    body.purpose("copy").cpAsync(buffer.at(0), new Address.Global(SOURCE, 0), 16);
                    body.purpose("commit").cpAsyncCommit();
                    Fragment f = body.purpose("read").load("f", ElementType.U64, 2, buffer.at(0));
                    body.purpose("write").store(new Address.Global(RESULT, 0), f);
                }));
        byte[] result = new byte[16];
        Execution.run(program, 1, Map.of(SOURCE, new Binding.Memory(MemorySegment.ofArray(new byte[16])),
                RESULT, new Binding.Memory(MemorySegment.ofArray(result))), ReferenceOptions.DEFAULT, null);
        byte[] poison = new byte[16];
        Arrays.fill(poison, (byte) 0xCD);
        assertArrayEquals(poison, result);
    }
}
