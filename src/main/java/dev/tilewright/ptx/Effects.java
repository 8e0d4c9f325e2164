package dev.tilewright.ptx;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a form does to memory, and when: the step from an instruction to a tile program's run.
 *
 * <p>Sources: PTX ISA, "Memory Consistency Model" (proxies, orders, scopes) and "Asynchronous Operations".
 *
 * @param completion when the accesses are known to be done
 * @param accesses the bytes that it reads and writes; a hint (prefetch) has none
 * @param order what it orders besides its own accesses, if anything
 */
public record Effects(Completion completion, List<Access> accesses, Optional<Order> order) {

    /** How the end of an instruction's accesses is learnt of. */
    public enum Completion {
        /** They are done when the instruction is, in the thread's program order. */
        AT_ONCE("at once"),
        /** They are done when the thread has waited for the cp.async group that they were committed to. */
        CP_ASYNC_GROUP("cp.async group"),
        /** They are done when the thread has waited for the bulk group that they were committed to. */
        BULK_GROUP("bulk group"),
        /** Their bytes are counted on an mbarrier, whose phase completes when all announced bytes have come. */
        MBARRIER("mbarrier bytes"),
        /** An arrival is made on an mbarrier once the thread's earlier cp.async copies are done. */
        MBARRIER_ARRIVAL("mbarrier arrival"),
        /** Nothing tells the thread; their order to other accesses comes from the instruction's own release. */
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

    /** What happens to the bytes. */
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
                return bytes + " bytes";
            }
        }

        /** The number that another operand holds. */
        record Counted(String operand) implements Extent {
            @Override
            public String toString() {
                return operand;
            }
        }

        /** What the box of the form's tensor map says; in global memory, those of its bytes that are in bounds. */
        record Box() implements Extent {
            @Override
            public String toString() {
                return "a box";
            }
        }
    }

    /**
     * One access.
     *
     * @param operand the name of the operand that holds the address, or the tensor map
     */
    public record Access(String operand, Mode mode, Proxy proxy, Extent extent) {
    }

    /** How strongly the instruction orders what surrounds it. */
    public enum Semantics { RELAXED, ACQUIRE, RELEASE, ACQ_REL, SC }

    /**
     * An ordering.
     *
     * @param scope the threads between which it holds
     */
    public record Order(Semantics semantics, Scope scope) {
    }

    public Effects {
        accesses = List.copyOf(accesses);
    }

    /** Nothing but what other instructions or the scheduler see of it. */
    static final Effects NONE = new Effects(Completion.AT_ONCE, List.of(), Optional.empty());

    static Effects of(Completion completion, Access... accesses) {
        return new Effects(completion, Arrays.asList(accesses), Optional.empty());
    }

    Effects ordered(Semantics semantics, Scope scope) {
        return new Effects(completion, accesses, Optional.of(new Order(semantics, scope)));
    }

    static Access reads(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.READ, proxy, extent);
    }

    static Access writes(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.WRITE, proxy, extent);
    }

    static Access updates(String operand, Proxy proxy, Extent extent) {
        return new Access(operand, Mode.UPDATE, proxy, extent);
    }

    static Extent bytes(int bytes) {
        return new Extent.Fixed(bytes);
    }

    static Extent counted(String operand) {
        return new Extent.Counted(operand);
    }

    static Extent box() {
        return new Extent.Box();
    }
}
