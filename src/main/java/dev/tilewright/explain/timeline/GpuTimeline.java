package dev.tilewright.explain.timeline;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.emit.TimeStamps;
import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.explain.picture.Svg;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The schedule of a launch's first cluster in time, as a GPU ran it: the kernel itself wrote when its steps had ended.
 * Writing a stamp takes some cycles, so that steps which follow each other closely look longer than they are.
 *
 * @param gpu what ran it
 * @param roles the threads of each column, of which the first was watched
 * @param spans by their beginnings
 * @param leftOut spans that are not here
 */
public record GpuTimeline(String kernel, String purpose, String gpu, List<String> roles, List<StepTime> spans,
        int leftOut) {
    private static final int MOST_STAMPS = 4096;
    /** Launches, of which the last is told: the first ones find cold caches. */
    private static final int LAUNCHES = 3;

    public GpuTimeline {
        roles = List.copyOf(roles);
        spans = List.copyOf(spans);
    }

    /**
     * Runs a launch on a GPU.
     *
     * @param memory what its buffers hold, which is not changed
     * @param order the same launch on the reference, which says what roles there are
     * @param open opens a GPU that emits kernels so
     * @throws IllegalArgumentException if its blocks or its grid have more than one dimension
     */
    public static GpuTimeline of(Launch launch, List<MemorySegment> memory, Timeline order,
            Function<EmitOptions, Gpu> open) {
        TimeStamps stamps = new TimeStamps(order.shown(), MOST_STAMPS);
        Launch stamped = stamps.launch(launch.resolved(), memory.size());
        try (Gpu gpu = open.apply(EmitOptions.BOUNDED.withStamps(stamps));
                Kernel kernel = gpu.load(stamped.program()); Stream stream = gpu.stream()) {
            List<Buffer<byte[]>> buffers = new ArrayList<>();
            try {
                for (MemorySegment segment : memory) {
                    buffers.add(gpu.bytes(segment.byteSize()));
                    stream.upload(segment, buffers.getLast());
                }
                long[] words = new long[Math.toIntExact(stamps.bytes() / Long.BYTES)];
                buffers.add(gpu.bytes(stamps.bytes()));
                KernelLaunch prepared = kernel.prepare().allowLargerTensors()
                        .fill(stamped, buffers.toArray(Buffer<?>[]::new)).on(stream);
                for (int i = 0; i < LAUNCHES; i++) {
                    stream.upload(MemorySegment.ofArray(words), buffers.getLast());
                    prepared.start();
                }
                byte[] bytes = new byte[Math.toIntExact(stamps.bytes())];
                stream.download(buffers.getLast(), MemorySegment.ofArray(bytes));
                stream.synchronize();
                MemorySegment.copy(MemorySegment.ofArray(bytes), ValueLayout.JAVA_BYTE, 0,
                        MemorySegment.ofArray(words), ValueLayout.JAVA_BYTE, 0, bytes.length);
                return new GpuTimeline(order.kernel(), order.purpose(), gpu.name(), order.roles(),
                        new Stamped(launch.resolved().program(), stamps, words).spans(), 0);
            } finally {
                buffers.forEach(Buffer::close);
            }
        }
    }

    /** Its first spans. */
    public GpuTimeline first(int most) {
        return spans.size() <= most ? this : new GpuTimeline(kernel, purpose, gpu, roles, spans.subList(0, most),
                leftOut + spans.size() - most);
    }

    private String source() {
        return "the first cluster on " + gpu + ": nanoseconds from the first time stamp";
    }

    /** For people: one column a role, one line a span. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(kernel + ": " + purpose, source()));
        List<List<String>> table = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("from", "to"));
        head.addAll(roles);
        head.addAll(List.of("step", "purpose"));
        table.add(head);
        for (StepTime span : spans) {
            List<String> line = new ArrayList<>(List.of(Long.toString(Math.round(span.from())),
                    Long.toString(Math.round(span.to()))));
            IntStream.range(0, roles.size()).forEach(role -> line.add(role == span.role() ? span.action() + " "
                    + Math.round(span.lasts()) : ""));
            line.addAll(List.of(Integer.toString(span.step()), span.purpose()));
            table.add(line);
        }
        lines.addAll(Timeline.columns(table));
        if (leftOut > 0) {
            lines.add("left out: " + leftOut + " of " + (spans.size() + leftOut) + " steps");
        }
        return lines;
    }

    /** Drawn: a lane for each role, along time. */
    public Svg drawing() {
        return TimeDrawing.of(this);
    }

    /** The drawing and the table as a page. */
    public PicturePage page() {
        return new PicturePage("Schedule of " + kernel + " in time", List.of(new PicturePage.Words(List.of(
                lines().get(0), lines().get(1))), new PicturePage.Beside(new PicturePage.Drawing("", drawing()),
                new PicturePage.Listing("As a table", lines().subList(2, lines().size())))));
    }

    /** For Perfetto, which counts in microseconds. */
    public PerfettoTrace trace() {
        List<Map<String, Object>> events = PerfettoTrace.tracks(kernel + " on " + gpu, roles);
        spans.forEach(span -> events.add(PerfettoTrace.span(span)));
        return new PerfettoTrace("ns", events);
    }
}
