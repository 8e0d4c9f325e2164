package dev.tilewright.ptx.mma;

/** The types of one product D = A * B + C, where D and C have the same type: D's, then A's, then B's. */
public enum MmaTypes {
    F16_F16_F16(MmaType.F16, MmaType.F16, MmaType.F16),
    F32_F16_F16(MmaType.F32, MmaType.F16, MmaType.F16),
    F32_BF16_BF16(MmaType.F32, MmaType.BF16, MmaType.BF16),
    F32_TF32_TF32(MmaType.F32, MmaType.TF32, MmaType.TF32),
    F32_E4M3_E4M3(MmaType.F32, MmaType.E4M3, MmaType.E4M3),
    F32_E4M3_E5M2(MmaType.F32, MmaType.E4M3, MmaType.E5M2),
    F32_E5M2_E4M3(MmaType.F32, MmaType.E5M2, MmaType.E4M3),
    F32_E5M2_E5M2(MmaType.F32, MmaType.E5M2, MmaType.E5M2),
    F16_E4M3_E4M3(MmaType.F16, MmaType.E4M3, MmaType.E4M3),
    F16_E4M3_E5M2(MmaType.F16, MmaType.E4M3, MmaType.E5M2),
    F16_E5M2_E4M3(MmaType.F16, MmaType.E5M2, MmaType.E4M3),
    F16_E5M2_E5M2(MmaType.F16, MmaType.E5M2, MmaType.E5M2),
    F64_F64_F64(MmaType.F64, MmaType.F64, MmaType.F64),
    S32_S8_S8(MmaType.S32, MmaType.S8, MmaType.S8),
    S32_S8_U8(MmaType.S32, MmaType.S8, MmaType.U8),
    S32_U8_S8(MmaType.S32, MmaType.U8, MmaType.S8),
    S32_U8_U8(MmaType.S32, MmaType.U8, MmaType.U8);

    private final MmaType d;
    private final MmaType a;
    private final MmaType b;

    MmaTypes(MmaType d, MmaType a, MmaType b) {
        this.d = d;
        this.a = a;
        this.b = b;
    }

    /** The type of the accumulators C and D. */
    public MmaType d() {
        return d;
    }

    /** The type of the left matrix. */
    public MmaType a() {
        return a;
    }

    /** The type of the right matrix. */
    public MmaType b() {
        return b;
    }

    /** Whether the accumulator's elements, and with them all, are integers. */
    public boolean isInteger() {
        return d.isInteger();
    }

    /** {@code f32 += bf16 * bf16}, for messages. */
    @Override
    public String toString() {
        return d + " += " + a + " * " + b;
    }
}
