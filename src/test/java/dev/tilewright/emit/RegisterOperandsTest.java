package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operands of several registers: how they are declared, how a wrapper takes them, and that it compiles. */
class RegisterOperandsTest {
    private static final MmaSync FORM = new MmaSync(MmaShape.M16N8K16, MmaTypes.F32_BF16_BF16);

    @Test
    void howItIsWritten() {
        assertEquals(List.of(
                "// mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {d}, {a}, {b}, {c};",
                "// a warp multiplies two matrices in registers and adds a third (PTX ISA 7.0, sm_80)",
                "__device__ __forceinline__ void mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32("
                        + "float* d, const unsigned* a, const unsigned* b, const float* c) {",
                "    asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 \" "
                        + "\"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\" : "
                        + "\"=f\"(d[0]), \"=f\"(d[1]), \"=f\"(d[2]), \"=f\"(d[3]) : "
                        + "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b[0]), \"r\"(b[1]), "
                        + "\"f\"(c[0]), \"f\"(c[1]), \"f\"(c[2]), \"f\"(c[3]));",
                "}"), InstructionFunctions.define(FORM));
    }

    @Test
    void itCompiles() {
        Nvrtc nvrtc = EmbeddedCompiler.release("13.3");
        EmbeddedCompiler.compile(nvrtc, AssemblyKernel.of(List.of(FORM)), AssemblyKernel.NAME, Target.SM_80, List.of());
        EmbeddedCompiler.compile(nvrtc, AssemblyKernel.of(List.of(FORM)), AssemblyKernel.NAME, Target.SM_90A,
                List.of());
    }

    @Test
    void registersAreInputsAlsoWhereTheyAreWritten() {
        assertEquals(List.of("d", "a", "b", "c"), FORM.inputs().stream().map(Operand::name).toList());
        assertEquals(List.of(), FORM.results());
        assertEquals(new Operand("d", Operand.Kind.F32_REGISTERS, 4, Operand.Access.WRITE), FORM.inputs().getFirst());
        assertEquals(new Operand("a", Operand.Kind.B32_REGISTERS, 4, Operand.Access.READ), FORM.inputs().get(1));
    }

    @Test
    void whatIsNoOperand() {
        assertEquals("operand 'd' has at least one register, got 0", assertThrows(IllegalArgumentException.class,
                () -> new Operand("d", Operand.Kind.F32_REGISTERS, 0, Operand.Access.WRITE)).getMessage());
        assertEquals("operand 'n' is a 32-bit number: only registers have a count or are written, got 2 and READ",
                assertThrows(IllegalArgumentException.class,
                () -> new Operand("n", Operand.Kind.U32, 2, Operand.Access.READ)).getMessage());
    }
}
