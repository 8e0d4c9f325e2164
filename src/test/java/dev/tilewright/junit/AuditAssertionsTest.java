package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Signature;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.EmbeddingKernels;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The assertion that audits an output. */
class AuditAssertionsTest {
    private static final TileKernel SOFTMAX = RowKernels.softmax(ValueType.F32);
    private static final Signature SIGNATURE = SOFTMAX.signature(Target.SM_90A);

    private final float[] x = new float[30 * 8];
    private final float[] y = new float[x.length];

    private void compute() {
        for (int i = 0; i < x.length; i++) {
            x[i] = i % 11 / 4f;
        }
        try (Gpu gpu = Gpu.emulated(); ArrayKernel softmax = gpu.load(SOFTMAX)) {
            softmax.launch().set("x", x, 30, 8).set("y", y, 30, 8).run();
        }
    }

    private void audit(Signature signature, long... rows) {
        AuditAssertions.assertAudited(SOFTMAX, signature, Map.of("x", HostArray.of(x, 30, 8)), Map.of(), "y",
                HostArray.of(y, 30, 8), rows);
    }

    @Test
    void whatAGpuLeavesAgrees() {
        compute();
        audit(SIGNATURE);
        y[8 * 8 + 3] = Math.nextUp(y[8 * 8 + 3]);
        audit(SIGNATURE, 0, 7, 9);
        String message = assertThrows(AssertionFailedError.class, () -> audit(SIGNATURE)).getMessage();
        assertTrue(message.startsWith("kernel 'softmax', 'y': 1 row differs from what the CPU computes: row 8: 1 byte "
                + "differs, at byte 268, in element [8, 3]: expected 0x"), message);
    }

    @Test
    void anothersSignatureAndRowsThatAreNotThereAreRefused() {
        compute();
        assertTrue(assertThrows(BadRequestException.class, () -> audit(RowKernels.logSoftmax(ValueType.F32)
                .signature(Target.SM_90A))).getMessage().contains(" is another's: kernel 'softmax' has "
                        + SIGNATURE.hash()));
        assertEquals("row 30 is not there: 'y' has 30 rows, from 0 on", assertThrows(BadRequestException.class, () ->
                audit(SIGNATURE, 30)).getMessage());
        assertEquals("kernel 'softmax' reads 'x', which is not among the inputs []",
                assertThrows(IllegalArgumentException.class, () -> AuditAssertions.assertAudited(SOFTMAX, SIGNATURE,
                        Map.of(), Map.of(), "y", HostArray.of(y, 30, 8))).getMessage());
    }

    /** What is updated is computed from what was there before, all of it, since any tile may write any row. */
    @Test
    void whatIsUpdatedIsAuditedFromWhatWasThere() {
        float[] dy = {1, 2, 3, 4, 5, 6};
        int[] rows = {1, 0, 1};
        float[] before = {10, 20, 30, 40};
        float[] after = before.clone();
        TileKernel gradient = EmbeddingKernels.gradient(ValueType.F32);
        gradient.onCpu().set("dy", dy, 3, 2).set("rows", rows, 3).set("gradient", after, 2, 2).run();
        assertEquals(30 + 1 + 5, after[2]);
        Map<String, HostArray> inputs = Map.of("dy", HostArray.of(dy, 3, 2), "rows", HostArray.of(rows, 3), "gradient",
                HostArray.of(before, 2, 2));
        AuditAssertions.assertAudited(gradient, gradient.signature(Target.SM_80), inputs, Map.of(), "gradient",
                HostArray.of(after, 2, 2), 1);
        after[3]++;
        assertThrows(AssertionFailedError.class, () -> AuditAssertions.assertAudited(gradient,
                gradient.signature(Target.SM_80), inputs, Map.of(), "gradient", HostArray.of(after, 2, 2), 1));
    }
}
