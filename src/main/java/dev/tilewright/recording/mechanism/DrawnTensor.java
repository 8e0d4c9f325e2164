package dev.tilewright.recording.mechanism;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapException;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A tensor in the data window, a box of it, and where the box is taken: within the tensor, over its ends, or beyond.
 *
 * @param address bytes from the window's start to the tensor
 * @param coordinates innermost first; with them the instruction does not fault
 * @param offsets of an im2col load
 */
record DrawnTensor(TensorMap map, int address, List<Integer> coordinates, List<Integer> offsets) {
    /** The most shared memory of a box. */
    static final int MOST_SHARED = 32 << 10;
    private static final int CHUNK = 16;

    private record Draw(SplittableRandom random) {
        private <E> E one(List<E> of) {
            return of.get(random.nextInt(of.size()));
        }

        private int upTo(int most) {
            return random.nextInt(most) + 1;
        }

        private Swizzle swizzle() {
            return Swizzle.values()[random.nextInt(4)];
        }

        private OobFill fill(TensorDataType type) {
            boolean may = type.ordinal() >= TensorDataType.FLOAT16.ordinal();
            return may && random.nextInt(3) == 0 ? OobFill.NAN : OobFill.ZERO;
        }

        private List<Long> strides(List<Long> dims, int size, int unit) {
            List<Long> strides = new ArrayList<>();
            long extent = dims.getFirst() * size;
            for (int d = 1; d < dims.size(); d++) {
                long stride = Math.ceilDiv(extent, unit) * unit + unit * (long) random.nextInt(3);
                strides.add(stride);
                extent = stride * dims.get(d);
            }
            return strides;
        }

        private Optional<Integer> address(List<Long> dims, List<Long> strides, long innerBytes, int unit) {
            long extent = strides.isEmpty() ? innerBytes : strides.getLast() * dims.getLast() + innerBytes;
            long room = (RecordingsWindow.BYTES - extent) / unit;
            return room < 1 ? Optional.empty() : Optional.of((int) (unit * random.nextLong(room)));
        }

        /** Elements of a row of the box: whole chunks, no more than the swizzle's span. */
        private int row(TensorDataType type, Swizzle swizzle) {
            int chunks = swizzle == Swizzle.NONE ? Math.min(16, 256 * type.bytes() / CHUNK) : swizzle.span() / CHUNK;
            return upTo(chunks) * CHUNK / type.bytes();
        }

        private List<Integer> steps(int rank) {
            List<Integer> steps = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                steps.add(random.nextInt(4) == 0 ? upTo(8) : 1);
            }
            return steps;
        }

        private List<Long> dims(int rank, int most) {
            List<Long> dims = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                dims.add((long) upTo(d == 0 ? 100 : most));
            }
            return dims;
        }

        Optional<DrawnTensor> tiled(boolean interleaved) {
            TensorDataType type = one(List.of(TensorDataType.values()));
            int rank = interleaved ? 3 + random.nextInt(3) : upTo(5);
            Interleave interleave = interleaved ? one(List.of(Interleave.B16, Interleave.B32)) : Interleave.NONE;
            Swizzle swizzle = !interleaved ? swizzle() : interleave == Interleave.B32 ? Swizzle.B32 : Swizzle.NONE;
            int unit = interleave == Interleave.B32 ? 32 : CHUNK;
            List<Long> dims = dims(rank, rank > 3 ? 8 : 24);
            List<Integer> box = new ArrayList<>(List.of(row(type, interleaved ? Swizzle.NONE : swizzle)));
            for (int d = 1; d < rank; d++) {
                box.add(upTo(rank > 3 ? 6 : 20));
            }
            List<Long> strides = strides(dims, interleaved ? unit : type.bytes(), unit);
            Optional<Integer> address = address(dims, strides, dims.getFirst() * unit, unit);
            List<Integer> coordinates = new ArrayList<>();
            for (int d = 0; d < rank; d++) {
                int least = -box.get(d) - 1;
                int most = (int) Math.min(400, dims.get(d)) + 2;
                int step = d == 0 && !interleaved ? CHUNK / Math.min(CHUNK, type.bytes()) : 1;
                coordinates.add(random.nextInt(3) == 0 ? 0 : Math.floorDiv(random.nextInt(least, most), step) * step);
            }
            return accepted(new TiledTensorMap(type, dims, strides, box, steps(rank), interleave, swizzle,
                    one(List.of(L2Promotion.values())), fill(type)), address, coordinates, List.of());
        }

        Optional<DrawnTensor> im2col() {
            TensorDataType type = one(List.of(TensorDataType.values()));
            int rank = 3 + random.nextInt(3);
            Swizzle swizzle = swizzle();
            List<Long> dims = dims(rank, rank > 3 ? 9 : 20);
            List<Long> strides = strides(dims, type.bytes(), CHUNK);
            List<Integer> lower = new ArrayList<>();
            List<Integer> upper = new ArrayList<>();
            List<Integer> coordinates = new ArrayList<>();
            List<Integer> offsets = new ArrayList<>();
            int step = CHUNK / type.bytes();
            coordinates.add(step * random.nextInt(-1, 5));
            for (int s = 0; s < rank - 2; s++) {
                int below = random.nextInt(-4, 3);
                int above = random.nextInt(-4, 4);
                lower.add(below);
                upper.add(above);
                int last = (int) (dims.get(s + 1) - 1) + above;
                if (last < below) {
                    return Optional.empty();
                }
                coordinates.add(random.nextInt(below, last + 1));
                offsets.add(random.nextInt(5));
            }
            coordinates.add(random.nextInt(dims.getLast().intValue()));
            return accepted(new Im2colTensorMap(type, dims, strides, lower, upper, row(type, swizzle), upTo(120),
                    steps(rank), Interleave.NONE, swizzle, one(List.of(L2Promotion.values())), fill(type)),
                    address(dims, strides, dims.getFirst() * type.bytes(), CHUNK), coordinates, offsets);
        }
    }

    /** What the driver accepts by its rules, small enough for a block. */
    private static Optional<DrawnTensor> accepted(TensorMap map, Optional<Integer> address, List<Integer> coordinates,
            List<Integer> offsets) {
        if (address.isEmpty()) {
            return Optional.empty();
        }
        try {
            map.encode(Target.SM_90A, 0x1000L);
        } catch (TensorMapException e) {
            return Optional.empty();
        }
        int[] moved = offsets.stream().mapToInt(Integer::intValue).toArray();
        return TensorBox.of(map).sharedBytes(moved) > MOST_SHARED ? Optional.empty()
                : Optional.of(new DrawnTensor(map, address.get(), coordinates, offsets));
    }

    /** A tile. @param interleaved in slices of 16 or 32 bytes */
    static DrawnTensor tile(SplittableRandom random, boolean interleaved) {
        return first(() -> new Draw(random).tiled(interleaved));
    }

    static DrawnTensor im2col(SplittableRandom random) {
        return first(new Draw(random)::im2col);
    }

    private static DrawnTensor first(Supplier<Optional<DrawnTensor>> drawn) {
        return Stream.generate(drawn).flatMap(Optional::stream).findFirst().orElseThrow();
    }
}
