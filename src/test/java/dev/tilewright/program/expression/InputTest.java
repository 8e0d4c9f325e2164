package dev.tilewright.program.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Red;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a program may give to an operand, and how it is printed. */
class InputTest {
    private static final Parameter.Pointer OUT = Parameter.Pointer.writing("out", ValueType.F32);

    private static Red add(DataType type) {
        return Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, type);
    }

    private static String source(DataType type, Value value) {
        return CudaEmitter.emit(new TileProgram("k", "adds", 1, List.of(OUT), new SharedLayout(List.of()),
                Body.steps(body -> body.issue(add(type), Input.of(OUT.at(0)), Input.of(value))))).text();
    }

    @Test
    void aValueIsPrintedAsTheOperandTakesIt() {
        String floats = source(DataType.F32, Value.f32(1.5f));
        assertTrue(floats.contains("(out, 1.5f);"), floats);
        String integers = source(DataType.S32, Value.i32(7));
        assertTrue(integers.contains("(out, 7);"), integers);
    }

    @Test
    void anAddressThatTheKernelFoundIsPrintedAsAPointer() {
        Address found = new Address.Pointed(OUT.deviceAddress());
        String source = CudaEmitter.emit(new TileProgram("k", "stores", 1, List.of(OUT), new SharedLayout(List.of()),
                Body.steps(body -> body.store(found, Value.i32(1))))).text();
        assertTrue(source.contains("*reinterpret_cast<int*>(reinterpret_cast<unsigned char*>("), source);
        assertEquals("an address in global memory has 64 bits, got type S32: use toS64()", assertThrows(
                IllegalArgumentException.class, () -> new Address.Pointed(Expr.of(1))).getMessage());
    }

    @Test
    void aValueFitsARegisterOfAsManyBits() {
        assertEquals("red.relaxed.gpu.global.add.f32: operand 'value' takes the bits of a float as a number of as many "
                + "bits, got a value of type f64", assertThrows(IllegalArgumentException.class, () ->
                        new Operation.Issue(add(DataType.F32), Input.of(OUT.at(0)), Input.of(Value.f64(1))))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> new Operation.Issue(add(DataType.F32),
                Input.of(Value.i64(1)), Input.of(Value.f32(1))));
        assertEquals("a value of 32 or 64 bits is needed, got one of type u16: convert it, with to(I32) or to(F32)",
                assertThrows(IllegalArgumentException.class, () -> Input.of(Value.i32(1).to(ValueType.U16)))
                        .getMessage());
    }
}
