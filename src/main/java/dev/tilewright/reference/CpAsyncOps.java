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
            long read = sourceBytes.value(t);
            if (read < 0 || read > bytes) {
                throw new Fault(Kind.BAD_SIZE,
                        "cp.async of " + bytes + " bytes can read 0 to " + bytes + " bytes, got " + read);
            }
            int address = to.address(t, bytes, bytes);
            long offset = from.offset(t, (int) read, bytes);
            t.copies.start(from.memory(), offset, address, bytes, (int) read);
            return pc + 1;
        }
    }

    record Commit(String purpose) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.copies.commit();
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
