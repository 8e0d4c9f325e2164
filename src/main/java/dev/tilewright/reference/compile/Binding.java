package dev.tilewright.reference.compile;

import dev.tilewright.NotNull;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.tensormap.TensorMap;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a kernel parameter stands for in one run: one kind of binding for each kind of parameter. */
public sealed interface Binding {

    /**
     * Global memory, for a {@link dev.tilewright.program.expression.Parameter.Pointer}.
     *
     * @param segment an allocation, whose byte 0 is taken as a multiple of 256 as CUDA's are
     * @param offset bytes from there to where the pointer points
     * @param bytes how many from there on may be touched through the pointer
     */
    record Memory(MemorySegment segment, long offset, long bytes) implements Binding {
        public Memory {
            Objects.requireNonNull(segment, "segment");
            Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
        }

        /** All of an allocation. */
        public Memory(MemorySegment segment) {
            this(segment, 0, segment.byteSize());
        }
    }

    /** A number, for a {@link dev.tilewright.program.expression.Parameter.Int}; it must fit the parameter's type. */
    record Integer(long value) implements Binding { }

    /**
     * An element-step scalar, for a {@link dev.tilewright.program.expression.Parameter.Scalar}.
     *
     * @param bits the raw bits of the scalar's type in the low-order bits; higher bits are ignored
     */
    record Scalar(long bits) implements Binding { }

    /**
     * A tensor map, for a {@link dev.tilewright.program.expression.Parameter.TensorMap} of the same rank.
     *
     * @param memory an allocation, whose byte 0 is taken as a multiple of 256 as CUDA's are
     * @param offset bytes from there to the map's global address, which may lie outside
     */
    record BoundTensorMap(TensorMap map, MemorySegment memory, long offset) implements Binding {
        public BoundTensorMap {
            NotNull.all("map, memory", map, memory);
        }

        /** A map whose global address is byte 0 of the memory. */
        public BoundTensorMap(TensorMap map, MemorySegment memory) {
            this(map, memory, 0);
        }
    }

    /** What each parameter of the launch's program stands for. */
    static Map<Parameter, Binding> of(Launch launch, List<MemorySegment> memory) {
        Map<Parameter, Binding> bindings = new HashMap<>();
        for (int i = 0; i < launch.arguments().size(); i++) {
            bindings.put(launch.program().parameters().get(i), switch (launch.arguments().get(i)) {
                case Argument.Buffer b -> pointer(launch, i, memory, b);
                case Argument.Int(long value) -> new Binding.Integer(value);
                case Argument.Scalar(long bits) -> new Binding.Scalar(bits);
                case Argument.Tensor(var map, int buffer, long offset) ->
                        new Binding.BoundTensorMap(map, buffer(launch, i, memory, buffer), offset);
            });
        }
        return bindings;
    }

    private static Binding pointer(Launch launch, int parameter, List<MemorySegment> memory, Argument.Buffer argument) {
        MemorySegment segment = buffer(launch, parameter, memory, argument.buffer());
        try {
            return new Memory(segment, argument.offset(), argument.extentIn(segment.byteSize()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + launch.program().name() + "': parameter '"
                    + launch.program().parameters().get(parameter).name() + "' " + e.getMessage());
        }
    }

    private static MemorySegment buffer(Launch launch, int parameter, List<MemorySegment> memory, int number) {
        if (number >= memory.size()) {
            throw new IllegalArgumentException("kernel '" + launch.program().name() + "': parameter '"
                    + launch.program().parameters().get(parameter).name() + "' is buffer " + number
                    + ", and the launch is given " + memory.size() + " buffers");
        }
        return memory.get(number);
    }
}
