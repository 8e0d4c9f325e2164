package dev.tilewright.tile.run;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;

/**
 * {@code out[k] = a[k] op b[k]} over the first elements of arrays, by loops of one operation each, which the JIT
 * vectorises. Each returns whether there is a loop for the operation; {@code out} may be {@code a} or {@code b}.
 */
final class BinaryLoops {
    private BinaryLoops() { }

    static boolean floats(BinaryOp op, float[] a, float[] b, float[] out, int n) {
        switch (op) {
            case ADD -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] + b[k];
                }
            }
            case SUB -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] - b[k];
                }
            }
            case MUL -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] * b[k];
                }
            }
            case DIV -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] / b[k];
                }
            }
            case MIN_NAN -> {
                for (int k = 0; k < n; k++) {
                    out[k] = Math.min(a[k], b[k]);
                }
            }
            case MAX_NAN -> {
                for (int k = 0; k < n; k++) {
                    out[k] = Math.max(a[k], b[k]);
                }
            }
            case MIN -> {
                for (int k = 0; k < n; k++) {
                    float x = a[k];
                    float y = b[k];
                    out[k] = x != x ? y : y != y ? x : Math.min(x, y);
                }
            }
            case MAX -> {
                for (int k = 0; k < n; k++) {
                    float x = a[k];
                    float y = b[k];
                    out[k] = x != x ? y : y != y ? x : Math.max(x, y);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    static boolean doubles(BinaryOp op, double[] a, double[] b, double[] out, int n) {
        switch (op) {
            case ADD -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] + b[k];
                }
            }
            case SUB -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] - b[k];
                }
            }
            case MUL -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] * b[k];
                }
            }
            case DIV -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] / b[k];
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Whether all are the same: the JIT vectorises shifts by one number alone. */
    private static boolean isSame(int[] b, int n) {
        int differ = 0;
        for (int k = 0; k < n; k++) {
            differ |= b[k] ^ b[0];
        }
        return n > 0 && differ == 0;
    }

    /** @param type of 32 bits, or a predicate: only signed numbers have loops that depend on the sign */
    static boolean ints(BinaryOp op, ValueType type, int[] a, int[] b, int[] out, int n) {
        boolean suits = switch (op) {
            case AND, OR, XOR -> true;
            case MIN, MAX, SHR -> type == ValueType.I32;
            default -> type != ValueType.PRED;
        };
        if (!suits) {
            return false;
        }
        switch (op) {
            case MIN -> {
                for (int k = 0; k < n; k++) {
                    out[k] = Math.min(a[k], b[k]);
                }
            }
            case MAX -> {
                for (int k = 0; k < n; k++) {
                    out[k] = Math.max(a[k], b[k]);
                }
            }
            case SHR -> {
                if (isSame(b, n)) {
                    int by = (b[0] & ~31) == 0 ? b[0] : 31;
                    for (int k = 0; k < n; k++) {
                        out[k] = a[k] >> by;
                    }
                    return true;
                }
                for (int k = 0; k < n; k++) {
                    int by = b[k];
                    out[k] = a[k] >> ((by & ~31) == 0 ? by : 31);
                }
            }
            case ADD -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] + b[k];
                }
            }
            case SUB -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] - b[k];
                }
            }
            case MUL -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] * b[k];
                }
            }
            case AND -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] & b[k];
                }
            }
            case OR -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] | b[k];
                }
            }
            case XOR -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] ^ b[k];
                }
            }
            case SHL -> {
                if (n > 0 && (b[0] & ~31) == 0 && isSame(b, n)) {
                    int by = b[0];
                    for (int k = 0; k < n; k++) {
                        out[k] = a[k] << by;
                    }
                    return true;
                }
                for (int k = 0; k < n; k++) {
                    int by = b[k];
                    out[k] = (by & ~31) == 0 ? a[k] << by : 0;
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    static boolean longs(BinaryOp op, long[] a, long[] b, long[] out, int n) {
        switch (op) {
            case ADD -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] + b[k];
                }
            }
            case SUB -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] - b[k];
                }
            }
            case MUL -> {
                for (int k = 0; k < n; k++) {
                    out[k] = a[k] * b[k];
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }
}
