package dev.tilewright.bench;

/** Measurements that belong together. */
public abstract class Suite {
    private final String name;
    private final String description;
    private final boolean needsGpu;

    /**
     * @param name the word by which the command knows it
     * @param description what it measures against what, in one line
     */
    protected Suite(String name, String description, boolean needsGpu) {
        this.name = name;
        this.description = description;
        this.needsGpu = needsGpu;
    }

    /** The word by which the command knows it. */
    public final String name() {
        return name;
    }

    /** What it measures against what, in one line. */
    public final String description() {
        return description;
    }

    /** Whether it needs a GPU. */
    public final boolean needsGpu() {
        return needsGpu;
    }

    /**
     * Measures, and gives the rows to the bench as soon as each is known.
     *
     * @throws dev.tilewright.MissingRequirementException if something is not there that all of it needs; the bench
     *     makes a row of that
     */
    public abstract void run(Bench bench);
}
