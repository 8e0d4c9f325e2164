package dev.tilewright.tensormap.rules;

import dev.tilewright.layout.Saturating;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.Im2colWideCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.List;

/** The bounding box, the channels and the pixels of im2col maps. */
final class Im2colRules {

    static final List<Rule> RULES = List.of(
            Rule.error("corner-range", RuleTargets.ALL,
                    "each corner fits 16 bits with 3 dimensions, 8 bits with 4, 5 bits with 5; 16 bits in wide maps",
                    "cuda.h, pixelBoxLowerCorner and pixelBoxUpperCorner", Im2colRules::corners),
            Rule.error("bounding-box", RuleTargets.ALL,
                    "the bounding box holds at least one pixel: dim + upper > lower, the left side taken in signed 32 "
                    + "bits", "cuda.h, pixelBoxUpperCorner; measured on an H200: the sum wraps, and with interleave "
                    + "the spatial dimensions are counted from dimension 0", Im2colRules::boundingBox),
            Rule.error("channels-range", RuleTargets.ALL, "a pixel has 1 to 256 channels",
                    "cuda.h, channelsPerPixel; 0 is refused by an H200's driver", (call, target, found) -> {
                        if (!(call instanceof TiledCall) && (call.innerElements() < 1 || call.innerElements() > 256)) {
                            found.add("channels", call.innerElements(), "in [1, 256]",
                                    call.innerElements() < 1 ? "take at least one" : "use 256 and more copies");
                        }
                    }),
            Rule.error("pixels-range", RuleTargets.ALL, "a copy visits 1 to 1024 pixels",
                    "cuda.h, pixelsPerColumn; 0 is refused by an H200's driver", (call, target, found) -> {
                        long pixels = switch (call) {
                            case TiledCall tiled -> 1;
                            case Im2colCall im2col -> im2col.pixels();
                            case Im2colWideCall wide -> wide.wideMode() == 1 ? 1 : wide.pixels();
                        };
                        if (pixels < 1 || pixels > 1024) {
                            found.add("pixels", pixels, "in [1, 1024]",
                                    pixels < 1 ? "take at least one" : "use 1024 and more copies");
                        }
                    }));

    private Im2colRules() { }

    private static void corners(EncodeCall call, Target target, Findings found) {
        switch (call) {
            case TiledCall tiled -> { }
            case Im2colCall im2col -> {
                int end = Limits.cornerEnd(im2col.rank());
                if (end > 0) {
                    for (int i = 0; i < im2col.lower().size(); i++) {
                        corner(found, "lower", i, im2col.lower().get(i), end);
                    }
                    for (int i = 0; i < im2col.upper().size(); i++) {
                        corner(found, "upper", i, im2col.upper().get(i), end);
                    }
                }
            }
            case Im2colWideCall wide -> {
                corner(found, "lower", Violation.NO_INDEX, wide.lowerWidth(), 1 << 15);
                corner(found, "upper", Violation.NO_INDEX, wide.upperWidth(), 1 << 15);
            }
        }
    }

    private static void corner(Findings found, String field, int index, long value, int end) {
        if (value < -end || value >= end) {
            found.add(field, index, value, "in [" + -end + ", " + (end - 1) + "]", end == 1 << 15
                    ? "crop or pad the tensor instead" : "use fewer spatial dimensions, or crop or pad the tensor");
        }
    }

    private static void boundingBox(EncodeCall call, Target target, Findings found) {
        switch (call) {
            case TiledCall tiled -> { }
            case Im2colCall im2col -> {
                int first = im2col.interleave() == 0 ? 1 : 0;
                int corners = Math.min(im2col.lower().size(), im2col.upper().size());
                for (int i = 0; i < corners && i + first < im2col.rank(); i++) {
                    box(found, i, i + first, im2col.dims().get(i + first), im2col.lower().get(i),
                            im2col.upper().get(i));
                }
            }
            case Im2colWideCall wide -> {
                if (wide.rank() > 1) {
                    box(found, Violation.NO_INDEX, 1, wide.dims().get(1), wide.lowerWidth(), wide.upperWidth());
                }
            }
        }
    }

    private static void box(Findings found, int index, int d, long dim, long lower, long upper) {
        if (Limits.isEmpty(dim, lower, upper)) {
            long end = Saturating.add(dim, upper);
            found.add("lower", index, lower, "below dim[" + d + "] + upper = " + dim + " + " + upper, end > lower
                    ? "the driver adds these in signed 32 bits: keep dim[" + d + "] below 2^31"
                    : "use at most " + Saturating.add(end, -1) + ", or a larger upper corner");
        }
    }
}
