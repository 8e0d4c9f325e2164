package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** The cp.async family. Addresses are checked when a copy starts; what it does, {@link CpAsyncQueue} says. */
final class CpAsyncOps {

    private CpAsyncOps() {
    }

    /** @param sourceBytes how many bytes to read; the rest of the destination becomes zeros */
    record Copy(String purpose, SharedPlace to, GlobalPlace from, int bytes, IndexCode sourceBytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            int read = requireSize(sourceBytes.value(t), bytes);
            int address = to.address(t, bytes, bytes);
            long offset = from.offset(t, read, bytes);
            t.copies.start(from.memory(), offset, address, bytes, read);
            return pc + 1;
        }
    }

    static int requireSize(long read, int bytes) {
        if (read < 0 || read > bytes) {
            throw new Fault(Kind.BAD_SIZE, "cp.async of " + bytes + " bytes can read 0 to " + bytes + " bytes, got " + read);
        }
        return (int) read;
    }

    record Commit(String purpose) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.copies.commit();
            return pc + 1;
        }
    }

    /** Closes the open group and waits for all of them. */
    record WaitAll(String purpose) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.copies.commit();
            t.copies.waitFor(0);
            return pc + 1;
        }
    }

    record Wait(String purpose, int pending) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.copies.waitFor(pending);
            return pc + 1;
        }
    }
}
