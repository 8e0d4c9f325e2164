package dev.tilewright.reference.compile;

import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.box.TensorMemory;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.state.DeviceAddresses;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.Validation;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The bindings of one run, checked against the parameters of the program, and ready to be asked for. */
public final class Bindings {
    private final Map<Parameter, Binding> bindings;
    private final DeviceAddresses addresses;
    private final boolean approximations;
    private final Map<String, Integer> sharedOffsets;

    /**
     * @throws IllegalArgumentException if one is missing, of the wrong kind, too large, a tensor map that breaks a
     *         rule, or of no parameter
     */
    public Bindings(TileProgram program, Map<? extends Parameter, ? extends Binding> given) {
        this(program, given, false);
    }

    /**
     * @param approximations whether the hardware's approximations of functions are computed; otherwise they are refused
     */
    public Bindings(TileProgram program, Map<? extends Parameter, ? extends Binding> given, boolean approximations) {
        this.approximations = approximations;
        bindings = new HashMap<>(given);
        sharedOffsets = program.shared().offsets();
        for (Parameter p : program.parameters()) {
            Binding binding = bindings.get(p);
            if (binding == null) {
                throw problem(program, p, "has no binding");
            }
            check(program, p, binding);
        }
        for (Parameter p : bindings.keySet()) {
            if (!program.parameters().contains(p)) {
                throw problem(program, p, "is bound, but the kernel has no such parameter");
            }
        }
        addresses = new DeviceAddresses(program.parameters().stream()
                .flatMap(p -> memory(bindings.get(p)).map(m -> new GlobalMemory(p.name(), m))).toList());
        for (Parameter p : program.parameters()) {
            if (bindings.get(p) instanceof Binding.BoundTensorMap b && b.offset() != 0) {
                requireValid(program, p, Validation.of(b.map().at(address(b)), lowestTarget(b.map())));
            }
        }
    }

    boolean approximations() {
        return approximations;
    }

    private static void check(TileProgram program, Parameter parameter, Binding binding) {
        switch (parameter) {
            case Parameter.Pointer p -> {
                if (!(binding instanceof Binding.Memory(MemorySegment segment, long _, long _))) {
                    throw wrongKind(program, p, "memory", binding);
                }
                if (p.written() && segment.isReadOnly()) {
                    throw problem(program, p, "is written, but its memory is read-only");
                }
            }
            case Parameter.Int p -> {
                if (!(binding instanceof Binding.Integer(long value))) {
                    throw wrongKind(program, p, "an integer", binding);
                }
                if (p.type() == IntType.S32 && (int) value != value) {
                    throw problem(program, p, "has 32 bits, " + value + " does not fit");
                }
            }
            case Parameter.Scalar p -> {
                if (!(binding instanceof Binding.Scalar)) {
                    throw wrongKind(program, p, "a scalar", binding);
                }
            }
            case Parameter.TensorMap p -> {
                if (!(binding instanceof Binding.BoundTensorMap b)) {
                    throw wrongKind(program, p, "a tensor map with its memory", binding);
                }
                if (b.map().rank() != p.rank()) {
                    throw problem(program, p, "has rank " + p.rank() + ", the map bound to it has " + b.map().rank());
                }
                requireValid(program, p, b.map().validate(lowestTarget(b.map())));
            }
        }
    }

    private static void requireValid(TileProgram program, Parameter p, Validation validation) {
        if (!validation.ok()) {
            throw problem(program, p, "has a map that no encoder would accept: " + validation.report());
        }
    }

    /** The first target that has such maps; without a device it is not known for which one the map is meant. */
    private static Target lowestTarget(TensorMap map) {
        return map instanceof Im2colWideTensorMap || map.swizzle().usesLargeAtoms() ? Target.SM_100 : Target.SM_90;
    }

    GlobalMemory pointer(Parameter.Pointer p) {
        Binding.Memory bound = (Binding.Memory) bindings.get(p);
        DeviceAddresses.Known known = addresses.find(bound.segment());
        return new GlobalMemory(p.name(), bound.segment().asSlice(bound.offset(), bound.bytes()),
                new DeviceAddresses.Known(known.piece(), known.offset() + bound.offset()));
    }

    /** What each pointer and each tensor map points to; of a map, the memory that it is bound to. */
    public List<GlobalMemory> pointed(TileProgram program) {
        return program.parameters().stream().flatMap(p -> switch (p) {
            case Parameter.Pointer pointer -> Stream.of(pointer(pointer));
            case Parameter.TensorMap map -> Stream.of(new GlobalMemory(map.name(), tensorMap(map).memory(),
                    addresses.find(tensorMap(map).memory())));
            case Parameter.Int _, Parameter.Scalar _ -> Stream.empty();
        }).toList();
    }

    /** Where a buffer lies in a block's shared memory, bytes. */
    int sharedOffset(SharedRegion.Buffer buffer) {
        return sharedOffsets.get(buffer.name());
    }

    long deviceAddress(Parameter.Pointer p) {
        Binding.Memory bound = (Binding.Memory) bindings.get(p);
        return addresses.of(bound.segment()) + bound.offset();
    }

    private long address(Binding.BoundTensorMap bound) {
        return addresses.of(bound.memory()) + bound.offset();
    }

    /** All memory as a map sees it that a parameter holds. */
    TensorMemory around(Parameter.TensorMap p) {
        return addresses.around(address(tensorMap(p)));
    }

    /** Whether copies through a map may touch other memory than its {@link TensorMemory#home}. */
    boolean mayLeaveItsHome(Parameter.TensorMap p) {
        try {
            return !TensorBox.of(tensorMap(p).map()).staysHome(around(p));
        } catch (Fault notUsable) {
            return false;
        }
    }

    public DeviceAddresses addresses() {
        return addresses;
    }

    long integer(Parameter.Int p) {
        return ((Binding.Integer) bindings.get(p)).value();
    }

    long scalar(Parameter.Scalar p) {
        return ((Binding.Scalar) bindings.get(p)).bits();
    }

    Binding.BoundTensorMap tensorMap(Parameter.TensorMap p) {
        return (Binding.BoundTensorMap) bindings.get(p);
    }

    /**
     * The 128 bytes of a tensor map as the kernel sees them, by sm_90's layout, which programs that read them are for.
     */
    GlobalMemory mapBytes(Parameter.TensorMap p) {
        Binding.BoundTensorMap bound = tensorMap(p);
        byte[] bytes = new byte[TensorMapEncoder.BYTES];
        TensorMapEncoder.java().encode(bound.map(), address(bound), Target.SM_90A, MemorySegment.ofArray(bytes));
        return new GlobalMemory(p.name(), MemorySegment.ofArray(bytes));
    }

    /** Whether all memory may be touched by threads other than the caller. */
    public boolean areShareable() {
        Thread other = Thread.ofPlatform().unstarted(() -> { });
        return bindings.values().stream().flatMap(Bindings::memory).allMatch(m -> m.isAccessibleBy(other));
    }

    private static Stream<MemorySegment> memory(Binding binding) {
        return switch (binding) {
            case Binding.Memory b -> Stream.of(b.segment());
            case Binding.BoundTensorMap b -> Stream.of(b.memory());
            case Binding.Integer _, Binding.Scalar _ -> Stream.empty();
        };
    }

    private static IllegalArgumentException wrongKind(TileProgram program, Parameter p, String wanted, Binding got) {
        return problem(program, p, "takes " + wanted + ", got " + switch (got) {
            case Binding.Memory _ -> "memory";
            case Binding.Integer _ -> "an integer";
            case Binding.Scalar _ -> "a scalar";
            case Binding.BoundTensorMap _ -> "a tensor map with its memory";
        });
    }

    private static IllegalArgumentException problem(TileProgram program, Parameter p, String what) {
        return new IllegalArgumentException("kernel '" + program.name() + "': parameter '" + p.name() + "' " + what);
    }
}
