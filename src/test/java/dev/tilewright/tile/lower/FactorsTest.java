package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.Map;
import org.apache.commons.lang3.StringUtils;
import org.junit.jupiter.api.Test;

/** How factors come to the threads that multiply, of a product that the copy engine brings nothing for. */
class FactorsTest {
    private static String text(int rows) {
        TileKernel scores = TileKernel.of("scores", k -> {
            Dim n = k.dim("n"), slots = k.dim("slots"), width = Dim.of(64);
            Tensor q = k.in("q", ValueType.BF16, n, width), keys = k.in("keys", ValueType.BF16, slots, width);
            Tensor where = k.in("where", ValueType.I32, Dim.of(64));
            Tensor y = k.out("y", ValueType.F32, n, Dim.of(64));
            k.forEachTile(y, rows, 64, at -> y.store(at, k.zeros(ValueType.F32, rows, 64).mma(q.tile(at.row()),
                    keys.gather(where.tile()).transposed())));
        });
        String text = CudaEmitter.emit(scores.lowered(Target.SM_90A, Map.of()).program()).text();
        return text.substring(text.indexOf("extern \"C\""));
    }

    /** Three exchanges: of the rows' numbers, and of each factor; none of zeros that the sums begin with. */
    @Test
    void factorsThatFillInstructionsAreExchangedInWideAccesses() {
        String text = text(16);
        assertFalse(text.contains("<unsigned short*>(scratch"), text);
        assertTrue(text.contains("value::store_bf16x"), text);
        assertEquals(6, StringUtils.countMatches(text, "__syncthreads();"), text);
    }

    /** Rows that instructions take and the tile lacks are zeros, which only the other way gives. */
    @Test
    void fewerRowsAreFilledUp() {
        String text = text(4);
        assertTrue(text.contains("<unsigned short*>(scratch"), text);
        assertTrue(text.contains("value::store_bf16x"), text);
    }
}
