import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.*;

/** The softmax of each row of brightness: what is brightest in its row stays bright. */
class Example4Softmax {
    static final TileKernel SOFTMAX = TileKernel.of("softmax", k -> {
        Dim rows = k.dim("rows"), columns = k.dim("columns");
        Tensor x = k.in("x", F32, rows, columns), y = k.out("y", F32, rows, columns);
        Value sharpness = k.scalar("sharpness", F32);
        k.forEachRow(x, row -> {
            Tile v = x.row(row).map(e -> e.times(sharpness)), e = v.minus(v.max()).exp();
            y.storeRow(row, e.dividedBy(e.sum()));
        });
    });

    public static void main(String[] args) throws Exception {
        Gallery.Picture grey = Gallery.brightness();
        int height = grey.height(), width = grey.width();
        Gallery.Picture parts = new Gallery.Picture(1, height, width);
        Gallery.run(SOFTMAX, launch -> launch.set("x", grey.pixels(), height, width)
                .set("y", parts.pixels(), height, width).scalar("sharpness", 12).run());
        double sum = 0;
        for (int i = 0; i < width; i++) {
            sum += parts.pixels()[i];
        }
        System.out.printf("the first row adds up to %.6f%n", sum);
        for (int i = 0; i < parts.pixels().length; i++) {
            parts.pixels()[i] *= width / 6f;
        }
        Gallery.save(parts, "softmax.png");
    }
}
