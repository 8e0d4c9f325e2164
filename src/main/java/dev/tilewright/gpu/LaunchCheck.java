package dev.tilewright.gpu;

import dev.tilewright.hazard.HazardException;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.NotAnalysed;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** What {@link GpuOptions#checkHazards} asks of the launches of one GPU. Safe for use by several threads. */
final class LaunchCheck {
    private final HazardOptions options;
    private final Consumer<String> notes;
    private final Set<TileProgram> checked = ConcurrentHashMap.newKeySet();

    LaunchCheck(HazardOptions options, Consumer<String> notes) {
        this.options = options;
        this.notes = notes;
    }

    /**
     * Before a launch: does nothing if its program was checked before.
     *
     * @param buffers the launch's, by number
     * @throws HazardException if it has hazards
     * @throws dev.tilewright.BadRequestException if not even its first blocks are small enough to be checked
     * @throws IllegalStateException if it would have to wait for a stream that is being captured
     */
    void before(Launch launch, List<Buffer<?>> buffers, Stream stream) {
        TileProgram program = launch.resolved().program();
        if (!checked.contains(program)) {
            if (stream.isCapturing()) {
                throw new IllegalStateException(stream + " is being captured, and the first launch of kernel '"
                        + program.name() + "' is checked for hazards, which cannot be a part of a graph: launch it once"
                        + " before the capture");
            }
            check(launch, buffers, stream);
            checked.add(program);
        }
    }

    private void check(Launch launch, List<Buffer<?>> buffers, Stream stream) {
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> copies = BufferCopies.of(buffers, stream, arena);
            int fitting = HazardCheck.blocksThatFit(launch, copies, options);
            boolean whole = options.firstBlocks() == 0 && fitting >= launch.blocks();
            int asked = options.firstBlocks() == 0 ? Integer.MAX_VALUE : options.firstBlocks();
            HazardReport report = HazardCheck.check(launch, copies,
                    whole ? options : options.withFirstBlocks(Math.min(asked, Math.max(1, fitting))));
            if (!report.isClean()) {
                throw new HazardException(report);
            }
            if (!report.isAnalysed()) {
                notes.accept("kernel '" + report.kernel() + "' is launched without being checked to its end: "
                        + report.notAnalysed().stream().map(NotAnalysed::toString).collect(Collectors.joining("; ")));
            }
        }
    }
}
