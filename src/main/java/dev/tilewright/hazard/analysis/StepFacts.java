package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.order.ReleasedValues.Look;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.ScopedAccess;
import java.util.List;
import java.util.stream.Stream;

/** What the text of a program says of its steps, whatever happens in a run. */
final class StepFacts {
    private final List<Step> steps;
    private final ValueReach flow;
    /** By step; 0 where it has not been asked for. */
    private final byte[] known;
    /** The steps that wait for a value; null until it is asked for. */
    private List<Operation.Instruction> waits;

    private static final int ASKED = 1;
    private static final int DECIDES = 2;
    private static final int LOOKS = 4;
    private static final int ENGINE_ASKED = 8;
    private static final int ENGINE = 16;
    private static final int STORE_ASKED = 32;
    private static final int WAITED_FOR = 64;

    StepFacts(TileProgram program) {
        steps = new StepNumbers(program).all();
        flow = new ValueReach(steps);
        known = new byte[steps.size() + 1];
    }

    /** Whether the value that a step reads reaches a condition: a branch, a loop, a poll. */
    boolean decides(int step) {
        return (facts(step) & DECIDES) != 0;
    }

    /**
     * Whether the value that a step reads is a look at how things stand, not data: it reaches a condition, or a
     * compare-and-swap that confirms it, or nothing at all.
     */
    boolean looks(int step) {
        return (facts(step) & LOOKS) != 0;
    }

    /** What the value that a step reads is for. */
    Look look(int step) {
        return !decides(step) ? Look.NONE
                : operation(step) instanceof Operation.Issue i && i.form() instanceof Ld && !looksAgain(step)
                ? Look.ONCE
                : Look.WAITS;
    }

    /**
     * Whether a look is not the only one: the program waits for a value in the same memory, by a poll or by loads in a
     * loop that their values end, or this one decides nothing.
     */
    boolean looksAgain(int step) {
        return !(operation(step) instanceof Operation.Issue look) || !decides(step)
                || waits().stream().anyMatch(wait -> ValueReach.mayShareMemory(look, wait));
    }

    /** Whether a step waits for a value: a poll, or a load in a loop whose value decides whether it goes on. */
    boolean isWait(int step) {
        return waits().contains(operation(step));
    }

    /** Whether a step stores, without a scope, where the program waits for a value. */
    boolean mayBeWaitedFor(int step) {
        if ((known[step] & STORE_ASKED) == 0) {
            boolean may = operation(step) instanceof Operation.Storing store && waits().stream().anyMatch(
                    wait -> wait.form() instanceof ScopedAccess && ValueReach.mayShareMemory(wait, store));
            known[step] |= (byte) (STORE_ASKED | (may ? WAITED_FOR : 0));
        }
        return (known[step] & WAITED_FOR) != 0;
    }

    private List<Operation.Instruction> waits() {
        if (waits == null) {
            waits = steps.stream().map(Step::operation).flatMap(o -> o instanceof Operation.Poll poll ? Stream.of(poll)
                    : o.isLoop() ? waitsIn(o) : Stream.of()).distinct().toList();
        }
        return waits;
    }

    /** The loads in a loop whose values decide whether it goes on. */
    private Stream<Operation.Instruction> waitsIn(Operation loop) {
        List<Expr> ends = LoopEnds.of(loop);
        return ends.isEmpty() ? Stream.of() : LoopEnds.within(loop).stream()
                .filter(o -> o instanceof Operation.Issue i && i.form() instanceof Ld
                        && flow.decidesAny(i.results(), ends))
                .map(Operation.Instruction.class::cast);
    }

    /** Whether a step waits in a loop until something holds. */
    boolean isPoll(int step) {
        return operation(step) instanceof Operation.Poll;
    }

    /** Whether a thread that performs the step sees the value that is read. */
    boolean observes(int step) {
        return switch (operation(step)) {
            case Operation.Issue issue -> !issue.results().isEmpty();
            case null, default -> true;
        };
    }

    /** Whether a step that an mbarrier counts bytes of does so in the asynchronous proxy. */
    boolean countsByEngine(int step) {
        if (step < 1 || step >= known.length) {
            return findEngine(step);
        }
        if ((known[step] & ENGINE_ASKED) == 0) {
            known[step] |= (byte) (ENGINE_ASKED | (findEngine(step) ? ENGINE : 0));
        }
        return (known[step] & ENGINE) != 0;
    }

    private boolean findEngine(int step) {
        return !(operation(step) instanceof Operation.Instruction i) || i.form().effects().accesses().stream()
                .noneMatch(a -> a.operand().equals("mbar") && a.proxy() == Effects.Proxy.GENERIC);
    }

    private Operation operation(int step) {
        return step < 1 || step > steps.size() ? null : steps.get(step - 1).operation();
    }

    private int facts(int step) {
        if (step < 1 || step >= known.length) {
            return DECIDES | LOOKS;
        }
        if ((known[step] & ASKED) == 0) {
            known[step] |= (byte) (ASKED | find(step));
        }
        return known[step];
    }

    private int find(int step) {
        if (operation(step) instanceof Operation.Issue issue) {
            if (issue.results().isEmpty()) {
                return LOOKS;
            }
            ValueReach.Ends ends = flow.from(issue.results());
            return (ends.conditions() ? DECIDES | LOOKS : 0)
                    | (ends.swaps() || !ends.conditions() && !ends.memory() ? LOOKS : 0);
        }
        return operation(step) instanceof Operation.Poll ? DECIDES | LOOKS : 0;
    }
}
