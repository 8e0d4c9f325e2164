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
    /** Set where memory is read through a number, which may be the address of any. */
    private boolean anyRead;

    TraitsOf(Bindings bindings) {
        this.bindings = bindings;
    }

    CompiledProgram.Traits program(TileProgram program) {
        visit(program.body());
        boolean rereads = bulkStored.stream().anyMatch(s -> anyRead || read.stream().anyMatch(r -> r.asOverlappingSlice(s).isPresent()));
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
            case Operation.Load(_, Address from) -> see(from, read);
            case Operation.CpAsyncCopy c -> see(c.from(), read);
            case Operation.BulkLoadCopy c -> see(c.from(), read);
            case Operation.TensorLoadBox c -> see(c.map(), read);
            case Operation.BulkStoreCopy c -> see(c.to(), bulkStored);
            case Operation.TensorStoreBox c -> see(c.map(), bulkStored);
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
        List<MemorySegment> seen = p.form().effects().completion() == Effects.Completion.BULK_GROUP ? bulkStored : read;
        List<Operand> operands = p.form().operands().stream().filter(o -> !o.kind().isOutput()).toList();
        for (int i = 0; i < operands.size(); i++) {
            see(operands.get(i), p.inputs().get(i), seen);
        }
    }

    private static boolean mayBeGlobal(Space space) {
        return space == Space.GENERIC || space == Space.GLOBAL;
    }

    private void see(Operand operand, Input input, List<MemorySegment> seen) {
        switch (input) {
            case Input.Place(Address address) -> see(address, seen);
            case Input.Map(MapSource map) -> see(map, seen);
            case Input.Number _ -> anyRead |= seen == read && switch (operand.kind()) {
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION -> true;
                default -> false;
            };
            case Input.Wide _ -> { }
        }
    }

    private void see(Address address, List<MemorySegment> seen) {
        if (address instanceof Address.Global g) {
            seen.add(bindings.pointer(g.pointer()).segment());
        }
    }

    /** A map in memory may be of anything: it is taken to be of nothing that matters here. */
    private void see(MapSource map, List<MemorySegment> seen) {
        if (map instanceof Parameter.TensorMap p) {
            seen.add(bindings.tensorMap(p).memory());
        }
    }
}
