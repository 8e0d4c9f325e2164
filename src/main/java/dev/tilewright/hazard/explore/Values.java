package dev.tilewright.hazard.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers for the bytes that cells hold. A byte that nothing wrote is {@link #UNDEFINED}. */
final class Values {
    static final short UNDEFINED = -1;

    private record Bytes(short[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Bytes(short[] b) && Arrays.equals(bytes, b);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    private final Map<Bytes, Integer> numbers = new HashMap<>();
    private final List<short[]> values = new ArrayList<>();

    int number(short[] bytes) {
        return numbers.computeIfAbsent(new Bytes(bytes), b -> {
            values.add(b.bytes);
            return values.size() - 1;
        });
    }

    short[] bytes(int number) {
        return values.get(number);
    }

    boolean hasUndefined(int number) {
        return hasUndefined(values.get(number));
    }

    static boolean hasUndefined(short[] bytes) {
        for (short b : bytes) {
            if (b == UNDEFINED) {
                return true;
            }
        }
        return false;
    }

    static short[] undefined(int bytes) {
        short[] all = new short[bytes];
        Arrays.fill(all, UNDEFINED);
        return all;
    }

    static short[] of(long value, int bytes) {
        short[] all = new short[bytes];
        for (int i = 0; i < bytes; i++) {
            all[i] = (short) (value >>> 8 * i & 0xFF);
        }
        return all;
    }

    /** Little endian, sign-extended. @throws Ending if a byte is undefined */
    static long toLong(short[] bytes) {
        long value = 0;
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] == UNDEFINED) {
                throw new Ending.Undefined();
            }
            value = value << 8 | bytes[i];
        }
        return bytes.length == 4 ? (int) value : value;
    }
}
