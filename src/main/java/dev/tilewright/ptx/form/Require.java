package dev.tilewright.ptx.form;

import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.AtomicTypes;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** What records of several families refuse, each with {@link IllegalFormException} and the section of the PTX ISA. */
public final class Require {
    /** The spellings of the block's own shared memory. */
    public static final Set<Space> OWN_SHARED =
            Collections.unmodifiableSet(EnumSet.of(Space.GENERIC, Space.SHARED, Space.SHARED_CTA));
    /** The spellings of the block's own shared memory, and of the cluster's. */
    public static final Set<Space> ANY_SHARED =
            Collections.unmodifiableSet(EnumSet.of(Space.GENERIC, Space.SHARED, Space.SHARED_CTA,
                    Space.SHARED_CLUSTER));

    private Require() { }

    public static void space(String instruction, Space space, Set<Space> allowed, Class<? extends PtxInstruction> of) {
        if (!allowed.contains(space)) {
            throw new IllegalFormException(instruction + " takes an address in "
                    + allowed.stream().map(Require::title).collect(Collectors.joining(", ")) + ", got " + title(space),
                    of);
        }
    }

    private static String title(Space space) {
        return space.text().isEmpty() ? "generic space" : space.text();
    }

    public static void type(String instruction, DataType type, Set<DataType> allowed,
            Class<? extends PtxInstruction> of) {
        if (!allowed.contains(type)) {
            throw new IllegalFormException(instruction + " takes values of " + allowed + ", got " + type, of);
        }
    }

    /** That an instruction has an operation on a type. */
    public static void update(AtomicTypes instruction, AtomicOp op, DataType type, Class<? extends PtxInstruction> of) {
        Set<DataType> types = instruction.of(op);
        if (types.isEmpty()) {
            throw new IllegalFormException(instruction.instruction() + " has no ." + op, of);
        }
        if (!types.contains(type)) {
            throw new IllegalFormException(instruction.instruction() + " takes ." + op + " of " + types + ", got "
                    + type, of);
        }
    }

    /** That a wait leaves no fewer than no groups pending. */
    public static void pending(int groups, Class<? extends PtxInstruction> of) {
        if (groups < 0) {
            throw new IllegalFormException("pending groups must be at least 0, got " + groups, of);
        }
    }

    /** That a tensor copy has a rank that there is. */
    public static void rank(int rank, Class<? extends PtxInstruction> of) {
        if (rank < 1 || rank > 5) {
            throw new IllegalFormException("a tensor copy has rank 1 to 5, got " + rank, of);
        }
    }
}
