package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** How far apart neighbours lie along the outer dimensions. */
final class StrideRules {

    static final List<Rule> RULES = List.of(
            Rule.error("stride-aligned", RuleTargets.ALL,
                    "each stride is a multiple of 16 bytes; of 32 with interleave 32B and for the packed ALIGN16B "
                    + "types", "cuda.h, globalStrides", (call, target, found) -> {
                        long step = AddressRules.alignment(call);
                        List<Long> padded = padded(call, step);
                        for (int i = 0; i < call.strides().size(); i++) {
                            if (call.strides().get(i) % step != 0) {
                                found.add("stride", i, call.strides().get(i), "a multiple of " + step + " bytes",
                                        padding(padded, i));
                            }
                        }
                    }),
            Rule.error("stride-range", RuleTargets.ALL, "each stride is in [0, 2^40) bytes",
                    "cuda.h, globalStrides", (call, target, found) -> {
                        for (int i = 0; i < call.strides().size(); i++) {
                            long stride = call.strides().get(i);
                            if (stride < 0 || stride >= Limits.STRIDE_END) {
                                found.add("stride", i, stride, "in [0, " + (Limits.STRIDE_END - 16) + "]", stride < 0
                                        ? "a tensor map cannot walk backwards: reverse the order when reading"
                                        : "use several maps, each with an address of its own");
                            }
                        }
                    }),
            Rule.warning("stride-overlap", RuleTargets.ALL, "no two elements share bytes",
                    "cuda.h, globalStrides; measured on an H200: the driver accepts any overlap",
                    StrideRules::overlap));

    private StrideRules() { }

    /** Bytes from one index of dimension 0 to the next. */
    static long innerStep(EncodeCall call) {
        return call.interleave() == 1 ? 16 : call.interleave() == 2 ? 32
                : Math.max(1, DataTypeFacts.bits(call.dataType()) / 8);
    }

    /** What to pad a stride to, where that is a stride; with all of them where a map can have that many. */
    private static String padding(List<Long> padded, int i) {
        if (padded.get(i) <= 0 || padded.get(i) >= Limits.STRIDE_END) {
            return "no multiple near it is in range: correct it";
        }
        boolean all = padded.size() > 1 && padded.size() <= 4
                && padded.stream().allMatch(s -> s >= 0 && s < Limits.STRIDE_END);
        return "pad it to " + padded.get(i) + " bytes" + (all ? " (strides " + padded + ")" : "");
    }

    /**
     * The smallest strides that would do and keep the order of the dimensions: padding a row pads what it is part of.
     */
    private static List<Long> padded(EncodeCall call, long step) {
        List<Long> padded = new ArrayList<>();
        for (int i = 0; i < call.strides().size(); i++) {
            long stride = call.strides().get(i);
            if (i > 0 && i < call.rank()) {
                long inside = Saturating.multiply(call.strides().get(i - 1), call.dims().get(i));
                if (stride >= inside && inside >= 0) {
                    stride = Saturating.add(Saturating.multiply(padded.get(i - 1), call.dims().get(i)),
                            stride - inside);
                }
            }
            padded.add(Saturating.roundUp(stride, step));
        }
        return padded;
    }

    /** Takes the dimensions from the smallest stride up; each has to step over all that the ones before it cover. */
    private static void overlap(EncodeCall call, Target target, Findings found) {
        int dims = Math.min(call.rank(), call.strides().size() + 1);
        if (dims < 2) {
            return;
        }
        long step = innerStep(call);
        int[] outer = IntStream.range(1, dims).boxed()
                .sorted((a, b) -> Long.compare(call.strides().get(a - 1), call.strides().get(b - 1)))
                .mapToInt(Integer::intValue).toArray();
        long covered = Saturating.multiply(call.dims().getFirst(), step);
        for (int d : outer) {
            long stride = call.strides().get(d - 1);
            long dim = call.dims().get(d);
            if (dim <= 1 || stride < 0) {
                continue;
            }
            if (stride < covered) {
                found.add("stride", d - 1, stride, "at least " + covered
                        + " bytes, what the dimensions inside it cover",
                        stride == 0 ? "keep it if every index is meant to read the same elements"
                                : "keep it if the overlap is meant; a store would write some bytes twice");
            }
            covered = Saturating.add(covered, Saturating.multiply(dim - 1, stride));
        }
    }
}
