package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A commit right before its copy, which the next turn of the loop closes: it is to follow the copy again. */
class EarlyCommitTest {

    @ParameterizedTest
    @ValueSource(strings = {"bulk-copy-token", "bulk-add", "tensor-copy", "tensor-copy-3d"})
    void isPutBehindTheCopy(String name) {
        Preset preset = Presets.ALL.stream().filter(p -> p.name().equals(name)).findFirst().orElseThrow();
        CopyCase c = SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32).getFirst();
        TileProgram program = c.kernel().program();
        StepNumbers steps = new StepNumbers(program);
        Mutant early = Mutants.of(program).stream().filter(m -> m.kind() == MutantKind.MOVED_EARLIER
                && steps.step(m.step()).operation() instanceof Operation.Instruction i
                && i.form() instanceof BulkCommitGroup).findFirst().orElseThrow();
        try (Arena data = Arena.ofShared(); Arena arena = Arena.ofShared()) {
            MutationTarget target = MutationTarget.moving(c.launch(), List.of(c.data(data)), c.bytes(),
                    c.kernel().workspaceBytes(c.launch()));
            Finding first = HazardCheck.check(target.of(early.program()), target.memory(arena)).findings().getFirst();
            int commit = early.step() - 1;
            assertEquals("step " + commit + ", which closes it, stands before the copy; put step " + commit
                    + " after step " + early.step(), first.message().replaceAll("(?s).*, as (?=step)", ""));
            assertEquals(commit, first.step());
        }
    }
}
