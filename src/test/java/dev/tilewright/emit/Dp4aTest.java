package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dot products of four bytes: what they are worth, and that they compile. */
class Dp4aTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);

    /** Each thread takes three words, and stores their dp4a. */
    private static TileProgram program(ValueType type) {
        return new TileProgram("dots", "dot products of four bytes", 32, List.of(IN, OUT), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Register words = b.registers("words", type, 1);
                    Register factors = b.registers("factors", type, 1);
                    Register sum = b.registers("sum", type, 1);
                    Expr at = Builtin.THREAD.times(12);
                    b.load(words, new Address.Global(IN, at));
                    b.load(factors, new Address.Global(IN, at.plus(4)));
                    b.load(sum, new Address.Global(IN, at.plus(8)));
                    b.store(new Address.Global(OUT, Builtin.THREAD.times(4)),
                            words.get().dp4a(factors.get(), sum.get()));
                }));
    }

    @ParameterizedTest
    @EnumSource(names = {"I32", "U32"})
    void theReferenceAddsFourProducts(ValueType type) {
        int[] in = new Random(7).ints(96).toArray();
        in[0] = 0x80808080;
        in[1] = 0x80808080;
        in[2] = Integer.MAX_VALUE;
        int[] out = new int[32];
        Reference.run(new Launch(program(type), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(MemorySegment.ofArray(in), MemorySegment.ofArray(out)), ReferenceOptions.DEFAULT);
        int[] expected = new int[32];
        for (int i = 0; i < 32; i++) {
            expected[i] = in[3 * i + 2];
            for (int k = 0; k < 4; k++) {
                int a = in[3 * i] >> 8 * k;
                int b = in[3 * i + 1] >> 8 * k;
                expected[i] += type == ValueType.I32 ? (byte) a * (byte) b : (a & 0xFF) * (b & 0xFF);
            }
        }
        assertArrayEquals(expected, out);
    }

    @ParameterizedTest
    @EnumSource(names = {"I32", "U32"})
    void itIsOneIntrinsic(ValueType type) {
        CudaSource source = CudaEmitter.emit(program(type));
        assertTrue(source.text().contains("__dp4a("), source.text());
        EmbeddedCompiler.kernels(EmbeddedCompiler.release("12.9"), source.text(), List.of(source.kernelName()),
                Target.SM_80);
    }

    @Test
    void otherTypesAreRefused() {
        Value f = Value.f32(1);
        assertEquals("dp4a is of four bytes in an i32 or u32, not of f32",
                assertThrows(IllegalArgumentException.class, () -> f.dp4a(f, f)).getMessage());
    }
}
