package dev.tilewright.ptx.mma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Products of matrices as the PTX ISA writes them, by its tables of fragments; what it lacks is refused with the rule.
 */
class MmaFormsTest {

    /** The registers of D, A and B by the figures of "Matrix Fragments for mma". */
    @ParameterizedTest
    @CsvSource({"M16N8K8, F16_F16_F16, 2, 2, 1", "M16N8K16, F16_F16_F16, 2, 4, 2", "M16N8K8, F32_BF16_BF16, 4, 2, 1",
        "M16N8K16, F32_BF16_BF16, 4, 4, 2", "M16N8K4, F32_TF32_TF32, 4, 2, 1", "M16N8K8, F32_TF32_TF32, 4, 4, 2",
        "M16N8K32, F32_E4M3_E5M2, 4, 4, 2", "M16N8K16, F16_E4M3_E4M3, 2, 2, 1", "M8N8K4, F64_F64_F64, 2, 1, 1",
        "M16N8K4, F64_F64_F64, 4, 2, 1", "M16N8K8, F64_F64_F64, 4, 4, 2", "M16N8K16, F64_F64_F64, 4, 8, 4",
        "M8N8K16, S32_S8_U8, 2, 1, 1", "M16N8K16, S32_S8_S8, 4, 2, 1", "M16N8K32, S32_U8_U8, 4, 4, 2"})
    void registersOfAWarpsProduct(MmaShape shape, MmaTypes types, int d, int a, int b) {
        assertEquals(List.of(d, a, b, d), new MmaSync(shape, types).operands().stream().map(Operand::count).toList());
    }

    @ParameterizedTest
    @MethodSource
    void howTheyAreWritten(PtxInstruction form, String text) {
        String operands = form.operandText();
        for (Operand o : form.operands()) {
            operands = operands.replace("%" + o.name() + "%",
                    o.name() + (o.kind().isRegisters() ? ":" + o.count() + o.constraint() : ""));
        }
        assertEquals(text, form.opcode() + " " + operands);
    }

    static Stream<Arguments> howTheyAreWritten() {
        return Stream.of(
                Arguments.of(new MmaSync(MmaShape.M16N8K32, MmaTypes.S32_U8_S8).withSatfinite(),
                        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {d:4=r}, {a:4r}, {b:2r}, {c:4r}"),
                Arguments.of(new MmaSync(MmaShape.M8N8K4, MmaTypes.F64_F64_F64),
                        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d:2=d}, {a:1d}, {b:1d}, {c:2d}"),
                Arguments.of(new Movmatrix(), "movmatrix.sync.aligned.m8n8.trans.b16 d:1=r, a:1r"),
                Arguments.of(new WgmmaFloat(MmaTypes.F32_BF16_BF16, 256),
                "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
                        + "{d:128+f}, a_desc, b_desc, scale_d, 1, 1, 0, 0"),
                Arguments.of(new WgmmaFloat(MmaTypes.F16_F16_F16, 24).withRegistersA().withNegatedB().withTransposedB(),
                        "wgmma.mma_async.sync.aligned.m64n24k16.f16.f16.f16 {d:6+r}, {a:4r}, b_desc, scale_d, 1, "
                        + "-1, 1"),
                Arguments.of(new WgmmaFloat(MmaTypes.F32_TF32_TF32, 8).withNegatedA(),
                        "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {d:4+f}, a_desc, b_desc, scale_d, -1, 1"),
                Arguments.of(new WgmmaFloat(MmaTypes.F32_E5M2_E4M3, 64),
                        "wgmma.mma_async.sync.aligned.m64n64k32.f32.e5m2.e4m3 {d:32+f}, a_desc, b_desc, scale_d, 1, 1"),
                Arguments.of(new WgmmaInteger(MmaTypes.S32_S8_U8, 48).withSatfinite().withRegistersA(),
                        "wgmma.mma_async.sync.aligned.m64n48k32.satfinite.s32.s8.u8 {d:24+r}, {a:4r}, b_desc, "
                        + "scale_d"));
    }

    /** The lists of n of "Register Fragments and Shared Memory Matrix Layouts". */
    @Test
    void whatNThereIs() {
        assertEquals(32, Catalogue.forms(WgmmaFloat.class).map(WgmmaFloat::n).distinct().count());
        assertEquals("8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256",
                Catalogue.forms(WgmmaInteger.class)
                .map(WgmmaInteger::n).distinct().sorted().map(String::valueOf).collect(Collectors.joining(" ")));
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(IllegalFormException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        WgmmaFloat tf32 = new WgmmaFloat(MmaTypes.F32_TF32_TF32, 64);
        return Stream.of(
                refusal(() -> new MmaSync(MmaShape.M16N8K32, MmaTypes.F32_BF16_BF16),
                "mma.sync of f32 += bf16 * bf16 has the shapes "
                        + "[m16n8k8, m16n8k16], got m16n8k32 (PTX ISA, \"mma\")"),
                refusal(() -> new MmaSync(MmaShape.M16N8K16, MmaTypes.F32_BF16_BF16).withSatfinite(),
                        "mma.sync takes .satfinite with integers, got f32 += bf16 * bf16 (PTX ISA, \"mma\")"),
                refusal(() -> new WgmmaFloat(MmaTypes.F64_F64_F64, 64),
                "wgmma.mma_async of floats takes f16, bf16, tf32, e4m3 or e5m2, "
                        + "got f64 += f64 * f64: use mma.sync (PTX ISA, \"wgmma.mma_async\")"),
                refusal(() -> new WgmmaFloat(MmaTypes.S32_S8_S8, 64),
                "wgmma.mma_async of floats takes f16, bf16, tf32, e4m3 or e5m2, "
                        + "got s32 += s8 * s8: use WgmmaInteger (PTX ISA, \"wgmma.mma_async\")"),
                refusal(() -> new WgmmaFloat(MmaTypes.F32_F16_F16, 264),
                "wgmma.mma_async of floats has an n that is a multiple of 8 "
                        + "from 8 to 256, got 264 (PTX ISA, \"wgmma.mma_async\")"),
                refusal(tf32::withTransposedB, "wgmma.mma_async transposes matrices of 16-bit elements only, got f32 "
                + "+= tf32 * tf32: "
                        + "neighbours along k have to lie together in shared memory (PTX ISA, \"wgmma.mma_async\")"),
                refusal(() -> new WgmmaFloat(MmaTypes.F32_F16_F16, 8).withTransposedA().withRegistersA(),
                "wgmma.mma_async transposes A "
                        + "in shared memory only, got A in registers (PTX ISA, \"wgmma.mma_async\")"),
                refusal(() -> new WgmmaInteger(MmaTypes.S32_S8_S8, 40),
                "wgmma.mma_async of integers has an n of 8, 24, or a multiple of "
                        + "16 up to 256, got 40 (PTX ISA, \"wgmma.mma_async\")"),
                refusal(() -> new WgmmaWaitGroup(-1), "pending groups must be at least 0, got -1 (PTX ISA, "
                + "\"wgmma.wait_group\")"),
                refusal(() -> new WgmmaWaitGroup(1).withSums(129), "a thread has at most 128 sums of a product, got "
                + "129 (PTX ISA, \"wgmma.wait_group\")"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }
}
