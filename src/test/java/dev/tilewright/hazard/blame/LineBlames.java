package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.FLAGS;
import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.St;
import java.util.List;

/** Blocks take turns with the same words, by a number in memory that says whose turn it is. */
final class LineBlames {
    private static final int BLOCKS = 3;

    private enum Edit {
        PASSED_TO_ITSELF
    }

    private static final Blame.Runner RUNNER = LineBlames::check;

    private LineBlames() {
    }

    static List<Blame> all() {
        return List.of(new Blame("line", Edit.PASSED_TO_ITSELF, HazardCode.DEADLOCK, "my turn", RUNNER,
                List.of("a value that no thread stores any more", "the one that is there is 0", "('pass', ",
                        "of thread 0 of block 0 stored last")));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(32, BLOCKS, 1, List.of(), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        Address.Global turn = new Address.Global(FLAGS, 0);
        body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("my turn").waitUntil("turn",
                ValueType.U32, turn, v -> v.isEqualTo(Builtin.BLOCK)));
        body.purpose("all may").syncThreads();
        Fragment f = body.purpose("word").load("word", ElementType.U32, 1, Blame.from(T.times(4)));
        body.purpose("write").store(to(T.times(4)), f);
        body.purpose("all have").syncThreads();
        body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("pass").issue(
                St.release(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(turn),
                Input.of(edit == Edit.PASSED_TO_ITSELF ? Builtin.BLOCK : Builtin.BLOCK.plus(1))));
    }
}
