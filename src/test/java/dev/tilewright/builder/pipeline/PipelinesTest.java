package dev.tilewright.builder.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.PipelineCase;
import dev.tilewright.verify.draw.PipelineKernels.Apart;
import dev.tilewright.verify.draw.PipelineKernels.Both;
import dev.tilewright.verify.draw.PipelineKernels.Groups;
import dev.tilewright.verify.draw.PipelineKernels.PingPong;
import dev.tilewright.verify.draw.PipelineKernels.RowsAndColumns;
import dev.tilewright.verify.draw.PipelineKernels.Source;
import dev.tilewright.verify.draw.PipelineKernels.Style;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Pipelines of every kind copy as a direct copy does, and the check finds nothing in them, in several orders. */
class PipelinesTest {
    private static final MemorySegment DATA = PipelineCases.source();

    static void hold(PipelineCase c) {
        MemorySegment result = PipelineCases.result(c);
        HazardReport report = HazardCheck.check(c.launch(), List.of(DATA, result),
                HazardOptions.DEFAULT.withSeeds(1L, 2L));
        assertEquals(List.of(), report.findings(), () -> c + "\n" + report);
        assertTrue(report.complete(), c::toString);
        assertEquals(-1, PipelineCases.firstWrong(c, DATA, result), c::toString);
    }

    private static Arbitrary<Integer> ints(int from, int to) {
        return Arbitraries.integers().between(from, to);
    }

    @Provide
    Arbitrary<Apart> apart() {
        Arbitrary<Apart> drawn = Combinators.combine(ints(1, 5), ints(0, 11), Arbitraries.of(Source.class), ints(1, 2),
                ints(1, 3), Arbitraries.of(Arrivals.class), Arbitraries.of(Style.class)).as(
                (stages, turns, source, loaders, readers, arrivals, style) -> new Apart(
                style == Style.ONE_BEHIND ? Math.max(2, stages) : stages, Math.max(1, turns),
                source, ThreadRange.warps(0, loaders), ThreadRange.warps(loaders, readers), arrivals, style, 1, true,
                false));
        return Combinators.combine(drawn, Arbitraries.of(1, 1, 2, 4), Arbitraries.of(false, false, true)).as(
                (a, cluster, bulk) -> new Apart(a.stages(), a.turns(), a.source(), a.producers(), a.consumers(),
                a.arrivals(), a.style(), a.source() == Source.BULK ? cluster : 1, true,
                bulk && a.source() != Source.CP_ASYNC && a.source() != Source.CP_ASYNC_AND_STORES));
    }

    @Property(tries = 60)
    @OrdinaryTries(7)
    void producersAndConsumersApart(@ForAll("apart") Apart drawn) {
        hold(drawn.build());
    }

    @Property(tries = 30)
    @OrdinaryTries(7)
    void oneGroupForBoth(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int stages = random.nextInt(1, 6);
        hold(new Both(stages, random.nextInt(1, stages + 1), random.nextInt(1, 12), 32 * random.nextInt(1, 4),
                random.nextBoolean(), random.nextBoolean()).build());
    }

    @Property(tries = 30)
    @OrdinaryTries(7)
    void groups(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int stages = random.nextInt(2, 6);
        GroupRing.Readers readers = GroupRing.Readers.values()[random.nextInt(3)];
        hold(new Groups(stages, random.nextInt(1, stages + 1), random.nextInt(1, 12),
                readers == GroupRing.Readers.WARP ? 32 : 16 * random.nextInt(1, 6), readers).build());
    }

    @Property(tries = 20)
    @OrdinaryTries(5)
    void rowsAndColumns(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int x = 1 << random.nextInt(3);
        int y = x == 1 ? 2 : 1 << random.nextInt(x == 4 ? 2 : 3);
        hold(new RowsAndColumns(x, y, random.nextInt(1, 4), random.nextInt(1, 7), random.nextInt(1, 3),
                Arrivals.values()[random.nextInt(2)], random.nextBoolean()).build());
    }

    @Property(tries = 15)
    @OrdinaryTries(5)
    void sectionsInOrder(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        hold(new PingPong(random.nextInt(2, 5), random.nextInt(1, 6)).build());
    }

    @Test
    void whatAmpereHas() {
        for (Source source : List.of(Source.CP_ASYNC, Source.STORES, Source.CP_ASYNC_AND_STORES)) {
            for (Style style : List.of(Style.TURNS, Style.CURSOR, Style.TRIED, Style.ONE_BEHIND)) {
                PipelineCase c = PipelineCases.onAmpere(source, style);
                assertEquals(Target.SM_80, c.program().minimumTarget(), c::toString);
                if (Thorough.takes(source.ordinal() + style.ordinal(), 3)) {
                    hold(c);
                }
            }
        }
        assertEquals(Target.SM_80, new Groups(3, 2, 5, 64, GroupRing.Readers.BLOCK).build().program().minimumTarget());
    }

    /**
     * They order for a block what other blocks depend on, as CUTLASS's do; the check says so, and the bytes are
     * right.
     */
    @Test
    void unfencedReleasesAreReported() {
        PipelineCase c = new Apart(2, 7, Source.BULK, ThreadRange.warp(0), ThreadRange.warps(1, 2), Arrivals.EACH_WARP,
                Style.TURNS, 2, false, false).build();
        MemorySegment result = PipelineCases.result(c);
        HazardReport report = HazardCheck.check(c.launch(), List.of(DATA, result));
        assertEquals(Set.of(HazardCode.SCOPE_TOO_SMALL), report.codes(), report::toString);
        assertEquals(-1, PipelineCases.firstWrong(c, DATA, result));
    }

    /** A finding in a pipeline leads to the line that a user wrote. */
    @Test
    void stepsHaveTheLinesOfThoseWhoUsePipelines() {
        PipelineCase c = new Both(2, 1, 3, 32, false, true).build();
        assertEquals(Set.of("PipelineKernels.java"), c.program().body().stream()
                .map(step -> step.javaLine().orElseThrow().file()).collect(Collectors.toSet()));
    }
}
