package dev.tilewright.ptx;

/**
 * One operand of an instruction: its name in listings and in generated code, and what may stand there.
 *
 * @param name lower-case name such as {@code dst} or {@code mbar}
 * @param kind what the operand is
 */
public record Operand(String name, Kind kind) {

    /** What an operand is, and with that how inline assembly passes it. */
    public enum Kind {
        /** 32-bit address in shared memory, written in brackets. */
        SHARED_ADDRESS("unsigned", "r", true),
        /** 64-bit address in global memory, written in brackets. */
        GLOBAL_ADDRESS("const void*", "l", true),
        /** 64-bit address in global memory that the instruction writes to, written in brackets. */
        GLOBAL_DESTINATION("void*", "l", true),
        /** Address of a tensor map; stands first inside the brackets of a tensor operand. */
        TENSOR_MAP("const void*", "l", false),
        /** One signed 32-bit coordinate of a tensor operand, innermost dimension first. */
        COORDINATE("int", "r", false),
        /** 32-bit unsigned register. */
        U32("unsigned", "r", false),
        /** 64-bit unsigned register. */
        U64("unsigned long long", "l", false),
        /** 64-bit opaque state of an mbarrier phase, read. */
        TOKEN("unsigned long long", "l", false),
        /** 64-bit opaque state of an mbarrier phase, written. */
        TOKEN_OUT("unsigned long long", "=l", false),
        /** Predicate result, handed out as 0 or 1. */
        PREDICATE_OUT("unsigned", "=r", false);

        private final String cType;
        private final String constraint;
        private final boolean bracketed;

        Kind(String cType, String constraint, boolean bracketed) {
            this.cType = cType;
            this.constraint = constraint;
            this.bracketed = bracketed;
        }

        /** The C++ type that a wrapper of the instruction takes or returns. */
        public String cType() {
            return cType;
        }

        /** The inline-assembly constraint. */
        public String constraint() {
            return constraint;
        }

        public boolean bracketed() {
            return bracketed;
        }

        public boolean isOutput() {
            return this == TOKEN_OUT || this == PREDICATE_OUT;
        }
    }

    static Operand of(String name, Kind kind) {
        return new Operand(name, kind);
    }
}
