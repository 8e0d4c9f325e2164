package dev.tilewright.gpu.emulation.state;

import dev.tilewright.program.TileProgram;

/** A module: one program, loaded into a context. */
public record EmulatedModule(EmulatedContext context, TileProgram program) implements Resource {

    @Override
    public String title() {
        return "module of kernel '" + program.name() + "'";
    }
}
