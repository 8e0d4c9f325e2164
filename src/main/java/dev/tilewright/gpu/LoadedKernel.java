package dev.tilewright.gpu;

import dev.tilewright.program.TileProgram;

/** A kernel that a device is ready to launch. */
public interface LoadedKernel extends AutoCloseable {

    /** The program that was loaded. */
    TileProgram program();

    /** Blocks that the whole device holds at once: what a kernel whose blocks take many tiles is launched with. */
    int residentBlocks();

    @Override
    void close();
}
