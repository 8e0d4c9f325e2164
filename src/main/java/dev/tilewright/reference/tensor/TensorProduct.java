package dev.tilewright.reference.tensor;

import dev.tilewright.program.value.ValueType;

/**
 * The arithmetic of one tensor-core instruction: D = A B + C, every element for itself. Rules, measured on an H200:
 * {@link FloatProduct} for sums of short floating-point products, {@link IntegerProduct}, {@link DoubleProduct}.
 */
public interface TensorProduct {

    /**
     * Multiplies and adds.
     *
     * @param a {@code m} rows of {@code k} elements, a word each; bits above the element's width are not looked at
     * @param b {@code n} columns of {@code k} elements, those of a column following each other
     * @param cd C, and afterwards D: {@code m} rows of {@code n} elements, words of the result's type
     */
    void multiplyAdd(long[] a, long[] b, long[] cd, int m, int n, int k);

    /**
     * What {@code mma.sync} computes.
     *
     * @param saturates {@code .satfinite}: integer results are clamped instead of wrapped
     * @throws IllegalArgumentException if tensor cores have no such combination of types
     */
    static TensorProduct mma(ValueType a, ValueType b, ValueType result, boolean saturates, TensorCore core) {
        return switch (a) {
            case I8, U8 -> integer(a, b, result, saturates);
            case F64 -> doubles(b, result);
            case E4M3, E5M2 -> FloatProduct.expanded(OperandFormat.of(a), OperandFormat.of(b), result, core);
            default -> FloatProduct.plain(OperandFormat.of(a), OperandFormat.of(b), result, core);
        };
    }

    /**
     * What {@code wgmma.mma_async} computes.
     *
     * @param saturates {@code .satfinite}: integer results are clamped instead of wrapped
     * @throws IllegalArgumentException if tensor cores have no such combination of types
     */
    static TensorProduct wgmma(ValueType a, ValueType b, ValueType result, boolean saturates) {
        return switch (a) {
            case I8, U8 -> integer(a, b, result, saturates);
            case E4M3, E5M2 -> FloatProduct.short8(OperandFormat.of(a), OperandFormat.of(b), result);
            case F64 -> throw new IllegalArgumentException("wgmma has no f64 operands: use mma.sync");
            default -> FloatProduct.plain(OperandFormat.of(a), OperandFormat.of(b), result, TensorCore.HOPPER);
        };
    }

    private static TensorProduct integer(ValueType a, ValueType b, ValueType result, boolean saturates) {
        if (b != ValueType.I8 && b != ValueType.U8 || result != ValueType.I32) {
            throw new IllegalArgumentException("tensor cores multiply 8-bit integers with each other and add in i32, "
                    + "not " + a + " with " + b + " in " + result);
        }
        return new IntegerProduct(a == ValueType.I8, b == ValueType.I8, saturates);
    }

    private static TensorProduct doubles(ValueType b, ValueType result) {
        if (b != ValueType.F64 || result != ValueType.F64) {
            throw new IllegalArgumentException("tensor cores multiply f64 with f64 and add in f64, not with " + b
                    + " in " + result);
        }
        return new DoubleProduct();
    }
}
