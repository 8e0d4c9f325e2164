import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A run in the reference on one thread, a check, or an emission of a preset: {@code run:bulk-copy}. */
public final class Work implements Runnable {
    private final String kind;
    private final Launch launch;
    private final List<MemorySegment> memory;

    public Work(String kindAndPreset) {
        String[] words = kindAndPreset.split(":");
        kind = words[0];
        long side = kind.equals("check") ? 512 : 2048;
        long bytes = 4 * side * side;
        Arena arena = Arena.ofShared();
        launch = Presets.named(words[1]).build(ElementType.F32, 2, Schedule.DEFAULT).launch(List.of(side, side), 0);
        memory = List.of(arena.allocate(bytes, 4096), arena.allocate(bytes, 4096), arena.allocate(bytes, 4096));
    }

    @Override
    public void run() {
        switch (kind) {
            case "run" -> Reference.run(launch, memory, ReferenceOptions.DEFAULT.sequential());
            case "check" -> HazardCheck.check(launch, memory);
            default -> CudaEmitter.emit(launch.program());
        }
    }
}
