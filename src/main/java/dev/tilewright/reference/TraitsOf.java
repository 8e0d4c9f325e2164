package dev.tilewright.reference;

import dev.tilewright.program.Address;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Atom;
import dev.tilewright.ptx.BulkReduce;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Ld;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Red;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.TensorReduce;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Looks through a program for what decides how it is run: see {@link CompiledProgram.Traits}. */
final class TraitsOf {
    private final Bindings bindings;
    private final List<MemorySegment> read = new ArrayList<>();
    private final List<MemorySegment> bulkStored = new ArrayList<>();
    private boolean blocksMeet;
    /** Set where memory is read or bulk-stored through something that does not say whose it is. */
    private boolean anyRead;
    private boolean anyStored;

    TraitsOf(Bindings bindings) {
        this.bindings = bindings;
    }

    CompiledProgram.Traits program(TileProgram program) {
        visit(program.body());
        boolean stores = anyStored || !bulkStored.isEmpty();
        boolean rereads = stores && (anyRead || anyStored && !read.isEmpty()
                || read.stream().anyMatch(r -> bulkStored.stream().anyMatch(s -> r.asOverlappingSlice(s).isPresent())));
        return new CompiledProgram.Traits(blocksMeet, rereads);
    }

    private void visit(List<Step> steps) {
        steps.forEach(step -> visit(step.operation()));
    }

    private void visit(Operation operation) {
        switch (operation) {
            case Operation.Loop loop -> visit(loop.body());
            case Operation.Guard guard -> {
                visit(guard.body());
                visit(guard.otherwise());
            }
            case Operation.Load(_, Address from) -> reads(from);
            case Operation.CpAsyncCopy c -> reads(c.from());
            case Operation.BulkLoadCopy c -> reads(c.from());
            case Operation.TensorLoadBox c -> reads(c.map());
            case Operation.BulkStoreCopy c -> bulkStored.add(bindings.pointer(c.to().pointer()).segment());
            case Operation.TensorStoreBox c -> {
                switch (c.map()) {
                    case Parameter.TensorMap p -> bulkStored.add(bindings.tensorMap(p).memory());
                    case MapSource.InMemory _ -> anyStored = true;
                }
            }
            case Operation.WaitUntil _ -> {
                blocksMeet = true;
                anyRead = true;
            }
            case Operation.Perform p -> visit(p);
            default -> { }
        }
    }

    private void visit(Operation.Perform p) {
        blocksMeet |= switch (p.form()) {
            case Ld f -> mayBeGlobal(f.space());
            case Atom f -> mayBeGlobal(f.space());
            case Red f -> mayBeGlobal(f.space());
            case BulkReduce _, TensorReduce _ -> true;
            default -> false;
        };
        if (p.form().effects().completion() == Effects.Completion.BULK_GROUP) {
            anyStored = true;
            return;
        }
        List<Operand> operands = p.form().operands().stream().filter(o -> !o.kind().isOutput()).toList();
        for (int i = 0; i < operands.size(); i++) {
            reads(operands.get(i), p.inputs().get(i));
        }
    }

    private static boolean mayBeGlobal(Space space) {
        return space == Space.GENERIC || space == Space.GLOBAL;
    }

    private void reads(Operand operand, Input input) {
        switch (input) {
            case Input.Place(Address address) -> reads(address);
            case Input.Map(MapSource map) -> reads(map);
            case Input.Number _ -> anyRead |= switch (operand.kind()) {
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION -> true;
                default -> false;
            };
            case Input.Wide _ -> { }
        }
    }

    private void reads(Address address) {
        if (address instanceof Address.Global g) {
            read.add(bindings.pointer(g.pointer()).segment());
        }
    }

    private void reads(MapSource map) {
        switch (map) {
            case Parameter.TensorMap p -> read.add(bindings.tensorMap(p).memory());
            case MapSource.InMemory _ -> anyRead = true;
        }
    }
}
