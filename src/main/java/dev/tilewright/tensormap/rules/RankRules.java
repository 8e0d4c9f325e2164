package dev.tilewright.tensormap.rules;

import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;

/** How many dimensions, and that the lists agree about it. */
final class RankRules {

    static final List<Rule> RULES = List.of(
            Rule.error("rank-tile", RuleTargets.ALL, "a tiled map has 1 to 5 dimensions",
                    "cuda.h, cuTensorMapEncodeTiled, tensorRank", (call, target, found) -> {
                        if (call instanceof TiledCall && (call.rank() < 1 || call.rank() > 5)) {
                            found.add("rank", call.rank(), "in [1, 5]", call.rank() < 1 ? "give the tensor's shape"
                                    : "join dimensions that lie densely behind one another");
                        }
                    }),
            Rule.error("rank-im2col", RuleTargets.ALL, "an im2col map has 3 to 5 dimensions",
                    "cuda.h, cuTensorMapEncodeIm2col, tensorRank", (call, target, found) -> {
                        if (!(call instanceof TiledCall) && (call.rank() < 3 || call.rank() > 5)) {
                            found.add("rank", call.rank(), "in [3, 5]", "use the shape NWC, NHWC or NDHWC");
                        }
                    }),
            Rule.error("rank-interleave", RuleTargets.ALL, "an interleaved tensor has at least 3 dimensions",
                    "cuda.h, tensorRank; PTX ISA, \"Interleave layout\"", (call, target, found) -> {
                        if (call.interleave() != 0 && call.rank() < 3) {
                            found.add("rank", call.rank(), "at least 3 with interleave",
                                    "use interleave none, or add dimensions of extent 1");
                        }
                    }),
            Rule.error("list-lengths", RuleTargets.ALL,
                    "strides has one entry fewer than dim, corners two fewer, every other list as many",
                    "cuda.h, cuTensorMapEncode*", RankRules::lengths));

    private RankRules() { }

    private static void lengths(EncodeCall call, Target target, Findings found) {
        int rank = call.rank();
        length(found, "stride", call.strides(), Math.max(0, rank - 1), rank,
                "leave out the innermost stride, which is always one element");
        length(found, "elementStride", call.elementStrides(), rank, rank, "give one for each dimension");
        switch (call) {
            case TiledCall tiled -> length(found, "box", tiled.box(), rank, rank, "give one for each dimension");
            case Im2colCall im2col -> {
                length(found, "lower", im2col.lower(), Math.max(0, rank - 2), rank,
                        "give one for each spatial dimension");
                length(found, "upper", im2col.upper(), Math.max(0, rank - 2), rank,
                        "give one for each spatial dimension");
            }
            case Im2colWideCall wide -> { }
        }
    }

    private static void length(Findings found, String field, List<Long> list, int wanted, int rank, String suggestion) {
        if (list.size() != wanted) {
            found.add(field, Violation.NO_INDEX, "a list of " + list.size(),
                    "a list of " + wanted + " for " + rank + " dimensions", suggestion);
        }
    }
}
