package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import java.util.List;
import java.util.Set;

/** Which swizzles and interleaves go with which rows and types. */
final class SwizzleRules {

    private static final Set<Long> WIDE = Set.of(2L, 3L, 4L);
    private static final Set<Long> U6 = Set.of(0L, 3L, 4L, 6L);
    private static final Set<Long> U4 = Set.of(0L, 3L, 4L);

    static final List<Rule> RULES = List.of(
            Rule.error("swizzle-span", RuleTargets.ALL,
                    "without interleave a row is at most as long as the swizzle's span: 32, 64 or 128 bytes",
                    "cuda.h, swizzle", SwizzleRules::span),
            Rule.error("swizzle-wide", RuleTargets.FROM_10,
                    "a wide map is swizzled by 64B, 128B or 128B with 32-byte atoms",
                    "cuda.h, cuTensorMapEncodeIm2colWide, swizzle", (call, target, found) -> {
                        if (call instanceof Im2colWideCall && !WIDE.contains(call.swizzle())) {
                            found.add("swizzle", Violation.NO_INDEX, SwizzleFacts.named(call.swizzle()),
                                    "2 (64B), 3 (128B) or 4 (128B, 32-byte atoms)",
                                    "use 3 (128B)");
                        }
                    }),
            Rule.error("interleave-wide", RuleTargets.FROM_10, "a wide map has no interleave",
                    "PTX ISA, \"Interleave layout\"", (call, target, found) -> {
                        if (call instanceof Im2colWideCall && call.interleave() != 0) {
                            found.add("interleave", call.interleave(), "0 (none) in a wide map", "use 0");
                        }
                    }),
            Rule.error("interleave-packed", RuleTargets.FROM_10, "16U6_ALIGN16B has no interleave",
                    "cuda.h, interleave", (call, target, found) -> {
                        if (call.dataType() == DataTypeFacts.U6_ALIGN16B && call.interleave() != 0) {
                            found.add("interleave", call.interleave(), "0 (none) for 16U6_ALIGN16B", "use 0");
                        }
                    }),
            Rule.error("swizzle-packed", RuleTargets.FROM_10,
                    "the ALIGN16B types are swizzled by none, 128B or 128B with 32-byte atoms; 16U6 also with 64-byte "
                    + "atoms", "cuda.h, swizzle", (call, target, found) -> {
                        if (DataTypeFacts.isAlign16B(call.dataType())) {
                            Set<Long> allowed = call.dataType() == DataTypeFacts.U6_ALIGN16B ? U6 : U4;
                            if (!allowed.contains(call.swizzle())) {
                                found.add("swizzle", Violation.NO_INDEX, SwizzleFacts.named(call.swizzle()),
                                        "one of " + allowed.stream().sorted().toList()
                                        + " for " + DataTypeFacts.name(call.dataType()), "use 3 (128B)");
                            }
                        }
                    }),
            Rule.error("swizzle-interleave-32", RuleTargets.FROM_10, "interleave 32B goes with swizzle 32B",
                    "cuda.h, interleave", SwizzleRules::interleave32),
            Rule.warning("swizzle-interleave-32-sm90", RuleTargets.CC_9, "interleave 32B goes with swizzle 32B",
                    "cuda.h, interleave; measured on an H200: the driver accepts every swizzle",
                    SwizzleRules::interleave32));

    private SwizzleRules() { }

    private static void span(EncodeCall call, Target target, Findings found) {
        int bits = DataTypeFacts.bits(call.dataType());
        if (call.interleave() != 0 || call.swizzle() < 1 || call.swizzle() > 6 || bits == 0
                || DataTypeFacts.isAlign16B(call.dataType()) || BoxRules.hasNoInner(call)) {
            return;
        }
        long span = Math.min(128, 16L << call.swizzle());
        long bytes = Saturating.multiply(call.innerElements(), bits) / 8;
        if (bytes > span) {
            String fits = bytes <= 64 ? "use swizzle 64B or 128B" : bytes <= 128 ? "use swizzle 128B"
                    : "use swizzle none";
            BoxRules.addInner(call, found, "at most " + span * 8 / bits + " elements (" + span + " bytes) for swizzle "
                    + SwizzleFacts.named(call.swizzle()),
                    "use " + span * 8 / bits + ", or " + fits);
        }
    }

    private static void interleave32(EncodeCall call, Target target, Findings found) {
        if (call.interleave() == 2 && call.swizzle() != 1 && call.swizzle() >= 0 && call.swizzle() <= 6) {
            found.add("swizzle", Violation.NO_INDEX, SwizzleFacts.named(call.swizzle()),
                    "1 (32B) with interleave 32B", "use 1");
        }
    }
}
