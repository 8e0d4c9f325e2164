package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Collects the steps of a kernel, a loop or a guard, in order. Each method adds one step, which is checked at
 * once; what it returns may have further options of that step. A purpose precedes its step:
 *
 * {@snippet :
 * body.purpose("all bytes have landed").waitParity(full.at(stage), parity).order(WaitOrder.ACQUIRE_CLUSTER);
 * }
 *
 * <p>A name may be used again, also while the first of that name is visible: what is meant is what Java means, and
 * generated code tells them apart.
 */
public final class Body extends AsyncSteps {
    Body(StepList list, Optional<String> purpose) {
        super(list, purpose);
    }

    /** Runs the given code on a new body and returns its steps. */
    public static List<Step> steps(Consumer<Body> code) {
        Objects.requireNonNull(code, "code");
        return new StepList().within(code);
    }

    private List<Step> inner(Consumer<Body> code) {
        return list().within(code);
    }

    /** Gives the next step a purpose: the comment above it in generated code. */
    public Body purpose(String text) {
        Objects.requireNonNull(text, "text");
        return new Body(list(), Optional.of(list().announced(text)));
    }

    /**
     * This body, whose further steps, with those within them, come from a line of Java: that of the description which a
     * program is made from, in place of the line that adds a step.
     */
    public Body from(JavaLine line) {
        Objects.requireNonNull(line, "line");
        return new Body(list().from(line), Optional.empty());
    }

    /**
     * Gives every element of a register another value.
     *
     * @param value of an element, given its index, a variable of an unrolled loop
     */
    public void assignEach(Register register, Function<Expr, Value> value) {
        NotNull.all("register, value", register, value);
        if (register.count() == 1) {
            assign(register, value.apply(Expr.of(0)));
        } else {
            unrolled(register.name() + "_element", register.count(),
                    (each, i) -> each.assign(register.at(i), value.apply(i)));
        }
    }

    /** Replaces every element of a register by a function of it: {@code update(sums, x -> x.times(scale))}. */
    public void update(Register register, UnaryOperator<Value> value) {
        NotNull.all("register, value", register, value);
        assignEach(register, i -> value.apply(register.at(i)));
    }

    /** The steps of a loop, given its variable. */
    @FunctionalInterface
    public interface LoopBody {
        /**
         * Writes the steps of one turn.
         *
         * @param variable the loop's, with its value in that turn
         */
        void accept(Body body, Expr.Var variable);
    }

    /** Counts a variable from {@code from} to just below {@code until}, in steps of {@code by}. */
    public void loop(String name, Expr from, Expr until, Expr by, LoopBody code) {
        NotNull.all("name, from, until, by, code", name, from, until, by, code);
        IntType type = IntType.wider(IntType.wider(from.type(), until.type()), by.type());
        Expr.Var variable = variable(name, type);
        add(new Operation.Loop(variable, from.as(type), until.as(type), by.as(type),
                inner(b -> code.accept(b, variable))));
    }

    /** Counts a variable from {@code from} to just below {@code until}, in steps of a constant. */
    public void loop(String name, Expr from, Expr until, int by, LoopBody code) {
        loop(name, from, until, Expr.of(by), code);
    }

    /** Counts a variable from {@code from} to just below a constant, in steps of another. */
    public void loop(String name, Expr from, int until, int by, LoopBody code) {
        loop(name, from, Expr.of(until), Expr.of(by), code);
    }

    /** Counts a variable from a constant to just below {@code until}, in steps of another constant. */
    public void loop(String name, int from, Expr until, int by, LoopBody code) {
        loop(name, Expr.of(from), until, Expr.of(by), code);
    }

    /** Counts a variable from a constant to just below {@code until}, in steps of {@code by}. */
    public void loop(String name, int from, Expr until, Expr by, LoopBody code) {
        loop(name, Expr.of(from), until, by, code);
    }

    /** Counts a variable from {@code from} to just below a constant, in steps of {@code by}. */
    public void loop(String name, Expr from, int until, Expr by, LoopBody code) {
        loop(name, from, Expr.of(until), by, code);
    }

    /** Counts a variable from one constant to just below another, in steps of {@code by}. */
    public void loop(String name, int from, int until, Expr by, LoopBody code) {
        loop(name, Expr.of(from), Expr.of(until), by, code);
    }

    /** Counts a variable from one constant to just below another, in steps of a third. */
    public void loop(String name, int from, int until, int by, LoopBody code) {
        loop(name, Expr.of(from), Expr.of(until), Expr.of(by), code);
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, Expr until, LoopBody code) {
        loop(name, Expr.of(0), until, Expr.of(1), code);
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, int until, LoopBody code) {
        loop(name, Expr.of(until), code);
    }

    /**
     * Counts a variable from 0 to just below {@code until}; generated code has each turn by itself, so that the
     * variable may choose registers.
     */
    public void unrolled(String name, int until, LoopBody code) {
        NotNull.all("name, code", name, code);
        Expr.Var variable = variable(name, IntType.S32);
        add(new Operation.Loop(variable, Expr.of(0), Expr.of(until), Expr.of(1), inner(b -> code.accept(b, variable)),
                true));
    }

    /** Steps again and again, as long as the condition holds before a turn. */
    public void repeatWhile(Expr condition, Consumer<Body> code) {
        NotNull.all("condition, code", condition, code);
        add(new Operation.While(condition, inner(code)));
    }

    /** Leaves out the rest of the innermost loop's turn: its condition, or its count, decides on another. */
    public void continueLoop() {
        add(new Operation.Continue());
    }

    /** Leaves the innermost loop. */
    public void breakLoop() {
        add(new Operation.Break());
    }

    /** Steps for the threads in which the condition holds. */
    public void when(Expr condition, Consumer<Body> code) {
        NotNull.all("condition, code", condition, code);
        add(new Operation.Guard(condition, inner(code), List.of()));
    }

    /** Steps for the threads in which the condition holds, and others for the rest. */
    public void when(Expr condition, Consumer<Body> code, Consumer<Body> otherwise) {
        NotNull.all("condition, code, otherwise", condition, code, otherwise);
        add(new Operation.Guard(condition, inner(code), inner(otherwise)));
    }

    /**
     * Performs a procedure.
     *
     * @param values for its parameters, in their order: each an {@code int}, a {@code long} or an {@link Expr}
     */
    public void call(Procedure procedure, Object... values) {
        NotNull.all("procedure, values", procedure, values);
        add(new Operation.Call(procedure, Expr.list(values)));
    }

    /** {@code __syncthreads()}. */
    public void syncThreads() {
        add(new Operation.SyncThreads());
    }

    /**
     * {@code __syncthreads()} among steps that are right for blocks of one size alone.
     *
     * @param threads of the block: a kernel with another number is refused
     */
    public void syncThreads(int threads) {
        add(new Operation.SyncThreads(threads));
    }

    /** Operations of all lanes of a warp together. */
    public Warp warp() {
        return warp(-1);
    }

    /**
     * Operations of some lanes of a warp together.
     *
     * @param members a bit for each lane
     */
    public Warp warp(int members) {
        return warp(Expr.of(members));
    }

    /**
     * Operations of some lanes of a warp together.
     *
     * @param members a bit for each lane, 32 bits
     */
    public Warp warp(Expr members) {
        Objects.requireNonNull(members, "members");
        return new Warp(this, members);
    }

    /** {@code __syncwarp()}: the threads of a warp wait for each other, and see what the others wrote before. */
    public void syncWarp() {
        warp().sync();
    }

    /**
     * {@code __syncwarp(mask)}.
     *
     * @param members a bit for each lane that comes
     */
    public void syncWarp(int members) {
        warp(members).sync();
    }

    /**
     * A barrier for some warps of the block.
     *
     * @param id 0 to 15; 0 is also that of {@link #syncThreads}
     * @param threads how many come, those who only arrive included: a multiple of 32
     */
    public NamedBarrier namedBarrier(int id, int threads) {
        return namedBarrier(Expr.of(id), threads);
    }

    /**
     * A barrier for some warps of the block.
     *
     * @param id 32 bits, 0 to 15
     */
    public NamedBarrier namedBarrier(Expr id, int threads) {
        Objects.requireNonNull(id, "id");
        return new NamedBarrier(this, id, threads);
    }

    /** Orders the warpgroup's earlier accesses to registers before its products that follow: {@link WgmmaFence}. */
    public void wgmmaFence() {
        issue(new WgmmaFence());
    }

    /** Closes the group of the products that the warpgroup has started so far. */
    public void wgmmaCommit() {
        issue(new WgmmaCommitGroup());
    }

    /** Waits until the warpgroup's groups of products have completed, all but the youngest {@code pending}. */
    public void wgmmaWait(int pending) {
        issue(new WgmmaWaitGroup(pending));
    }

    /** Gives registers back: each thread of the warpgroup keeps this many. All its warps come to it. */
    public void decreaseMaxRegisters(int registers) {
        issue(Setmaxnreg.dec(registers));
    }

    /** Takes registers that others have given back: each thread of the warpgroup has this many. All its warps come. */
    public void increaseMaxRegisters(int registers) {
        issue(Setmaxnreg.inc(registers));
    }

    /**
     * Waits until the grid before this one has ended, and sees what it wrote: a kernel that has this step may begin
     * earlier (programmatic dependent launch). What the other writes must not be touched before, nor what it reads be
     * written. {@code HazardCheck.check(first, second, memory)} checks that for two launches; a check of
     * one launch does not know of the other.
     */
    public void waitForPriorGrid() {
        issue(new Griddepcontrol(Griddepcontrol.Action.WAIT));
    }

    /** Lets the next grid begin once every block has come here or ended, if that one waits for this one. */
    public void launchDependents() {
        issue(new Griddepcontrol(Griddepcontrol.Action.LAUNCH_DEPENDENTS));
    }

    /** Every thread of every block of the cluster waits here for all others, and sees what they did before. */
    public void clusterSync() {
        issue(new BarrierClusterArrive().withOrder(BarrierClusterArrive.Order.RELEASE).withAligned());
        issue(new BarrierClusterWait().withAcquire().withAligned());
    }

    /** The steps of one body so far, and the purposes that were given and are of no step yet. */
    static final class StepList {
        /** Counts the names that a kernel, or a procedure, gives. */
        private static final class Numbering {
            private int last;
            /** Bodies around the present step. */
            private int depth;
        }

        private final Numbering numbering;
        private final List<Step> steps;
        private final List<String> waiting;
        /** The line that further steps come from; empty for that of the caller who adds one. */
        private final Optional<JavaLine> origin;

        /** What a kernel, or a procedure, is collected in. */
        StepList() {
            this(new Numbering(), new ArrayList<>(), new ArrayList<>(), Optional.empty());
        }

        private StepList(Numbering numbering, List<Step> steps, List<String> waiting, Optional<JavaLine> origin) {
            this.numbering = numbering;
            this.steps = steps;
            this.waiting = waiting;
            this.origin = origin;
        }

        /** This list, to which steps are added that come from a line. */
        StepList from(JavaLine line) {
            return new StepList(numbering, steps, waiting, Optional.of(line));
        }

        /** The steps that code adds to a body within this one. */
        List<Step> within(Consumer<Body> code) {
            // The check of a whole program names the step; this refuses what would end the stack before it.
            if (numbering.depth == 10 * ProgramCheck.DEEPEST) {
                throw ProgramCheck.stepsTooDeep();
            }
            StepList inner = new StepList(numbering, new ArrayList<>(), new ArrayList<>(), origin);
            numbering.depth++;
            try {
                code.accept(new Body(inner, Optional.empty()));
            } finally {
                numbering.depth--;
            }
            if (!inner.waiting.isEmpty()) {
                throw new IllegalArgumentException("no step follows the purpose '" + inner.waiting.getFirst() + "'");
            }
            return List.copyOf(inner.steps);
        }

        /** Takes the purpose of a step that is to follow. @return it */
        String announced(String purpose) {
            Identifiers.requireOneLine("a step's purpose", purpose);
            waiting.add(purpose);
            return purpose;
        }

        /** Adds a step. @return its place */
        int add(Optional<String> purpose, Operation operation) {
            purpose.ifPresent(waiting::remove);
            steps.add(new Step(purpose, operation, origin.or(JavaLine::ofCaller)));
            return steps.size() - 1;
        }

        /** Replaces an operation that was added before. */
        void revise(int place, Operation operation) {
            steps.set(place, steps.get(place).with(operation));
        }

        int size() {
            return steps.size();
        }

        /** Numbers a name that is given, to tell it from others of the same spelling. */
        int nextNumber() {
            return ++numbering.last;
        }
    }
}
