package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.EmulatedFunction;
import dev.tilewright.ptx.Multiprocessor;
import dev.tilewright.ptx.Target;
import java.util.Collections;

/**
 * How many blocks a multiprocessor of compute capability 9.0 holds, by threads, blocks and shared memory; registers are
 * not looked at.
 */
final class Occupancy {
    static final Multiprocessor EACH = Multiprocessor.of(Target.SM_90).orElseThrow();
    /** What the driver takes of shared memory for each block. */
    static final int RESERVED = 1 << 10;
    static final int THREADS_OF_A_BLOCK = 1024;

    private Occupancy() { }

    /** Blocks of this size on one multiprocessor; 0 if not even one fits. */
    static int blocks(EmulatedFunction function, int threads, long sharedBytes) {
        if (threads < 1 || threads > THREADS_OF_A_BLOCK || !function.fits(sharedBytes)) {
            return 0;
        }
        return Collections.min(EACH.allowed(threads, 0, (int) sharedBytes).values());
    }

    /** Blocks on the whole device. */
    static int resident(EmulatedFunction function, int threads, long sharedBytes) {
        return blocks(function, threads, sharedBytes) * function.model().multiprocessors();
    }
}
