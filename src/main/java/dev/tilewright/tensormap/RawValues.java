package dev.tilewright.tensormap;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.call.EncodeCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Between the integers of an {@link EncodeCall} and the Java types of a {@link TensorMap}. */
final class RawValues {

    private RawValues() { }

    static TensorDataType dataType(long value) {
        return pick("dtype", TensorDataType.values(), value);
    }

    static Interleave interleave(long value) {
        return pick("interleave", Interleave.values(), value);
    }

    static Swizzle swizzle(long value) {
        return pick("swizzle", Swizzle.values(), value);
    }

    static L2Promotion l2Promotion(long value) {
        return pick("l2", L2Promotion.values(), value);
    }

    static OobFill fill(long value) {
        return pick("oob", OobFill.values(), value);
    }

    static <E> E pick(String field, E[] values, long value) {
        if (value < 0 || value >= values.length) {
            throw new IllegalArgumentException(field + " must be in [0, " + (values.length - 1) + "] to be described"
                    + " as one of " + Arrays.toString(values) + ", got " + value);
        }
        return values[(int) value];
    }

    static List<Integer> ints(String field, List<Long> values) {
        List<Integer> result = new ArrayList<>(values.size());
        for (int i = 0; i < values.size(); i++) {
            result.add(oneInt(field + "[" + i + "]", values.get(i)));
        }
        return Collections.unmodifiableList(result);
    }

    static int oneInt(String field, long value) {
        if (value != (int) value) {
            throw new IllegalArgumentException(field + " must fit 32 bits to be described, got " + value);
        }
        return (int) value;
    }

    static List<Long> longs(List<Integer> values) {
        List<Long> result = new ArrayList<>(values.size());
        for (int value : values) {
            result.add((long) value);
        }
        return Collections.unmodifiableList(result);
    }
}
