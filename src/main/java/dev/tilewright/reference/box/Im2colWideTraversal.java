package dev.tilewright.reference.box;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Im2colWideMode;
import dev.tilewright.tensormap.Im2colWideTensorMap;

/**
 * The pixels of an {@code .im2col::w} or {@code .im2col::w::128} load (compute capability 10.0), each one row. By the
 * documents (PTX ISA, "im2col::w and im2col::w::128 modes"), not seen on hardware.
 *
 * <p>H and D stay as the coordinates say. The cursor moves along W by the element stride; behind the bounding box's end
 * it returns to its start and goes on in the next N. Its start may lie before the box, not behind it. A load takes two
 * more operands: {@code wHalo}, pixels that are loaded in addition, and {@code wOffset}, which is added to the box's
 * two corners and to the start. In mode W the halo follows the last pixel. In mode W128, always of 128 pixels, the halo
 * of each 32 pixels lies beside them in shared memory, and the next 32 go on from where they ended without it.
 *
 * <p>Where the halo of W128 lies is the documents' word ("next to the main row pixels"); other models put all four
 * behind the 128 pixels.
 */
final class Im2colWideTraversal implements BoxTraversal {
    private static final int GROUP = 32;
    private static final int GROUPS = 4;
    private static final int OFFSET_END = 32;

    private final int rank;
    private final int elementBytes;
    private final boolean groups;
    private final int pixels;
    private final Axis width;
    private final Axis[] kept;
    private final Axis images;
    private final long lower;
    private final long last;

    /** @throws Fault if the map is interleaved */
    Im2colWideTraversal(Im2colWideTensorMap map) {
        Im2colTraversal.requireNoInterleave(map.interleave());
        rank = map.rank();
        elementBytes = map.type().bytes();
        groups = map.wideMode() == Im2colWideMode.W128;
        pixels = map.boxRows();
        width = axis(map, 1);
        images = axis(map, rank - 1);
        kept = new Axis[rank - 3];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = axis(map, i + 2);
        }
        lower = map.lowerWidth();
        last = width.size() - 1 + map.upperWidth();
    }

    private static Axis axis(Im2colWideTensorMap map, int d) {
        return new Axis(map.dims().get(d), map.elementStrides().get(d), map.strides().get(d - 1));
    }

    @Override
    public int coordinates() {
        return rank;
    }

    @Override
    public int offsets() {
        return 2;
    }

    @Override
    public int rows(int[] offsets) {
        return pixels + (groups ? GROUPS : 1) * offsets[0];
    }

    @Override
    public void check(int[] coordinates, int[] offsets, boolean store) {
        if (store) {
            throw new Fault(Kind.TENSOR_MAP, "a wide im2col map is only loaded through: store through a tiled or an "
                    + "im2col map");
        }
        require("wHalo", offsets[0], groups ? GROUP : 512);
        require("wOffset", offsets[1], OFFSET_END);
        if (coordinates[1] > last || lower > last) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "coordinate 1 (W) is " + coordinates[1]
                    + ", behind the end of the bounding box [" + lower + ", " + last + "]: start inside or before it");
        }
    }

    private static void require(String name, int value, int end) {
        if (value < 0 || value >= end) {
            throw new Fault(Kind.OUT_OF_BOUNDS, name + " is " + value + " and must be in [0, " + (end - 1) + "]");
        }
    }

    @Override
    public void walk(int[] coordinates, int[] offsets, RowSink to) {
        int halo = offsets[0];
        if (!groups) {
            pixels(0, pixels + halo, 0, coordinates, offsets[1], to);
            return;
        }
        for (int g = 0; g < GROUPS; g++) {
            pixels(g * GROUP, GROUP + halo, g * (GROUP + halo), coordinates, offsets[1], to);
        }
    }

    /** Hands on pixels by their number in the walk. @param row where the first of them goes */
    private void pixels(int first, int count, int row, int[] coordinates, int offset, RowSink to) {
        long firstLine = (last - coordinates[1]) / width.step() + 1;
        long line = (last - lower) / width.step() + 1;
        for (int done = 0; done < count; ) {
            long pixel = first + done;
            long w = coordinates[1] + pixel * width.step();
            long n = coordinates[rank - 1];
            long left = firstLine - pixel;
            if (left <= 0) {
                long beyond = -left;
                w = lower + beyond % line * width.step();
                n += (beyond / line + 1) * images.step();
                left = line - beyond % line;
            }
            int run = (int) Math.min(left, count - done);
            line(w + offset, n, row + done, run, coordinates, to);
            done += run;
        }
    }

    private void line(long w, long n, int row, int rows, int[] coordinates, RowSink to) {
        if (!images.holds(n)) {
            to.outside(row, rows);
            return;
        }
        long base = images.offset((long) coordinates[0] * elementBytes, n);
        for (int i = 0; i < kept.length; i++) {
            long at = coordinates[i + 2];
            if (!kept[i].holds(at)) {
                to.outside(row, rows);
                return;
            }
            base = kept[i].offset(base, at);
        }
        width.run(base, w, row, rows, to);
    }
}
