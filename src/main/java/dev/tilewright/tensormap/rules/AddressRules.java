package dev.tilewright.tensormap.rules;

import dev.tilewright.tensormap.call.EncodeCall;
import java.util.List;

/** Where the tensor may start in global memory. */
final class AddressRules {

    /** Bytes that an address is a multiple of for this call's interleave and type: 16 or 32. */
    static long alignment(EncodeCall call) {
        return call.interleave() == 2 || DataTypeFacts.isAlign16B(call.dataType()) ? 32 : 16;
    }

    static final List<Rule> RULES = List.of(
            Rule.error("address-aligned", RuleTargets.ALL,
                    "the address is a multiple of 16 bytes; of 32 with interleave 32B and for the packed ALIGN16B "
                    + "types", "cuda.h, globalAddress", (call, target, found) -> {
                        long step = alignment(call);
                        if (call.address() % step != 0) {
                            found.add("address", Violation.NO_INDEX, hex(call.address()), "a multiple of " + step,
                                    "start at " + hex(call.address() & -step) + " with the box's coordinates shifted,"
                                            + " or copy the tensor to an aligned allocation");
                        }
                    }),
            Rule.error("address-range", RuleTargets.ALL, "the address is below 2^57",
                    "measured on an H200: the driver refuses 2^57 and above", (call, target, found) -> {
                        if (call.address() >>> 57 != 0) {
                            found.add("address", Violation.NO_INDEX, hex(call.address()), "below 2^57",
                                    "pass a device pointer");
                        }
                    }),
            Rule.warning("address-null", RuleTargets.ALL, "the address is not null",
                    "measured on an H200: null is encoded, and cannot be bound later by cuTensorMapReplaceAddress",
                    (call, target, found) -> {
                        if (call.address() == 0) {
                            found.add("address", Violation.NO_INDEX, "null", "a device pointer",
                                    "bind the address before a kernel uses the map");
                        }
                    }),
            Rule.warning("address-swizzle-128", RuleTargets.ALL,
                    "the address of a swizzled tensor is a multiple of 128 bytes",
                    "CUDA programming guide, table of TMA alignments; an H200 copies correctly from multiples of 16",
                    (call, target, found) -> {
                        if (call.swizzle() != 0 && call.address() % 128 != 0 && call.address() % 16 == 0) {
                            found.add("address", Violation.NO_INDEX, hex(call.address()), "a multiple of 128",
                                    "align the allocation to stay within the documentation");
                        }
                    }));

    private AddressRules() { }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }
}
