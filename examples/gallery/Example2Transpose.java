import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.tile.*;

/** Exchanges rows and columns of a photograph. */
class Example2Transpose {
    static final TileKernel TRANSPOSE = TileKernel.of("transpose", k -> {
        Dim planes = k.dim("planes"), height = k.dim("height"), width = k.dim("width");
        Tensor x = k.in("x", F32, planes, height, width), y = k.out("y", F32, planes, width, height);
        k.forEachTile(x, 1, 64, 64, at -> y.store(x.tile(at).transposed(), at.get(0), at.column(), at.row()));
    });

    public static void main(String[] args) throws Exception {
        Gallery.Picture photograph = Gallery.photograph();
        int height = photograph.height(), width = photograph.width();
        Gallery.Picture transposed = new Gallery.Picture(3, width, height);
        Gallery.run(TRANSPOSE, launch -> launch.set("x", photograph.pixels(), 3, height, width)
                .set("y", transposed.pixels(), 3, width, height).run());
        Gallery.save(transposed, "transpose.png");
    }
}
