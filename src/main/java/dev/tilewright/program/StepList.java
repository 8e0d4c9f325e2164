package dev.tilewright.program;

import dev.tilewright.program.expression.Identifiers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The steps of one body so far, and the purposes that were given and are of no step yet. */
final class StepList {
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
