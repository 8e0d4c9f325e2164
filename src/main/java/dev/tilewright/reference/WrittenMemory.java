package dev.tilewright.reference;

import dev.tilewright.program.Address;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Operand;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Which of the memory bound to a program it may write. In doubt it may: what goes by a number may be anywhere. */
final class WrittenMemory {
    private final Bindings bindings;
    private final List<MemorySegment> written = new ArrayList<>();
    private boolean any;

    WrittenMemory(TileProgram program, Bindings bindings) {
        this.bindings = bindings;
        for (Parameter p : program.parameters()) {
            if (p instanceof Parameter.Pointer pointer && pointer.written()) {
                written.add(bindings.pointer(pointer).segment());
            }
        }
        StepNumbers steps = new StepNumbers(program);
        for (int i = 1; i <= steps.count(); i++) {
            visit(steps.step(i).operation());
        }
    }

    boolean mayBeWritten(MemorySegment segment) {
        return any || written.stream().anyMatch(w -> w.asOverlappingSlice(segment).isPresent());
    }

    private void visit(Operation operation) {
        switch (operation) {
            case Operation.TensorStoreBox c -> visit(c.map());
            case Operation.Perform p -> {
                List<Operand> operands = p.form().operands().stream().filter(o -> !o.kind().isOutput()).toList();
                for (int i = 0; i < operands.size(); i++) {
                    visit(operands.get(i), p.inputs().get(i));
                }
            }
            default -> { }
        }
    }

    private void visit(Operand operand, Input input) {
        switch (input) {
            case Input.Map(MapSource map) -> visit(map);
            case Input.Place(Address.Global g) -> written.add(bindings.pointer(g.pointer()).segment());
            case Input.Number _ -> any |= switch (operand.kind()) {
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION, TENSOR_MAP -> true;
                default -> false;
            };
            default -> { }
        }
    }

    private void visit(MapSource map) {
        switch (map) {
            case Parameter.TensorMap p -> written.add(bindings.tensorMap(p).memory());
            case MapSource.InMemory _ -> any = true;
        }
    }
}
