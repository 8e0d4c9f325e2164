package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
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
            visit(step.operation());
        }
    }

    public boolean mayBeWritten(MemorySegment segment) {
        return any || written.stream().anyMatch(w -> w.asOverlappingSlice(segment).isPresent());
    }

    private void visit(Operation operation) {
        for (Effects.Access access : operation.accesses()) {
            if (access.mode() != Effects.Mode.READ) {
                operation.given(access.operand()).ifPresent(input -> visit(input, operation instanceof
                        Operation.Instruction i ? kind(i.form(), access.operand()) : Operand.Kind.GENERIC_DESTINATION));
            }
        }
    }

    private void visit(Input input, Operand.Kind kind) {
        switch (input) {
            case Input.Map(Parameter.TensorMap p) -> {
                written.add(bindings.around(p).home());
                any |= bindings.mayLeaveItsHome(p);
            }
            case Input.Place(Address.Global g) -> {
                written.add(bindings.pointer(g.pointer()).segment());
                // Through a map that lies there, anything may be written.
                any |= kind == Operand.Kind.TENSOR_MAP;
            }
            case Input.Place(Address a) -> any |= a.memory().isEmpty();
            case Input.Registers _ -> { }
            default -> any |= kind != Operand.Kind.SHARED_ADDRESS && kind != Operand.Kind.CLUSTER_ADDRESS;
        }
    }

    private static Operand.Kind kind(PtxInstruction form, String operand) {
        return form.inputs().stream().filter(o -> o.name().equals(operand)).findFirst().orElseThrow().kind();
    }
}
