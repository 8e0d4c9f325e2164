package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The cases that presets are checked in perform every step of their kernels: what is never performed cannot be checked.
 */
class SmallCasesTest {
    private static final String TRIPWIRE = "a step that faults";

    static List<Preset> presets() {
        return Presets.ALL;
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("presets")
    void performEveryStep(Preset preset) {
        List<CopyCase> cases = SmallCase.all(preset, Schedule.DEFAULT, ElementType.F32);
        TileProgram program = cases.getFirst().kernel().program();
        List<Integer> never = new ArrayList<>();
        for (StepTree.Node node : new StepTree(program).nodes()) {
            if (!Thorough.takes(node.number, 4)) {
                continue;
            }
            TileProgram faulty = withTripwire(program, node.number);
            if (cases.stream().noneMatch(c -> trips(c, faulty))) {
                never.add(node.number);
            }
        }
        assertEquals(List.of(), never, "steps of " + preset.name() + " that are never performed");
    }

    private static TileProgram withTripwire(TileProgram program, int number) {
        StepTree tree = new StepTree(program);
        Fragment fragment = new Fragment("tripwire", ElementType.U32, 1);
        StepTree.Node place = tree.node(number);
        new StepTree.Node(0, new Step(TRIPWIRE, new Operation.Load(fragment, outside(program))), place.parent,
                place.siblings).insert(place.siblings, place.siblings.indexOf(place));
        return tree.edited();
    }

    /** A place before the first buffer, or before an array where there is no shared memory. */
    private static Address outside(TileProgram program) {
        return program.shared().regions().isEmpty()
                ? new Address.Global((Parameter.Pointer) program.parameters().getFirst(), -4L)
                : new Address.Shared((SharedRegion.Buffer) program.shared().regions().getFirst(), Expr.of(-4));
    }

    private static boolean trips(CopyCase small, TileProgram program) {
        try (Arena arena = Arena.ofShared()) {
            Launch launch = small.launch();
            MutationTarget subject = MutationTarget.moving(launch, List.of(small.data(arena)), small.bytes(),
                    small.kernel().workspaceBytes(launch));
            Reference.run(subject.of(program), subject.memory(arena));
            return false;
        } catch (ReferenceException e) {
            return e.purpose().equals(TRIPWIRE);
        }
    }
}
