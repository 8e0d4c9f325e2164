package dev.tilewright.reference;

import static dev.tilewright.program.MapKernels.LANDED;
import static dev.tilewright.program.MapKernels.MAP_START;
import static dev.tilewright.program.MapKernels.PUBLISHED;
import static dev.tilewright.program.MapKernels.RESULT;
import static dev.tilewright.program.MapKernels.WORKSPACE;
import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.MapKernels;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMapDescriptor;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A kernel that changes a tensor map and loads through it: what it loads, and every way of doing it wrong. */
class MapProgramTest {
    private static final TiledTensorMap MATRIX =
            TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of(64L, 100L), List.of(16, 8), Swizzle.NONE);
    private static final int BOX_BYTES = 16 * 8 * 4;
    private static final byte[] SOURCE = TestData.bytes(64 * 100 * 4, 1);

    private static TileProgram program(MapEdit... edits) {
        return MapKernels.load(2, List.of(edits), 2, BOX_BYTES, BOX_BYTES);
    }

    private static byte[] run(TileProgram program) {
        byte[] result = new byte[BOX_BYTES];
        MemorySegment workspace = MemorySegment.ofArray(new long[32]);
        Execution.run(program, 1,
                Map.of(MapKernels.template(2), new Binding.BoundTensorMap(MATRIX, MemorySegment.ofArray(SOURCE)),
                WORKSPACE, new Binding.Memory(workspace), RESULT, new Binding.Memory(MemorySegment.ofArray(result))),
                ReferenceOptions.DEFAULT, null);
        return result;
    }

    /** The box at (0, 0), its rows so many bytes apart. */
    private static byte[] box(int stride, int rows) {
        byte[] box = new byte[BOX_BYTES];
        for (int row = 0; row < rows; row++) {
            System.arraycopy(SOURCE, row * stride, box, 64 * row, 64);
        }
        return box;
    }

    @Test
    void theUnchangedMapLoadsTheBox() {
        assertArrayEquals(box(256, 8), run(program()));
    }

    @Test
    void theChangedMapLoadsAsItSays() {
        assertArrayEquals(box(256, 3), run(program(new MapEdit.GlobalDim(1, 3))));
        assertArrayEquals(box(512, 8), run(program(new MapEdit.GlobalStride(0, 512))));
        assertArrayEquals(box(512, 5), run(program(new MapEdit.GlobalDim(1, 3),
                new MapEdit.GlobalStride(0, 512), new MapEdit.GlobalDim(1, 5))));
    }

    private static HazardReport check(TileProgram program) {
        Launch launch = Launch.of(program, 1, Map.of(MapKernels.template(2), new Argument.Tensor(MATRIX, 0),
                WORKSPACE, new Argument.Buffer(1), RESULT, new Argument.Buffer(2)));
        return HazardCheck.check(launch, List.of(MemorySegment.ofArray(SOURCE.clone()),
                MemorySegment.ofArray(new long[32]), MemorySegment.ofArray(new byte[BOX_BYTES])));
    }

    @Test
    void everyStepIsThere() {
        HazardReport report = check(program(new MapEdit.GlobalDim(1, 3)));
        assertTrue(report.isClean(), report::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "the copy is whole, missing-barrier, write 16 bytes, nothing orders the two threads",
        "publish, map-change-not-fenced, load, 'has rank 1, the copy has 2 coordinates'",
        "acquire, map-change-not-fenced, load, no thread of the block has acquired the map since"})
    void everyStepMatters(String purpose, String code, String noticedAt, String sentence) {
        found(Mutation.without(program(new MapEdit.GlobalDim(1, 3)), purpose), code, noticedAt, sentence);
    }

    private static void found(TileProgram program, String code, String noticedAt, String sentence) {
        HazardReport report = check(program);
        assertTrue(report.findings().stream().anyMatch(f -> f.code().toString().equals(code)
                && f.purpose().equals(noticedAt)
                && f.message().contains(sentence)), report::toString);
    }

    @Test
    void aTemplateThatIsNotWholeIsNoticed() {
        TileProgram whole = program(new MapEdit.GlobalDim(1, 3));
        assertFalse(Arrays.equals(run(whole), run(Mutation.without(whole, "the copy is whole"))),
                "the mistake went unnoticed");
    }

    @Test
    void theWholeWarpPublishes() {
        TileProgram half = publish(Builtin.THREAD.lessThan(16), PUBLISHED_BY_ALL);
        assertComplaint(Kind.WARP, "kernel 'map_load', block 0, thread 0, step 'publish': not every thread of the warp "
                + "reaches "
                + "this step: threads 0-15 wait for the rest of the warp in step 'publish'; threads 16-63 are at "
                + "__syncthreads() in step 'all may read'", () -> run(half));
        TileProgram apart = publish(Builtin.THREAD.lessThan(32), b -> b.purpose("publish")
                .publishMap(new Address.Global(WORKSPACE, Builtin.THREAD.dividedBy(16).times(128).toS64()), MAP_START));
        assertComplaint(Kind.WARP, "kernel 'map_load', block 0, thread 16, step 'publish': thread 16 has other "
                + "operands here than "
                + "threads of its warp that came before it; all threads of a warp must perform this together",
                () -> run(apart));
        TileProgram elsewhere = publish(Builtin.THREAD.lessThan(32), b -> b.purpose("two branches")
                .when(Builtin.THREAD.lessThan(16),
                PUBLISHED_BY_ALL, b2 -> b2.purpose("publish too").publishMap(PUBLISHED, MAP_START)));
        assertComplaint(Kind.WARP, "kernel 'map_load', block 0, thread 31, step 'publish too': thread 31 is at this "
                + "step while "
                + "thread 0 of its warp is at another; all threads of a warp must perform it together",
                () -> run(elsewhere));
    }

    private static final Consumer<Body> PUBLISHED_BY_ALL = b -> b.purpose("publish").publishMap(PUBLISHED, MAP_START);

    private static TileProgram publish(Expr condition, Consumer<Body> code) {
        return Mutation.replace(program(), "a warp publishes", b -> b.when(condition, code));
    }

    @Test
    void otherWarpsMeetBeforeTheyAcquire() {
        Consumer<Body> acquireElsewhere = body -> body.when(Builtin.THREAD.lessThan(32), PUBLISHED_BY_ALL,
                b -> b.purpose("acquire elsewhere").acquireMap(PUBLISHED));
        TileProgram whole = program();
        found(Mutation.replace(whole, "a warp publishes", body -> {
            acquireElsewhere.accept(body);
            body.purpose("elsewhere").when(Builtin.THREAD.isEqualTo(32),
                    b -> b.purpose("use").prefetchMap(new MapSource.InMemory(PUBLISHED, 2)));
        }), "map-change-not-fenced", "acquire elsewhere", "nothing orders that after the release");
    }

    @Test
    void everyThreadThatUsesTheMapAcquiresIt() {
        TileProgram other = Mutation.replace(program(), "all may read", body -> body.when(Builtin.THREAD.isEqualTo(1),
                b -> b.purpose("use").prefetchMap(new MapSource.InMemory(PUBLISHED, 2))));
        found(other, "map-change-not-fenced", "use", "acquires the map, and nothing orders the use after that");
    }

    @Test
    void aMapIsNotPublishedUnderACopyThatUsesIt() {
        TileProgram again = Mutation.replace(program(), "landed", body -> body.when(Builtin.THREAD.isEqualTo(0), b -> {
                    b.purpose("change").store(PUBLISHED, b.purpose("read").load("word", ElementType.U32, 1,
                            MAP_START.buffer().at(MAP_START.byteOffset().plus(64))));
                    b.purpose("again").releaseMaps();
                    b.purpose("landed").waitParity(LANDED, 0);
                }));
        found(again, "map-change-not-fenced", "change", "nothing waits until that copy is over");
    }

    @Test
    void aMapWrittenByOrdinaryStoresIsReleased() {
        Consumer<Body> byHand = b -> b.purpose("one thread writes the map").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("in chunks")
                    .loop("to", 0, 128, 16, (each, at) -> each.purpose("write it")
        .store(new Address.Global(WORKSPACE, at.toS64()),
                    each.purpose("read it").load("piece", ElementType.U32, 4, MapKernels.MAP.at(at))));
            one.purpose("release").releaseMaps();
        });
        TileProgram stored = publish(Builtin.THREAD.lessThan(32), byHand);
        assertArrayEquals(box(256, 8), run(stored));
        found(Mutation.without(stored, "release"), "map-change-not-fenced", "load",
                "no thread has released the change");
    }

    @Test
    void theMapMustBeOne() {
        complains("load", "the tensor map in 'workspace' has rank 1, the copy has 2 coordinates", new MapEdit.Rank(1));
        assertTrue(complaint(new MapEdit.BoxDim(0, 3)).contains("holds what no encoder would accept"));
        assertTrue(complaint(new MapEdit.InterleaveLayout(Interleave.B16)).contains("tensor map in 'workspace'"));
        assertComplaint(Kind.OUT_OF_BOUNDS,
                "kernel 'map_load', block 0, thread 0, step 'load': the tensor map in 'workspace': the "
                + "box at coordinates [0, 0] reads its row at [0, 0]: 64 bytes at address 0x10, where no memory of "
                        + "this launch lies", () -> run(program(new MapEdit.GlobalAddress(Expr.of(16L)))));
        assertTrue(complaint(new MapEdit.GlobalDim(1, 101), new MapEdit.GlobalStride(0, 4096))
                .contains("the tensor map in 'workspace': the box at coordinates [0, 0] reads its row at [0, 7]: 64 "
                        + "bytes at address"));
    }

    @Test
    void aMapOfTf32ElementsStaysOne() {
        MapEdit tf32 = new MapEdit.ElementType(TensorDataType.TFLOAT32);
        byte[] rounded = run(program(tf32));
        assertFalse(Arrays.equals(box(256, 8), rounded), "nothing was rounded");
        assertArrayEquals(rounded, run(program(tf32, new MapEdit.ElementType(TensorDataType.FLOAT32))));
        complains("load", "the tensor map in 'workspace' was made for TF32 elements and then given type UINT32: the "
                + "hardware "
                + "faults with ILLEGAL_INSTRUCTION", tf32, new MapEdit.ElementType(TensorDataType.UINT32));
    }

    private static String complaint(MapEdit... edits) {
        return assertThrows(ReferenceException.class, () -> run(program(edits))).getMessage();
    }

    private static void complains(String step, String sentence, MapEdit... edits) {
        assertEquals("kernel 'map_load', block 0, thread 0, step '" + step + "': " + sentence, complaint(edits));
    }

    @Test
    void addressesAreAligned() {
        assertComplaint(Kind.MISALIGNED, "kernel 'map_load', block 0, thread 0, step 'change 0': byte 64 of shared "
                + "buffer 'box' is at "
                + "shared address 64, which must be a multiple of 128", () -> {
                    TileProgram p = program(new MapEdit.GlobalDim(1, 3));
                    var box = (SharedRegion.Buffer) p.shared().regions().getFirst();
                    run(Mutation.replace(p, "change 0",
                            b -> b.replaceMapField(box.at(64), new MapEdit.GlobalDim(1, 3))));
                });
    }

    /** The 128 bytes that a kernel reads of its parameter are an encoder's, at the address that its pointer has. */
    @Test
    void aParameterIsReadAsItsBytes() {
        Parameter.Pointer data = new Parameter.Pointer("data", false);
        byte[] result = new byte[128 + 8];
        MemorySegment memory = MemorySegment.ofArray(SOURCE);
        TileProgram program = new TileProgram("reads", "reads its map", 8,
                List.of(MapKernels.template(2), data, RESULT), new SharedLayout(List.of(MapKernels.MAP)),
                Body.steps(b -> {
                    b.purpose("out").store(new Address.Global(RESULT, Builtin.THREAD.times(16).toS64()),
                            b.purpose("in").load("chunk", ElementType.U32, 4,
                                    new Address.MapBytes(MapKernels.template(2), Builtin.THREAD.times(16))));
                    b.purpose("all is copied").syncThreads();
                    b.purpose("one thread").when(Builtin.THREAD.isEqualTo(0), one -> {
                        Expr address = one.purpose("where the data is")
                                .let("address", data.deviceAddress().plus(Expr.of(16L)));
                        one.purpose("put it into a map")
                                .replaceMapField(MAP_START, new MapEdit.GlobalAddress(address));
                        one.purpose("show it").store(new Address.Global(RESULT, 128),
                                one.purpose("back").load("shown", ElementType.U64, 1, MAP_START));
                    });
                }));
        Execution.run(program, 1, Map.of(MapKernels.template(2), new Binding.BoundTensorMap(MATRIX, memory),
                data, new Binding.Memory(memory), RESULT, new Binding.Memory(MemorySegment.ofArray(result))),
                ReferenceOptions.DEFAULT, null);
        TensorMapDescriptor map = TensorMapDescriptor.of(MemorySegment.ofArray(result));
        assertEquals(MATRIX, map.decode().map());
        assertEquals(0, map.address() % 256);
        assertEquals(map.address() + 16, MemorySegment.ofArray(result).get(ValueLayout.JAVA_LONG_UNALIGNED, 128));
    }
}
