package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.ThreadState;

/** The barrier of a cluster, and addresses of shared memory that name its blocks. */
public final class ClusterOps {

    private ClusterOps() { }

    public record Arrive(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.clusterArrive(t);
            t.block.cluster().barrier().arrive(t);
            return pc + 1;
        }
    }

    public record Wait(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            if (!t.block.cluster().barrier().pass(t)) {
                return BLOCKED;
            }
            site.clusterWait(t);
            return pc + 1;
        }
    }

    /** @param generic whether addresses are generic ones */
    public record Mapa(boolean generic, IndexCode address, IndexCode rank, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            ResolvedAddress.InShared s = place(t, generic, address.value(t), "mapa");
            long to = rank.value(t);
            int blocks = t.block.cluster().blocks().length;
            if (to < 0 || to >= blocks) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "mapa asks for the block of rank " + to + ", and the cluster has "
                        + blocks + (blocks == 1 ? " block" : " blocks"));
            }
            long mapped = SharedWindow.address((int) to, s.address());
            t.keep(result, generic ? SharedWindow.toGeneric(mapped) : mapped);
            return pc + 1;
        }
    }

    public record RankOf(boolean generic, IndexCode address, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(result, place(t, generic, address.value(t), "getctarank").block().rank());
            return pc + 1;
        }
    }

    /** Between shared addresses and generic ones. @param toShared the direction */
    public record Convert(boolean toShared, boolean own, IndexCode address, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long a = address.value(t);
            ResolvedAddress.InShared s = place(t, toShared, a, "cvta");
            if (own && s.block() != t.block) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "cvta of .shared takes an address in the block's own shared "
                        + "memory, got one in "
                        + "that of the block of rank " + s.block().rank() + ": use .shared::cluster");
            }
            t.keep(result, toShared ? SharedWindow.fromGeneric(a) : SharedWindow.toGeneric(a));
            return pc + 1;
        }
    }

    /** Whether a generic address is in shared memory, or is not. @param own whether the block's own alone counts */
    public record IsShared(boolean wanted, boolean own, IndexCode address, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long a = address.value(t);
            boolean shared = SharedWindow.isGeneric(a) && (!own || SharedWindow.block(t, a) == t.block);
            t.keep(result, shared == wanted ? 1 : 0);
            return pc + 1;
        }
    }

    private static ResolvedAddress.InShared place(ThreadState t, boolean generic, long address, String what) {
        if (generic && !SharedWindow.isGeneric(address)) {
            throw new Fault(Kind.OUT_OF_BOUNDS, what + " takes a generic address in shared memory, got 0x"
                    + Long.toHexString(address));
        }
        return SharedWindow.place(t, address, 0, 1);
    }
}
