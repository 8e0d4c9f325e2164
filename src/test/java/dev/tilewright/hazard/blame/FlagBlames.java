package dev.tilewright.hazard.blame;

import static dev.tilewright.hazard.blame.Blame.FLAGS;
import static dev.tilewright.hazard.blame.Blame.T;
import static dev.tilewright.hazard.blame.Blame.from;
import static dev.tilewright.hazard.blame.Blame.to;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.util.List;

/**
 * The first block counts words in shared memory, leaves the counts and raises a flag; the second waits for the flag and
 * takes them.
 */
final class FlagBlames {
    private static final int THREADS = 32;
    private static final SharedRegion.Buffer COUNTS = new SharedRegion.Buffer("counts", 4 * THREADS, 128);

    private enum Edit {
        STORED_RELAXED, LOADED_RELAXED, STORED_FOR_ITS_BLOCK, LOADED_FOR_ITS_BLOCK, NOT_WAITED, ANOTHER_VALUE,
        NOT_RAISED, RAISED_BEFORE_LEAVING, NO_SYNC_BEFORE_RAISING, NO_SYNC_AFTER_COUNTING, NO_SYNC_AFTER_CLEARING,
        NO_SYNC_AFTER_WAITING, STORED_PLAIN, COUNTED_IN_TWO_STEPS
    }

    private static final Blame.Runner RUNNER = FlagBlames::check;

    private FlagBlames() {
    }

    static List<Blame> all() {
        return List.of(
                is(Edit.STORED_RELAXED, HazardCode.FLAG_NOT_ACQUIRED, "raise", "release"),
                is(Edit.LOADED_RELAXED, HazardCode.FLAG_NOT_ACQUIRED, "raised", "acquire"),
                is(Edit.STORED_FOR_ITS_BLOCK, HazardCode.SCOPE_TOO_SMALL, "raise", ".gpu"),
                is(Edit.LOADED_FOR_ITS_BLOCK, HazardCode.SCOPE_TOO_SMALL, "raised", ".gpu"),
                is(Edit.NOT_WAITED, HazardCode.GLOBAL_RACE, "take"),
                is(Edit.ANOTHER_VALUE, HazardCode.DEADLOCK, "raised", "('raise', "),
                is(Edit.NOT_RAISED, HazardCode.DEADLOCK, "raised", "no step of the program stores there"),
                is(Edit.RAISED_BEFORE_LEAVING, HazardCode.GLOBAL_RACE, "raise", "put it after step 10"),
                is(Edit.NO_SYNC_BEFORE_RAISING, HazardCode.GLOBAL_RACE, "raise", "thread 1 does not meet that thread",
                        "put __syncthreads() between step 8 and step 10"),
                is(Edit.NO_SYNC_AFTER_COUNTING, HazardCode.MISSING_BARRIER, "count", "('sum', ", "put __syncwarp()"),
                is(Edit.NO_SYNC_AFTER_CLEARING, HazardCode.MISSING_BARRIER, "count", "put __syncwarp()"),
                is(Edit.NO_SYNC_AFTER_WAITING, HazardCode.GLOBAL_RACE, "take", "thread 0 of block 1 has waited",
                        "put __syncthreads() between"),
                is(Edit.STORED_PLAIN, HazardCode.GLOBAL_RACE, "raise", "by a plain store",
                "store it by st.release.gpu"), is(Edit.COUNTED_IN_TWO_STEPS, HazardCode.MISSING_BARRIER, "count",
                "loading them, in step",
                        "one atomic instruction, red or atom"));
    }

    private static Blame is(Edit edit, HazardCode code, String step, String... words) {
        return new Blame("flag", edit, code, step, RUNNER, List.of(words));
    }

    private static HazardReport check(Enum<?> edit) {
        return Blame.check(THREADS, 2, 1, List.of(COUNTS), body -> write(body, (Edit) edit));
    }

    private static void write(Body body, Edit edit) {
        Address.Global flag = new Address.Global(FLAGS, 0);
        body.purpose("blocks").when(Builtin.BLOCK.isEqualTo(0), first -> count(first, flag, edit), second -> {
            second.purpose("one").when(T.isEqualTo(0), one -> {
                if (edit != Edit.NOT_WAITED) {
                    Scope scope = edit == Edit.LOADED_FOR_ITS_BLOCK ? Scope.CTA : Scope.GPU;
                    one.purpose("raised").waitUntil("flag", ValueType.U32, flag,
                            v -> v.isEqualTo(edit == Edit.ANOTHER_VALUE ? 2 : 1)).scope(scope)
                            .order(edit == Edit.LOADED_RELAXED ? Ld.Order.RELAXED : Ld.Order.ACQUIRE);
                }
            });
            if (edit != Edit.NO_SYNC_AFTER_WAITING) {
                second.purpose("all know").syncThreads();
            }
            Fragment f = second.purpose("take").load("taken", ElementType.U32, 1, to(T.times(4)));
            second.purpose("show").store(to(T.times(4).plus(1024)), f);
        });
    }

    private static void count(Body body, Address.Global flag, Edit edit) {
        Fragment zero = body.purpose("zero").load("zero", ElementType.U32, 1, from(T.times(4)));
        body.purpose("clear").store(COUNTS.at(T.times(4)), zero);
        if (edit != Edit.NO_SYNC_AFTER_CLEARING) {
            body.purpose("cleared").syncThreads();
        }
        if (edit == Edit.COUNTED_IN_TWO_STEPS) {
            Address word = COUNTS.at(T.dividedBy(2).times(4));
            body.purpose("count").store(word, body.purpose("so far").load("before", ValueType.U32, word).plus(1));
        } else {
            body.purpose("count").issue(Red.relaxed(Scope.CTA, Space.SHARED_CTA, AtomicOp.ADD, DataType.U32),
                Input.of(COUNTS.at(T.times(7).modulo(THREADS).times(4))), Input.of(1));
        }
        if (edit != Edit.NO_SYNC_AFTER_COUNTING) {
            body.purpose("counted").syncThreads();
        }
        Fragment sum = body.purpose("sum").load("sum", ElementType.U32, 1, COUNTS.at(T.times(4)));
        if (edit == Edit.RAISED_BEFORE_LEAVING) {
            raise(body, flag, edit);
        }
        body.purpose("leave").store(to(T.times(4)), sum);
        if (edit != Edit.NO_SYNC_BEFORE_RAISING) {
            body.purpose("left").syncThreads();
        }
        if (edit != Edit.RAISED_BEFORE_LEAVING && edit != Edit.NOT_RAISED) {
            raise(body, flag, edit);
        }
    }

    private static void raise(Body body, Address.Global flag, Edit edit) {
        if (edit == Edit.STORED_PLAIN) {
            body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("raise").store(flag, Value.u32(1)));
            return;
        }
        Scope scope = edit == Edit.STORED_FOR_ITS_BLOCK ? Scope.CTA : Scope.GPU;
        body.purpose("one").when(T.isEqualTo(0), one -> one.purpose("raise").issue(edit == Edit.STORED_RELAXED
                ? St.relaxed(scope, Space.GLOBAL, DataType.U32) : St.release(scope, Space.GLOBAL, DataType.U32),
                Input.of(flag), Input.of(1)));
    }
}
