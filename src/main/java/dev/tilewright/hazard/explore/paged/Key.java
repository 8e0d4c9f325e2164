package dev.tilewright.hazard.explore.paged;

/** A state's fingerprint of 128 bits, built number by number. */
public final class Key {
    private long a = 0x9E3779B97F4A7C15L;
    private long b = 0xC2B2AE3D27D4EB4FL;

    /** A finished fingerprint. */
    public record Print(long a, long b) {
        @Override
        public String toString() {
            return String.format("%016x%016x", a, b);
        }
    }

    public void add(long value) {
        a = (a ^ value) * 0xD6E8FEB86659FD93L;
        a ^= a >>> 32;
        b = Long.rotateLeft(b + value, 29) * 0x165667B19E3779F9L;
    }

    public void add(int[] values) {
        add(values.length);
        for (int i = 0; i + 1 < values.length; i += 2) {
            add((long) values[i] << 32 | values[i + 1] & 0xFFFFFFFFL);
        }
        if (values.length % 2 == 1) {
            add(values[values.length - 1]);
        }
    }

    public void add(byte[] bytes) {
        add(bytes.length);
        for (byte b : bytes) {
            add(b);
        }
    }

    private static long mix(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    public Print print() {
        return new Print(mix(a), mix(b));
    }
}
