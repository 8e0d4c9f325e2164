package dev.tilewright.reference.compile;

import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Operand;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.op.AddressOperand;
import dev.tilewright.reference.op.BarrierPlace;
import dev.tilewright.reference.op.BarrierRef;
import dev.tilewright.reference.op.GlobalPlace;
import dev.tilewright.reference.op.MemoryTensor;
import dev.tilewright.reference.op.OpAccess;
import dev.tilewright.reference.op.RemotePlace;
import dev.tilewright.reference.op.SharedPlace;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.state.BlockLayout;
import dev.tilewright.reference.state.BoundTensor;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.TensorSource;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the addresses that a program names into places of its shared and global memory. */
final class PlaceCompiler {
    private static final int BARRIER_BYTES = 8;

    private final TileProgram program;
    private final Bindings bindings;
    private final ExprCompiler expressions;
    private final boolean mayLend;
    private final Map<String, Integer> regionStart;
    private final Map<String, Integer> firstBarrier = new HashMap<>();
    private final List<BlockLayout.Barrier> barriers = new ArrayList<>();
    /** Null until somebody asks. */
    private WrittenMemory written;

    /** @param mayLend whether loads may leave bytes that nothing writes where they are */
    PlaceCompiler(TileProgram program, Bindings bindings, ExprCompiler expressions, boolean mayLend) {
        this.program = program;
        this.bindings = bindings;
        this.expressions = expressions;
        this.mayLend = mayLend;
        this.regionStart = program.shared().offsets();
        for (SharedRegion region : program.shared().regions()) {
            if (region instanceof SharedRegion.Barriers(String name, int count)) {
                firstBarrier.put(name, barriers.size());
                for (int i = 0; i < count; i++) {
                    barriers.add(new BlockLayout.Barrier(name + "[" + i + "]",
                            regionStart.get(name) + BARRIER_BYTES * i));
                }
            }
        }
    }

    /** The program's barriers in order of their numbers, which is that of their addresses. */
    List<BlockLayout.Barrier> barriers() {
        return List.copyOf(barriers);
    }

    /**
     * Whether a load from what an operand names may leave the bytes there: nothing in the program writes that memory,
     * or the map's own. In doubt it may be written.
     */
    boolean mayLend(Input input) {
        if (!mayLend) {
            return false;
        }
        MemorySegment memory = switch (input) {
            case Input.Place(Address.Global g) -> bindings.pointer(g.pointer()).segment();
            case Input.Map(Parameter.TensorMap map) -> bindings.around(map).home();
            default -> null;
        };
        if (memory == null) {
            return false;
        }
        if (written == null) {
            written = new WrittenMemory(program, bindings);
        }
        return !written.mayBeWritten(memory);
    }

    SharedPlace place(Address.Shared address) {
        SharedRegion.Buffer buffer = address.buffer();
        return new SharedPlace(buffer, regionStart.get(buffer.name()), expressions.index(address.byteOffset()));
    }

    GlobalPlace place(Address.Global address) {
        return new GlobalPlace(bindings.pointer(address.pointer()), expressions.index(address.byteOffset()));
    }

    GlobalPlace place(Address.MapBytes address) {
        return new GlobalPlace(bindings.mapBytes(address.map()), expressions.index(address.byteOffset()));
    }

    RemotePlace place(Address.Remote address) {
        return new RemotePlace(place(new Address.Shared(address.buffer(), address.byteOffset())),
                expressions.index(address.rank()));
    }

    BarrierPlace place(Address.Barrier address) {
        SharedRegion.Barriers array = address.barriers();
        return new BarrierPlace(array.name(), firstBarrier.get(array.name()), regionStart.get(array.name()),
                array.count(), expressions.index(address.index()));
    }

    /** Where an address operand points. */
    AddressOperand any(Operand operand, Input input) {
        return switch (input) {
            case Input.Place(Address address) -> any(address);
            case Input.Number(Expr value) -> number(operand, expressions.index(value));
            default -> throw new Fault(Kind.NOT_MODELLED,
                    "operand '" + operand.name() + "' is an address here, and the program gives " + input);
        };
    }

    AddressOperand any(Address address) {
        return switch (address) {
            case Address.Shared a -> place(a);
            case Address.Global a -> place(a);
            case Address.Pointed(Expr number) -> global(expressions.index(number));
            case Address.MapBytes a -> place(a);
            case Address.Barrier a -> place(a);
            case Address.Remote a -> place(a);
        };
    }

    private AddressOperand global(IndexCode address) {
        return (t, bytes, alignment) -> bindings.addresses().spot(address.value(t), bytes, alignment);
    }

    private AddressOperand number(Operand operand, IndexCode address) {
        return switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS -> (t, bytes, alignment) ->
                    SharedWindow.at(t, address.value(t) & 0xFFFF_FFFFL, bytes, alignment);
            case GLOBAL_ADDRESS, GLOBAL_DESTINATION, TENSOR_MAP -> global(address);
            case GENERIC_ADDRESS, GENERIC_DESTINATION -> (t, bytes, alignment) -> {
                long a = address.value(t);
                return SharedWindow.isGeneric(a) ? SharedWindow.at(t, a, bytes, alignment)
                        : bindings.addresses().spot(a, bytes, alignment);
            };
            default -> throw new Fault(Kind.NOT_MODELLED, "operand '" + operand.name() + "' is " + operand.kind()
                    .title()
                    + ", and the reference has no such addresses");
        };
    }

    /** The barrier that an operand points to. */
    BarrierRef barrier(Operand operand, Input input, boolean own) {
        if (input instanceof Input.Place(Address.Barrier address)) {
            return place(address);
        }
        AddressOperand place = any(operand, input);
        return t -> {
            ResolvedAddress.InShared s = own
                    ? place.own(t, BARRIER_BYTES, BARRIER_BYTES, OpAccess.NONE, "the barrier")
                    : place.shared(t, BARRIER_BYTES, BARRIER_BYTES, OpAccess.NONE, "the barrier");
            return s.block().barrierAt(s.address());
        };
    }

    /** The number of an operand: that of an address in shared memory, where the program gives a place. */
    IndexCode number(Input input) {
        return switch (input) {
            case Input.Number(Expr value) -> expressions.index(value);
            case Input.Word word -> expressions.index(word.number());
            case Input.Place(Address a) when a.memory().orElse(null) instanceof SharedRegion -> number(any(a));
            case Input.Place _, Input.Map _, Input.Registers _, Input.Wide _ ->
                    throw new Fault(Kind.NOT_MODELLED, "the reference has no number for " + input);
        };
    }

    private static IndexCode number(AddressOperand place) {
        return t -> SharedWindow.address(t.block.rank(), ((ResolvedAddress.InShared) place.resolve(t, 0, 1)).address());
    }

    /** The tensor behind a map. @param site the step that uses it */
    TensorSource tensor(MapSource map, boolean stored, Site site) {
        return switch (map) {
            case Parameter.TensorMap p -> tensor(p, stored);
            case MapSource.InMemory m -> new MemoryTensor(site, m.title(), place(m.at()), m.rank(),
                    bindings.addresses());
        };
    }

    /** The tensor behind a map that lies at an address. @param rank dimensions that the copy has coordinates for */
    TensorSource tensorAt(AddressOperand at, int rank, Site site) {
        return new MemoryTensor(site, "the tensor map", at, rank, bindings.addresses());
    }

    private BoundTensor tensor(Parameter.TensorMap map, boolean stored) {
        Binding.BoundTensorMap bound = bindings.tensorMap(map);
        if (stored && bound.memory().isReadOnly()) {
            throw new IllegalArgumentException("kernel '" + program.name() + "': parameter '" + map.name()
                    + "' is stored to, but its memory is read-only");
        }
        return new BoundTensor(map.title(), bound.map(), bindings.around(map));
    }
}
