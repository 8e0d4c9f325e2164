package dev.tilewright.ptx;

import dev.tilewright.NotNull;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A form's effects on memory, and when they happen: from these follows what an instruction does in a program's run.
 * With a mask of blocks, what is written is written in each of them.
 *
 * <p>Sources: PTX ISA, "Memory Consistency Model" (proxies, orders, scopes) and "Asynchronous Operations".
 *
 * @param completion when the accesses are known to be done
 * @param accesses the bytes that it reads and writes; what a hint would bring into a cache is not among them
 * @param order what it orders besides its own accesses, if anything
 * @param fence the proxies that it orders with each other, if any
 * @param waitsFor what has completed once the instruction has, if it is a wait
 */
public record Effects(Completion completion, List<Access> accesses, Optional<Order> order, Optional<ProxyFence> fence,
        Optional<Wait> waitsFor) {

    /** How the end of an instruction's accesses is learnt of. */
    public enum Completion {
        /** Accesses that are done when the instruction is, in the thread's program order. */
        AT_ONCE("at once"),
        /** Accesses that are done when the thread has waited for the cp.async group that they were committed to. */
        CP_ASYNC_GROUP("cp.async group"),
        /** Accesses that are done when the thread has waited for the bulk group that they were committed to. */
        BULK_GROUP("bulk group"),
        /**
         * Accesses whose bytes are counted on an mbarrier, whose phase completes when all announced bytes have come.
         */
        MBARRIER("mbarrier bytes"),
        /** An arrival is made on an mbarrier once the thread's earlier cp.async copies are done. */
        MBARRIER_ARRIVAL("mbarrier arrival"),
        /** Accesses that are done when the warpgroup has waited for the wgmma group that they were committed to. */
        WGMMA_GROUP("wgmma group"),
        /**
         * Accesses of whose end nothing tells the thread; their order to other accesses comes from the instruction's
         * own release.
         */
        NOT_OBSERVED("not observed");

        private final String title;

        Completion(String title) {
            this.title = title;
        }

        /** In a few words, for listings. */
        @Override
        public String toString() {
            return title;
        }
    }

    /** The path that an access takes to memory; accesses on different paths need a proxy fence between them. */
    public enum Proxy { GENERIC, ASYNC, TENSORMAP }

    /** How the bytes are accessed. */
    public enum Mode {
        READ, WRITE,
        /** Read and written as one. */
        UPDATE
    }

    /** How many bytes, from the operand's address on. */
    public sealed interface Extent {
        /** A number that the form fixes. */
        record Fixed(int bytes) implements Extent {
            @Override
            public String toString() {
                return bytes + (bytes == 1 ? " byte" : " bytes");
            }
        }

        /** The number that another operand holds. */
        record Counted(String operand) implements Extent {
            public Counted {
                Objects.requireNonNull(operand, "operand");
            }

            @Override
            public String toString() {
                return operand;
            }
        }

        /** The bytes of the tensor map's box; in global memory, only its bytes in bounds. */
        record Box() implements Extent {
            @Override
            public String toString() {
                return "a box";
            }
        }

        /** The matrix that the operand describes: a matrix descriptor, with the form's shape. */
        record Matrix() implements Extent {
            @Override
            public String toString() {
                return "a matrix";
            }
        }
    }

    /**
     * One access.
     *
     * @param operand the name of the operand that holds the address, the tensor map or the matrix descriptor
     */
    public record Access(String operand, Mode mode, Proxy proxy, Extent extent) {
        public Access {
            NotNull.all("operand, mode, proxy, extent", operand, mode, proxy, extent);
        }
    }

    /** How strongly the instruction orders what surrounds it. */
    public enum Semantics { RELAXED, ACQUIRE, RELEASE, ACQ_REL, SC }

    /**
     * An ordering.
     *
     * @param scope the threads between which it holds
     */
    public record Order(Semantics semantics, Scope scope) {
        public Order {
            NotNull.all("semantics, scope", semantics, scope);
        }
    }

    /**
     * An ordering between proxies, both ways unless {@link Order} says that it is a release or an acquire.
     *
     * @param from one proxy
     * @param to the other
     * @param memory the memory of which it speaks
     */
    public record ProxyFence(Proxy from, Proxy to, Memory memory) {
        public ProxyFence {
            NotNull.all("from, to, memory", from, to, memory);
        }
    }

    /** The memory that a proxy fence speaks of. */
    public enum Memory { ALL, GLOBAL, OWN_SHARED, CLUSTER_SHARED, TENSOR_MAP }

    /** The kinds of completion that an instruction waits for. */
    public enum Wait {
        CP_ASYNC_GROUPS("cp.async groups"),
        BULK_GROUPS("bulk groups"),
        /** A wait until the sources of bulk groups have been read; the writes may still be on the way. */
        BULK_GROUPS_READ("the sources of bulk groups"),
        WGMMA_GROUPS("wgmma groups"),
        CLUSTER_BARRIER("the cluster's barrier"),
        /** The kernels that this one depends on. */
        EARLIER_KERNELS("earlier kernels");

        private final String title;

        Wait(String title) {
            this.title = title;
        }

        /** In a few words, for listings. */
        @Override
        public String toString() {
            return title;
        }
    }

    public Effects {
        NotNull.all("completion, accesses, order, fence, waitsFor", completion, accesses, order, fence, waitsFor);
        accesses = List.copyOf(accesses);
    }
}
