import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;

import dev.tilewright.tile.*;
import java.util.Arrays;

/** Counts how often each of 256 shades occurs in a photograph, and draws the counts. */
class Example7Histogram {
    static final TileKernel HISTOGRAM = TileKernel.of("histogram", k -> {
        Dim pixels = k.dim("pixels"), bins = k.dim("bins");
        Tensor x = k.in("x", F32, pixels).outside(-1), counts = k.inOut("counts", I32, bins);
        k.forEachTile(x, 1024, at -> {
            Tile shades = x.tile(at).times(255).plus(0.5).map(v -> v.floor().to(I32));
            counts.scatter(Update.ADD, shades, k.full(I32, 1, 1024));
        });
    });

    public static void main(String[] args) throws Exception {
        Gallery.Picture grey = Gallery.brightness();
        int[] counts = new int[256];
        Gallery.run(HISTOGRAM, launch -> launch.set("x", grey.pixels(), grey.pixels().length).set("counts", counts, 256)
                .run());
        System.out.println(Arrays.stream(counts).sum() + " pixels of " + grey.pixels().length + " are counted");
        Gallery.Picture bars = new Gallery.Picture(1, 200, 512);
        Arrays.fill(bars.pixels(), 1);
        int most = Arrays.stream(counts).max().orElseThrow();
        for (int i = 0; i < bars.pixels().length; i++) {
            int column = i % 512, row = i / 512;
            if (200 - row <= 190L * counts[column / 2] / most) {
                bars.pixels()[i] = column / 2 / 320f;
            }
        }
        Gallery.save(bars, "histogram.png");
    }
}
