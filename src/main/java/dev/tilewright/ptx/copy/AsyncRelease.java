package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;

/** What {@code st.async} and {@code red.async} to global memory have in common. */
final class AsyncRelease {
    /** Tried with the assemblers of CUDA 13.0 and 13.3. */
    static final String CAUTION = "With .mmio, ptxas 13.0 takes the scope .gpu and 13.3 refuses it: use .sys.";

    private AsyncRelease() { }

    static void requireScope(String instruction, Scope scope, Class<? extends PtxInstruction> of) {
        if (scope != Scope.GPU && scope != Scope.SYS) {
            throw new IllegalFormException(
                    instruction + ".release to global memory is at scope .gpu or .sys, got " + scope.text(), of);
        }
    }
}
