package dev.tilewright.tensormap;

import dev.tilewright.Counted;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a description for people: a line for each thing that one has to know to use the map. */
final class TensorMapText {

    private final TensorMap map;
    private final StringBuilder text = new StringBuilder();

    private TensorMapText(TensorMap map) {
        this.map = map;
    }

    static String of(TensorMap map) {
        return new TensorMapText(map).print();
    }

    private String print() {
        EncodeCall call = map.at(TensorMap.SOME_ADDRESS);
        line("kind", call.mode() + ", " + Counted.of(map.rank(), "dimension")
                + ", lists below start with the innermost");
        line("type", map.type() + ", " + Counted.of(map.type().bytes(), "byte")
                + (map.type().roundsToTf32() ? "; loads round to TF32 (10 mantissa bits)" : ""));
        line("shape", times(map.dims()));
        line("strides", map.strides().isEmpty() ? "none beside the elements' own"
                : map.strides().stream().map(String::valueOf).collect(Collectors.joining(", ")) + " bytes");
        switch (map) {
            case TiledTensorMap tiled -> line("box", times(tiled.box()));
            case Im2colTensorMap im2col -> im2col(im2col);
            case Im2colWideTensorMap wide -> wide(wide);
        }
        if (map.elementStrides().stream().anyMatch(s -> s != 1)) {
            line("element strides", times(map.elementStrides()));
        }
        line("modes", "swizzle " + map.swizzle() + ", interleave " + bytesName(map.interleave()) + ", L2 promotion "
                + bytesName(map.l2Promotion()) + ", out of bounds " + (map.fill() == OobFill.NAN ? "NaN" : "zeros"));
        Target target = map instanceof Im2colWideTensorMap ? Target.SM_100 : Target.SM_90;
        Validation validation = map.validate(target);
        if (validation.ok()) {
            footprint();
            if (map instanceof TiledTensorMap tiled) {
                edges(tiled);
            }
        }
        validation.errors().forEach(e -> line("error", e.message()));
        validation.warnings().forEach(w -> line("warning", w.message()));
        return text.toString();
    }

    private void footprint() {
        BoxFootprint box;
        try {
            box = BoxFootprint.of(map);
        } catch (ArithmeticException e) {
            line("bytes per box", "more than 2 GiB, which no shared memory holds; the driver counts box / elementStride"
                    + " rounded down, and accepts it");
            return;
        }
        line("bytes per box", box.transactionBytes() + " (" + Counted.of(box.rows(), "row") + " of " + box.rowBytes()
                + ")");
        line("expect_tx", box.transactionBytes() + ", also where the box is out of bounds");
        line("shared memory", Counted.of(box.sharedBytes(), "byte") + (box.gapBytes() == 0 ? ", no gaps"
                : ", of which " + box.gapBytes() + " in gaps: rows start " + box.rowPitch() + " apart"));
        line("alignment", "shared base a multiple of " + box.alignment() + "; " + (map.interleave() == Interleave.NONE
                ? "first coordinate a multiple of " + Math.max(1, 16 / map.type().bytes()) : "global slices of "
                + (map.interleave() == Interleave.B16 ? 16 : 32) + " bytes"));
    }

    private void edges(TiledTensorMap tiled) {
        List<EdgeReport> reports = EdgeReport.of(tiled);
        line("boxes to cover", reports.stream().map(r -> Long.toString(r.boxes())).collect(Collectors.joining(" x ")));
        String partial = reports.stream().filter(EdgeReport::isPartial)
                .map(r -> "dim[" + r.dimension() + "]: the last box has " + r.lastInBounds() + " of "
                        + r.elementsMoved())
                .collect(Collectors.joining("; "));
        line("out of bounds", partial.isEmpty() ? "never, the boxes fit" : partial);
    }

    private void im2col(Im2colTensorMap im2col) {
        int first = im2col.interleave() == Interleave.NONE ? 1 : 0;
        StringBuilder box = new StringBuilder();
        for (int s = 0; s < im2col.lower().size(); s++) {
            long end = im2col.dims().get(s + first) - 1 + im2col.upper().get(s);
            box.append(s == 0 ? "" : " x ").append('[').append(im2col.lower().get(s)).append(", ").append(end)
                    .append(']');
        }
        line("bounding box", box.toString());
        line("one copy", im2col.pixels() + " pixels of " + im2col.channels() + " channels");
    }

    private void wide(Im2colWideTensorMap wide) {
        line("bounding box", "[" + wide.lowerWidth() + ", " + (wide.dims().get(1) - 1 + wide.upperWidth())
                + "] along W");
        line("one copy", wide.boxRows() + " pixels of " + wide.channels() + " channels, mode " + wide.wideMode());
    }

    private static String times(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(" x "));
    }

    /** {@code B128} as users write it: {@code 128B}. */
    private static String bytesName(Enum<?> value) {
        return value.name().equals("NONE") ? "none" : value.name().substring(1) + "B";
    }

    private void line(String label, String value) {
        text.append(String.format(Locale.ROOT, "%-16s %s\n", label, value));
    }
}
