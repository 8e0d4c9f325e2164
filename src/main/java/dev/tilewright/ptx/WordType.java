package dev.tilewright.ptx;

/** The types of 32 and 64 bits that scoped loads, stores and atomics have. */
public enum WordType implements Qualifier {
    B32, U32, S32, F32, B64, U64, S64, F64;

    private final DataType type = DataType.valueOf(name());

    /** The same type among all of PTX. */
    public DataType type() {
        return type;
    }

    /** 4 or 8. */
    public int bytes() {
        return type.bytes();
    }

    @Override
    public String text() {
        return type.text();
    }

    public Operand input(String name) {
        return type.input(name);
    }

    public Operand output(String name) {
        return type.output(name);
    }

    /** The name in PTX: {@code u32}. */
    @Override
    public String toString() {
        return type.toString();
    }
}
