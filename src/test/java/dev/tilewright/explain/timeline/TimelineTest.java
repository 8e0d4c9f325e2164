package dev.tilewright.explain.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.PipelineCases;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.examples.ProductCase;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.draw.PipelineCase;
import dev.tilewright.verify.draw.PipelineKernels.Apart;
import dev.tilewright.verify.draw.PipelineKernels.Groups;
import dev.tilewright.verify.draw.PipelineKernels.PingPong;
import dev.tilewright.verify.draw.PipelineKernels.Source;
import dev.tilewright.verify.draw.PipelineKernels.Style;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Schedules of the presets, of pipelines and of products: who waits for what. */
class TimelineTest {
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);

    private static Timeline of(PipelineCase c) {
        return Timeline.of(c.launch(), List.of(PipelineCases.source(), PipelineCases.result(c)));
    }

    private static Timeline of(int threads, Consumer<Body> body) {
        return Timeline.of(Launch.of(new TileProgram("k", "k", threads, List.of(), new SharedLayout(List.of(FULL)),
                Body.steps(body)), 1, Map.of()), List.of());
    }

    private static List<String> cells(Timeline timeline) {
        return timeline.rows().stream().map(row -> row.roles() + " " + row.cell()).toList();
    }

    /** What an arrow at a wait leads to is of the same barrier and phase, and a row of the table. */
    private static int holdArrows(Timeline timeline) {
        Map<Integer, TimelineRow> rows = new HashMap<>();
        timeline.rows().forEach(row -> rows.put(row.number(), row));
        int arrows = 0;
        for (TimelineRow row : timeline.rows()) {
            assertTrue(row.waitsFor().isEmpty() || row.action() == StepAction.WAIT, row::toString);
            boolean phase = row.action() == StepAction.WAIT && row.place().matches("[^ ]+( of block \\d+)? phase \\d+");
            assertTrue(!phase || !row.waitsFor().isEmpty() || !row.elsewhere().isEmpty(), row::toString);
            for (int cause : row.waitsFor()) {
                TimelineRow by = rows.get(cause);
                arrows++;
                assertTrue(Set.of(StepAction.ARRIVE, StepAction.LOAD, StepAction.COMMIT, StepAction.STORE,
                        StepAction.UPDATE).contains(by.action()),
                        by::toString);
                if (phase) {
                    assertEquals(row.place().replaceAll(" of block \\d+", ""),
                            by.place().replaceAll(" of blocks? [\\d,]+", ""), () -> row + "\n" + by);
                }
            }
        }
        assertEquals(timeline.rows().size(), new HashSet<>(rows.keySet()).size());
        return arrows;
    }

    /** Rings: loads count on the phase that their reader waits for, readers' arrivals on the one of the next load. */
    @Test
    void aRing() {
        Timeline timeline = of(new Apart(2, 3, Source.BULK, ThreadRange.warp(0), ThreadRange.warps(1, 1),
                Arrivals.EACH_THREAD, Style.TURNS, 1, true, false).build());
        assertEquals(List.of("thread 0", "threads 1-31", "threads 32-63"), timeline.roles());
        assertEquals("""
                [0] init full[0] x2
                [0] init empty[0] x2
                [0] fence
                [0, 1, 2] meet
                [0] wait empty[0] before phase 0
                [0] arrive full[0] phase 0 (512 B)
                [0] load tiles at full[0] phase 0 (512 B)
                [0] wait empty[1] before phase 0
                [0] arrive full[1] phase 0 (512 B)
                [0] load tiles+512 at full[1] phase 0 (512 B)
                [2] wait full[0] phase 0 <- 6, 7
                [2] load tiles+148 (16 B) x4
                [2] store result+148 (16 B) x4
                [2] arrive empty[0] phase 0
                [0] wait empty[0] phase 0 <- 14
                [0] arrive full[0] phase 1 (512 B)
                [0] load tiles at full[0] phase 1 (512 B)
                [2] wait full[1] phase 0 <- 9, 10
                [2] load tiles+660 (16 B) x4
                [2] store result+660 (16 B) x4
                [2] arrive empty[1] phase 0
                [2] wait full[0] phase 1 <- 16, 17
                [2] load tiles+148 (16 B) x4
                [2] store result+1172 (16 B) x4
                [2] arrive empty[0] phase 1""", String.join("\n", cells(timeline)));
        assertEquals(7, holdArrows(timeline));
        assertEquals(List.of("row  thread 0          threads 1-31  threads 32-63  step  purpose",
                "left out: 21 of 25 rows"),
                List.of(timeline.first(4).lines().get(2), timeline.first(4).lines().getLast()));
    }

    @Test
    void ofEveryPreset() {
        for (Preset preset : Presets.ALL.stream().filter(Thorough.share(3)).toList()) {
            Timeline timeline = KernelCheck.of(SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32))
                    .first(Timeline::of);
            assertEquals("", timeline.fault());
            assertEquals(new Timeline.LeftOut(0, 0, 0), timeline.leftOut(), preset::name);
            boolean synchronises = timeline.rows().stream().anyMatch(row -> row.place().contains(" phase "));
            assertTrue(!synchronises || holdArrows(timeline) > 0, preset::name);
            assertTrue(timeline.rows().stream().anyMatch(row -> row.action() == StepAction.STORE), preset::name);
        }
    }

    /** Clusters, several consumers, warps that take turns, groups: each way to wait has its arrows. */
    @Test
    void ofPipelines() {
        Stream.of(Arrivals.values()).flatMap(arrivals -> Stream.of(Source.values()).map(source -> new Apart(2, 5,
                source, ThreadRange.warp(0), ThreadRange.warps(1, 2), arrivals, Style.TURNS,
                source == Source.BULK ? 2 : 1, true, false).build()))
                .forEach(c -> assertTrue(holdArrows(of(c)) > 0, c::toString));
        assertTrue(holdArrows(of(new PingPong(3, 4).build())) > 0);
        assertTrue(holdArrows(of(new Groups(3, 2, 5, 64, GroupRing.Readers.BLOCK).build())) > 0);
    }

    /** A product of tensor cores computes, closes its groups and waits for them. */
    @Test
    void ofAProduct() {
        try (Arena arena = Arena.ofConfined()) {
            ProductCase product = ProductCase.bf16(136, 256, 192, 1, 3);
            MemorySegment c = arena.allocate(product.expected().byteSize(), 128);
            Timeline timeline = Timeline.of(product.launch(), List.of(product.a(), product.b(), c));
            product.assertResult(c);
            assertTrue(holdArrows(timeline) > 0);
            // Leaders do more than the rest of their warpgroup, which is one column all the same.
            assertEquals(List.of("threads 0-127", "thread 128", "threads 129-159"), timeline.roles());
            assertEquals(List.of(0, 128, 129), timeline.shown());
            assertTrue(cells(timeline).stream().anyMatch(cell -> cell.matches("\\[0\\] .* by [14] threads?")),
                    () -> cells(timeline).toString());
            for (StepAction action : List.of(StepAction.COMPUTE, StepAction.COMMIT, StepAction.WAIT, StepAction.FENCE,
                    StepAction.LOAD, StepAction.STORE)) {
                assertTrue(timeline.rows().stream().anyMatch(row -> row.action() == action), action::toString);
            }
            assertTrue(timeline.rows().stream().anyMatch(row -> row.place().startsWith("wgmma groups")
                    && !row.waitsFor().isEmpty()));
        }
    }

    @Test
    void computationsOnRegisters() {
        assertEquals(List.of("[0] compute x3"), cells(of(32, body -> body.loop("i", 3,
                (b, i) -> b.let("x", Value.of(i).times(2))))));
    }

    /** What waits for ever is the last row of its column. */
    @Test
    void aKernelThatNeverEnds() {
        Timeline timeline = of(64, body -> {
            body.when(Builtin.THREAD.isEqualTo(0), one -> one.barrierInit(FULL.at(0), 65));
            body.syncThreads();
            body.arrive(FULL.at(0));
            body.waitParity(FULL.at(0), 0);
        });
        assertEquals(List.of("thread 0", "threads 1-63"), timeline.roles());
        assertEquals(List.of("[0] init full", "[0, 1] meet", "[0] arrive full phase 0", "[1] arrive full phase 0",
                "[0] stuck", "[1] stuck"), cells(timeline));
        assertTrue(timeline.fault().contains("wait"), timeline::fault);
        assertTrue(timeline.lines().getLast().startsWith("stopped: kernel 'k'"), timeline.lines()::getLast);
    }
}
