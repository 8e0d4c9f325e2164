package dev.tilewright.ptx.form;

import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;

/** Qualifiers and operands that several instruction records share. */
public final class Ptx {
    public static final String CACHE_HINT = ".L2::cache_hint";
    public static final String MBARRIER_BYTES = ".mbarrier::complete_tx::bytes";
    public static final String MULTICAST = ".multicast::cluster";

    public static final Operand MBARRIER = Operand.of("mbar", Operand.Kind.SHARED_ADDRESS);
    public static final Operand CLUSTER_MBARRIER = Operand.of("mbar", Operand.Kind.CLUSTER_ADDRESS);
    public static final Operand SHARED_DST = Operand.of("dst", Operand.Kind.SHARED_ADDRESS);
    public static final Operand SHARED_SRC = Operand.of("src", Operand.Kind.SHARED_ADDRESS);
    public static final Operand CLUSTER_DST = Operand.of("dst", Operand.Kind.CLUSTER_ADDRESS);
    public static final Operand GLOBAL_DST = Operand.of("dst", Operand.Kind.GLOBAL_DESTINATION);
    public static final Operand GLOBAL_SRC = Operand.of("src", Operand.Kind.GLOBAL_ADDRESS);
    public static final Operand BYTES = Operand.of("bytes", Operand.Kind.U32);
    public static final Operand MAP = Operand.of("map", Operand.Kind.TENSOR_MAP);
    /** Bit n stands for block n of the cluster. */
    public static final Operand CTA_MASK = Operand.of("cta_mask", Operand.Kind.U16);
    /** What createpolicy made. */
    public static final Operand POLICY = Operand.of("policy", Operand.Kind.U64);

    private Ptx() {
    }

    /** A C++ name made of an opcode. */
    public static String functionName(String opcode) {
        return opcode.replace("::", "_").replace('.', '_').toLowerCase(java.util.Locale.ROOT);
    }

    public static void requireRank(int rank, String section) {
        if (rank < 1 || rank > 5) {
            throw new IllegalFormException("a tensor copy has rank 1 to 5, got " + rank, section);
        }
    }
}
