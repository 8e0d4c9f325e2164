package dev.tilewright.gpu.emulation.state;

/** Something that a program has made in a context and has to let go of again. */
public interface Resource {

    EmulatedContext context();

    /** What it is, for {@link dev.tilewright.gpu.emulation.EmulatedCuda#leaks}. */
    String title();
}
