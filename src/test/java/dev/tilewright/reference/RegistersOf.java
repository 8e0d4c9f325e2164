package dev.tilewright.reference;

import dev.tilewright.program.expression.Register;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;

/** The registers that an operand takes which is several of them. */
final class RegistersOf {
    private RegistersOf() {
    }

    static boolean isRegisters(Operand o) {
        return switch (o.kind()) {
            case B32_REGISTERS, S32_REGISTERS, F32_REGISTERS, F64_REGISTERS -> true;
            default -> false;
        };
    }

    static Register of(Operand o) {
        return new Register("registers_" + o.name(), switch (o.kind()) {
            case S32_REGISTERS -> ValueType.I32;
            case F32_REGISTERS -> ValueType.F32;
            case F64_REGISTERS -> ValueType.F64;
            default -> ValueType.U32;
        }, o.count(), 1);
    }
}
