package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import java.util.List;

/** How far the tensor extends. */
final class DimRules {

    static final List<Rule> RULES = List.of(
            Rule.error("dim-range", RuleTargets.ALL, "each dimension is in [1, 2^32]",
                    "cuda.h, globalDim", (call, target, found) -> {
                        for (int d = 0; d < call.rank(); d++) {
                            long dim = call.dims().get(d);
                            if (dim < 1 || dim > Limits.DIM) {
                                found.add("dim", d, dim, "in [1, " + Limits.DIM + "]", dim < 1
                                        ? "leave an empty tensor out, or make the extent at least 1"
                                        : "split the dimension in two");
                            }
                        }
                    }),
            Rule.error("dim-packed", RuleTargets.FROM_10,
                    "dimension 0 is a multiple of 2 for 16U4_ALIGN8B and of 128 for the ALIGN16B types",
                    "cuda.h, globalDim", (call, target, found) -> {
                        if (!DataTypeFacts.isPacked(call.dataType()) || call.rank() == 0) {
                            return;
                        }
                        long step = DataTypeFacts.isAlign16B(call.dataType()) ? 128 : 2;
                        long dim = call.dims().getFirst();
                        if (dim % step != 0) {
                            found.add("dim", 0, dim, "a multiple of " + step, "pad it to "
                                    + Saturating.roundUp(dim, step));
                        }
                    }));

    private DimRules() { }
}
