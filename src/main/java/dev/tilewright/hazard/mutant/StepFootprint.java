package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Address;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import java.util.HashSet;
import java.util.Set;

/**
 * What one step touches, for telling which steps have to do with each other: the shared regions and the tensor maps' memory
 * that it names, and the groups that it works with. Global memory that only elements are moved to or from is left out.
 */
final class StepFootprint {

    /** Groups of copies that a thread closes and waits for. */
    enum Group { CP_ASYNC, BULK }

    private final Set<Object> found = new HashSet<>();

    private StepFootprint() {
    }

    static Set<Object> of(Operation operation) {
        StepFootprint things = new StepFootprint();
        things.add(operation);
        return things.found;
    }

    private void add(Operation operation) {
        switch (operation) {
            case Operation.Load l -> add(l.from());
            case Operation.Store s -> add(s.to());
            case Operation.Perform p -> {
                p.inputs().forEach(this::add);
                String opcode = p.form().opcode();
                if (opcode.startsWith("cp.async.bulk.commit") || opcode.startsWith("cp.async.bulk.wait")) {
                    found.add(Group.BULK);
                } else if (opcode.startsWith("cp.async.commit") || opcode.startsWith("cp.async.wait")) {
                    found.add(Group.CP_ASYNC);
                }
                switch (p.form().effects().completion()) {
                    case BULK_GROUP -> found.add(Group.BULK);
                    case CP_ASYNC_GROUP, MBARRIER_ARRIVAL -> found.add(Group.CP_ASYNC);
                    default -> { }
                }
            }
            case Operation.WaitUntil w -> add(w.from());
            case Operation.CpAsyncCopy c -> {
                add(c.to());
                found.add(Group.CP_ASYNC);
            }
            case Operation.CpAsyncCommit _, Operation.CpAsyncWait _ -> found.add(Group.CP_ASYNC);
            case Operation.BulkLoadCopy c -> {
                add(c.to());
                add(c.barrier());
            }
            case Operation.TensorLoadBox c -> {
                add(c.to());
                add(c.map());
                add(c.barrier());
            }
            case Operation.BulkStoreCopy c -> {
                add(c.from());
                found.add(Group.BULK);
            }
            case Operation.TensorStoreBox c -> {
                add(c.from());
                add(c.map());
                found.add(Group.BULK);
            }
            case Operation.BulkCommit _, Operation.BulkWait _ -> found.add(Group.BULK);
            case Operation.BarrierInit b -> add(b.barrier());
            case Operation.Arrive b -> add(b.barrier());
            case Operation.ArriveExpectTx b -> add(b.barrier());
            case Operation.ExpectTx b -> add(b.barrier());
            case Operation.WaitToken b -> add(b.barrier());
            case Operation.WaitParity b -> add(b.barrier());
            case Operation.ReplaceMapField r -> add(r.map());
            case Operation.PublishMap p -> {
                found.add(p.to().pointer());
                add(p.from());
            }
            case Operation.AcquireMap a -> found.add(a.map().pointer());
            case Operation.ReleaseMap r -> found.add(r.map().pointer());
            case Operation.PrefetchMap p -> add(p.map());
            case Operation.Let _, Operation.Loop _, Operation.Guard _, Operation.SyncThreads _, Operation.Apply _,
                    Operation.ProxyFence _, Operation.BarrierInitFence _ -> { }
        }
    }

    private void add(Input input) {
        switch (input) {
            case Input.Place(Address address) -> add(address);
            case Input.Map(MapSource map) -> add(map);
            case Input.Number _, Input.Wide _ -> { }
        }
    }

    private void add(MapSource map) {
        if (map instanceof MapSource.InMemory m) {
            found.add(m.at().pointer());
        }
    }

    private void add(Address address) {
        switch (address) {
            case Address.Shared s -> found.add(s.buffer());
            case Address.Barrier b -> found.add(b.barriers());
            case Address.Global _, Address.MapBytes _ -> { }
        }
    }
}
