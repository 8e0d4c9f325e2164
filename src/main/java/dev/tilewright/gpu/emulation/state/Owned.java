package dev.tilewright.gpu.emulation.state;

/** A resource that its kind alone names. */
public abstract class Owned implements Resource {
    private final EmulatedContext context;
    private final String title;

    protected Owned(EmulatedContext context, String title) {
        this.context = context;
        this.title = title;
    }

    @Override
    public final EmulatedContext context() {
        return context;
    }

    @Override
    public final String title() {
        return title;
    }
}
