package dev.tilewright.gpu.emulation.state;

/** A resource that its kind alone names. */
public abstract class Owned implements Resource {
    private final Context context;
    private final String title;

    protected Owned(Context context, String title) {
        this.context = context;
        this.title = title;
    }

    @Override
    public final Context context() {
        return context;
    }

    @Override
    public final String title() {
        return title;
    }
}
