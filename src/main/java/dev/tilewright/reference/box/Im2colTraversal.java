package dev.tilewright.reference.box;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import java.util.Arrays;

/**
 * The pixels of an {@code .im2col} load, each one row, measured on an H200 and held to the recordings in
 * {@code native-tests/recordings}. Coordinates are C, W, (H, (D,)) N. A cursor starts at them, which must lie in the
 * bounding box {@code [lower, dim - 1 + upper]}; it moves by the element stride along W, returns behind the box's end
 * to {@code lower} and carries on into H, D and N. A pixel is read at cursor + offset, and is in bounds where that is.
 *
 * <p>A store or reduction ({@code .im2col_no_offs}) visits the same pixels without offsets; its coordinates and lower
 * corners must not be negative, nor its upper corners positive (PTX ISA, "cp.async.bulk.tensor"); on such maps an H200
 * agrees (Im2colGpuTest).
 *
 * <p>With interleave a pixel is one slice of 16 or 32 bytes, whatever channels the map names: coordinates are
 * W, (H, (D,)) C, N, and C counts slices (CUDA Driver API, "cuTensorMapEncodeIm2col"; PTX ISA, "Interleave layout"); on
 * random maps an H200 agrees (Im2colGpuTest).
 */
final class Im2colTraversal implements BoxTraversal {
    private static final int SPATIAL = 3;
    private static final int[] OFFSET_BITS = {16, 8, 5};
    private static final int[] NO_SHIFT = new int[SPATIAL];
    private static final String NAMES = "WHD";

    private final int spatial;
    private final int elementBytes;
    private final int pixels;
    /** The dimension that W is. */
    private final int first;
    /** The slices, where there are any. */
    private final Axis slices;
    /** W, H and D; axes that the tensor lacks have one element. */
    private final Axis[] axes = new Axis[SPATIAL];
    private final long[] lower = new long[SPATIAL];
    private final long[] last = new long[SPATIAL];
    private final int[] upper = new int[SPATIAL];
    private final Axis images;

    Im2colTraversal(Im2colTensorMap map) {
        spatial = map.rank() - 2;
        boolean interleaved = map.interleave() != Interleave.NONE;
        first = interleaved ? 0 : 1;
        slices = interleaved ? axis(map, spatial) : null;
        elementBytes = map.type().bytes();
        pixels = map.pixels();
        for (int s = 0; s < SPATIAL; s++) {
            axes[s] = Axis.NONE;
            if (s < spatial) {
                axes[s] = axis(map, first + s);
                lower[s] = map.lower().get(s);
                upper[s] = map.upper().get(s);
                last[s] = axes[s].size() - 1 + upper[s];
            }
        }
        images = axis(map, map.rank() - 1);
    }

    private static Axis axis(Im2colTensorMap map, int d) {
        return new Axis(map.dims().get(d), map.elementStrides().get(d),
                d > 0 ? map.strides().get(d - 1) : SharedRows.sliceBytes(map.interleave()));
    }

    static void requireNoInterleave(Interleave interleave) {
        if (interleave != Interleave.NONE) {
            throw new Fault(Kind.NOT_MODELLED, "wide im2col maps with interleave (here " + interleave
                    + ") are not modelled, since nothing says what they copy: use one without");
        }
    }

    @Override
    public int coordinates() {
        return spatial + 2;
    }

    @Override
    public int offsets() {
        return spatial;
    }

    @Override
    public int rows(int[] offsets) {
        return pixels;
    }

    @Override
    public void check(int[] coordinates, int[] offsets, boolean store) {
        for (int s = 0; s < spatial; s++) {
            long at = coordinates[first + s];
            if (at < lower[s] || at > last[s]) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "the im2col start " + Arrays.toString(coordinates)
                        + " lies outside the"
                        + " bounding box: coordinate " + (first + s) + " (" + NAMES.charAt(s) + ") is " + at
                        + ", the box is [" + lower[s] + ", " + last[s] + "]: the hardware faults");
            }
        }
        if (store) {
            checkStore(coordinates);
        } else {
            checkOffsets(offsets);
        }
    }

    private void checkOffsets(int[] offsets) {
        int bits = OFFSET_BITS[spatial - 1];
        for (int s = 0; s < spatial; s++) {
            if (offsets[s] < 0 || offsets[s] >= 1 << bits) {
                throw new Fault(Kind.OUT_OF_BOUNDS, "im2col offset " + s + " (" + NAMES.charAt(s) + ") is " + offsets[s]
                        + " and must be in [0, " + ((1 << bits) - 1) + "] for a tensor of rank " + coordinates());
            }
        }
    }

    private void checkStore(int[] coordinates) {
        BoxTraversal.requireStoreStart(coordinates, "an im2col_no_offs store", "");
        for (int s = 0; s < spatial; s++) {
            if (lower[s] < 0 || upper[s] > 0) {
                throw new Fault(Kind.TENSOR_MAP, "an im2col_no_offs store takes a map whose bounding box lies in the "
                        + "tensor: along " + NAMES.charAt(s) + " the lower corner is " + lower[s]
                        + ", which must not be negative, and the upper " + upper[s] + ", which must not be positive");
            }
        }
    }

    @Override
    public void walk(int[] coordinates, int[] offsets, RowSink to) {
        int[] shift = offsets.length > 0 ? offsets : NO_SHIFT;
        long w = coordinates[first];
        long h = spatial > 1 ? coordinates[first + 1] : 0;
        long d = spatial > 2 ? coordinates[first + 2] : 0;
        long n = coordinates[spatial + 1];
        if (slices != null && !slices.holds(coordinates[spatial])) {
            to.outside(0, pixels);
            return;
        }
        long channel = slices != null ? slices.offset(0, coordinates[spatial]) : (long) coordinates[0] * elementBytes;
        int row = 0;
        while (row < pixels) {
            int run = (int) Math.min((last[0] - w) / axes[0].step() + 1, pixels - row);
            long hAt = spatial > 1 ? h + shift[1] : 0;
            long dAt = spatial > 2 ? d + shift[2] : 0;
            if (axes[1].holds(hAt) && axes[2].holds(dAt) && images.holds(n)) {
                long base = axes[1].offset(axes[2].offset(images.offset(channel, n), dAt), hAt);
                axes[0].run(base, w + shift[0], row, run, to);
            } else {
                to.outside(row, run);
            }
            row += run;
            w = lower[0];
            h += axes[1].step();
            if (h > last[1]) {
                h = lower[1];
                d += axes[2].step();
                if (d > last[2]) {
                    d = lower[2];
                    n += images.step();
                }
            }
        }
    }
}
