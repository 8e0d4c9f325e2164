import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.tile.*;

/** Blurs a photograph: each pixel is a weighted sum of 17 neighbours in a row, then of 17 in a column. */
class Example1Blur {
    /** Binomial weights, which add up to 1. */
    static final double[] WEIGHTS = {1, 16, 120, 560, 1820, 4368, 8008, 11440, 12870, 11440, 8008, 4368, 1820, 560, 120,
        16, 1};

    /** Neighbours lie {@code down} rows and {@code right} columns apart; outside of the picture all is grey. */
    static TileKernel blur(String name, int down, int right) {
        return TileKernel.of(name, k -> {
            Dim planes = k.dim("planes"), height = k.dim("height"), width = k.dim("width");
            Tensor x = k.in("x", F32, planes, height, width).outside(0.5), y = k.out("y", F32, planes, height, width);
            k.forEachTile(y, 1, 32, 64, at -> {
                Tile sum = k.zeros(F32, 32, 64);
                for (int i = 0; i < WEIGHTS.length; i++) {
                    int by = i - WEIGHTS.length / 2;
                    Tile neighbours = x.tile(at.get(0), at.row().plus(by * down), at.column().plus(by * right));
                    sum = sum.plus(neighbours.times(WEIGHTS[i] / 65_536));
                }
                y.store(at, sum);
            });
        });
    }

    public static void main(String[] args) throws Exception {
        Gallery.Picture photograph = Gallery.photograph();
        int height = photograph.height(), width = photograph.width();
        Gallery.Picture rows = new Gallery.Picture(3, height, width), blurred = new Gallery.Picture(3, height, width);
        Gallery.run(blur("blur_rows", 0, 1), launch -> launch.set("x", photograph.pixels(), 3, height, width)
                .set("y", rows.pixels(), 3, height, width).run());
        Gallery.run(blur("blur_columns", 1, 0), launch -> launch.set("x", rows.pixels(), 3, height, width)
                .set("y", blurred.pixels(), 3, height, width).run());
        Gallery.save(blurred, "blur.png");
    }
}
