package dev.tilewright.bench.runtime;

import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A whole program that moves one tile through a GPU and checks it, as {@code first_tile.cpp} does. */
final class FirstTile {
    /** The argument by which it opens the GPU and does nothing else. */
    static final String DRIVER = "driver";

    private static final int WORDS = 64 * 64;
    private static final int VALUE = 5;

    private FirstTile() {
    }

    public static void main(String[] arguments) {
        // The driver takes most of the time, and Java has something to do meanwhile.
        CompletableFuture<Gpu> opening = Gpu.openAsync();
        if (List.of(arguments).contains(DRIVER)) {
            try (Gpu _ = opening.join()) {
                System.out.println("checked");
            }
            return;
        }
        int[] words = new int[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = i * 0x9E3779B1;
        }
        VectorCopy copy = VectorCopy.of(ElementType.U32).step(ElementStep.ADD).build();
        try (Gpu gpu = opening.join(); Kernel kernel = gpu.load(copy); Buffer<int[]> in = gpu.upload(words);
                Buffer<int[]> out = gpu.ints(WORDS)) {
            kernel.prepare(copy.launch(List.of((long) WORDS), VALUE), in, out).start();
            int[] moved = out.download();
            for (int i = 0; i < WORDS; i++) {
                if (moved[i] != words[i] + VALUE) {
                    throw new IllegalStateException("word " + i + " is wrong");
                }
            }
            System.out.println("checked");
        }
    }
}
