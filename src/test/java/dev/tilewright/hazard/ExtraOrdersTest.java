package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static dev.tilewright.hazard.SmallKernels.FLAGS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Orders that nobody asked for are tried where they are cheap: they show ways that the fixed order does not take. */
class ExtraOrdersTest {
    private static final int BLOCKS = 4;

    @Test
    void aWayThatTheFixedOrderDoesNotTake() {
        assertTrue(check(HazardOptions.DEFAULT.withExtraSteps(0)).isClean());
        assertEquals(List.of(HazardCode.GLOBAL_RACE), List.copyOf(check(HazardOptions.DEFAULT).codes()));
    }

    @Test
    void memoryIsLeftAsTheFixedOrderLeavesIt() {
        int[] with = new int[2 * BLOCKS + 1];
        int[] without = with.clone();
        HazardCheck.check(LAUNCH, List.of(MemorySegment.ofArray(with)), HazardOptions.DEFAULT);
        HazardCheck.check(LAUNCH, List.of(MemorySegment.ofArray(without)), HazardOptions.DEFAULT.withExtraSteps(0));
        assertArrayEquals(without, with);
    }

    @Test
    void notWhereTheyAreDear() {
        assertTrue(check(HazardOptions.DEFAULT.withExtraSteps(10)).isClean());
    }

    private static final Launch LAUNCH = Launch.of(new TileProgram("tickets", "in the order of their tickets", 1,
            List.of(FLAGS), new SharedLayout(List.of()), Body.steps(ExtraOrdersTest::tickets)), BLOCKS,
            Map.of(FLAGS, new Argument.Buffer(0)));

    /** Each block draws a ticket; a block whose ticket is not its number writes where another one does. */
    private static void tickets(Body body) {
        Expr ticket = body.purpose("draw").issue("ticket", Atom.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD,
                DataType.U32), Input.of(word(Expr.of(0))), Input.of(1));
        Fragment value = body.purpose("my own").load("value", ElementType.U32, 1, word(Builtin.BLOCK.plus(1)));
        body.purpose("as expected").when(ticket.isEqualTo(Builtin.BLOCK),
                b -> b.purpose("to my own place").store(word(Builtin.BLOCK.plus(1)), value),
                b -> b.purpose("to one place").store(word(Expr.of(BLOCKS + 1)), value));
    }

    private static Address.Global word(Expr number) {
        return new Address.Global(FLAGS, number.times(4).toS64());
    }

    private static HazardReport check(HazardOptions options) {
        return HazardCheck.check(LAUNCH, List.of(MemorySegment.ofArray(new int[2 * BLOCKS + 1])), options);
    }
}
