package dev.tilewright.tensormap.rules;

import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import java.util.List;
import java.util.function.ToLongFunction;

/** Integers that have to be values of cuda.h's enums, and which of them a target knows. */
final class EnumRules {

    static final List<Rule> RULES = List.of(
            range("dtype-known", "dtype", EncodeCall::dataType, DataTypeFacts.LAST, "CUtensorMapDataType",
                    "use 0 (UINT8) to 12 (TFLOAT32_FTZ)"),
            Rule.error("dtype-packed-target", RuleTargets.CC_9,
                    "the packed 4-bit and 6-bit types need compute capability 10.0",
                    "PTX ISA, tensormap.replace; refused by an H200's driver", (call, target, found) -> {
                        if (DataTypeFacts.isPacked(call.dataType())) {
                            found.add("dtype", call.dataType(), "in [0, 12] for " + target,
                                    "move the packed data as UINT8 (0)");
                        }
                    }),
            range("interleave-known", "interleave", EncodeCall::interleave, 2, "CUtensorMapInterleave",
                    "use 0 (none), 1 (16B) or 2 (32B)"),
            range("swizzle-known", "swizzle", EncodeCall::swizzle, 6, "CUtensorMapSwizzle",
                    "use 0 (none), 1 (32B), 2 (64B) or 3 (128B)"),
            Rule.error("swizzle-atom-target", RuleTargets.CC_9,
                    "128B swizzles of other atoms than 16 bytes need compute capability 10.0",
                    "PTX ISA, tensormap.replace; refused by an H200's driver", (call, target, found) -> {
                        if (call.swizzle() >= 4 && call.swizzle() <= 6) {
                            found.add("swizzle", Violation.NO_INDEX, SwizzleFacts.named(call.swizzle()),
                                    "in [0, 3] for " + target, "use 3 (128B)");
                        }
                    }),
            range("l2-known", "l2", EncodeCall::l2Promotion, 3, "CUtensorMapL2promotion",
                    "use 0 (none), 1 (64B), 2 (128B) or 3 (256B)"),
            range("oob-known", "oob", EncodeCall::fill, 1, "CUtensorMapFloatOOBfill",
                    "use 0 (zeros) or 1 (NaN, for float types)"),
            Rule.error("oob-float", RuleTargets.ALL,
                    "only float types can be filled with NaN",
                    "cuda.h, oobFill", (call, target, found) -> {
                        if (call.fill() == 1 && call.dataType() >= 0 && call.dataType() <= DataTypeFacts.LAST
                                && !DataTypeFacts.isFloat(call.dataType())) {
                            found.add("oob", call.fill(), "0 (zeros) for " + DataTypeFacts.name(call.dataType()),
                                    "fill with zeros, or use a float type (6 to 12)");
                        }
                    }),
            Rule.error("wide-mode-known", RuleTargets.ALL,
                    "the wide mode is one of CUtensorMapIm2ColWideMode",
                    "cuda.h, CUtensorMapIm2ColWideMode", (call, target, found) -> {
                        if (call instanceof Im2colWideCall wide && (wide.wideMode() < 0 || wide.wideMode() > 1)) {
                            found.add("wideMode", wide.wideMode(), "in [0, 1]", "use 0 (W) or 1 (W128)");
                        }
                    }));

    private EnumRules() { }

    private static Rule range(String id, String field, ToLongFunction<EncodeCall> value, long last, String type,
            String suggestion) {
        return Rule.error(id, RuleTargets.ALL, field + " is one of " + type, "cuda.h, " + type,
                (call, target, found) -> {
                    long v = value.applyAsLong(call);
                    if (v < 0 || v > last) {
                        found.add(field, v, "in [0, " + last + "]", suggestion);
                    }
                });
    }
}
