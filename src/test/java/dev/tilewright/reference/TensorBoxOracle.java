package dev.tilewright.reference;

import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;

/**
 * What a box holds, asked byte by byte: for every byte of shared memory, which byte of the tensor belongs there. The
 * way round, the division into rows and the swizzle formula are all other than in the code under test.
 */
final class TensorBoxOracle {
    private final TiledTensorMap map;
    private final int[] coordinates;
    private final int size;
    private final int[] extent = new int[5];
    private final int pitch;

    TensorBoxOracle(TiledTensorMap map, int[] coordinates) {
        this.map = map;
        this.coordinates = coordinates;
        this.size = map.type().bytes();
        for (int d = 0; d < 5; d++) {
            int step = d == 0 || d >= map.rank() ? 1 : map.elementStrides().get(d);
            int box = d >= map.rank() ? 1 : map.box().get(d);
            extent[d] = (box + step - 1) / step;
        }
        pitch = switch (map.swizzle()) {
            case NONE -> extent[0] * size;
            case B32 -> 32;
            case B64 -> 64;
            case B128 -> 128;
        };
    }

    int sharedBytes() {
        return pitch * extent[1] * extent[2] * extent[3] * extent[4];
    }

    /** What a load makes of shared memory. */
    void load(byte[] tensor, byte[] shared, int address) {
        for (int p = 0; p < sharedBytes(); p++) {
            long element = element(p, 0);
            if (element == UNUSED) {
                continue;
            }
            int at = swizzled(address + p);
            int within = p % pitch % size;
            if (element == OUTSIDE) {
                shared[at] = map.fill() == OobFill.ZERO ? 0 : (byte) (within % 2 == 0 ? 0xF7 : 0x7F);
            } else if (map.type().roundsToTf32()) {
                shared[at] = (byte) (Tf32.round(word(tensor, element)) >>> 8 * within);
            } else {
                shared[at] = tensor[(int) element + within];
            }
        }
    }

    /** What a store makes of the tensor. */
    void store(byte[] tensor, byte[] shared, int address) {
        int chunk = 16 / size;
        int beyond = (int) ((map.dims().getFirst() + chunk - 1) / chunk * chunk - map.dims().getFirst());
        for (int p = 0; p < sharedBytes(); p++) {
            long element = element(p, beyond);
            if (element >= 0) {
                tensor[(int) element + p % pitch % size] = shared[swizzled(address + p)];
            }
        }
    }

    private static final long UNUSED = -1;
    private static final long OUTSIDE = -2;

    /** The tensor's byte offset of the element that the p-th byte of the unswizzled box belongs to. */
    private long element(int p, int beyond) {
        if (p % pitch >= extent[0] * size) {
            return UNUSED;
        }
        int row = p / pitch;
        int[] index = {p % pitch / size, row % extent[1], row / extent[1] % extent[2],
            row / extent[1] / extent[2] % extent[3], row / extent[1] / extent[2] / extent[3]};
        long offset = 0;
        for (int d = 0; d < map.rank(); d++) {
            long at = coordinates[d] + (long) index[d] * (d == 0 ? 1 : map.elementStrides().get(d));
            if (at < 0 || at >= map.dims().get(d) + (d == 0 ? beyond : 0)) {
                return OUTSIDE;
            }
            offset += at * (d == 0 ? size : map.strides().get(d - 1));
        }
        return offset;
    }

    /** The formulas of the PTX documentation: which address bits move the chunk. */
    private int swizzled(int a) {
        int line = a / 128;
        return a ^ switch (map.swizzle()) {
            case NONE -> 0;
            case B32 -> line % 2 * 16;
            case B64 -> line % 4 * 16;
            case B128 -> line % 8 * 16;
        };
    }

    private static int word(byte[] bytes, long at) {
        int i = (int) at;
        return bytes[i] & 0xFF | (bytes[i + 1] & 0xFF) << 8 | (bytes[i + 2] & 0xFF) << 16 | bytes[i + 3] << 24;
    }
}
