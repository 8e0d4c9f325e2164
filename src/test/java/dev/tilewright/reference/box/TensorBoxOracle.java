package dev.tilewright.reference.box;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * What a box holds, asked byte by byte: for every byte of shared memory, which byte of the tensor belongs there. The
 * rows are listed one at a time, each by the coordinates it is at; nothing but the maps is shared with the code under
 * test.
 */
final class TensorBoxOracle {
    private static final long UNUSED = -1;
    private static final long OUTSIDE = -2;

    private final TensorMap map;
    /** Bytes of what dimension 0 counts: an element, or a slice. */
    private final int unit;
    private final int rowBytes;
    private final int pitch;
    /** Coordinates of each row's start. */
    private final List<long[]> rows;

    private TensorBoxOracle(TensorMap map, int rowBytes, List<long[]> rows) {
        this.map = map;
        this.rows = rows;
        this.rowBytes = rowBytes;
        unit = map.interleave() == Interleave.NONE ? map.type().bytes() : rowBytes;
        pitch = map.interleave() != Interleave.NONE ? rowBytes : switch (map.swizzle()) {
            case NONE -> rowBytes;
            case B32 -> 32;
            case B64 -> 64;
            case B128, B128_ATOM_32B, B128_ATOM_32B_FLIP_8B, B128_ATOM_64B -> 128;
        };
    }

    static TensorBoxOracle tile(TiledTensorMap map, int[] coordinates) {
        boolean slices = map.interleave() != Interleave.NONE;
        int[] extent = new int[5];
        for (int d = 0; d < 5; d++) {
            int step = d >= map.rank() || d == 0 && !slices ? 1 : map.elementStrides().get(d);
            int box = d >= map.rank() || slices && d == map.rank() - 2 || d == 0 && !slices ? 1 : map.box().get(d);
            extent[d] = (box + step - 1) / step;
        }
        List<long[]> rows = new ArrayList<>();
        for (int row = 0; row < extent[0] * extent[1] * extent[2] * extent[3] * extent[4]; row++) {
            long[] at = new long[map.rank()];
            int rest = row;
            for (int d = 0; d < map.rank(); d++) {
                at[d] = coordinates[d] + (long) (rest % extent[d]) * map.elementStrides().get(d);
                rest /= extent[d];
            }
            rows.add(at);
        }
        int rowBytes = slices ? map.interleave() == Interleave.B16 ? 16 : 32 : map.box().get(0) * map.type().bytes();
        return new TensorBoxOracle(map, rowBytes, rows);
    }

    static TensorBoxOracle gather4(TiledTensorMap map, int[] coordinates) {
        List<long[]> rows = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            rows.add(new long[] {coordinates[0], coordinates[i]});
        }
        return new TensorBoxOracle(map, map.box().get(0) * map.type().bytes(), rows);
    }

    static TensorBoxOracle im2col(Im2colTensorMap map, int[] coordinates, int[] offsets) {
        boolean slices = map.interleave() != Interleave.NONE;
        int width = slices ? 0 : 1;
        long[] cursor = longs(coordinates);
        List<long[]> rows = new ArrayList<>();
        for (int pixel = 0; pixel < map.pixels(); pixel++) {
            long[] at = cursor.clone();
            for (int s = 0; s < offsets.length; s++) {
                at[s + width] += offsets[s];
            }
            rows.add(at);
            boolean carry = true;
            for (int s = 0; s < offsets.length && carry; s++) {
                int d = s + width;
                cursor[d] += map.elementStrides().get(d);
                carry = cursor[d] >= map.dims().get(d) + map.upper().get(s);
                if (carry) {
                    cursor[d] = map.lower().get(s);
                }
            }
            if (carry) {
                cursor[map.rank() - 1] += map.elementStrides().getLast();
            }
        }
        int rowBytes = slices ? map.interleave() == Interleave.B16 ? 16 : 32 : map.channels() * map.type().bytes();
        return new TensorBoxOracle(map, rowBytes, rows);
    }

    static TensorBoxOracle im2colWide(Im2colWideTensorMap map, int[] coordinates, int halo, int offset) {
        long[] cursor = longs(coordinates);
        cursor[1] += offset;
        List<long[]> rows = new ArrayList<>();
        boolean groups = map.boxRows() == 128 && map.wideMode().cudaValue() == 1;
        int group = groups ? 32 : map.boxRows();
        for (int g = 0; g < map.boxRows() / group; g++) {
            for (int pixel = 0; pixel < group; pixel++) {
                rows.add(cursor.clone());
                advance(map, cursor, offset);
            }
            long[] ahead = cursor.clone();
            for (int pixel = 0; pixel < halo; pixel++) {
                rows.add(ahead.clone());
                advance(map, ahead, offset);
            }
        }
        return new TensorBoxOracle(map, map.channels() * map.type().bytes(), rows);
    }

    private static void advance(Im2colWideTensorMap map, long[] cursor, int offset) {
        cursor[1] += map.elementStrides().get(1);
        if (cursor[1] >= map.dims().get(1) + map.upperWidth() + offset) {
            cursor[1] = map.lowerWidth() + offset;
            cursor[map.rank() - 1] += map.elementStrides().getLast();
        }
    }

    private static long[] longs(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    int sharedBytes() {
        int span = Math.max(16, map.swizzle().span());
        return (pitch * rows.size() + span - 1) / span * span;
    }

    int dataBytes() {
        return rowBytes * rows.size();
    }

    /** What a load makes of shared memory. */
    void load(byte[] tensor, byte[] shared, int address) {
        for (int p = 0; p < pitch * rows.size(); p++) {
            long byteAt = tensorByte(p, false);
            if (byteAt == UNUSED) {
                continue;
            }
            int at = swizzled(address + p);
            if (byteAt == OUTSIDE) {
                shared[at] = map.fill() == OobFill.ZERO ? 0 : (byte) (p % 2 == 0 ? 0xF7 : 0x7F);
            } else if (map.type().roundsToTf32()) {
                shared[at] = (byte) (FloatBits.toTf32(word(tensor, byteAt - p % 4)) >>> 8 * (p % 4));
            } else {
                shared[at] = tensor[(int) byteAt];
            }
        }
    }

    /** What a store makes of the tensor. */
    void store(byte[] tensor, byte[] shared, int address) {
        for (int p = 0; p < pitch * rows.size(); p++) {
            long byteAt = tensorByte(p, true);
            if (byteAt >= 0) {
                tensor[(int) byteAt] = shared[swizzled(address + p)];
            }
        }
    }

    /** What a reduction makes of the tensor. @param operation on the bits of the old element and the one that comes */
    void reduce(byte[] tensor, byte[] shared, int address, LongBinaryOperator operation) {
        int size = map.type().bytes();
        for (int p = 0; p < pitch * rows.size(); p += size) {
            long at = tensorByte(p, true);
            if (at < 0) {
                continue;
            }
            int first = p;
            long value = little(size, i -> shared[swizzled(address + first + i)]);
            long result = operation.applyAsLong(little(size, i -> tensor[(int) at + i]), value);
            for (int i = 0; i < size; i++) {
                tensor[(int) at + i] = (byte) (result >>> 8 * i);
            }
        }
    }

    private static long little(int size, IntUnaryOperator bytes) {
        long value = 0;
        for (int i = size - 1; i >= 0; i--) {
            value = value << 8 | bytes.applyAsInt(i) & 0xFF;
        }
        return value;
    }

    /** The tensor's byte that the p-th byte of the unswizzled box belongs to. */
    private long tensorByte(int p, boolean store) {
        int within = p % pitch;
        if (within >= rowBytes) {
            return UNUSED;
        }
        long[] at = rows.get(p / pitch);
        long along = at[0] * unit + within;
        long limit = map.dims().getFirst() * unit;
        if (along < 0 || along >= (store ? (limit + 15) / 16 * 16 : limit)) {
            return OUTSIDE;
        }
        long offset = along;
        for (int d = 1; d < at.length; d++) {
            if (at[d] < 0 || at[d] >= map.dims().get(d)) {
                return OUTSIDE;
            }
            offset += at[d] * map.strides().get(d - 1);
        }
        return offset;
    }

    /** The tables of the PTX documentation: which address bits move the chunk. */
    private int swizzled(int a) {
        int line = a / 128;
        return switch (map.swizzle()) {
            case NONE -> a;
            case B32 -> a ^ line % 2 * 16;
            case B64 -> a ^ line % 4 * 16;
            case B128 -> a ^ line % 8 * 16;
            case B128_ATOM_32B -> a ^ line % 4 * 32;
            case B128_ATOM_32B_FLIP_8B -> (line % 2 == 1 ? a ^ 8 : a) ^ line % 4 * 32;
            case B128_ATOM_64B -> a ^ line % 2 * 64;
        };
    }

    private static int word(byte[] bytes, long at) {
        return (int) little(4, i -> bytes[(int) at + i]);
    }
}
