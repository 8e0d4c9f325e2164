package dev.tilewright.tensormap.rules;

import dev.tilewright.tensormap.call.Im2colWideCall;
import java.util.List;

/** Which targets have tensor maps at all. */
final class TargetRules {

    static final List<Rule> RULES = List.of(
            Rule.error("target-tma", RuleTargets.BEFORE_9,
                    "tensor maps need compute capability 9.0",
                    "cuda.h, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col",
                    (call, target, found) -> found.add("target", Violation.NO_INDEX, target.toString(),
                            "sm_90 or later", "use a copy that does without a tensor map there (cp.async)")),
            Rule.error("target-wide", RuleTargets.BEFORE_10,
                    "wide im2col maps need compute capability 10.0",
                    "cuda.h, cuTensorMapEncodeIm2colWide; no instruction of sm_90 reads one, though an H200's driver"
                            + " encodes it",
                    (call, target, found) -> {
                        if (call instanceof Im2colWideCall) {
                            found.add("target", Violation.NO_INDEX, target.toString(), "sm_100 or later",
                                    "use an im2col map");
                        }
                    }));

    private TargetRules() { }
}
