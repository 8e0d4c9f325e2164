package dev.tilewright.gpu.emulation.state;

/** Something that a stream does when it gets there, or a graph each time it is launched. */
public interface Task {

    /** Nothing: a place in a stream. */
    Task NONE = () -> { };

    /** Does it. @throws DeviceFault if it loses the GPU */
    void run();
}
