package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a filter's elements meet in images that are smaller than the filter: nothing, though some lie within. */
class PatchesTest {
    private static final TileKernel FIRST = TileKernel.of("first", k -> {
        Dim pixels = k.dim("pixels");
        Dim channels = k.dim("channels");
        Tensor images = k.in("images", ValueType.F32, k.dim("count"), k.dim("width"), channels).outside(7);
        Tensor out = k.out("out", ValueType.F32, pixels, channels);
        Convolution two = new Convolution(List.of(2), List.of(1), List.of(1), List.of(0));
        k.forEachTile(out, 4, 2, at -> out.store(at, images.patches(two, at.row(), Expr.list(0L), at.column())));
    });

    @Test
    void aFilterThatDoesNotFitMeetsNothing() {
        float[] out = new float[8];
        try (Gpu gpu = Gpu.emulated(); ArrayKernel kernel = gpu.load(FIRST)) {
            kernel.launch().set("images", new float[] {1, 2, 3, 4}, 2, 1, 2).set("out", out, 4, 2).run();
        }
        assertArrayEquals(new float[] {7, 7, 7, 7, 7, 7, 7, 7}, out);
        float[] onCpu = new float[8];
        FIRST.onCpu().set("images", new float[] {1, 2, 3, 4}, 2, 1, 2).set("out", onCpu, 4, 2).run();
        assertArrayEquals(out, onCpu);
    }
}
