package dev.tilewright.verify.draw;

/** Blocks that work on the same memory, one after the other: see {@link BatonPrograms}. */
final class BatonGenerator implements Generator {

    @Override
    public String kind() {
        return "batons";
    }

    @Override
    public String title() {
        return "blocks that wait for each other in loops, and copy, reduce and store to the same memory by turns";
    }

    @Override
    public Drawn make(Choices choices) {
        BatonPrograms made = new BatonPrograms(choices, false);
        return new Drawn(made.title(), made.program(), launch -> made.run(launch.seed()));
    }
}
