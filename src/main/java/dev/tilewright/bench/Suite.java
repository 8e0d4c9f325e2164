package dev.tilewright.bench;

/** Measurements that belong together. */
public interface Suite {

    /** The word by which the command knows it. */
    String name();

    /** What it measures against what, in one line. */
    String description();

    /** Whether it needs a GPU. */
    boolean needsGpu();

    /**
     * Measures, and gives the rows to the bench as soon as each is known.
     *
     * @throws dev.tilewright.MissingRequirementException if something is not there that all of it needs; the bench makes a
     *     row of that
     */
    void run(Bench bench);
}
