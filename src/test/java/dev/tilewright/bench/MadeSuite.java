package dev.tilewright.bench;

import java.util.function.Consumer;

/** A suite for a test, without a GPU. @param work what it does */
public record MadeSuite(String name, Consumer<Bench> work) implements Suite {

    @Override
    public String description() {
        return "made for a test";
    }

    @Override
    public boolean needsGpu() {
        return false;
    }

    @Override
    public void run(Bench bench) {
        work.accept(bench);
    }
}
