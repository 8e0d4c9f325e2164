package dev.tilewright.ptx.form;

import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;

/** Qualifiers and operands that several instruction records share. */
public final class Ptx {
    public static final String CACHE_HINT = ".L2::cache_hint";
    public static final String MBARRIER_BYTES = ".mbarrier::complete_tx::bytes";
    public static final String MULTICAST = ".multicast::cluster";

    public static final Operand MBARRIER = Operands.of("mbar", Operand.Kind.SHARED_ADDRESS);
    public static final Operand CLUSTER_MBARRIER = Operands.of("mbar", Operand.Kind.CLUSTER_ADDRESS);
    public static final Operand SHARED_DST = Operands.of("dst", Operand.Kind.SHARED_ADDRESS);
    public static final Operand SHARED_SRC = Operands.of("src", Operand.Kind.SHARED_ADDRESS);
    public static final Operand CLUSTER_DST = Operands.of("dst", Operand.Kind.CLUSTER_ADDRESS);
    public static final Operand GLOBAL_DST = Operands.of("dst", Operand.Kind.GLOBAL_DESTINATION);
    public static final Operand GLOBAL_SRC = Operands.of("src", Operand.Kind.GLOBAL_ADDRESS);
    public static final Operand BYTES = Operands.of("bytes", Operand.Kind.U32);
    public static final Operand MAP = Operands.of("map", Operand.Kind.TENSOR_MAP);
    /** Bit n stands for block n of the cluster. */
    public static final Operand CTA_MASK = Operands.of("cta_mask", Operand.Kind.U16);
    /** What createpolicy made. */
    public static final Operand POLICY = Operands.of("policy", Operand.Kind.U64);

    private Ptx() { }

    /**
     * For the names of functions: empty for the block's own shared memory as it is spelled since there are clusters.
     */
    public static String suffix(Space space) {
        return switch (space) {
            case SHARED_CTA -> "";
            case GENERIC -> "_generic";
            case GLOBAL, SHARED, SHARED_CLUSTER -> space.text().replace("::", "_").replace('.', '_');
        };
    }
}
