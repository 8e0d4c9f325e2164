package dev.tilewright.tile.run;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Elements of one type, in an array that loops run over quickly: f32 and tf32 as {@code float}, f64 as {@code double},
 * 64-bit integers as {@code long}, everything else as an {@code int} that holds its word.
 */
final class Elements {
    /** How elements are kept. */
    enum Kind { FLOAT, DOUBLE, INT, LONG }

    private static final int INFINITY = Float.floatToRawIntBits(Float.POSITIVE_INFINITY);
    private static final long INFINITY_F64 = Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);

    final ValueType type;
    final Kind kind;
    final float[] floats;
    final double[] doubles;
    final int[] ints;
    final long[] longs;
    /** Whether NaNs may have other bits than the one that arithmetic gives: see {@link #settle}. */
    private boolean unsettled;

    Elements(ValueType type, int count) {
        this.type = type;
        this.kind = kind(type);
        floats = kind == Kind.FLOAT ? new float[count] : null;
        doubles = kind == Kind.DOUBLE ? new double[count] : null;
        ints = kind == Kind.INT ? new int[count] : null;
        longs = kind == Kind.LONG ? new long[count] : null;
    }

    static Kind kind(ValueType type) {
        return switch (type) {
            case F32, TF32 -> Kind.FLOAT;
            case F64 -> Kind.DOUBLE;
            case I64, U64 -> Kind.LONG;
            default -> Kind.INT;
        };
    }

    int count() {
        return switch (kind) {
            case FLOAT -> floats.length;
            case DOUBLE -> doubles.length;
            case INT -> ints.length;
            case LONG -> longs.length;
        };
    }

    /** Says that arithmetic of the CPU wrote floats here. */
    void computed() {
        unsettled = kind == Kind.FLOAT || kind == Kind.DOUBLE;
    }

    /** Says that these have NaNs as the others have. */
    void settledAs(Elements others) {
        unsettled = others.unsettled;
    }

    /** Gives computed NaNs the bits that arithmetic gives everywhere. A NaN that was only moved keeps its bits. */
    Elements settle(int count) {
        if (unsettled) {
            settleComputed(0, count);
            unsettled = false;
        }
        return this;
    }

    /** Gives NaNs among elements that have just been computed the bits that arithmetic gives everywhere. */
    void settleComputed(int first, int count) {
        if (!hasNans(first, count)) {
            return;
        }
        if (kind == Kind.FLOAT) {
            float nan = FloatBits.f32(FloatBits.NAN_F32);
            for (int k = first; k < first + count; k++) {
                if (floats[k] != floats[k]) {
                    floats[k] = nan;
                }
            }
        } else if (kind == Kind.DOUBLE) {
            double nan = FloatBits.f64(FloatBits.NAN_F64);
            for (int k = first; k < first + count; k++) {
                if (doubles[k] != doubles[k]) {
                    doubles[k] = nan;
                }
            }
        } else if (type == ValueType.F16 || type == ValueType.BF16) {
            int infinity = type == ValueType.F16 ? 0x7C00 : 0x7F80;
            for (int k = first; k < first + count; k++) {
                ints[k] = (ints[k] & 0x7FFF) > infinity ? (int) FloatBits.NAN_16 : ints[k];
            }
        }
    }

    /**
     * Whether there may be NaNs among some elements. The JIT vectorises what goes over floats' bits by a segment, not
     * what compares floats.
     */
    boolean hasNans(int first, int count) {
        if (kind == Kind.FLOAT) {
            MemorySegment bits = MemorySegment.ofArray(floats);
            int any = 0;
            for (int k = first; k < first + count; k++) {
                any |= INFINITY - (bits.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * k) & Integer.MAX_VALUE);
            }
            return any < 0;
        }
        if (kind == Kind.DOUBLE) {
            MemorySegment bits = MemorySegment.ofArray(doubles);
            long any = 0;
            for (int k = first; k < first + count; k++) {
                any |= INFINITY_F64 - (bits.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L * k) & Long.MAX_VALUE);
            }
            return any < 0;
        }
        return true;
    }

    /** An element's word, as {@link ValueType} says; of what has been settled. */
    long word(int at) {
        return switch (kind) {
            case FLOAT -> Float.floatToRawIntBits(floats[at]) & 0xFFFF_FFFFL;
            case DOUBLE -> Double.doubleToRawLongBits(doubles[at]);
            case INT -> type == ValueType.U32 ? ints[at] & 0xFFFF_FFFFL : ints[at];
            case LONG -> longs[at];
        };
    }

    void setWord(int at, long word) {
        switch (kind) {
            case FLOAT -> floats[at] = Float.intBitsToFloat((int) word);
            case DOUBLE -> doubles[at] = Double.longBitsToDouble(word);
            case INT -> ints[at] = (int) word;
            case LONG -> longs[at] = word;
        }
    }

    void fill(int from, int to, long word) {
        switch (kind) {
            case FLOAT -> java.util.Arrays.fill(floats, from, to, Float.intBitsToFloat((int) word));
            case DOUBLE -> java.util.Arrays.fill(doubles, from, to, Double.longBitsToDouble(word));
            case INT -> java.util.Arrays.fill(ints, from, to, (int) word);
            case LONG -> java.util.Arrays.fill(longs, from, to, word);
        }
    }

    /** The array that holds them. */
    Object array() {
        return switch (kind) {
            case FLOAT -> floats;
            case DOUBLE -> doubles;
            case INT -> ints;
            case LONG -> longs;
        };
    }

    /** Copies elements of the same type. */
    void copy(int to, Elements from, int first, int count) {
        System.arraycopy(from.array(), first, array(), to, count);
    }

    /** Copies all elements of as many of the same type. */
    void take(Elements from) {
        copy(0, from, 0, from.count());
        settledAs(from);
    }

    /** Takes from each place of a map the element there, or {@code outside} where it is negative. */
    void gather(Elements from, int[] map, long outside) {
        switch (kind) {
            case FLOAT -> {
                float other = Float.intBitsToFloat((int) outside);
                for (int k = 0; k < map.length; k++) {
                    floats[k] = map[k] < 0 ? other : from.floats[map[k]];
                }
            }
            case DOUBLE -> {
                double other = Double.longBitsToDouble(outside);
                for (int k = 0; k < map.length; k++) {
                    doubles[k] = map[k] < 0 ? other : from.doubles[map[k]];
                }
            }
            case INT -> {
                for (int k = 0; k < map.length; k++) {
                    ints[k] = map[k] < 0 ? (int) outside : from.ints[map[k]];
                }
            }
            case LONG -> {
                for (int k = 0; k < map.length; k++) {
                    longs[k] = map[k] < 0 ? outside : from.longs[map[k]];
                }
            }
        }
        unsettled = from.unsettled;
    }
}
