package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.explain.timeline.GpuTimeline;
import dev.tilewright.explain.timeline.StepAction;
import dev.tilewright.explain.timeline.StepTime;
import dev.tilewright.explain.timeline.Timeline;
import dev.tilewright.explain.timeline.TimelineRow;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time stamps of a GPU beside the order that the reference saw: each role waits at the same steps, as often. */
@Tag("gpu")
class TimelineGpuTest {
    @ParameterizedTest
    @ValueSource(strings = {"vector-copy", "cp-async-pipeline", "bulk-copy", "bulk-add", "tensor-copy-128b",
        "tensor-scale"})
    void eachRoleWaitsWhereTheReferenceDoes(String preset) {
        TestGpu.atLeast(Target.SM_90);
        KernelCheck check = KernelCheck.of(SmallCase.all(Presets.CATALOG.find(preset).orElseThrow(), Schedule.DEFAULT,
                ElementType.F32));
        Timeline order = check.first(Timeline::of);
        GpuTimeline times = check.first((launch, memory) -> GpuTimeline.of(launch, memory, order,
                emit -> TestGpu.open(EncoderChoice.configured(Target.SM_90), emit)));
        assertEquals(order.roles(), times.roles());
        for (int role = 0; role < order.roles().size(); role++) {
            int r = role;
            List<StepTime> spans = times.spans().stream().filter(s -> s.role() == r).toList();
            assertTrue(!spans.isEmpty(), () -> preset + ": " + order.roles().get(r));
            for (int i = 1; i < spans.size(); i++) {
                assertEquals(spans.get(i - 1).to(), spans.get(i).from(), 1e-6, "a span begins where the last ended");
            }
            List<Integer> waits = spans.stream().filter(s -> s.action() == StepAction.WAIT).map(StepTime::step)
                    .toList();
            assertEquals(order.rows().stream().filter(row -> row.roles().contains(r) && row.action() == StepAction.WAIT)
                    .map(TimelineRow::step).toList(), waits, preset);
        }
    }
}
