package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ThreadState;

/** The groups that a thread closes and waits for: of cp.async copies, and of bulk copies. */
public final class GroupOps {

    private GroupOps() { }

    public record CommitCopies(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.cpCommit(t);
            t.copies.commit();
            return pc + 1;
        }
    }

    public record WaitForCopies(Site site, int pending) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.cpWait(t, pending);
            t.copies.waitFor(pending);
            return pc + 1;
        }
    }

    /** Closes the open group and waits for all of them. */
    public record WaitForAllCopies(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.cpCommit(t);
            t.copies.commit();
            site.cpWait(t, 0);
            t.copies.waitFor(0);
            return pc + 1;
        }
    }

    public record CommitBulk(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.bulkCommit(t);
            t.stores.commit();
            return pc + 1;
        }
    }

    /** @param read whether it is enough that the sources have been read */
    public record WaitForBulk(Site site, int pending, boolean read) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.bulkWait(t, pending, read);
            if (read) {
                t.stores.waitForRead(pending);
            } else {
                t.stores.waitFor(pending);
            }
            return pc + 1;
        }
    }
}
