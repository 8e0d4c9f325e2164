package dev.tilewright.gpu.emulation;

/** Something that a stream does when it gets there, or a graph each time it is launched. */
interface Task {

    /** Nothing: a place in a stream. */
    Task NONE = () -> { };

    /** Does it. @throws DeviceFault if the GPU does not survive it */
    void run();
}
