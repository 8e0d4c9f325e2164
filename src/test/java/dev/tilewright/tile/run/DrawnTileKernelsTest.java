package dev.tilewright.tile.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.Thorough;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.DrawnTileKernel;
import dev.tilewright.tile.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

/**
 * Kernels drawn at random: the executor leaves the bytes of {@link ScalarMeaning}, on one core and on several. {@code
 * -Dtilewright.tiles=N} draws so many, {@code -Dtilewright.tiles.from} says the first.
 */
class DrawnTileKernelsTest {

    @Test
    void theExecutorMeansWhatSingleElementsMean() {
        long from = Long.getLong("tilewright.tiles.from", 0);
        int count = Integer.getInteger("tilewright.tiles", Thorough.of(24, 60));
        for (long seed = from; seed < from + count; seed++) {
            RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            DrawnTileKernel drawn;
            try {
                drawn = new DrawnTileKernel(random);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            try {
                Map<String, long[]> one = run(drawn, 1);
                Map<String, long[]> many = run(drawn, 3);
                Map<String, long[]> wanted = meaning(drawn);
                for (Tensor tensor : drawn.kernel.tensors()) {
                    String name = tensor.name() + " of seed " + seed + "\n" + drawn.kernel;
                    assertArrayEquals(wanted.get(tensor.name()), one.get(tensor.name()), () -> name);
                    assertArrayEquals(one.get(tensor.name()), many.get(tensor.name()), () -> name + "on three cores");
                }
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + "\n" + drawn.kernel, e);
            }
        }
    }

    private static Map<String, long[]> meaning(DrawnTileKernel drawn) {
        Map<String, long[]> tensors = new HashMap<>();
        drawn.tensors.forEach((name, words) -> tensors.put(name, words.clone()));
        Map<String, Long> scalars = new HashMap<>();
        drawn.scalars.forEach((name, number) -> scalars.put(name, ValueMath.constant(ValueType.F32, number)));
        new ScalarMeaning(drawn.kernel, tensors, drawn.extents, scalars).run();
        return tensors;
    }

    private static Map<String, long[]> run(DrawnTileKernel drawn, int cores) {
        CpuLaunch launch = drawn.kernel.onCpu().cores(cores);
        Map<String, MemorySegment> memory = drawn.memory();
        memory.forEach((name, segment) -> launch.set(name, segment, drawn.extents.get(name)));
        drawn.scalars.forEach(launch::scalar);
        launch.run();
        return drawn.words(memory);
    }
}
