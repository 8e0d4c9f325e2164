package dev.tilewright.ptx;

import java.util.List;

/** Versions, targets and operand lists that several instruction records share. */
final class Ptx {
    static final PtxVersion V7_0 = PtxVersion.of(7, 0);
    static final PtxVersion V7_8 = PtxVersion.of(7, 8);
    static final PtxVersion V8_0 = PtxVersion.of(8, 0);
    static final PtxVersion V8_3 = PtxVersion.of(8, 3);

    static final Operand MBARRIER = Operand.of("mbar", Operand.Kind.SHARED_ADDRESS);
    static final Operand SHARED_DST = Operand.of("dst", Operand.Kind.SHARED_ADDRESS);
    static final Operand SHARED_SRC = Operand.of("src", Operand.Kind.SHARED_ADDRESS);
    static final Operand GLOBAL_DST = Operand.of("dst", Operand.Kind.GLOBAL_DESTINATION);
    static final Operand GLOBAL_SRC = Operand.of("src", Operand.Kind.GLOBAL_ADDRESS);
    static final Operand BYTES = Operand.of("bytes", Operand.Kind.U32);

    private static final List<String> COORDINATES = List.of("c0", "c1", "c2", "c3", "c4");

    private Ptx() {
    }

    static void requireRank(int rank) {
        if (rank < 1 || rank > 5) {
            throw new IllegalArgumentException("a tensor copy has rank 1 to 5, got " + rank);
        }
    }

    /** The operands of {@code [map, {c0, ..}]}. */
    static List<Operand> tensorOperands(int rank) {
        return java.util.stream.Stream.concat(
                java.util.stream.Stream.of(Operand.of("map", Operand.Kind.TENSOR_MAP)),
                COORDINATES.subList(0, rank).stream().map(c -> Operand.of(c, Operand.Kind.COORDINATE))).toList();
    }

    /** The text of {@code [map, {c0, ..}]}. */
    static String tensorText(int rank) {
        return "[%map%, {%" + String.join("%, %", COORDINATES.subList(0, rank)) + "%}]";
    }

    static List<Operand> concat(List<Operand> a, List<Operand> b) {
        return java.util.stream.Stream.concat(a.stream(), b.stream()).toList();
    }
}
