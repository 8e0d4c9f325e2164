package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;

/** How much one copy moves: the box of a tiled map, and the steps inside it. */
final class BoxRules {

    /** The most that one block of such a GPU can have: what is suggested, so that a box which is allowed also fits. */
    private static final long BLOCK_BYTES = 232_448;

    static final List<Rule> RULES = List.of(
            Rule.error("box-range", RuleTargets.ALL, "each box extent is in [1, 256]",
                    "cuda.h, boxDim", (call, target, found) -> {
                        if (call instanceof TiledCall tiled) {
                            for (int d = 0; d < tiled.box().size(); d++) {
                                long box = tiled.box().get(d);
                                if (box < 1 || box > 256) {
                                    found.add("box", d, box, "in [1, 256]", box < 1 ? "take at least one element"
                                            : "use 256 and cover the rest with more copies");
                                }
                            }
                        }
                    }),
            Rule.error("inner-bytes", RuleTargets.ALL,
                    "one row of the box (box[0], or channels, times the element size) is a multiple of 16 bytes",
                    "cuda.h, boxDim; measured on an H200: im2col and interleaved maps too", BoxRules::innerBytes),
            Rule.error("box-packed", RuleTargets.FROM_10, "a row of the packed ALIGN16B types has 128 elements",
                    "cuda.h, boxDim and channelsPerPixel", (call, target, found) -> {
                        if (DataTypeFacts.isAlign16B(call.dataType()) && call.innerElements() != 128) {
                            addInner(call, found, "128 for " + DataTypeFacts.name(call.dataType()), "use 128");
                        }
                    }),
            Rule.error("element-stride-range", RuleTargets.ALL,
                    "each element stride is in [1, 8], also that of dimension 0 where it has no effect",
                    "cuda.h, elementStrides", (call, target, found) -> {
                        for (int d = 0; d < call.elementStrides().size(); d++) {
                            long step = call.elementStrides().get(d);
                            if (step < 1 || step > 8) {
                                found.add("elementStride", d, step, "in [1, 8]", step < 1
                                        ? "use 1 to take every element"
                                        : d == 0 ? "use 1" : "multiply the tensor's stride instead");
                            }
                        }
                    }),
            Rule.error("box-bytes", RuleTargets.CC_9,
                    "the box has at most 233,472 bytes: the product of box / elementStride, each rounded down, times"
                            + " the element size; for im2col pixels times channels times the element size",
                    "measured on an H200 (native-tests/recordings)", BoxRules::totalBytes));

    private BoxRules() { }

    private static void innerBytes(EncodeCall call, Target target, Findings found) {
        long bits = DataTypeFacts.bits(call.dataType());
        if (bits == 0 || DataTypeFacts.isAlign16B(call.dataType()) || hasNoInner(call)) {
            return;
        }
        long inner = call.innerElements();
        long step = 128 / bits;
        if (inner % step != 0) {
            long up = Saturating.roundUp(inner, step);
            long larger = Math.clamp(up, step, 256);
            addInner(call, found, "a multiple of " + step + " elements (16 bytes of "
                    + DataTypeFacts.name(call.dataType()) + ")",
                    "use " + larger + (larger == up && up > step ? " or " + (up - step) : ""));
        }
    }

    /** The bytes of a box as the descriptor's field at 0x40 holds them; may be "too large" rather than exact. */
    static long driverBytes(EncodeCall call) {
        long bits = DataTypeFacts.bits(call.dataType());
        long elements = switch (call) {
            case TiledCall tiled -> {
                long product = 1;
                for (int d = 0; d < Math.min(tiled.box().size(), tiled.elementStrides().size()); d++) {
                    long step = Math.max(1, tiled.elementStrides().get(d));
                    product = Saturating.multiply(product, Math.max(0, tiled.box().get(d)) / step);
                }
                yield product;
            }
            case Im2colCall im2col -> Saturating.multiply(Math.max(0, im2col.channels()), Math.max(0, im2col.pixels()));
            case Im2colWideCall wide -> Saturating.multiply(Math.max(0, wide.channels()),
                    wide.wideMode() == 1 ? 128 : Math.max(0, wide.pixels()));
        };
        return Saturating.multiply(elements, bits) / 8;
    }

    private static void totalBytes(EncodeCall call, Target target, Findings found) {
        long total = driverBytes(call);
        if (total <= Limits.BOX_BYTES) {
            return;
        }
        switch (call) {
            case TiledCall tiled -> found.add("box", Violation.NO_INDEX, total + " bytes",
                    "at most " + Limits.BOX_BYTES + " bytes", fittingBox(tiled, total));
            case Im2colCall im2col -> found.add("pixels", im2col.pixels(),
                    "such that pixels x channels x element size is at most " + Limits.BOX_BYTES + " bytes, not "
                    + total,
                    fittingPixels(im2col));
            case Im2colWideCall wide -> { }
        }
    }

    /** The outermost dimension that, made smaller alone, brings the box under the limit. */
    private static String fittingBox(TiledCall tiled, long total) {
        for (int d = Math.min(tiled.box().size(), tiled.elementStrides().size()) - 1; d >= 1; d--) {
            long step = Math.max(1, tiled.elementStrides().get(d));
            long taken = tiled.box().get(d) / step;
            if (taken > 1) {
                long fits = BLOCK_BYTES / Math.max(1, total / taken) * step;
                if (fits >= step) {
                    return "the largest box[" + d + "] that fits is " + Math.min(256, fits + step - 1);
                }
            }
        }
        return "make more than one extent smaller";
    }

    private static String fittingPixels(Im2colCall im2col) {
        long bits = DataTypeFacts.bits(im2col.dataType());
        long pixels = BLOCK_BYTES * 8 / Math.max(1, Saturating.multiply(im2col.channels(), bits));
        return pixels < 1 ? "take fewer channels" : "the most pixels that fit are " + Math.min(1024, pixels);
    }

    static boolean hasNoInner(EncodeCall call) {
        return call instanceof TiledCall tiled && tiled.box().isEmpty();
    }

    static void addInner(EncodeCall call, Findings found, String limit, String suggestion) {
        if (!hasNoInner(call)) {
            found.add(call.innerField(), call instanceof TiledCall ? 0 : Violation.NO_INDEX, call.innerElements(),
                    limit, suggestion);
        }
    }
}
