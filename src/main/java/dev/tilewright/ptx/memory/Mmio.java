package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;

/** What {@code ld.mmio} and {@code st.mmio} have in common. */
final class Mmio {
    private Mmio() { }

    static void require(String instruction, boolean mmio, boolean relaxed, Scope scope, Space space,
            Class<? extends PtxInstruction> of) {
        if (mmio && (!relaxed || scope != Scope.SYS || space != Space.GENERIC && space != Space.GLOBAL)) {
            throw new IllegalFormException(instruction + ".mmio is .relaxed.sys, of generic or global addresses", of);
        }
    }
}
