package dev.tilewright.bench;

import java.util.function.Consumer;

/** A suite for a test, without a GPU. */
public final class MadeSuite extends Suite {
    private final Consumer<Bench> work;

    /** @param work what it does */
    public MadeSuite(String name, Consumer<Bench> work) {
        super(name, "made for a test", false);
        this.work = work;
    }

    @Override
    public void run(Bench bench) {
        work.accept(bench);
    }
}
