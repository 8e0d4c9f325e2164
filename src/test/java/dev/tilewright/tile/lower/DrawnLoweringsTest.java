package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tile.drawn.DrawnCase;
import dev.tilewright.tile.drawn.DrawnKernel;
import dev.tilewright.tile.drawn.DrawnSchedules;
import dev.tilewright.tile.drawn.Refusals;
import dev.tilewright.tile.drawn.Tally;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Kernels drawn at random: the programs that are made of each, by the default and by a drawn schedule, leave the
 * executor's bytes and touch no others, and the check finds no mistake in them. An ordinary run lowers all that it
 * draws, and runs one in three, other ones each time. {@code -Dtilewright.tiles=N} draws so many, {@code
 * -Dtilewright.tiles.from} says the first.
 */
@Order(21)
class DrawnLoweringsTest {
    /** How many kernels of all kinds an ordinary run draws. */
    static final int USUAL = 14;

    private final Set<TileProgram> programs = new HashSet<>();
    private final Tally tally = new Tally();
    private int kernels;
    private int pairs;

    @Test
    void programsLeaveTheExecutorsBytes() {
        int count = Integer.getInteger("tilewright.tiles", Thorough.of(USUAL, 200));
        long from = Long.getLong("tilewright.tiles.from", 0);
        for (long seed = from; seed < from + count; seed++) {
            judge(seed, isRun("tilewright.tiles", seed));
        }
        assertTrue(kernels > count * 3 / 4, () -> kernels + " of " + count + " were lowered");
        assertTrue(pairs > count / 3, () -> pairs + " of " + count + " by two programs");
        assertTrue(tally.copied() > 0.25, () -> "copied part " + tally.copied() + "\n" + tally);
    }

    /** Some of them are shared by the blocks of a cluster. */
    @Test
    void wideRowsLeaveTheExecutorsBytes() {
        int clusters = 0;
        for (long seed = 0; seed < Thorough.of(4, 20); seed++) {
            DrawnKernel drawn = DrawnKernel.wide(seed);
            clusters += judged(drawn, Schedule.DEFAULT, isRun("tilewright.tiles", seed)).stream()
                    .anyMatch(launch -> launch.cluster().count() > 1) ? 1 : 0;
        }
        assertTrue(clusters > 0, "no clusters");
    }

    /** Threads load what surrounds their elements once. {@code -Dtilewright.stencils=N} draws so many. */
    @Test
    void stencilsLeaveTheExecutorsBytes() {
        int count = Integer.getInteger("tilewright.stencils", Thorough.of(10, 200));
        int around = 0;
        for (long seed = 0; seed < count; seed++) {
            DrawnKernel drawn = DrawnKernel.stencil(seed);
            for (Schedule schedule : DrawnSchedules.small(drawn, 1)) {
                around += judged(drawn, schedule, isRun("tilewright.stencils", seed)).stream().anyMatch(launch ->
                        CudaEmitter.emit(launch.program()).text().contains("rows with their halo")) ? 1 : 0;
            }
        }
        int so = around;
        assertTrue(so > count * 3 / 4, () -> so + " programs of " + count + " kernels with windows");
    }

    /** What a tile stores last remains. {@code -Dtilewright.stores=N} draws so many. */
    @Test
    void storesKeepTheirOrder() {
        int count = Integer.getInteger("tilewright.stores", Thorough.of(8, 200));
        int programs = 0;
        for (long seed = Long.getLong("tilewright.stores.from", 0); seed < count; seed++) {
            DrawnKernel drawn = DrawnKernel.stores(seed);
            for (Schedule schedule : DrawnSchedules.small(drawn, 1)) {
                programs += judged(drawn, schedule, isRun("tilewright.stores", seed)).isEmpty() ? 0 : 1;
            }
        }
        int so = programs;
        assertTrue(so > count, () -> so + " programs of " + count + " kernels");
    }

    /** The copy engine brings what filters meet. {@code -Dtilewright.convolutions=N} draws so many. */
    @Test
    void convolutionsLeaveTheExecutorsBytes() {
        int count = Integer.getInteger("tilewright.convolutions", Thorough.of(5, 120));
        int copied = 0;
        for (long seed = 0; seed < count; seed++) {
            DrawnKernel drawn = DrawnKernel.convolution(seed);
            for (Schedule schedule : DrawnSchedules.small(drawn, 1)) {
                copied += judged(drawn, schedule, isRun("tilewright.convolutions", seed)).stream().anyMatch(launch ->
                        launch.arguments().stream().anyMatch(argument -> argument instanceof Argument.Tensor(
                                TensorMap map, int _, long _) && map instanceof Im2colTensorMap)) ? 1 : 0;
            }
        }
        int so = copied;
        assertTrue(so > count * 3 / 4, () -> so + " programs of " + count + " kernels by im2col");
    }

    /**
     * Masks are left out where all is seen, and sums are not rescaled where nothing changes. {@code
     * -Dtilewright.attentions=N} draws so many, {@code -Dtilewright.attentions.from} says the first.
     */
    @Test
    void attentionsLeaveTheExecutorsBytes() {
        int count = Integer.getInteger("tilewright.attentions", Thorough.of(2, 150));
        long from = Long.getLong("tilewright.attentions.from", 0);
        int byPattern = 0;
        for (long seed = from; seed < from + count; seed++) {
            DrawnKernel drawn = DrawnKernel.attention(seed);
            for (Schedule schedule : DrawnSchedules.small(drawn, seed % 4 == 0 ? 1 : 0)) {
                byPattern += judged(drawn, schedule, isRun("tilewright.attentions", seed)).stream().anyMatch(launch ->
                        CudaEmitter.emit(launch.program()).text().contains("// over the key blocks")) ? 1 : 0;
            }
        }
        int so = byPattern;
        assertTrue(so >= Thorough.of(Math.ceilDiv(count, 2), count / 2 + 1),
                () -> so + " programs of " + count + " kernels by Hopper's tensor cores");
    }

    /** @param property that asks for a number of such kernels, all of which run then */
    private static boolean isRun(String property, long seed) {
        return Thorough.takes(seed, Thorough.oneIn(property, 3));
    }

    /** Runs it, too. */
    void judge(long seed) {
        judge(seed, true);
    }

    private void judge(long seed, boolean runs) {
        DrawnKernel drawn = DrawnKernel.onAnyPath(seed);
        for (Schedule schedule : DrawnSchedules.small(drawn, 1)) {
            List<Launch> launches = judged(drawn, schedule, runs);
            for (int i = 0; i < launches.size(); i++) {
                tally.add(drawn.small(i), schedule, launches.get(i));
            }
            if (!launches.isEmpty()) {
                boolean isNew = programs.add(launches.getFirst().program());
                kernels += schedule.equals(Schedule.DEFAULT) ? 1 : 0;
                pairs += isNew && !schedule.equals(Schedule.DEFAULT) ? 1 : 0;
            }
        }
    }

    /** Its launches, if there are any: those that run leave the executor's bytes, and the first has no hazard. */
    private static List<Launch> judged(DrawnKernel drawn, Schedule schedule, boolean runs) {
        List<DrawnCase> cases = schedule.equals(Schedule.DEFAULT) ? List.of(drawn.small(0), drawn.small(1))
                : List.of(drawn.small(0));
        try {
            List<Launch> launches = Refusals.launches(cases, schedule).orElse(List.of());
            for (int i = 0; runs && i < launches.size(); i++) {
                MemorySegment memory = cases.get(i).memory();
                Reference.run(launches.get(i), List.of(memory));
                assertEquals("", cases.get(i).difference(memory, cases.get(i).executed(1)));
            }
            if (runs && !launches.isEmpty()) {
                HazardReport report = HazardCheck.check(launches.getFirst(), List.of(cases.getFirst().memory()));
                assertTrue(report.findings().isEmpty(), report::toString);
            }
            return launches;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("by " + schedule + " " + drawn, e);
        }
    }
}
