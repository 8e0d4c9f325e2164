package dev.tilewright.verify;

import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantRun;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.banks.BankConflicts;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.Consumer;

/** The hazard check of a preset in several cases, and of its mutants. */
public final class PresetCheck {
    private final List<CopyCase> cases;
    private final TileProgram program;

    /** @param cases of one preset with the same options, at least one; see {@link SmallCase} */
    public PresetCheck(List<CopyCase> cases) {
        this.cases = List.copyOf(cases);
        this.program = cases.getFirst().kernel().program();
    }

    /** What is checked. */
    public TileProgram program() {
        return program;
    }

    /** What the check says of the preset as it is, case by case. */
    public List<HazardReport> reports() {
        try (Arena arena = Arena.ofShared()) {
            return targets(arena).stream().map(s -> HazardCheck.check(s.launch(), s.memory(arena))).toList();
        }
    }

    /** The bank conflicts of its first case. */
    public BankConflicts bankConflicts() {
        try (Arena arena = Arena.ofShared()) {
            MutationTarget first = targets(arena).getFirst();
            return BankConflicts.of(first.launch(), first.memory(arena));
        }
    }

    /** Tries every mutant, in the order of the edited steps. @param seeds see {@link MutantRun} */
    public void mutants(int seeds, Consumer<MutantResult> each) {
        try (Arena arena = Arena.ofShared()) {
            MutantRun run = new MutantRun(targets(arena), arena, seeds);
            Mutants.of(program).forEach(mutant -> each.accept(run.of(mutant)));
        }
    }

    private List<MutationTarget> targets(Arena arena) {
        return cases.stream().map(c -> {
            Launch launch = c.launch();
            return new MutationTarget(launch, c.data(arena), c.bytes(), c.kernel().workspaceBytes(launch));
        }).toList();
    }
}
