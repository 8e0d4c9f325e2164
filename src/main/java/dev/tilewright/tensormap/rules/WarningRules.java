package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;

/** What the driver accepts and people seldom mean, beyond the warnings that stand with the rules they belong to. */
final class WarningRules {

    static final List<Rule> RULES = List.of(
            Rule.warning("box-beyond-tensor", RuleTargets.ALL, "the box is no larger than the tensor",
                    "measured on an H200: accepted; the part outside is filled, and moved all the same",
                    (call, target, found) -> {
                        if (call instanceof TiledCall tiled) {
                            for (int d = 0; d < Math.min(tiled.rank(), tiled.box().size()); d++) {
                                if (tiled.box().get(d) > smallestCover(tiled, d)) {
                                    found.add("box", d, tiled.box().get(d),
                                            "at most dim[" + d + "] = " + tiled.dims().get(d)
                                                    + (smallestCover(tiled, d) > tiled.dims().get(d)
                                                            ? " in whole 16 bytes, " + smallestCover(tiled, d) : ""),
                                            "use a smaller box; the part outside moves fill");
                                }
                            }
                        }
                    }),
            Rule.warning("element-stride-ignored", RuleTargets.ALL,
                    "the element stride of dimension 0 is 1 without interleave",
                    "cuda.h, elementStrides; measured on an H200: the copy ignores it", (call, target, found) -> {
                        if (call.interleave() == 0 && !call.elementStrides().isEmpty()
                                && call.elementStrides().getFirst() != 1) {
                            found.add("elementStride", 0, call.elementStrides().getFirst(), "1 without interleave",
                                    "use 1: the copy takes every element of dimension 0");
                        }
                    }),
            Rule.warning("element-stride-remainder", RuleTargets.ALL,
                    "each box extent is a multiple of its element stride",
                    "measured on an H200: a copy moves ceil(box / elementStride), and the driver's byte count rounds "
                    + "down", (call, target, found) -> {
                        if (call instanceof TiledCall tiled) {
                            int first = tiled.interleave() == 0 ? 1 : 0;
                            for (int d = first; d < Math.min(tiled.box().size(), tiled.elementStrides().size()); d++) {
                                long step = tiled.elementStrides().get(d);
                                if (step > 1 && tiled.box().get(d) % step != 0) {
                                    long up = Saturating.roundUp(tiled.box().get(d), step);
                                    found.add("box", d, tiled.box().get(d),
                                            "a multiple of elementStride[" + d + "] = " + step,
                                            up <= 256 ? "use " + up + ", which moves the same elements"
                                                    : "use " + (up - step) + ", which moves one element fewer");
                                }
                            }
                        }
                    }),
            Rule.warning("swizzle-base", RuleTargets.ALL,
                    "a swizzled box starts at a multiple of 256, 512 or 1024 bytes of shared memory",
                    "PTX ISA, \"Swizzling modes\"; measured on an H200: the pattern follows the absolute address",
                    (call, target, found) -> {
                        if (call.swizzle() >= 1 && call.swizzle() <= 6) {
                            long period = 128L << Math.min(3, call.swizzle());
                            found.add("swizzle", Violation.NO_INDEX, SwizzleFacts.named(call.swizzle()),
                                    "used with shared buffers aligned to " + period + " bytes",
                                    "align each buffer and each stage to " + period);
                        }
                    }),
            Rule.warning("swizzle-gap", RuleTargets.ALL, "a swizzled row fills the span",
                    "measured on an H200: rows start a span apart, and the gap keeps what it held", WarningRules::gap),
            Rule.warning("store-clip", RuleTargets.ALL, "a row of the tensor is a multiple of 16 bytes",
                    "measured on an H200: a store clips dimension 0 on 16-byte chunks", (call, target, found) -> {
                        long bits = DataTypeFacts.bits(call.dataType());
                        if (call.interleave() == 0 && call.rank() > 0 && bits >= 8
                                && call.dims().getFirst() % (128 / bits) != 0) {
                            found.add("dim", 0, call.dims().getFirst(), "a multiple of " + 128 / bits
                                    + " elements if the map is stored through",
                                    "keep the bytes up to the next multiple of 16 free; loads are not affected");
                        }
                    }),
            Rule.warning("shared-memory", RuleTargets.ALL,
                    "a box, gaps included, fits the shared memory that one block can have",
                    "CUDA programming guide, compute capabilities: 227 KiB on sm_90 and sm_100, 99 KiB on sm_120",
                    WarningRules::sharedMemory));

    private WarningRules() { }

    private static void gap(EncodeCall call, Target target, Findings found) {
        int bits = DataTypeFacts.bits(call.dataType());
        if (call.interleave() != 0 || call.swizzle() < 1 || call.swizzle() > 6 || bits < 8
                || call.innerElements() < 1) {
            return;
        }
        long span = Math.min(128, 16L << call.swizzle());
        long bytes = Saturating.multiply(call.innerElements(), bits) / 8;
        if (bytes < span) {
            BoxRules.addInner(call, found, span * 8 / bits + " elements to fill the " + span + " bytes between rows",
                    "use " + span * 8 / bits + ", or "
                    + (bytes == 32 || bytes == 64 ? "swizzle " + bytes + "B" : "no swizzle")
                            + "; " + (span - bytes) + " bytes of each row stay untouched");
        }
    }

    /** The least box that covers the tensor along a dimension: rows come in whole 16 bytes. */
    private static long smallestCover(TiledCall tiled, int d) {
        long bits = DataTypeFacts.bits(tiled.dataType());
        boolean row = d == 0 && tiled.interleave() == 0 && bits >= 8;
        return row ? Saturating.roundUp(tiled.dims().get(d), 128 / bits) : tiled.dims().get(d);
    }

    /** Bytes of shared memory that a block can ask for, as far as it is known. */
    private static long blockLimit(Target target) {
        return (target.major() == 9 || target.major() == 10 ? 227 : 99) * 1024L;
    }

    private static void sharedMemory(EncodeCall call, Target target, Findings found) {
        long bits = DataTypeFacts.bits(call.dataType());
        if (bits < 8 || call.interleave() != 0) {
            return;
        }
        long row = Saturating.multiply(Math.max(0, call.innerElements()), bits) / 8;
        long pitch = call.swizzle() >= 1 && call.swizzle() <= 6 ? Math.max(row, Math.min(128, 16L << call.swizzle()))
                : row;
        long rows = switch (call) {
            case TiledCall tiled -> {
                long product = 1;
                for (int d = 1; d < Math.min(tiled.box().size(), tiled.elementStrides().size()); d++) {
                    long step = Math.max(1, tiled.elementStrides().get(d));
                    product = Saturating.multiply(product, Math.ceilDiv(Math.max(0, tiled.box().get(d)), step));
                }
                yield product;
            }
            case Im2colCall im2col -> Math.max(0, im2col.pixels());
            case Im2colWideCall wide -> wide.wideMode() == 1 ? 128 : Math.max(0, wide.pixels());
        };
        long bytes = Saturating.multiply(pitch, rows);
        if (bytes > blockLimit(target)) {
            found.add(call instanceof TiledCall ? "box" : "pixels", Violation.NO_INDEX, bytes
                    + " bytes of shared memory",
                    "at most " + blockLimit(target) + " bytes for " + target, "take a smaller box");
        }
    }
}
