import static dev.tilewright.program.value.ValueType.F32;

import dev.tilewright.tile.*;

/** Where a patch of a photograph looks: softmax of how much it is like every other patch, laid over the photograph. */
class Example6Attention {
    static final int PATCH = 16;

    static final TileKernel LIKENESS = TileKernel.of("likeness", k -> {
        Dim queries = k.dim("queries"), keys = k.dim("keys"), depth = k.dim("depth");
        Tensor q = k.in("q", F32, queries, depth), patches = k.in("patches", F32, keys, depth);
        Tensor likeness = k.out("likeness", F32, queries, keys);
        k.forEachTile(likeness, 16, 64, at -> likeness.store(at, k.fold(k.zeros(F32, 16, 64), k.steps(depth, 32),
                (sum, i) -> sum.mma(q.tile(at.row(), i), patches.tile(at.column(), i).transposed()))));
    });

    public static void main(String[] args) throws Exception {
        Gallery.Picture photograph = Gallery.photograph();
        int height = photograph.height(), width = photograph.width(), across = width / PATCH;
        int count = height / PATCH * across, depth = 3 * PATCH * PATCH, at = 13 * across + 13;
        float[] patches = new float[count * depth], query = new float[depth];
        float[] likeness = new float[count], weights = new float[count];
        for (int i = 0; i < patches.length; i++) {
            int patch = i / depth, plane = i % depth / (PATCH * PATCH), place = i % (PATCH * PATCH);
            patches[i] = photograph.pixels()[plane * height * width
                    + (patch / across * PATCH + place / PATCH) * width + patch % across * PATCH + place % PATCH];
        }
        for (int patch = 0; patch < count; patch++) {
            centre(patches, patch * depth, depth);
        }
        System.arraycopy(patches, at * depth, query, 0, depth);
        Gallery.run(LIKENESS, launch -> launch.set("q", query, 1, depth).set("patches", patches, count, depth)
                .set("likeness", likeness, 1, count).run());
        Gallery.run(Example4Softmax.SOFTMAX, launch -> launch.set("x", likeness, 1, count).set("y", weights, 1, count)
                .scalar("sharpness", 6).run());
        float most = 0;
        for (float weight : weights) {
            most = Math.max(most, weight);
        }
        for (int i = 0; i < photograph.pixels().length; i++) {
            int y = i / width % height, x = i % width;
            photograph.pixels()[i] *= 0.15f + 0.85f * weights[y / PATCH * across + x / PATCH] / most;
        }
        Gallery.save(photograph, "attention.png");
    }

    /** Less its mean, and of length 1: what is alike has a product near 1. */
    static void centre(float[] patches, int from, int depth) {
        double sum = 0, squares = 0;
        for (int i = from; i < from + depth; i++) {
            sum += patches[i];
        }
        for (int i = from; i < from + depth; i++) {
            patches[i] -= (float) (sum / depth);
            squares += patches[i] * patches[i];
        }
        for (int i = from; i < from + depth; i++) {
            patches[i] /= (float) Math.sqrt(squares + 1e-9);
        }
    }
}
