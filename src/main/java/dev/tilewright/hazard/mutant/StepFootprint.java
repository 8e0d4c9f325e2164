package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.copy.CopyGroup;
import dev.tilewright.ptx.copy.GroupControl;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.HashSet;
import java.util.Set;

/**
 * What one step touches, for telling which steps have to do with each other: the shared regions and the tensor maps'
 * memory that it names, and the groups that it works with. Global memory that only elements are moved to or from is
 * left out.
 */
final class StepFootprint {
    /** Stands for the products of warpgroups, their groups and fences. */
    static final Object PRODUCTS = "products";
    private static final Object NAMED_BARRIERS = "named barriers";
    private static final Object LANES = "lanes that come together";

    private final Set<Object> found = new HashSet<>();

    private StepFootprint() { }

    static Set<Object> of(Operation operation) {
        StepFootprint footprint = new StepFootprint();
        footprint.add(operation);
        return footprint.found;
    }

    private void add(Operation operation) {
        boolean isOfMaps = operation.role() == StepRole.MAP;
        operation.addresses().forEach(address -> address.memory().ifPresent(memory -> {
            if (memory instanceof SharedRegion || isOfMaps && memory instanceof Parameter.Pointer) {
                found.add(memory);
            }
        }));
        switch (operation) {
            case Operation.Loading _, Operation.Storing _, Operation.Computation _ -> addRegisters(operation);
            case Operation.Instruction i -> add(i);
            default -> { }
        }
    }

    private void add(Operation.Instruction i) {
        addGroup(i.form());
        for (Input input : i.inputs()) {
            if (input instanceof Input.Map(MapSource.InMemory map)) {
                found.add(map.at().pointer());
            }
        }
        if (i.form() instanceof WarpInstruction warp) {
            addMeeting(warp);
        }
        if (i.form() instanceof MmaInstruction) {
            addProducts(i);
        }
    }

    private void addMeeting(WarpInstruction form) {
        if (form instanceof BarrierCtaSync || form instanceof BarrierCtaArrive || form instanceof BarrierCtaRed) {
            found.add(NAMED_BARRIERS);
        } else if (form.inputs().stream().anyMatch(o -> o.name().equals("members"))) {
            found.add(LANES);
        }
    }

    /** Registers whose elements it reads or writes. */
    private void addRegisters(Operation operation) {
        operation.changes().forEach(part -> found.add(part.register()));
        operation.defines().stream().filter(Register.class::isInstance).forEach(found::add);
        operation.parts().forEach(value -> ValueSearch.any(value, v -> {
            if (v instanceof Value.Element(Register register, var _)) {
                found.add(register);
            }
            return false;
        }));
    }

    private void addProducts(Operation.Instruction i) {
        switch ((MmaInstruction) i.form()) {
            case Wgmma _, WgmmaFence _, WgmmaCommitGroup _, WgmmaWaitGroup _ -> {
                found.add(PRODUCTS);
                addRegisters(i);
                found.addAll(addressed(i));
            }
            default -> { }
        }
    }

    /** Shared buffers whose address an operation computes with, as matrix descriptors do. */
    static Set<SharedRegion.Buffer> addressed(Operation operation) {
        Set<SharedRegion.Buffer> buffers = new HashSet<>();
        operation.parts().forEach(value -> ExprSearch.any(value, e -> {
            if (e instanceof Expr.SharedAddress(SharedRegion.Buffer buffer)) {
                buffers.add(buffer);
            }
            return false;
        }));
        return buffers;
    }

    private void addGroup(PtxInstruction form) {
        if (form instanceof GroupControl control) {
            found.add(control.group());
        }
        switch (form.effects().completion()) {
            case BULK_GROUP -> found.add(CopyGroup.BULK);
            case CP_ASYNC_GROUP, MBARRIER_ARRIVAL -> found.add(CopyGroup.CP_ASYNC);
            case AT_ONCE, MBARRIER, NOT_OBSERVED -> { }
        }
    }
}
