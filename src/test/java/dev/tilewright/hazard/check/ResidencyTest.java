package dev.tilewright.hazard.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.Twins;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Blocks that wait for each other must all find room on the GPU at once. */
class ResidencyTest {
    private static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    private static final int ROOM = 132;

    @Test
    void whatAnH200HasRoomFor() {
        assertEquals(132 * 32, Residency.onH200(program(64, 0, 1)));
        assertEquals(132 * 2, Residency.onH200(program(1024, 0, 1)));
        assertEquals(132, Residency.onH200(program(64, 227 << 10, 1)));
        assertEquals(132 * 2, Residency.onH200(program(64, 113 << 10, 1)));
        assertEquals(128, Residency.onH200(program(64, 227 << 10, 8)));
    }

    private static TileProgram program(int threads, int sharedBytes, int cluster) {
        List<SharedRegion> regions = sharedBytes == 0 ? List.of() : List.of(new SharedRegion.Buffer("b", sharedBytes,
                16));
        return new TileProgram("room", "needs room", threads, cluster, List.of(), new SharedLayout(regions),
                Body.steps(body -> body.purpose("nothing").syncThreads()));
    }

    @Test
    void aBarrierOfTheGrid() {
        Twins.found(HazardCode.DEADLOCK, "all are", check(ROOM + 1, ResidencyTest::gridBarrier));
        Twins.clean(check(ROOM, ResidencyTest::gridBarrier));
    }

    private static void gridBarrier(Body body) {
        body.purpose("here").issue(Red.release(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                Input.of(flag(Expr.of(0))), Input.of(1));
        body.purpose("all are").waitUntil("count", ValueType.I32, flag(Expr.of(0)), v -> v.atLeast(Builtin.GRID));
    }

    /**
     * Blocks start in the order of their numbers: to wait for the one before is no mistake, for the one behind it is.
     */
    @Test
    void aChainOfBlocks() {
        Twins.found(HazardCode.DEADLOCK, "the next one", check(ROOM + 1, ResidencyTest::waitForNext));
        Twins.clean(check(ROOM, ResidencyTest::waitForNext));
        Twins.clean(check(ROOM + 1, ResidencyTest::waitForPrevious));
    }

    private static void waitForNext(Body body) {
        body.purpose("all but the last").when(Builtin.BLOCK.lessThan(Builtin.GRID.minus(1)), b ->
                waitFor(b.purpose("the next one"), Builtin.BLOCK.plus(1)));
        sayDone(body);
    }

    private static void waitForPrevious(Body body) {
        body.purpose("all but the first").when(Builtin.BLOCK.atLeast(1), b ->
                waitFor(b.purpose("the one before"), Builtin.BLOCK.minus(1)));
        sayDone(body);
    }

    private static void waitFor(Body body, Expr block) {
        body.waitUntil("state", ValueType.U32, flag(block), v -> v.isEqualTo(1));
    }

    private static void sayDone(Body body) {
        body.purpose("done").issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32),
                Input.of(flag(Builtin.BLOCK)), Input.of(1));
    }

    @Test
    void roomIsAnOption() {
        Launch launch = launch(8, ResidencyTest::gridBarrier);
        for (int room : new int[] {7, 8}) {
            HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new int[8])),
                    HazardOptions.DEFAULT.withResidentBlocks(room));
            assertEquals(room == 8, report.isClean(), report::toString);
        }
    }

    private static HazardReport check(int blocks, Consumer<Body> code) {
        return HazardCheck.check(launch(blocks, code), List.of(MemorySegment.ofArray(new int[blocks])));
    }

    /** Blocks of one thread that take most of a multiprocessor's shared memory. */
    private static Launch launch(int blocks, Consumer<Body> code) {
        TileProgram program = new TileProgram("waits", "blocks wait for each other", 1, List.of(FLAGS),
                new SharedLayout(List.of(new SharedRegion.Buffer("much", 200 << 10, 16))), Body.steps(code));
        return Launch.of(program, blocks, Map.of(FLAGS, new Argument.Buffer(0)));
    }

    private static Address.Global flag(Expr number) {
        return new Address.Global(FLAGS, number.times(4).toS64());
    }
}
