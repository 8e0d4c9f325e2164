package dev.tilewright.tile.run;

import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Span;
import java.util.Arrays;
import java.util.List;

/**
 * Where the elements of a tile lie in a tensor: along each axis of the tile, in elements from the tensor's first, or
 * {@link #OUTSIDE}.
 */
final class Places {
    /** Of an element that is not in the tensor. So low that no sum with places of other axes is one. */
    static final long OUTSIDE = Long.MIN_VALUE / 8;

    /** Along one axis of the tile. */
    private interface Line {
        int length();

        /** Of an element along it. */
        long at(int i);

        /** The first element behind {@code begin} that does not follow the one before it. */
        int end(int begin);
    }

    /** Places that are worked out one by one. */
    private record Listed(long[] places) implements Line {
        @Override
        public int length() {
            return places.length;
        }

        @Override
        public long at(int i) {
            return places[i];
        }

        @Override
        public int end(int begin) {
            int end = begin + 1;
            while (end < places.length && (places[end - 1] < 0 ? places[end] < 0
                    : places[end] == places[end - 1] + 1)) {
                end++;
            }
            return end;
        }
    }

    /**
     * Places that are evenly spaced, those from {@code first} to just below {@code last} in the tensor.
     *
     * @param start of element 0, wherever that is
     */
    private record Even(int length, int first, int last, long start, long apart) implements Line {
        @Override
        public long at(int i) {
            return i < first || i >= last ? OUTSIDE : start + i * apart;
        }

        @Override
        public int end(int begin) {
            return begin < first ? Math.min(first, length) : begin >= last ? length : apart == 1 ? last : begin + 1;
        }
    }

    private final Line[] axes;

    private Places(Line[] axes) {
        this.axes = axes;
    }

    /** @param rows the numbers of an axis' rows */
    static Places of(TensorMemory memory, List<Axis> axes, Numbers numbers,
            java.util.function.Function<Axis.Rows, Elements> rows) {
        Line[] places = new Line[axes.size()];
        int dimension = 0;
        for (int i = 0; i < places.length; i++) {
            Axis axis = axes.get(i);
            places[i] = switch (axis) {
                case Span span -> span(memory, dimension, span, numbers);
                case Axis.Rows r -> new Listed(rows(memory, dimension, rows.apply(r)));
                case Axis.Patches patches -> new Listed(patches(memory, patches, numbers));
            };
            dimension += axis.covers();
        }
        return new Places(places);
    }

    private static Line span(TensorMemory memory, int dimension, Span span, Numbers numbers) {
        int length = Math.toIntExact(numbers.of(span.length().value()));
        long start = numbers.of(span.start());
        long stride = memory.strides().get(dimension);
        long extent = memory.extents().get(dimension);
        if (span.clamped() && extent > 0) {
            long[] places = new long[length];
            Arrays.setAll(places, i -> Math.clamp(start + (long) i * span.step(), 0, extent - 1) * stride);
            return new Listed(places);
        }
        long first = Math.clamp(Math.ceilDiv(-start, (long) span.step()), 0, length);
        long behind = Math.ceilDiv(extent - start, (long) span.step());
        long last = Math.clamp(behind, first, length);
        return new Even(length, (int) first, (int) last, start * stride, span.step() * stride);
    }

    private static long[] rows(TensorMemory memory, int dimension, Elements rows) {
        long[] places = new long[rows.count()];
        for (int i = 0; i < places.length; i++) {
            places[i] = place(memory, dimension, rows.word(i));
        }
        return places;
    }

    private static long place(TensorMemory memory, int dimension, long coordinate) {
        return coordinate < 0 || coordinate >= memory.extents().get(dimension) ? OUTSIDE
                : coordinate * memory.strides().get(dimension);
    }

    private static long[] patches(TensorMemory memory, Axis.Patches patches, Numbers numbers) {
        Convolution c = patches.convolution();
        int rank = c.filter().size();
        long[] outputs = new long[rank];
        long[] offsets = new long[rank];
        for (int d = 0; d < rank; d++) {
            outputs[d] = c.outputs(d, memory.extents().get(d + 1));
            offsets[d] = numbers.of(patches.filter().get(d)) * c.dilation().get(d) - c.padding().get(d);
        }
        long[] places = new long[Math.toIntExact(numbers.of(patches.pixels().length().value()))];
        long start = numbers.of(patches.pixels().start());
        boolean none = Arrays.stream(outputs).anyMatch(n -> n == 0);
        for (int i = 0; i < places.length; i++) {
            long pixel = start + (long) i * patches.pixels().step();
            long place = none || pixel < 0 ? OUTSIDE : 0;
            for (int d = rank - 1; d >= 0 && place >= 0; d--) {
                long at = place(memory, d + 1, pixel % outputs[d] * c.stride().get(d) + offsets[d]);
                place = at < 0 ? OUTSIDE : place + at;
                pixel /= outputs[d];
            }
            long image = place < 0 ? OUTSIDE : place(memory, 0, pixel);
            places[i] = image < 0 ? OUTSIDE : place + image;
        }
        return places;
    }

    /** What goes over runs of elements that follow each other in the tensor, or are all outside. */
    interface Visitor {
        /**
         * Takes a run.
         *
         * @param place of its first element, or one below 0
         * @param first that element's number in the tile, row-major
         * @param n how many
         */
        void run(long place, int first, int n);
    }

    void forEachRun(Visitor visitor) {
        Line last = axes[axes.length - 1];
        int length = last.length();
        int[] at = new int[axes.length - 1];
        int rows = 1;
        for (int i = 0; i < at.length; i++) {
            rows *= axes[i].length();
        }
        for (int row = 0; row < rows; row++) {
            long base = 0;
            for (int i = 0; i < at.length; i++) {
                long place = axes[i].at(at[i]);
                base = base < 0 || place < 0 ? OUTSIDE : base + place;
            }
            int element = row * length;
            if (base < 0) {
                visitor.run(OUTSIDE, element, length);
            } else {
                int end;
                for (int begin = 0; begin < length; begin = end) {
                    end = last.end(begin);
                    long place = last.at(begin);
                    visitor.run(place < 0 ? OUTSIDE : base + place, element + begin, end - begin);
                }
            }
            for (int i = at.length - 1; i >= 0 && ++at[i] == axes[i].length(); i--) {
                at[i] = 0;
            }
        }
    }
}
