package dev.tilewright.verify;

import java.util.List;

/**
 * One thing that a device does and the reference says the right result of: everything that decides the bytes. Cases are
 * values: equal ones do the same, and a case's line makes an equal one again, in any process ({@link CaseKind#parse}).
 */
public interface VerifyCase {

    /** What makes the case again. */
    CaseLine line();

    /**
     * What the case is counted with in reports: one of few names that do not depend on the seed, such as
     * {@code copy bulk-copy}.
     */
    default String family() {
        return line().kind();
    }

    /** The file that says most of what the case runs, below the project's folder; empty if there is none. */
    default String file() {
        return "";
    }

    /** Whether the other case runs the same program, so that one compiled kernel does for both. */
    boolean sharesKernelWith(VerifyCase other);

    /** Builds the kernel, and says what it is launched with and what is compared; the same each time. */
    CaseWork work();

    /**
     * Cases that are a little simpler than this one, most hopeful first: if this one fails, one of them may fail in the
     * same way. The {@link #work} of one that cannot be made is refused with an IllegalArgumentException. Going from a
     * case to a smaller one again and again ends.
     */
    default List<? extends VerifyCase> smaller() {
        return List.of();
    }
}
