package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.DrawnTileKernel;
import dev.tilewright.tile.lower.DrawnLowering;
import dev.tilewright.tile.lower.DrawnProduct;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tile kernels drawn at random leave the executor's bytes on the GPU. {@code -Dtilewright.tiles=N} draws so many,
 * {@code -Dtilewright.tiles.from} says the first.
 */
@Tag("gpu")
class TileKernelsGpuTest {

    @Test
    void programsLeaveTheExecutorsBytes() {
        TestGpu.atLeast(Target.SM_90);
        long from = Long.getLong("tilewright.tiles.from", 0);
        int count = Integer.getInteger("tilewright.tiles", 100);
        try (Gpu gpu = Gpu.open()) {
            List<Boolean> lowered = LongStream.range(from, from + count).parallel().mapToObj(seed -> {
                try {
                    return ran(gpu, seed);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed, e);
                }
            }).toList();
            long ran = lowered.stream().filter(b -> b).count();
            System.out.println(ran + " of " + count + " tile kernels were lowered and ran");
            assertTrue(ran > count / 4, () -> ran + " of " + count);
        }
    }

    private static boolean ran(Gpu gpu, long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        DrawnTileKernel drawn = new DrawnTileKernel(random);
        Optional<DrawnLowering> lowering = DrawnLowering.of(drawn, 32 << random.nextInt(4));
        if (lowering.isEmpty()) {
            return false;
        }
        Map<String, MemorySegment> memory = drawn.memory();
        gpu.run(lowering.get().launch(), drawn.kernel.tensors().stream().map(t -> memory.get(t.name())).toList());
        Map<String, long[]> got = drawn.words(memory);
        drawn.executed().forEach((name, words) -> assertArrayEquals(words, got.get(name), () -> name + " of\n"
                + drawn.kernel));
        return true;
    }

    /** Products on tensor cores, with poison around each tensor: {@code -Dtilewright.products=N} draws so many. */
    @Test
    void productsLeaveTheExecutorsBytes() {
        TestGpu.atLeast(Target.SM_90A);
        long from = Long.getLong("tilewright.products.from", 0);
        int count = Integer.getInteger("tilewright.products", 100);
        try (Gpu gpu = Gpu.open()) {
            List<Boolean> lowered = LongStream.range(from, from + count).parallel().mapToObj(seed -> {
                DrawnProduct drawn = new DrawnProduct(seed);
                try {
                    return multiplied(gpu, drawn);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError("seed " + seed + "\n" + drawn, e);
                }
            }).toList();
            long ran = lowered.stream().filter(b -> b).count();
            System.out.println(ran + " of " + count + " products went to tensor cores by the copy engine");
            assertTrue(ran > count / 3, () -> ran + " of " + count);
        }
    }

    private static boolean multiplied(Gpu gpu, DrawnProduct drawn) {
        Launch launch;
        try {
            launch = drawn.launch();
        } catch (IllegalArgumentException e) {
            assertTrue(ExceptionUtils.indexOfType(e, OutOfRegistersException.class) >= 0, e::getMessage);
            return false;
        }
        Map<String, MemorySegment> memory = drawn.memory();
        gpu.run(launch, drawn.inOrder(memory));
        assertEquals("", drawn.difference(memory, drawn.executed()));
        return launch.arguments().stream().anyMatch(Argument.Tensor.class::isInstance);
    }

    /** Launched by names, as applications do, by two schedules; without a GPU on the reference. */
    @Test
    void launchesByNamesLeaveTheExecutorsBytes() {
        long from = Long.getLong("tilewright.tiles.from", 0);
        try (Gpu gpu = Gpu.openOrEmulated(_ -> { })) {
            Assumptions.assumeTrue(gpu.target().supports(Target.SM_90), () -> "needs sm_90, and " + gpu + " is "
                    + gpu.target());
            int count = gpu.isEmulated() ? 12 : 60;
            long ran = LongStream.range(from, from + count).parallel().filter(seed -> {
                DrawnTileKernel drawn = new DrawnTileKernel(RandomGeneratorFactory.of("L64X128MixRandom").create(seed));
                Map<String, long[]> wanted = launched(drawn, drawn.kernel.onCpu());
                for (String schedule : List.of("none", "threads=256")) {
                    try (ArrayKernel kernel = gpu.load(drawn.kernel.with(Schedule.parse(schedule)))) {
                        launched(drawn, kernel.launch()).forEach((name, words) -> assertArrayEquals(wanted.get(name),
                                words, () -> name + " of seed " + seed + " by " + schedule + "\n" + drawn.kernel));
                    } catch (IllegalArgumentException e) {
                        assertTrue(ExceptionUtils.indexOfType(e, OutOfRegistersException.class) >= 0
                                || e.getMessage().contains("wgmma"),
                                e::getMessage);
                        return false;
                    }
                }
                return true;
            }).count();
            assertTrue(ran > count / 4, () -> ran + " of " + count);
        }
    }

    private static <S extends ArrayLaunch<S>> Map<String, long[]> launched(DrawnTileKernel drawn, S launch) {
        Map<String, MemorySegment> memory = drawn.memory();
        memory.forEach((name, segment) -> launch.set(name, segment, drawn.extents.get(name)));
        drawn.scalars.forEach(launch::scalar);
        launch.run();
        return drawn.words(memory);
    }
}
