package dev.tilewright.verify.draw;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A small tensor map, and the operands of a copy through it: ranks, types, swizzles, interleaved channels, steps, gaps
 * between rows, rows shorter than the swizzle's span, boxes inside, across and outside the tensor's edges.
 *
 * @param coordinates innermost first @param offsets of im2col loads, one for each spatial dimension
 */
record DrawnBox(TensorMap map, int[] coordinates, int[] offsets) {
    private static final int TENSOR_BYTES = 24 * 1024;
    private static final int BOX_BYTES = 12 * 1024;
    private static final int TRIES = 100;

    /** What is done with the box. */
    enum Use { LOAD, STORE, REDUCE }

    TensorBox box() {
        return TensorBox.of(map);
    }

    /** Bytes of memory that hold the tensor, up to where stores write. */
    int tensorBytes() {
        int unit = map.interleave() == Interleave.NONE ? map.type().bytes() : 16 * map.interleave().ordinal();
        long bytes = Math.ceilDiv(map.dims().getFirst() * unit, 16L) * 16;
        for (int d = 1; d < map.rank(); d++) {
            bytes += (map.dims().get(d) - 1) * map.strides().get(d - 1);
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    /**
     * The first of some that is valid and small.
     *
     * @param im2col whether the map is of pixels @param op what a reduction does
     * @throws Redraw if none is
     */
    static DrawnBox draw(DrawnChoices choices, int rank, boolean im2col, Use use, Optional<AtomicOp> op) {
        for (int i = 0; i < TRIES; i++) {
            Maker maker = new Maker(choices, rank, use);
            DrawnBox drawn = im2col ? maker.pixels() : maker.tiles();
            if (drawn.isUsable(op)) {
                return drawn;
            }
        }
        throw new Redraw("no map of a small tensor");
    }

    private boolean isUsable(Optional<AtomicOp> op) {
        try {
            if (!map.validate(Target.SM_90).ok() || tensorBytes() > TENSOR_BYTES) {
                return false;
            }
            TensorBox box = box();
            op.ifPresent(box::reduction);
            return box.sharedBytes(offsets) <= BOX_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static final class Maker {
        private final DrawnChoices choices;
        private final int rank;
        private final Use use;
        private final TensorDataType type;
        private final Swizzle swizzle;
        private final OobFill fill;
        private final L2Promotion promotion;
        private final List<Long> dims = new ArrayList<>();
        private final List<Long> strides = new ArrayList<>();
        private final List<Integer> steps = new ArrayList<>();

        Maker(DrawnChoices choices, int rank, Use use) {
            this.choices = choices;
            this.rank = rank;
            this.use = use;
            type = choices.one(List.of(TensorDataType.UINT32, TensorDataType.FLOAT32, TensorDataType.FLOAT16,
                    TensorDataType.BFLOAT16, TensorDataType.UINT8, TensorDataType.UINT16, TensorDataType.INT32,
                    TensorDataType.UINT64, TensorDataType.INT64, TensorDataType.FLOAT64, TensorDataType.FLOAT32_FTZ,
                    TensorDataType.TFLOAT32, TensorDataType.TFLOAT32_FTZ));
            swizzle = choices.one(List.of(Swizzle.NONE, Swizzle.B32, Swizzle.B64, Swizzle.B128));
            fill = choices.flag() && type.isFloat() ? OobFill.NAN : OobFill.ZERO;
            promotion = choices.of(L2Promotion.values());
        }

        private int chunk() {
            return 16 / type.bytes();
        }

        /** A row's elements: whole chunks, no more than fit the swizzle. */
        private int rowElements() {
            int longest = Math.min(swizzle == Swizzle.NONE ? 12 * chunk() : swizzle.span() / type.bytes(), 256);
            return chunk() * (1 + choices.below(longest / chunk()));
        }

        private void tensor(int unit, int align) {
            long stride = 0;
            for (int d = 0; d < rank; d++) {
                dims.add(1L + choices.below(d == 0 ? 40 : 6));
                steps.add(choices.oneIn(3) ? 1 + choices.below(4) : 1);
                stride = d == 0 ? Math.ceilDiv(dims.getFirst() * unit, (long) align) * align : stride * dims.get(d);
                stride += (long) align * (choices.oneIn(3) ? choices.below(3) : 0);
                if (d < rank - 1) {
                    strides.add(stride);
                }
            }
        }

        /** Channels of pixels, or slices of 16 or 32 bytes of them. */
        private Interleave interleave() {
            return rank < 3 || !choices.oneIn(4) ? Interleave.NONE : choices.flag() ? Interleave.B32 : Interleave.B16;
        }

        private static int slice(Interleave interleave) {
            return 16 * interleave.ordinal();
        }

        private int[] around(List<Integer> box) {
            int[] at = new int[rank];
            for (int d = 0; d < rank; d++) {
                // A store that starts before the tensor is an illegal instruction (seen on an H200).
                int before = use == Use.LOAD ? box.get(d) : 0;
                at[d] = choices.oneIn(2) ? choices.below((int) dims.get(d).longValue() + before + 2) - before : 0;
            }
            return at;
        }

        DrawnBox tiles() {
            Interleave interleave = interleave();
            int slice = slice(interleave);
            tensor(slice > 0 ? slice : type.bytes(), Math.max(16, slice));
            List<Integer> box = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                box.add(d == 0 && slice == 0 ? rowElements() : 1 + choices.below(rank > 3 ? 4 : 8));
            }
            int[] at = around(box);
            if (slice == 0) {
                at[0] = Math.floorDiv(at[0], chunk()) * chunk();
            }
            return new DrawnBox(new TiledTensorMap(type, dims, strides, box, steps, interleave, swizzle, promotion,
                    fill), at, new int[0]);
        }

        DrawnBox pixels() {
            boolean stores = use != Use.LOAD;
            Interleave interleave = interleave();
            int slice = slice(interleave);
            tensor(slice > 0 ? slice : type.bytes(), Math.max(16, slice));
            int channels = slice > 0 ? slice / type.bytes() : rowElements();
            int[] at = new int[rank];
            int[] offsets = new int[rank - 2];
            List<Integer> lower = new ArrayList<>();
            List<Integer> upper = new ArrayList<>();
            // With slices of channels, W comes first and the slices last but one.
            int width = slice > 0 ? 0 : 1;
            at[slice > 0 ? rank - 2 : 0] = (slice > 0 ? 1 : chunk())
                    * (stores ? choices.below(3) : choices.oneIn(2) ? choices.below(8) - 4 : 0);
            for (int s = 0; s < rank - 2; s++) {
                int extent = dims.get(s + width).intValue();
                int low = stores ? choices.below(extent) : choices.oneIn(2) ? choices.below(extent + 4) - 4 : 0;
                int high = stores ? low + choices.below(extent - low) : low + choices.below(extent + 4);
                lower.add(low);
                upper.add(high - extent + 1);
                at[s + width] = low + choices.below(high - low + 1);
                offsets[s] = choices.oneIn(2) ? choices.below(4) : 0;
            }
            at[rank - 1] = stores ? choices.below(3) : choices.oneIn(2) ? choices.below(8) - 2 : 0;
            return new DrawnBox(new Im2colTensorMap(type, dims, strides, lower, upper, channels, 1 + choices.below(40),
                    steps, interleave, swizzle, promotion, fill), at, stores ? new int[rank - 2] : offsets);
        }
    }

    @Override
    public String toString() {
        return map + " at " + Arrays.toString(coordinates) + (offsets.length > 0
                ? " offsets " + Arrays.toString(offsets) : "");
    }
}
