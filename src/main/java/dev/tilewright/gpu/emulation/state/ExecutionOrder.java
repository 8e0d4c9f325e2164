package dev.tilewright.gpu.emulation.state;

/** When an emulated GPU does what was put into its streams. */
public enum ExecutionOrder {
    /**
     * As late as it may: when somebody waits for it, or for something that comes after it. A query does one piece of
     * it. So a wait that is missing shows as bytes that are not there yet.
     */
    LAZY,
    /** At once, before the call that put it into the stream returns. */
    EAGER
}
