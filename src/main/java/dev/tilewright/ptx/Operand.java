package dev.tilewright.ptx;

import java.util.Objects;

/**
 * One operand of an instruction: its name in listings and in generated code, and what may stand there.
 *
 * @param name lower-case name such as {@code dst} or {@code mbar}
 * @param kind what the operand is
 */
public record Operand(String name, Kind kind) {
    public Operand {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
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
        /** 32-bit result. */
        U32_OUT("unsigned", "=r", Role.OUTPUT),
        /** 64-bit result. */
        U64_OUT("unsigned long long", "=l", Role.OUTPUT),
        /** 32-bit float result. */
        F32_OUT("float", "=f", Role.OUTPUT),
        /** 64-bit float result. */
        F64_OUT("double", "=d", Role.OUTPUT);

        private enum Role { ADDRESS, INPUT, OUTPUT }

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

        public boolean isOutput() {
            return role == Role.OUTPUT;
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
                default -> isWide() ? "a 64-bit number" : "a 32-bit number";
            };
        }
    }
}
