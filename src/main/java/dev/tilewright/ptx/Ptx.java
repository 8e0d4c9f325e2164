package dev.tilewright.ptx;

/** Qualifiers and operands that several instruction records share. */
final class Ptx {
    static final String CACHE_HINT = ".L2::cache_hint";
    static final String MBARRIER_BYTES = ".mbarrier::complete_tx::bytes";
    static final String MULTICAST = ".multicast::cluster";

    static final Operand MBARRIER = Operand.of("mbar", Operand.Kind.SHARED_ADDRESS);
    static final Operand CLUSTER_MBARRIER = Operand.of("mbar", Operand.Kind.CLUSTER_ADDRESS);
    static final Operand SHARED_DST = Operand.of("dst", Operand.Kind.SHARED_ADDRESS);
    static final Operand SHARED_SRC = Operand.of("src", Operand.Kind.SHARED_ADDRESS);
    static final Operand CLUSTER_DST = Operand.of("dst", Operand.Kind.CLUSTER_ADDRESS);
    static final Operand GLOBAL_DST = Operand.of("dst", Operand.Kind.GLOBAL_DESTINATION);
    static final Operand GLOBAL_SRC = Operand.of("src", Operand.Kind.GLOBAL_ADDRESS);
    static final Operand BYTES = Operand.of("bytes", Operand.Kind.U32);
    static final Operand MAP = Operand.of("map", Operand.Kind.TENSOR_MAP);
    /** Bit n stands for block n of the cluster. */
    static final Operand CTA_MASK = Operand.of("cta_mask", Operand.Kind.U16);
    /** What createpolicy made. */
    static final Operand POLICY = Operand.of("policy", Operand.Kind.U64);

    private Ptx() {
    }

    /** A C++ name made of an opcode. */
    static String functionName(String opcode) {
        return opcode.replace("::", "_").replace('.', '_').toLowerCase(java.util.Locale.ROOT);
    }

    static void requireRank(int rank, String section) {
        if (rank < 1 || rank > 5) {
            throw new IllegalFormException("a tensor copy has rank 1 to 5, got " + rank, section);
        }
    }
}
