package dev.tilewright.examples;

import dev.tilewright.program.TileProgram;
import java.util.function.Supplier;

/** Kernels that are written by hand as tile programs, to learn from and to measure. */
public enum Example {
    WARP_PRODUCT("warp-product", WarpProduct::program);

    private final String source;
    private final Supplier<TileProgram> program;

    Example(String source, Supplier<TileProgram> program) {
        this.source = source;
        this.program = program;
    }

    /** The name of its source in {@code kernels/}, without {@code .cu}. */
    public String source() {
        return source;
    }

    /** The kernel. */
    public TileProgram program() {
        return program.get();
    }
}
