package dev.tilewright.ptx;

import dev.tilewright.NotNull;

/**
 * One operand of an instruction: its name in listings and in generated code, and what may stand there.
 *
 * <p>Several registers, such as a thread's part of a matrix, are one operand with a count. They are never among an
 * instruction's results, which are single values that it hands out: a program gives it the registers to work on,
 * whether it reads or writes them.
 *
 * @param name lower-case name such as {@code dst} or {@code mbar}
 * @param kind what the operand is
 * @param count how many registers; 1 for every other kind
 * @param access what the instruction does with the registers; READ for every other kind
 */
public record Operand(String name, Kind kind, int count, Access access) {

    /** How an instruction accesses its register operands. */
    public enum Access {
        READ(""),
        WRITE("="),
        /** Read, then written. */
        UPDATE("+");

        private final String constraint;

        Access(String constraint) {
            this.constraint = constraint;
        }

        /** Whether the instruction writes what the operand names. */
        public boolean writes() {
            return this != READ;
        }

        /** Whether the instruction reads what the operand names. */
        public boolean reads() {
            return this != WRITE;
        }
    }

    /** @throws IllegalArgumentException if the count is not positive, or count or access are those of registers only */
    public Operand {
        NotNull.all("name, kind, access", name, kind, access);
        if (count < 1) {
            throw new IllegalArgumentException("operand '" + name + "' has at least one register, got " + count);
        }
        if (!kind.isRegisters() && (count != 1 || access != Access.READ)) {
            throw new IllegalArgumentException("operand '" + name + "' is " + kind.title()
                    + ": only registers have a count or are written, got " + count + " and " + access);
        }
    }

    /** A single value, address or register that is read, or a result. */
    public Operand(String name, Kind kind) {
        this(name, kind, 1, Access.READ);
    }

    /** The constraint of inline assembly, for each of its registers. */
    public String constraint() {
        return access.constraint + kind.constraint();
    }

    /** The C++ parameter that a wrapper of the instruction takes for it: registers by a pointer to the first. */
    public String parameter() {
        return !kind.isRegisters() ? kind.cType() + " " + name
                : (access.writes() ? "" : "const ") + kind.cType() + "* " + name;
    }

    /** How an operand reaches the instruction, with the C++ type and inline-assembly constraint that pass it. */
    public enum Kind {
        /** 32-bit address in the block's own shared memory, written in brackets. */
        SHARED_ADDRESS("unsigned", "r", Role.ADDRESS),
        /** 32-bit address in the shared memory of any block of the cluster, written in brackets. */
        CLUSTER_ADDRESS("unsigned", "r", Role.ADDRESS),
        /** 64-bit address in global memory, written in brackets. */
        GLOBAL_ADDRESS("const void*", "l", Role.ADDRESS),
        /** 64-bit address in global memory that the instruction writes to, written in brackets. */
        GLOBAL_DESTINATION("void*", "l", Role.ADDRESS),
        /** 64-bit generic address, written in brackets. */
        GENERIC_ADDRESS("const void*", "l", Role.ADDRESS),
        /** 64-bit generic address that the instruction writes to, written in brackets. */
        GENERIC_DESTINATION("void*", "l", Role.ADDRESS),
        /** 64-bit address in local, constant or parameter space, written in brackets. */
        SPACE_ADDRESS("unsigned long long", "l", Role.ADDRESS),
        /** Address of a tensor map; stands first inside the brackets of a tensor operand. */
        TENSOR_MAP("const void*", "l", Role.INPUT),
        /** One signed 32-bit coordinate of a tensor operand, innermost dimension first. */
        COORDINATE("int", "r", Role.INPUT),
        /** 8-bit value in the low bits of a 32-bit register. */
        U8("unsigned", "r", Role.INPUT),
        /** 16-bit unsigned register. */
        U16("unsigned short", "h", Role.INPUT),
        /** 32-bit unsigned register. */
        U32("unsigned", "r", Role.INPUT),
        /** 64-bit unsigned register. */
        U64("unsigned long long", "l", Role.INPUT),
        /** 128-bit register, passed as two of 64 bits, the low half first. */
        U128("ulonglong2", "l", Role.INPUT),
        /** 32-bit float register. */
        F32("float", "f", Role.INPUT),
        /** 64-bit float register. */
        F64("double", "d", Role.INPUT),
        /** Predicate, passed as zero or not zero. */
        PREDICATE("unsigned", "r", Role.INPUT),
        /** 64-bit opaque state of an mbarrier phase, read. */
        TOKEN("unsigned long long", "l", Role.INPUT),
        /** 64-bit opaque state of an mbarrier phase, written. */
        TOKEN_OUT("unsigned long long", "=l", Role.OUTPUT),
        /** Predicate result, handed out as 0 or 1. */
        PREDICATE_OUT("unsigned", "=r", Role.OUTPUT),
        /** 16-bit result. */
        U16_OUT("unsigned short", "=h", Role.OUTPUT),
        /** 32-bit result. */
        U32_OUT("unsigned", "=r", Role.OUTPUT),
        /** 64-bit result. */
        U64_OUT("unsigned long long", "=l", Role.OUTPUT),
        /** 32-bit float result. */
        F32_OUT("float", "=f", Role.OUTPUT),
        /** 64-bit float result. */
        F64_OUT("double", "=d", Role.OUTPUT),
        /** Registers of 32 bits: packed elements of matrices. */
        B32_REGISTERS("unsigned", "r", Role.REGISTERS),
        /** Registers of signed 32-bit integers. */
        S32_REGISTERS("int", "r", Role.REGISTERS),
        /** Registers of 32-bit floats. */
        F32_REGISTERS("float", "f", Role.REGISTERS),
        /** Registers of 64-bit floats. */
        F64_REGISTERS("double", "d", Role.REGISTERS);

        private enum Role { ADDRESS, INPUT, OUTPUT, REGISTERS }

        private final String cType;
        private final String constraint;
        private final Role role;

        Kind(String cType, String constraint, Role role) {
            this.cType = cType;
            this.constraint = constraint;
            this.role = role;
        }

        /** The C++ type that a wrapper of the instruction takes or returns. */
        public String cType() {
            return cType;
        }

        /** The inline-assembly constraint. */
        public String constraint() {
            return constraint;
        }

        /** Whether the operand stands in brackets of its own. */
        public boolean bracketed() {
            return role == Role.ADDRESS;
        }

        /** Whether the instruction writes the operand. */
        public boolean isOutput() {
            return role == Role.OUTPUT;
        }

        /** Whether the operand is several registers, which a program names: see {@link Operand}. */
        public boolean isRegisters() {
            return role == Role.REGISTERS;
        }

        /** Whether its register has 64 bits; other registers have 32 or fewer, but for {@link #U128}. */
        public boolean isWide() {
            return constraint.endsWith("l") && this != U128 || constraint.endsWith("d");
        }

        /** In a few words, for messages. */
        public String title() {
            return switch (this) {
                case SHARED_ADDRESS -> "an address in the block's shared memory";
                case CLUSTER_ADDRESS -> "an address in the cluster's shared memory";
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION -> "an address in global memory";
                case GENERIC_ADDRESS, GENERIC_DESTINATION -> "an address";
                case SPACE_ADDRESS -> "a 64-bit address in a state space";
                case TENSOR_MAP -> "a tensor map";
                case U128 -> "two numbers of 64 bits";
                case PREDICATE -> "a truth value as a 32-bit number";
                case F32, F64 -> "the bits of a float as a number of as many bits";
                case B32_REGISTERS -> "registers of 32 bits";
                case S32_REGISTERS -> "registers of signed 32-bit integers";
                case F32_REGISTERS -> "registers of 32-bit floats";
                case F64_REGISTERS -> "registers of 64-bit floats";
                default -> isWide() ? "a 64-bit number" : "a 32-bit number";
            };
        }
    }
}
