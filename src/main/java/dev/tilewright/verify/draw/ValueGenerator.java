package dev.tilewright.verify.draw;

/** Programs that compute: see {@link ValuePrograms}. */
final class ValueGenerator implements Generator {
    @Override
    public String kind() {
        return "values";
    }

    @Override
    public String title() {
        return "random expressions of all types, functions, loops, conditions, shared memory";
    }

    @Override
    public Drawn make(Choices choices) {
        return ValuePrograms.draw(choices);
    }
}
