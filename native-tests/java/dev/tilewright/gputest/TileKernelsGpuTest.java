package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.drawn.Company;
import dev.tilewright.tile.drawn.DrawnCase;
import dev.tilewright.tile.drawn.DrawnDevice;
import dev.tilewright.tile.drawn.DrawnKernel;
import dev.tilewright.tile.drawn.DrawnSchedules;
import dev.tilewright.tile.drawn.Refusals;
import dev.tilewright.tile.drawn.Tally;
import dev.tilewright.tile.lower.DrawnProduct;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tile kernels drawn at random leave the executor's bytes on the GPU. {@code -Dtilewright.tiles=N} draws N,
 * {@code -Dtilewright.tiles.from} says the first.
 */
@Tag("gpu")
class TileKernelsGpuTest {
    private static final long FROM = Long.getLong("tilewright.tiles.from", 0);
    private static final int COUNT = Integer.getInteger("tilewright.tiles", 60);

    @Test
    void programsLeaveTheExecutorsBytes() {
        TestGpu.atLeast(Target.SM_90A);
        Tally tally = new Tally();
        try (Gpu gpu = Gpu.open()) {
            List<DrawnDevice.Outcome> outcomes = LongStream.range(FROM, FROM + COUNT).parallel()
                    .mapToObj(DrawnKernel::onAnyPath).map(drawn -> new DrawnDevice(on(gpu), tally).run(drawn,
                            DrawnSchedules.of(drawn, 1), 4)).toList();
            outcomes.forEach(outcome -> assertEquals("", outcome.difference()));
            int cases = outcomes.stream().mapToInt(DrawnDevice.Outcome::cases).sum();
            System.err.println(cases + " cases of " + COUNT + " tile kernels\n" + tally);
            assertTrue(cases > 3 * COUNT, () -> cases + " cases of " + COUNT);
            assertTrue(tally.copied() > 0.25, () -> "the copy engine's part is " + tally.copied());
        }
    }

    /**
     * Faulted while divisions were ptxas': their slow path left half of an address overwritten, where registers were
     * short (docs/verify-findings.md).
     */
    @Test
    void quotientsWhereRegistersAreShort() {
        TestGpu.atLeast(Target.SM_90A);
        try (Gpu gpu = Gpu.open()) {
            DrawnDevice.Outcome outcome = new DrawnDevice(on(gpu), new Tally()).run(DrawnKernel.of(5493),
                    List.of(Schedule.DEFAULT), 4);
            assertEquals("", outcome.difference());
            assertEquals(4, outcome.cases());
        }
    }

    /** Of what filters meet the copy engine brings pixels: {@code -Dtilewright.convolutions=N} draws N. */
    @Test
    void convolutionsLeaveTheExecutorsBytes() {
        judge("convolutions", 40, DrawnKernel::convolution);
    }

    /** What surrounds elements threads load once: {@code -Dtilewright.stencils=N} draws N. */
    @Test
    void stencilsLeaveTheExecutorsBytes() {
        judge("stencils", 40, DrawnKernel::stencil);
    }

    /** Masks that are left out, sums that are not rescaled: {@code -Dtilewright.attentions=N} draws N. */
    @Test
    void attentionsLeaveTheExecutorsBytes() {
        judge("attentions", 12, DrawnKernel::attention);
    }

    private static void judge(String kind, int usual, LongFunction<DrawnKernel> draw) {
        TestGpu.atLeast(Target.SM_90A);
        int count = Integer.getInteger("tilewright." + kind, usual);
        Tally tally = new Tally();
        try (Gpu gpu = Gpu.open()) {
            List<DrawnDevice.Outcome> outcomes = LongStream.range(0, count).parallel().mapToObj(draw)
                    .map(drawn -> new DrawnDevice(on(gpu), tally).run(drawn, DrawnSchedules.of(drawn, 2), 3)).toList();
            outcomes.forEach(outcome -> assertEquals("", outcome.difference()));
            int cases = outcomes.stream().mapToInt(DrawnDevice.Outcome::cases).sum();
            System.err.println(cases + " cases of " + count + " " + kind + "\n" + tally);
            assertTrue(cases >= 3 * count, () -> cases + " cases of " + count);
        }
    }

    private static BiConsumer<Launch, MemorySegment> on(Gpu gpu) {
        return (launch, memory) -> gpu.run(launch, List.of(memory));
    }

    @Test
    void rowsAreTheSameInAnyCompany() {
        TestGpu.atLeast(Target.SM_90A);
        try (Gpu gpu = Gpu.open()) {
            LongStream.range(FROM, FROM + COUNT / 4).parallel().forEach(seed -> {
                Company company = new Company(DrawnKernel.apart(seed));
                List<Schedule> schedules = DrawnSchedules.of(company.kernel(), 1);
                for (Company.Choice choice : Company.Choice.values()) {
                    company.run(1, choice, all -> Refusals.run(all, schedules.getFirst(), on(gpu)),
                            some -> Refusals.run(some, schedules.getLast(), on(gpu)))
                            .ifPresent(difference -> assertEquals("", difference));
                }
            });
        }
    }

    /** Products on tensor cores, with poison around each tensor: {@code -Dtilewright.products=N} draws N. */
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
            System.err.println(ran + " of " + count + " products went to tensor cores by the copy engine");
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

    /** Launched by names, as applications do; without a GPU on the reference. */
    @Test
    void launchesByNamesLeaveTheExecutorsBytes() {
        try (Gpu gpu = Gpu.openOrEmulated(_ -> { })) {
            Assumptions.assumeTrue(gpu.target().supports(Target.SM_90A), () -> "needs sm_90a, and " + gpu + " is "
                    + gpu.target());
            int count = gpu.isEmulated() ? Thorough.of(4, 8) : COUNT;
            long ran = LongStream.range(FROM, FROM + count).parallel().filter(seed -> {
                DrawnKernel drawn = DrawnKernel.of(seed);
                DrawnCase launch = gpu.isEmulated() ? drawn.small(0) : drawn.launch(0);
                if (Refusals.launches(List.of(launch), Schedule.DEFAULT).isEmpty()) {
                    return false;
                }
                MemorySegment memory = launch.memory();
                try (ArrayKernel kernel = gpu.load(drawn.kernel())) {
                    launch.give(kernel.launch(), memory).run();
                }
                assertEquals("", launch.difference(memory, launch.executed(1)), drawn::toString);
                return true;
            }).count();
            assertTrue(ran > count / 2, () -> ran + " of " + count);
        }
    }
}
