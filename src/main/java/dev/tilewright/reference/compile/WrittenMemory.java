package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Which of the memory bound to a program it may write. In doubt it may: what goes by a number may be anywhere. */
public final class WrittenMemory {
    private final Bindings bindings;
    private final List<MemorySegment> written = new ArrayList<>();
    private boolean any;

    public WrittenMemory(TileProgram program, Bindings bindings) {
        this.bindings = bindings;
        for (Parameter p : program.parameters()) {
            if (p instanceof Parameter.Pointer pointer && pointer.written()) {
                written.add(bindings.pointer(pointer).segment());
            }
        }
        for (Step step : new StepNumbers(program).all()) {
            if (step.operation() instanceof Operation.Instruction instruction) {
                visit(instruction);
            }
        }
    }

    public boolean mayBeWritten(MemorySegment segment) {
        return any || written.stream().anyMatch(w -> w.asOverlappingSlice(segment).isPresent());
    }

    private void visit(Operation.Instruction instruction) {
        for (Effects.Access access : instruction.form().effects().accesses()) {
            if (access.mode() != Effects.Mode.READ) {
                visit(instruction.form(), access.operand(), instruction.input(access.operand()));
            }
        }
    }

    private void visit(PtxInstruction form, String operand, Input input) {
        switch (input) {
            case Input.Map(Parameter.TensorMap p) -> {
                written.add(bindings.around(p).home());
                any |= bindings.mayLeaveItsHome(p);
            }
            case Input.Map(MapSource.InMemory _) -> any = true;
            case Input.Place(Address.Global g) -> {
                written.add(bindings.pointer(g.pointer()).segment());
                // Through a map that lies there, anything may be written.
                any |= isMap(form, operand);
            }
            case Input.Number _ -> any |= !isShared(form, operand);
            case Input.Place _, Input.Wide _, Input.Registers _ -> { }
        }
    }

    private static boolean isMap(PtxInstruction form, String operand) {
        return kind(form, operand) == Operand.Kind.TENSOR_MAP;
    }

    private static boolean isShared(PtxInstruction form, String operand) {
        return switch (kind(form, operand)) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> true;
            default -> false;
        };
    }

    private static Operand.Kind kind(PtxInstruction form, String operand) {
        return form.inputs().stream().filter(o -> o.name().equals(operand)).findFirst().orElseThrow().kind();
    }
}
