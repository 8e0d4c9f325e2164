package dev.tilewright.reference.op;

import dev.tilewright.program.Dim3;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;
import java.util.Optional;

/**
 * Cancelling a cluster that has not been started. By the documents (PTX ISA, "clusterlaunchcontrol"), not seen on
 * hardware. The answer's 16 bytes are opaque there; here the low word is 0 where nothing was cancelled, else 1 with x
 * above it, and the high one has y and, above it, z. Whether there is a cluster left is seen when the answer lands.
 */
public final class LaunchOps {
    private static final int BYTES = 16;
    private static final int WORD = 8;
    private static final int HALF = 32;

    private LaunchOps() { }

    /** The answer goes where the destination says, to several blocks the same. */
    public record TryCancel(CopyDestination to) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Answer answer = new Answer(t);
            to.start(t, BYTES, BYTES, BYTES, (block, address, barrier) -> new InFlight.Copy((shared, at) -> {
                shared.set(at, WORD, answer.low());
                shared.set(at + WORD, WORD, answer.high());
            }, block, address, barrier, BYTES, t, pc));
            return pc + 1;
        }
    }

    /** The answer to one request. */
    private static final class Answer {
        private final ThreadState thread;
        /** Null before it is known. */
        private Optional<Dim3> block;

        Answer(ThreadState thread) {
            this.thread = thread;
        }

        private Optional<Dim3> block() {
            if (block == null) {
                block = thread.block.cluster().queue().cancel();
            }
            return block;
        }

        long low() {
            return block().map(b -> 1 | (long) b.x() << HALF).orElse(0L);
        }

        long high() {
            return block().map(b -> b.y() | (long) b.z() << HALF).orElse(0L);
        }
    }

    /** @param low the answer's low word */
    public record IsCanceled(IndexCode low, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(result, low.value(t) & 1);
            return pc + 1;
        }
    }

    /**
     * The coordinates of the cancelled cluster's first block. @param x where it goes, or {@link Slots#NONE}; so y and z
     */
    public record FirstBlock(IndexCode low, IndexCode high, int x, int y, int z) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long lowWord = low.value(t);
            long highWord = high.value(t);
            t.keep(x, lowWord >>> HALF);
            t.keep(y, highWord & 0xFFFF_FFFFL);
            t.keep(z, highWord >>> HALF);
            return pc + 1;
        }
    }
}
