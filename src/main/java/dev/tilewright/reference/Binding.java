package dev.tilewright.reference;

import dev.tilewright.tensormap.TensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** What a kernel parameter stands for in one run: one kind of binding for each kind of parameter. */
public sealed interface Binding {

    /**
     * Global memory, for a {@link dev.tilewright.program.Parameter.Pointer}.
     *
     * @param segment byte 0 is where the pointer points, taken as a multiple of 256 as CUDA's allocations are; the
     *     segment's end is the allocation's end
     */
    record Memory(MemorySegment segment) implements Binding {
        public Memory {
            Objects.requireNonNull(segment, "segment");
        }
    }

    /** A number, for a {@link dev.tilewright.program.Parameter.Int}; it must fit the parameter's type. */
    record Integer(long value) implements Binding {
    }

    /**
     * An element-step scalar, for a {@link dev.tilewright.program.Parameter.Scalar}.
     *
     * @param bits the raw bits of the scalar's type in the low-order bits; higher bits are ignored
     */
    record Scalar(long bits) implements Binding {
    }

    /**
     * A tensor map, for a {@link dev.tilewright.program.Parameter.TensorMap} of the same rank.
     *
     * @param memory byte 0 is the map's global address
     */
    record BoundTensorMap(TensorMap map, MemorySegment memory) implements Binding {
        public BoundTensorMap {
            Objects.requireNonNull(map, "map");
            Objects.requireNonNull(memory, "memory");
        }
    }
}
