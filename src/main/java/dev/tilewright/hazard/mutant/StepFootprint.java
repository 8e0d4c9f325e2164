package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Address;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.CopyGroup;
import dev.tilewright.ptx.copy.GroupControl;
import java.util.HashSet;
import java.util.Set;

/**
 * What one step touches, for telling which steps have to do with each other: the shared regions and the tensor maps'
 * memory that it names, and the groups that it works with. Global memory that only elements are moved to or from is
 * left out.
 */
final class StepFootprint {
    private final Set<Object> found = new HashSet<>();

    private StepFootprint() {
    }

    static Set<Object> of(Operation operation) {
        StepFootprint footprint = new StepFootprint();
        footprint.add(operation);
        return footprint.found;
    }

    private void add(Operation operation) {
        switch (operation) {
            case Operation.Loading l -> add(l.from(), false);
            case Operation.Storing s -> add(s.to(), false);
            case Operation.Instruction i -> {
                boolean isOfMaps = StepRole.of(i) == StepRole.MAP;
                i.inputs().forEach(input -> add(input, isOfMaps));
                addGroup(i.form());
            }
            case Operation.Let _, Operation.Loop _, Operation.Guard _, Operation.Call _, Operation.SyncThreads _,
                    Operation.While _, Operation.Break _, Operation.Computation _, Operation.Apply _ -> { }
        }
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

    private void add(Input input, boolean isOfMaps) {
        switch (input) {
            case Input.Place(Address address) -> add(address, isOfMaps);
            case Input.Map(MapSource.InMemory m) -> found.add(m.at().pointer());
            case Input.Map _, Input.Number _, Input.Wide _, Input.Registers _ -> { }
        }
    }

    private void add(Address address, boolean isOfMaps) {
        switch (address) {
            case Address.Shared s -> found.add(s.buffer());
            case Address.Barrier b -> found.add(b.barriers());
            case Address.Global g -> {
                if (isOfMaps) {
                    found.add(g.pointer());
                }
            }
            case Address.Remote r -> found.add(r.buffer());
            case Address.MapBytes _ -> { }
        }
    }
}
