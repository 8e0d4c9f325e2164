package dev.tilewright.verify;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.Subject;
import dev.tilewright.hazard.mutant.Trial;
import dev.tilewright.hazard.mutant.TrialResult;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.Consumer;

/** The hazard check of a preset's small case, and of its mutants. */
public final class PresetCheck {
    private final CopyCase small;
    private final Launch launch;

    public PresetCheck(CopyCase small) {
        this.small = small;
        this.launch = small.launch();
    }

    /** What is checked. */
    public Launch launch() {
        return launch;
    }

    /** What the check says of the preset as it is. */
    public HazardReport report() {
        try (Arena arena = Arena.ofShared()) {
            return HazardCheck.check(launch, subject(arena).memory(arena));
        }
    }

    /** Tries every mutant, in the order of the edited steps. @param seeds see {@link Trial} */
    public void mutants(int seeds, Consumer<TrialResult> each) {
        try (Arena arena = Arena.ofShared()) {
            Trial trial = new Trial(subject(arena), arena, seeds);
            List<Mutant> mutants = Mutants.of(launch.program());
            mutants.forEach(mutant -> each.accept(trial.of(mutant)));
        }
    }

    private Subject subject(Arena arena) {
        TileKernel kernel = small.kernel();
        return new Subject(launch, small.data(arena), small.bytes(), kernel.workspaceBytes(launch));
    }
}
