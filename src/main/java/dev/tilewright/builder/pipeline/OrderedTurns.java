package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Groups of threads that take turns in one section of their code, in a fixed order: the ping-pong of two consumer
 * groups of which one uses the tensor cores while the other writes its results. What CUTLASS calls
 * OrderedSequenceBarrier.
 *
 * {@snippet :
 * OrderedTurns turns = new OrderedTurns("order", List.of(ThreadRange.warps(4, 4), ThreadRange.warps(8, 4)));
 * turns.open(body);
 * turns.section(b, 0, tile, inOrder -> multiply(inOrder));
 * }
 *
 * @param name of the barriers, one for each group
 * @param groups in their order; the first one begins
 */
public record OrderedTurns(String name, List<ThreadRange> groups) {
    public OrderedTurns {
        NotNull.all("name, groups", name, groups);
        groups = List.copyOf(groups);
        if (groups.size() < 2) {
            throw new IllegalArgumentException("two groups or more take turns, got " + groups.size());
        }
        for (int i = 0; i < groups.size(); i++) {
            for (int k = 0; k < i; k++) {
                ThreadRange a = groups.get(k);
                ThreadRange b = groups.get(i);
                if (a.first() < b.first() + b.count() && b.first() < a.first() + a.count()) {
                    throw new IllegalArgumentException("a thread is in one group: " + a + " and " + b
                            + " have some in common");
                }
            }
        }
    }

    /** The regions of shared memory that it needs, for the kernel's layout. */
    public SharedRegion.Barriers barriers() {
        return new SharedRegion.Barriers(name, groups.size());
    }

    /** Sets up the barriers, which all threads of the block perform together. */
    public void open(Body body) {
        Objects.requireNonNull(body, "body");
        body.purpose("one thread sets up the barriers").when(Builtin.THREAD_NUMBER.isEqualTo(0), one -> {
            for (int i = 0; i < groups.size(); i++) {
                one.purpose("a phase takes one arrival of each thread of the group before")
                        .barrierInit(barriers().at(i), groups.get(before(i)).count());
            }
        });
        body.purpose("no thread touches a barrier before it is set up").syncThreads();
    }

    /**
     * Waits until it is a group's turn.
     *
     * @param turn counts from 0
     */
    public void await(Body body, int group, int turn) {
        await(body, group, Expr.of(turn));
    }

    /**
     * Waits until it is a group's turn.
     *
     * @param turn counts from 0 in every thread of the group
     */
    public void await(Body body, int group, Expr turn) {
        NotNull.all("body, turn", body, turn);
        requireGroup(group);
        Expr lap = group == 0 ? turn.plus(1) : turn;
        body.purpose(group == 0 ? "the last group is done with the turn before; nothing is before the first"
                : "the group before is done with this turn")
                .waitParity(barriers().at(group), lap.modulo(2).toS32());
    }

    /** Lets the next group take its turn. */
    public void pass(Body body, int group) {
        Objects.requireNonNull(body, "body");
        requireGroup(group);
        body.purpose("the next group may").arrive(barriers().at((group + 1) % groups.size()));
    }

    /**
     * A section that groups perform in turn.
     *
     * @param turn counts from 0
     */
    public void section(Body body, int group, int turn, Consumer<Body> code) {
        section(body, group, Expr.of(turn), code);
    }

    /**
     * A section that groups perform in turn.
     *
     * @param turn counts from 0 in every thread of the group
     */
    public void section(Body body, int group, Expr turn, Consumer<Body> code) {
        NotNull.all("body, turn, code", body, turn, code);
        await(body, group, turn);
        code.accept(body);
        pass(body, group);
    }

    private int before(int group) {
        return (group + groups.size() - 1) % groups.size();
    }

    private void requireGroup(int group) {
        if (group < 0 || group >= groups.size()) {
            throw new IllegalArgumentException("groups are 0 to " + (groups.size() - 1) + ", got " + group);
        }
    }
}
