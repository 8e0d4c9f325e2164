package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.approx.Approximation;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.cluster.ClusterLaunchControlTryCancel;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.memory.AddressConversion;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.tensormap.TensormapInstruction;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Looks through a program for what decides how it is run: see {@link CompiledProgram.Traits}. */
public final class TraitsOf {
    private final Bindings bindings;
    /** What is read, or stored to otherwise than by bulk stores. */
    private final Memory touched = new Memory();
    private final Memory bulkStored = new Memory();
    private boolean blocksMeet;

    private static final class Memory {
        private final List<MemorySegment> segments = new ArrayList<>();
        /** Set where an address is a number, or a map is in memory or leaves its home: it may be of any. */
        private boolean anywhere;

        boolean mayMeet(Memory other) {
            return anywhere && !other.isNone() || other.anywhere && !isNone()
                    || segments.stream()
                    .anyMatch(s -> other.segments.stream().anyMatch(o -> o.asOverlappingSlice(s).isPresent()));
        }

        private boolean isNone() {
            return !anywhere && segments.isEmpty();
        }
    }

    public TraitsOf(Bindings bindings) {
        this.bindings = bindings;
    }

    public CompiledProgram.Traits program(TileProgram program) {
        new StepNumbers(program).all().forEach(step -> visit(step.operation()));
        return new CompiledProgram.Traits(blocksMeet, bulkStored.mayMeet(touched));
    }

    private void visit(Operation operation) {
        if (operation instanceof Operation.Instruction instruction) {
            visit(instruction);
        } else {
            operation.addresses().forEach(address -> see(address, touched));
        }
    }

    private void visit(Operation.Instruction instruction) {
        PtxInstruction form = instruction.form();
        blocksMeet |= switch (form) {
            case ScopedAccess access -> switch (access) {
                case Ld f -> mayBeGlobal(f.space());
                case Atom f -> mayBeGlobal(f.space());
                case Red f -> mayBeGlobal(f.space());
                case St _ -> false;
            };
            case CopyInstruction f -> f instanceof BulkReduce || f instanceof TensorReduce;
            case ClusterInstruction f -> f instanceof ClusterLaunchControlTryCancel;
            case AddressConversion _, Approximation _, CacheInstruction _, FenceInstruction _,
                    MbarrierInstruction _, MmaInstruction _, TensormapInstruction _, WarpInstruction _ -> false;
        };
        if (instruction instanceof Operation.Poll poll && poll.until() instanceof Operation.Until.Holds) {
            blocksMeet = true;
            touched.anywhere = true;
        }
        Memory seen = form.effects().completion() == Effects.Completion.BULK_GROUP ? bulkStored : touched;
        List<Operand> operands = form.inputs();
        for (int i = 0; i < operands.size(); i++) {
            see(operands.get(i), instruction.inputs().get(i), seen);
        }
    }

    private static boolean mayBeGlobal(Space space) {
        return space == Space.GENERIC || space == Space.GLOBAL;
    }

    private void see(Operand operand, Input input, Memory seen) {
        switch (input) {
            case Input.Place(Address address) -> see(address, seen);
            case Input.Map(MapSource map) -> see(map, seen);
            default -> seen.anywhere |= switch (operand.kind()) {
                case GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS, GENERIC_DESTINATION, TENSOR_MAP -> true;
                default -> false;
            };
        }
    }

    private void see(Address address, Memory seen) {
        if (address instanceof Address.Global g) {
            seen.segments.add(bindings.pointer(g.pointer()).segment());
        } else {
            seen.anywhere |= address.memory().isEmpty();
        }
    }

    private void see(MapSource map, Memory seen) {
        switch (map) {
            case Parameter.TensorMap p -> {
                seen.segments.add(bindings.around(p).home());
                seen.anywhere |= bindings.mayLeaveItsHome(p);
            }
            case MapSource.InMemory m -> {
                seen.anywhere = true;
                see(m.at(), touched);
            }
        }
    }
}
