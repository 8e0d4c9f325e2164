import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.*;
import java.util.List;

/** Finds edges in a photograph: a convolution with three filters of 3 x 3 pixels and three channels, as a product. */
class Example5Convolution {
    static final Convolution SQUARE = Convolution.square(3, 1, 1);

    static final TileKernel CONVOLUTION = TileKernel.of("convolution", k -> {
        Dim images = k.dim("images"), height = k.dim("height"), width = k.dim("width"), channels = k.dim("channels");
        Dim pixels = k.dim("pixels"), filters = k.dim("filters"), three = Dim.of(3);
        Tensor x = k.in("x", F32, images, height, width, channels);
        Tensor weights = k.in("weights", F32, three, three, channels, filters), y = k.out("y", F32, pixels, filters);
        k.forEachTile(y, 64, 8, at -> {
            Tile sum = k.zeros(F32, 64, 8);
            for (int i = 0; i < 9; i++) {
                Expr down = Expr.of(i / 3), right = Expr.of(i % 3);
                Span all = Span.of(0, 8);
                sum = sum.mma(x.patches(SQUARE, at.row(), List.of(down, right), all),
                        weights.tile(Span.at(down), Span.at(right), all, at.column()));
            }
            y.store(at, sum);
        });
    });

    /** A filter for each plane of the result: edges from left to right, from top to bottom, and in all directions. */
    static final float[][] FILTERS = {{-1, 0, 1, -2, 0, 2, -1, 0, 1}, {-1, -2, -1, 0, 0, 0, 1, 2, 1},
        {-1, -1, -1, -1, 8, -1, -1, -1, -1}};

    public static void main(String[] args) throws Exception {
        Gallery.Picture photograph = Gallery.photograph();
        int height = photograph.height(), width = photograph.width(), size = height * width;
        float[] x = new float[3 * size], weights = new float[9 * 3 * 3], y = new float[3 * size];
        for (int i = 0; i < x.length; i++) {
            x[i] = photograph.pixels()[i % 3 * size + i / 3];
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] = FILTERS[i % 3][i / 9] / 3;
        }
        Gallery.run(CONVOLUTION, launch -> launch.set("x", x, 1, height, width, 3).set("weights", weights, 3, 3, 3, 3)
                .set("y", y, size, 3).run());
        Gallery.Picture edges = new Gallery.Picture(3, height, width);
        for (int i = 0; i < y.length; i++) {
            edges.pixels()[i % 3 * size + i / 3] = Math.abs(y[i]);
        }
        Gallery.save(edges, "convolution.png");
    }
}
