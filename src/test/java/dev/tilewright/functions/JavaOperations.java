package dev.tilewright.functions;

/**
 * The operations on values that bytecode has no instruction for, under the names by which {@link CompiledFunction}
 * calls them.
 */
final class JavaOperations {
    private JavaOperations() {
    }

    static int eq(int a, int b) {
        return a == b ? 1 : 0;
    }

    static int ne(int a, int b) {
        return a != b ? 1 : 0;
    }

    static int lt(int a, int b) {
        return a < b ? 1 : 0;
    }

    static int le(int a, int b) {
        return a <= b ? 1 : 0;
    }

    static int gt(int a, int b) {
        return a > b ? 1 : 0;
    }

    static int ge(int a, int b) {
        return a >= b ? 1 : 0;
    }

    static int eq(long a, long b) {
        return a == b ? 1 : 0;
    }

    static int ne(long a, long b) {
        return a != b ? 1 : 0;
    }

    static int lt(long a, long b) {
        return a < b ? 1 : 0;
    }

    static int le(long a, long b) {
        return a <= b ? 1 : 0;
    }

    static int gt(long a, long b) {
        return a > b ? 1 : 0;
    }

    static int ge(long a, long b) {
        return a >= b ? 1 : 0;
    }

    static int eq(float a, float b) {
        return a == b ? 1 : 0;
    }

    static int ne(float a, float b) {
        return a != b ? 1 : 0;
    }

    static int lt(float a, float b) {
        return a < b ? 1 : 0;
    }

    static int le(float a, float b) {
        return a <= b ? 1 : 0;
    }

    static int gt(float a, float b) {
        return a > b ? 1 : 0;
    }

    static int ge(float a, float b) {
        return a >= b ? 1 : 0;
    }

    static int eq(double a, double b) {
        return a == b ? 1 : 0;
    }

    static int ne(double a, double b) {
        return a != b ? 1 : 0;
    }

    static int lt(double a, double b) {
        return a < b ? 1 : 0;
    }

    static int le(double a, double b) {
        return a <= b ? 1 : 0;
    }

    static int gt(double a, double b) {
        return a > b ? 1 : 0;
    }

    static int ge(double a, double b) {
        return a >= b ? 1 : 0;
    }

    static int unsigned_eq(int a, int b) {
        return Integer.compareUnsigned(a, b) == 0 ? 1 : 0;
    }

    static int unsigned_ne(int a, int b) {
        return Integer.compareUnsigned(a, b) != 0 ? 1 : 0;
    }

    static int unsigned_lt(int a, int b) {
        return Integer.compareUnsigned(a, b) < 0 ? 1 : 0;
    }

    static int unsigned_le(int a, int b) {
        return Integer.compareUnsigned(a, b) <= 0 ? 1 : 0;
    }

    static int unsigned_gt(int a, int b) {
        return Integer.compareUnsigned(a, b) > 0 ? 1 : 0;
    }

    static int unsigned_ge(int a, int b) {
        return Integer.compareUnsigned(a, b) >= 0 ? 1 : 0;
    }

    static int and(int a, int b) {
        return a & b;
    }

    static int or(int a, int b) {
        return a | b;
    }

    static int xor(int a, int b) {
        return a ^ b;
    }

    static int shl(int a, int b) {
        return b >= 0 && b < 32 ? a << b : 0;
    }

    static int unsigned_and(int a, int b) {
        return a & b;
    }

    static int unsigned_or(int a, int b) {
        return a | b;
    }

    static int unsigned_xor(int a, int b) {
        return a ^ b;
    }

    static int unsigned_shl(int a, int b) {
        return b >= 0 && b < 32 ? a << b : 0;
    }

    static int shr(int a, int b) {
        return b >= 0 && b < 32 ? a >> b : a >> 31;
    }

    static int unsigned_shr(int a, int b) {
        return b >= 0 && b < 32 ? a >>> b : 0;
    }

    static int not(int a) {
        return a ^ 1;
    }

    static int negate(int a) {
        return -a;
    }

    static int max(int a, int b) {
        return Math.max(a, b);
    }

    static int min(int a, int b) {
        return Math.min(a, b);
    }

    static int unsigned_eq(long a, long b) {
        return Long.compareUnsigned(a, b) == 0 ? 1 : 0;
    }

    static int unsigned_ne(long a, long b) {
        return Long.compareUnsigned(a, b) != 0 ? 1 : 0;
    }

    static int unsigned_lt(long a, long b) {
        return Long.compareUnsigned(a, b) < 0 ? 1 : 0;
    }

    static int unsigned_le(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0 ? 1 : 0;
    }

    static int unsigned_gt(long a, long b) {
        return Long.compareUnsigned(a, b) > 0 ? 1 : 0;
    }

    static int unsigned_ge(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? 1 : 0;
    }

    static long and(long a, long b) {
        return a & b;
    }

    static long or(long a, long b) {
        return a | b;
    }

    static long xor(long a, long b) {
        return a ^ b;
    }

    static long shl(long a, long b) {
        return b >= 0 && b < 64 ? a << b : 0;
    }

    static long unsigned_and(long a, long b) {
        return a & b;
    }

    static long unsigned_or(long a, long b) {
        return a | b;
    }

    static long unsigned_xor(long a, long b) {
        return a ^ b;
    }

    static long unsigned_shl(long a, long b) {
        return b >= 0 && b < 64 ? a << b : 0;
    }

    static long shr(long a, long b) {
        return b >= 0 && b < 64 ? a >> b : a >> 63;
    }

    static long unsigned_shr(long a, long b) {
        return b >= 0 && b < 64 ? a >>> b : 0;
    }

    static long not(long a) {
        return ~a;
    }

    static long negate(long a) {
        return -a;
    }

    static long max(long a, long b) {
        return Math.max(a, b);
    }

    static long min(long a, long b) {
        return Math.min(a, b);
    }

    static long leading_zeros(long a) {
        return Long.numberOfLeadingZeros(a);
    }

    static int unsigned_mul_hi(int a, int b) {
        return (int) ((a & 0xFFFF_FFFFL) * (b & 0xFFFF_FFFFL) >>> 32);
    }

    static long unsigned_mul_hi(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b);
    }

    static float negate(float a) {
        return -a;
    }

    static float abs(float a) {
        return Math.abs(a);
    }

    static float sqrt(float a) {
        return (float) Math.sqrt(a);
    }

    static float reciprocal(float a) {
        return 1 / a;
    }

    static float floor(float a) {
        return (float) Math.floor(a);
    }

    static float copy_sign(float a, float b) {
        return Math.copySign(a, b);
    }

    static float min(float a, float b) {
        return a != a ? b : b != b ? a : Math.min(a, b);
    }

    static float max(float a, float b) {
        return a != a ? b : b != b ? a : Math.max(a, b);
    }

    static double negate(double a) {
        return -a;
    }

    static double abs(double a) {
        return Math.abs(a);
    }

    static double sqrt(double a) {
        return Math.sqrt(a);
    }

    static double reciprocal(double a) {
        return 1 / a;
    }

    static double floor(double a) {
        return Math.floor(a);
    }

    static double copy_sign(double a, double b) {
        return Math.copySign(a, b);
    }

    static double min(double a, double b) {
        return a != a ? b : b != b ? a : Math.min(a, b);
    }

    static double max(double a, double b) {
        return a != a ? b : b != b ? a : Math.max(a, b);
    }

    static float cast_float(int a) {
        return Float.intBitsToFloat(a);
    }

    static int cast_int(float a) {
        return Float.floatToRawIntBits(a);
    }

    static int cast_int(int a) {
        return a;
    }

    static long cast_long(long a) {
        return a;
    }

    static double cast_double(long a) {
        return Double.longBitsToDouble(a);
    }

    static long cast_long(double a) {
        return Double.doubleToRawLongBits(a);
    }

    static float to_float(int a) {
        return a;
    }

    static float unsigned_to_float(int a) {
        return a & 0xFFFF_FFFFL;
    }

    static double to_double(long a) {
        return a;
    }

    static long to_long(double a) {
        return (long) a;
    }

    static long unsigned_to_long(int a) {
        return a & 0xFFFF_FFFFL;
    }

    static int unsigned_to_int(long a) {
        return (int) a;
    }
}
