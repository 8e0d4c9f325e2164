package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideMode;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A small map of any mode, the operands of a copy through it, and where the box lies in shared memory. */
record RandomCopy(TensorMap map, TensorBox box, TensorBoxOracle oracle, int[] coordinates, int[] offsets, int address) {

    /** Any mode that can be loaded. */
    static RandomCopy any(Random random) {
        return new Maker(random, false, TensorDataType.values()).any(random.nextInt(6));
    }

    /** Any mode that can be stored through, started where a store may start. */
    static RandomCopy store(Random random, TensorDataType... types) {
        Maker maker = new Maker(random, true, types);
        return random.nextInt(4) == 0 ? maker.im2col() : maker.any(random.nextInt(4));
    }

    /** Bytes of memory that hold the tensor, up to where stores write. */
    int tensorBytes() {
        int unit = map.interleave() == Interleave.NONE ? map.type().bytes() : 16 * map.interleave().ordinal();
        long first = map.dims().getFirst() * unit;
        long bytes = (first + 15) / 16 * 16;
        for (int d = 1; d < map.rank(); d++) {
            bytes += (map.dims().get(d) - 1) * map.strides().get(d - 1);
        }
        return (int) bytes;
    }

    @Override
    public String toString() {
        return map + " at " + Arrays.toString(coordinates) + " offsets " + Arrays.toString(offsets)
                + ", shared address " + address;
    }

    /** Ranks, boxes inside, across and outside the tensor's edges, rows shorter than the swizzle span, steps. */
    private static final class Maker {
        private final Random random;
        private final TensorDataType type;
        private final Swizzle swizzle;
        private final OobFill fill;
        private final int address;
        private final boolean store;
        private final List<Long> dims = new ArrayList<>();
        private final List<Long> strides = new ArrayList<>();
        private final List<Integer> steps = new ArrayList<>();

        Maker(Random random, boolean store, TensorDataType... types) {
            this.random = random;
            this.store = store;
            type = types[random.nextInt(types.length)];
            swizzle = Swizzle.values()[random.nextInt(Swizzle.values().length)];
            fill = type.isFloat() && random.nextBoolean() ? OobFill.NAN : OobFill.ZERO;
            address = 128 * random.nextInt(10);
        }

        RandomCopy any(int mode) {
            return switch (mode) {
                case 0, 1 -> tile();
                case 2 -> interleaved();
                case 3 -> gather4();
                case 4 -> im2col();
                default -> wide();
            };
        }

        private int below(int bound) {
            return random.nextInt(bound);
        }

        /** Elements of 16 bytes. */
        private int chunk() {
            return 16 / type.bytes();
        }

        /** A row's elements: whole chunks, no more than fit the swizzle. */
        private int rowElements() {
            int longest = Math.min(swizzle == Swizzle.NONE ? 20 * chunk() : swizzle.span() / type.bytes(), 256);
            return chunk() * (1 + below(longest / chunk()));
        }

        /** Dimensions with gaps between rows now and then, none of them long. */
        private void tensor(int rank, int unit, int align) {
            long stride = 0;
            for (int d = 0; d < rank; d++) {
                dims.add(1L + below(d == 0 ? 40 : 6));
                steps.add(random.nextBoolean() ? 1 : 1 + below(4));
                stride = d == 0 ? Math.ceilDiv(dims.get(0) * unit, (long) align) * align : stride * dims.get(d);
                stride += (long) align * below(3);
                if (d < rank - 1) {
                    strides.add(stride);
                }
            }
        }

        private int[] around(List<Integer> box) {
            int[] at = new int[box.size()];
            for (int d = 0; d < at.length; d++) {
                int before = store ? 0 : box.get(d);
                at[d] = below((int) (dims.get(d) + before) + 2) - before;
            }
            return at;
        }

        private RandomCopy tile() {
            int rank = 1 + below(5);
            tensor(rank, type.bytes(), 16);
            List<Integer> box = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                box.add(d == 0 ? rowElements() : 1 + below(rank > 3 ? 4 : 12));
            }
            int[] at = around(box);
            at[0] = Math.floorDiv(at[0], chunk()) * chunk();
            TiledTensorMap map = tiled(box, Interleave.NONE);
            return copy(map, TensorBox.tile(map), TensorBoxOracle.tile(map, at), at);
        }

        private RandomCopy interleaved() {
            int rank = 3 + below(3);
            Interleave interleave = random.nextBoolean() ? Interleave.B16 : Interleave.B32;
            int slice = 16 * interleave.ordinal();
            tensor(rank, slice, slice);
            List<Integer> box = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                box.add(1 + below(d == 0 ? 20 : 5));
            }
            int[] at = around(box);
            TiledTensorMap map = tiled(box, interleave);
            return copy(map, TensorBox.tile(map), TensorBoxOracle.tile(map, at), at);
        }

        private RandomCopy gather4() {
            tensor(2, type.bytes(), 16);
            List<Integer> box = List.of(rowElements(), 1);
            int[] at = new int[5];
            at[0] = Math.floorDiv(around(box)[0], chunk()) * chunk();
            // A scatter to one row twice has no order: four rows that differ.
            int first = below(3) - 2;
            for (int i = 1; i < 5; i++) {
                at[i] = first + (i * 3 + at[0] & 3) * 2;
            }
            TiledTensorMap map = tiled(box, Interleave.NONE);
            return copy(map, TensorBox.gather4(map), TensorBoxOracle.gather4(map, at), at);
        }

        RandomCopy im2col() {
            int rank = 3 + below(3);
            Interleave interleave = List.of(Interleave.NONE, Interleave.NONE, Interleave.B16, Interleave.B32)
                    .get(below(4));
            int slice = 16 * interleave.ordinal();
            tensor(rank, slice > 0 ? slice : type.bytes(), slice > 0 ? slice : 16);
            int channels = rowElements();
            int[] at = new int[rank];
            int[] offsets = new int[rank - 2];
            List<Integer> lower = new ArrayList<>();
            List<Integer> upper = new ArrayList<>();
            int width = slice > 0 ? 0 : 1;
            at[slice > 0 ? rank - 2 : 0] = (slice > 0 ? 1 : chunk()) * (store ? below(3) : below(8) - 4);
            for (int s = 0; s < rank - 2; s++) {
                int dim = dims.get(s + width).intValue();
                int low = store ? below(dim) : below(dim + 4) - 4;
                int high = store ? low + below(dim - low) : low + below(dim + 4);
                lower.add(low);
                upper.add(high - dim + 1);
                at[s + width] = low + below(high - low + 1);
                offsets[s] = below(4);
            }
            at[rank - 1] = store ? below(3) : below(8) - 2;
            Im2colTensorMap map = new Im2colTensorMap(type, dims, strides, lower, upper, channels, 1 + below(60), steps,
                    interleave, swizzle, L2Promotion.NONE, fill);
            int[] used = store ? new int[rank - 2] : offsets;
            return new RandomCopy(map, TensorBox.im2col(map), TensorBoxOracle.im2col(map, at, used), at, used, address);
        }

        private RandomCopy wide() {
            int rank = 3 + below(3);
            tensor(rank, type.bytes(), 16);
            int channels = rowElements();
            int[] at = around(steps);
            at[0] = chunk() * (below(8) - 4);
            int width = dims.get(1).intValue();
            int low = below(width + 4) - 4;
            int high = low + below(width + 4);
            at[1] = high - below(high - low + 5);
            Im2colWideMode mode = Im2colWideMode.values()[below(2)];
            int halo = below(5);
            int offset = below(4);
            Im2colWideTensorMap map = new Im2colWideTensorMap(type, dims, strides, low, high - width + 1, channels,
                    1 + below(60), steps, Interleave.NONE, mode, swizzle, L2Promotion.NONE, fill);
            return new RandomCopy(map, TensorBox.im2colWide(map), TensorBoxOracle.im2colWide(map, at, halo, offset), at,
                    new int[] {halo, offset}, address);
        }

        private TiledTensorMap tiled(List<Integer> box, Interleave interleave) {
            return new TiledTensorMap(type, dims, strides, box, steps, interleave, swizzle, L2Promotion.NONE, fill);
        }

        private RandomCopy copy(TensorMap map, TensorBox box, TensorBoxOracle oracle, int[] at) {
            return new RandomCopy(map, box, oracle, at, new int[0], address);
        }
    }
}
