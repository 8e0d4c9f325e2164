package dev.tilewright.gpu.emulation;

/** Something that a program has made in a context and has to let go of again. */
interface Resource {

    Context context();

    /** What it is, for {@link EmulatedCuda#leaks}. */
    String title();
}
