package dev.tilewright.ptx;

/** A fundamental type of PTX, as an instruction's last qualifier (PTX ISA, "Types"). */
public enum DataType implements Qualifier {
    B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F16, BF16, F32, F64;

    private final int bits = Integer.parseInt(name().replaceAll("\\D", ""));

    /** Width in bits. */
    public int bits() {
        return bits;
    }

    public int bytes() {
        return bits / 8;
    }

    public boolean isFloat() {
        return this == F16 || this == BF16 || this == F32 || this == F64;
    }

    @Override
    public String text() {
        return "." + this;
    }

    public Operand input(String name) {
        return Operand.of(name, switch (this) {
            case F32 -> Operand.Kind.F32;
            case F64 -> Operand.Kind.F64;
            default -> switch (bits()) {
                case 8 -> Operand.Kind.U8;
                case 16 -> Operand.Kind.U16;
                case 32 -> Operand.Kind.U32;
                default -> Operand.Kind.U64;
            };
        });
    }

    /** A result register; types of 32 and 64 bits only. */
    public Operand output(String name) {
        return Operand.of(name, switch (this) {
            case F32 -> Operand.Kind.F32_OUT;
            case F64 -> Operand.Kind.F64_OUT;
            default -> bits() == 32 ? Operand.Kind.U32_OUT : Operand.Kind.U64_OUT;
        });
    }

    /** The name in PTX: {@code u32}. */
    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
