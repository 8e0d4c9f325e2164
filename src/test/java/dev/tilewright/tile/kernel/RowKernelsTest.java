package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels of rows with several results or inputs, against Java's floats. */
class RowKernelsTest {

    @ParameterizedTest
    @CsvSource({"BF16, 5, 130", "F32, 3, 7", "F64, 2, 40", "F16, 1, 1"})
    void theNormIsThatOfTheStoredSum(ValueType type, int rows, int columns) {
        double[] x = KernelRun.normal(type, rows * columns, 1);
        double[] residual = KernelRun.normal(type, rows * columns, 2);
        double[] weight = KernelRun.normal(type, columns, 3);
        KernelRun run = new KernelRun(RowKernels.addRmsNorm(type)).set("x", x, rows, columns)
                .set("residual", residual, rows, columns).set("weight", weight, columns).out("sum", rows, columns)
                .out("y", rows, columns).scalar("epsilon", 1e-5).run();
        double[] sum = new double[x.length];
        for (int i = 0; i < sum.length; i++) {
            sum[i] = KernelRun.rounded(type, type == ValueType.F64 ? x[i] + residual[i]
                    : (float) x[i] + (float) residual[i]);
        }
        assertArrayEquals(sum, run.numbers("sum"));
        double[] y = run.numbers("y");
        for (int i = 0; i < y.length; i++) {
            double squares = 0;
            for (int j = 0; j < columns; j++) {
                squares += Math.pow(sum[i / columns * columns + j], 2);
            }
            double wanted = sum[i] / Math.sqrt(squares / columns + 1e-5) * weight[i % columns];
            double step = type == ValueType.BF16 ? 0x1p-8 : type == ValueType.F16 ? 0x1p-11 : 0x1p-20;
            assertEquals(wanted, y[i], Math.abs(wanted) * step + 1e-7);
        }
    }

    @ParameterizedTest
    @CsvSource({"BF16, 17, 300", "F32, 3, 7"})
    void aGateLetsThrough(ValueType type, int rows, int columns) {
        double[] gate = KernelRun.normal(type, rows * columns, 1);
        double[] up = KernelRun.normal(type, rows * columns, 2);
        double[] y = new KernelRun(ElementKernels.swiGlu(type)).set("gate", gate, rows, columns)
                .set("up", up, rows, columns).out("y", rows, columns).run().numbers("y");
        for (int i = 0; i < y.length; i++) {
            double wanted = gate[i] / (1 + Math.exp(-gate[i])) * up[i];
            assertEquals(wanted, y[i], Math.abs(wanted) * (type == ValueType.BF16 ? 0x1p-8 : 0x1p-22));
        }
    }

    /** The types that the command offers, and no others: the rest would have no exponents, or sums in f32. */
    @ParameterizedTest
    @CsvSource({"softmax, softmax", "log-softmax, log_softmax", "layer-norm, layer_norm", "rms-norm, rms_norm",
        "add-rms-norm, add_rms_norm", "row-sums, row_sums", "bias-gelu, bias_gelu"})
    void typesThatAKernelDoesNotHaveAreRefused(String preset, String name) {
        List<String> types = name.equals("bias_gelu") ? List.of("f32", "bf16", "f16")
                : List.of("f32", "bf16", "f16", "f64");
        for (ValueType type : ValueType.values()) {
            if (types.contains(type.toString())) {
                assertEquals(name, TilePresets.find(preset).get().kernel(type).name());
            } else {
                assertEquals("kernel '" + name + "' has elements of " + String.join(", ", types) + ", got " + type,
                        assertThrows(IllegalArgumentException.class, () -> TilePresets.find(preset).get().kernels()
                                .apply(type)).getMessage());
            }
        }
    }

    /** All that lie in arrays; the command offers floats, as of the others. */
    @ParameterizedTest
    @EnumSource
    void typesWithoutAnOrderHaveNoGreatest(ValueType type) {
        if (type.element().isPresent()) {
            assertEquals("arg_max", RowKernels.argMax(type).name());
        } else {
            assertEquals("kernel 'arg_max' has elements of u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, "
                    + "got " + type, assertThrows(IllegalArgumentException.class, () -> RowKernels.argMax(type))
                    .getMessage());
        }
    }

    /** What a row lacks is said in the words of the language, whatever its length. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "layer-norm | sm_90a | 0 | has tiles of extent 'columns', which is 0, and its results need tiles with elements",
        "layer-norm | sm_90a | 131072 | the tiles that are needed at once take 256 registers of 32 bits of each thread",
        "softmax | sm_80 | 131072 | a tile of [131072] elements of f32 takes 128 registers of each of a block's 1024",
        "softmax | sm_90a | 1073741824 | rows of 1073741824 elements that are brought ahead take 536870912 bytes of",
        "softmax | sm_90a | 2305843009213693952 | has 2^63 - 1 elements or more"})
    void rowsThatNoBlockHolds(String preset, String target, long columns, String reason) {
        String message = assertThrows(IllegalArgumentException.class, () -> TilePresets.find(preset).get().kernel()
                .lowered(Target.parse(target), Map.of("columns", columns))).getMessage();
        assertTrue(message.contains(reason), message);
    }
}
