package dev.tilewright.reference.banks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Conflicts whose number is known from the layout, by the rule and by kernels that are run. */
class BankConflictsTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 32 * 33 * 4, 1024);
    private static final Expr T = Builtin.THREAD;

    static Stream<Arguments> patterns() {
        return Stream.of(
                Arguments.of("a row of 32 floats", 4, at(lane -> 4 * lane), 1, 1),
                Arguments.of("a column of 32 x 32 floats", 4, at(lane -> 128 * lane), 32, 1),
                Arguments.of("the same, rows padded by one", 4, at(lane -> 132 * lane), 1, 1),
                Arguments.of("the same, rows swizzled by 128 bytes", 4,
                at(lane -> (int) Swizzle.B128.apply(128 * lane)), 4, 1),
                Arguments.of("every second word", 4, at(lane -> 8 * lane), 2, 1),
                Arguments.of("one word for all", 4, at(_ -> 64), 1, 1),
                Arguments.of("two words of a bank", 4, at(lane -> 128 * (lane % 2)), 2, 1),
                Arguments.of("bytes in a row", 1, at(lane -> lane), 1, 1),
                Arguments.of("bytes of one bank", 1, at(lane -> 128 * lane), 32, 1),
                Arguments.of("halves in a row", 2, at(lane -> 2 * lane), 1, 1),
                Arguments.of("pairs in a row", 8, at(lane -> 8 * lane), 2, 2),
                Arguments.of("every second pair", 8, at(lane -> 16 * lane), 4, 2),
                Arguments.of("16 bytes in a row", 16, at(lane -> 16 * lane), 4, 4),
                Arguments.of("16 bytes of every row", 16, at(lane -> 128 * lane), 32, 4),
                Arguments.of("the same, swizzled by 128 bytes", 16, at(lane -> (int) Swizzle.B128.apply(128 * lane)), 4,
                4), Arguments.of("the same, swizzled by 64 bytes", 16, at(lane -> (int) Swizzle.B64.apply(64 * lane)),
                4, 4), Arguments.of("eight rows of 16 bytes", 16, Arrays.copyOf(at(lane -> 128 * lane), 8), 8, 1),
                Arguments.of("nothing", 4, at(_ -> SharedBanks.NO_ADDRESS), 0, 0));
    }

    private static int[] at(IntUnaryOperator address) {
        return IntStream.range(0, 32).map(address).toArray();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("patterns")
    void whatIsKnown(String name, int bytes, int[] addresses, int wavefronts, int ideal) {
        assertEquals(wavefronts, SharedBanks.wavefronts(addresses, bytes));
        assertEquals(ideal, SharedBanks.ideal(addresses, bytes));
    }

    /**
     * Served one by one: a wavefront takes any lanes of a group, in order, whose banks are free or have the word
     * already.
     */
    @Property
    void noFewerWavefrontsWouldDo(@ForAll @Size(32) List<@IntRange(min = -1, max = 511) Integer> places,
            @ForAll @IntRange(min = 0, max = 4) int log) {
        int bytes = 1 << log;
        int[] addresses = places.stream().mapToInt(p -> p < 0 ? -1 : p * bytes).toArray();
        int expected = 0;
        int group = Math.min(32, 128 / bytes);
        for (int first = 0; first < 32; first += group) {
            Map<Integer, Set<Integer>> words = new HashMap<>();
            for (int lane = first; lane < first + group; lane++) {
                for (int b = 0; b < bytes && addresses[lane] >= 0; b++) {
                    int word = (addresses[lane] + b) / 4;
                    words.computeIfAbsent(word % 32, _ -> new HashSet<>()).add(word);
                }
            }
            expected += words.values().stream().mapToInt(Set::size).max().orElse(0);
        }
        assertEquals(expected, SharedBanks.wavefronts(addresses, bytes));
        assertTrue(SharedBanks.ideal(addresses, bytes) <= expected);
    }

    @Test
    void badAccesses() {
        assertEquals("a warp has 32 lanes, got 33 addresses", refusal(new int[33], 4));
        assertEquals("a lane accesses 1, 2, 4, 8 or 16 bytes at once, got 12", refusal(new int[1], 12));
        assertEquals("an address in shared memory is at least 0 and a multiple of the access's 4 bytes, got 6",
                refusal(new int[] {6}, 4));
    }

    private static String refusal(int[] addresses, int bytes) {
        return assertThrows(IllegalArgumentException.class, () -> SharedBanks.wavefronts(addresses, bytes))
                .getMessage();
    }

    private static BankConflicts run(int threads, int blocks, Consumer<Body> code) {
        TileProgram program = new TileProgram("tiles", "reads and writes a tile", threads, List.of(OUT),
                new SharedLayout(List.of(TILE)), Body.steps(code));
        return BankConflicts.of(Launch.of(program, blocks, Map.of(OUT, new Argument.Buffer(0))),
                List.of(MemorySegment.ofArray(new byte[1 << 16])));
    }

    private static void store(Body body, Expr at) {
        body.store(TILE.at(at), Value.f32(1));
    }

    @Test
    void aTransposeThroughSharedMemory() {
        for (boolean padded : new boolean[] {false, true}) {
            int pitch = padded ? 132 : 128;
            BankConflicts banks = run(64, 2, body -> {
                body.loop("row", T.dividedBy(32), 32, 2, (each, row) ->
                        store(each.purpose("write a row"), row.times(pitch).plus(T.modulo(32).times(4))));
                body.syncThreads();
                body.loop("column", T.dividedBy(32), 32, 2, (each, column) -> {
                    Value x = each.purpose("read a column").load("x", ValueType.F32,
                            TILE.at(T.modulo(32).times(pitch).plus(column.times(4))));
                    each.store(new Address.Global(OUT, T.times(4)), x);
                });
            });
            assertEquals(2, banks.steps().size(), banks::toString);
            StepConflicts writes = banks.steps().getFirst();
            StepConflicts reads = banks.steps().getLast();
            // 32 rows in each of 2 blocks.
            assertEquals(List.of(64L, 64L, 64L), List.of(writes.accesses(), writes.wavefronts(), writes.ideal()));
            assertEquals(List.of(64L, padded ? 64L : 64L * 32, 64L),
                    List.of(reads.accesses(), reads.wavefronts(), reads.ideal()));
            assertEquals(padded ? 0 : 64 * 31, banks.conflicts());
            WarpAccess worst = reads.worst();
            assertEquals(IntStream.range(0, 32).mapToObj(lane -> lane * pitch).toList(), worst.addresses());
            assertEquals(padded ? 1 : 32, worst.wavefronts());
            assertEquals(4, worst.bytes());
            assertTrue(!worst.writes() && writes.worst().writes());
        }
    }

    @Test
    void lanesThatLeaveALoopAndAWarpThatIsNotFull() {
        BankConflicts banks = run(40, 1, body -> body.loop("i", T.modulo(4).plus(1), (each, i) ->
                store(each, i.times(512).plus(T.times(4)))));
        // Four turns of each warp, in which fewer and fewer lanes are.
        StepConflicts only = banks.steps().getFirst();
        assertEquals(List.of(8L, 8L), List.of(only.accesses(), only.wavefronts()));
    }

    @Test
    void rowsOfMatrices() {
        for (boolean swizzled : new boolean[] {false, true}) {
            BankConflicts banks = run(32, 1, body -> {
                body.loop("at", T.times(16), 4096, 512, (each, at) -> {
                    Value zero = Value.u32(0);
                    each.store(TILE.at(at), zero, zero, zero, zero);
                });
                body.syncThreads();
                Register r = body.registers("r", ValueType.U32, 4);
                Expr row = T.times(128);
                body.purpose("four matrices").issue(new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4), Input.of(r),
                        Input.of(TILE.at(swizzled ? row.xor(row.shiftRight(3).bitAnd(Swizzle.B128.mask())) : row)));
            });
            StepConflicts matrices = banks.steps().getLast();
            assertEquals("four matrices", matrices.purpose());
            assertEquals(List.of(1L, swizzled ? 4L : 32L, 4L),
                    List.of(matrices.accesses(), matrices.wavefronts(), matrices.ideal()));
        }
    }

    @Test
    void whatIsNotCounted() {
        BankConflicts banks = run(32, 1, body -> {
            body.cpAsync(TILE.at(T.times(16)), new Address.Global(OUT, T.times(16)), 16);
            body.cpAsyncCommit();
            body.cpAsyncWait(0);
            body.syncThreads();
            Value x = body.load("x", ValueType.F32, new Address.Global(OUT, T.times(128)));
            body.store(new Address.Global(OUT, T.times(128)), x);
        });
        assertEquals(List.of(), banks.steps());
        assertEquals(List.of("tiles: 0 accesses of warps to shared memory in 1 block, 0 wavefronts, ideal 0"),
                banks.lines());
    }

    @Test
    void linesForPeople() {
        BankConflicts banks = run(2, 1, body -> store(body.purpose("two words of a bank"), T.times(128)));
        StepConflicts only = banks.steps().getFirst();
        assertEquals("step 1 ('two words of a bank', " + only.javaLine().orElseThrow()
                + "): 1 access, 2 wavefronts, ideal 1; worst: block 0, warp 0, turn 0: 2 wavefronts for 4 bytes at "
                + "lane 0: 0, "
                + "lane 1: 128", only.toString());
        assertEquals(only, banks.step(1).orElseThrow());
    }

    @Test
    void swizzledTilesOfTheBuilders() {
        // A warp's 16-byte accesses go along the rows: no way of swizzling makes them wait.
        for (Swizzle swizzle : List.of(Swizzle.NONE, Swizzle.B128)) {
            ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(32, 32).swizzle(swizzle)
                    .step(ElementStep.SCALE)
                    .build();
            assertEquals(0, of(kernel, List.of(64L, 64L)).conflicts());
        }
        BankConflicts banks = of(CpAsyncPipeline.of(ElementType.F32).step(ElementStep.ADD).build(), List.of(5000L));
        assertEquals(0, banks.conflicts());
        assertTrue(banks.accesses() > 30, banks::toString);
    }

    private static BankConflicts of(ElementwiseKernel kernel, List<Long> shape) {
        int bytes = (int) (shape.stream().reduce(1L, (a, b) -> a * b) * 4);
        return BankConflicts.of(kernel.launch(shape, 0, GridPolicy.tilesEach(4)),
                List.of(MemorySegment.ofArray(new long[bytes / 8]), MemorySegment.ofArray(new long[bytes / 8])),
                ReferenceOptions.DEFAULT.withFirstBlocks(1));
    }
}
