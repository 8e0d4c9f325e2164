package dev.tilewright.verify;

import java.util.List;
import java.util.SplittableRandom;

/** A kind of cases: how one is drawn, and how its line is read. */
public interface CaseKind {

    /** The first word of its cases' lines: lower case, and hyphens. */
    String name();

    /**
     * The case of a line of this kind: for every case {@code c} of it, {@code parse(c.line())} equals {@code c}.
     *
     * @throws dev.tilewright.BadRequestException if there is no such case, with the field that is wrong
     */
    VerifyCase parse(CaseLine line);

    /**
     * Random cases that share one kernel, each valid, decided by {@code random} alone. One runs in a fraction of a
     * second in the reference.
     *
     * @param count how many, at least 1: exactly that many, so that a case's number says who draws it
     */
    List<? extends VerifyCase> draw(SplittableRandom random, int count);

    /**
     * Random cases of a kind that goes through all that it has, in an order that the seed decides.
     *
     * @param seed of all cases @param number how many times it was drawn with that seed before
     */
    default List<? extends VerifyCase> draw(long seed, long number, SplittableRandom random, int count) {
        return draw(random, count);
    }

    /** How often it is drawn, against other kinds. */
    default int weight() {
        return 1;
    }

    /** Whether its cases are of presets' kernels alone, so that naming presets asks for them. */
    default boolean isOfPresets() {
        return false;
    }
}
