package dev.tilewright.reference;

import java.lang.foreign.MemorySegment;

/** A tensor map parameter in one run: its box, ready to move, and the tensor's memory. */
final class BoundTensor {
    private final String name;
    private final MemorySegment memory;
    private final TensorBox box;
    private final Fault problem;

    BoundTensor(String name, Binding.BoundTensorMap bound) {
        this.name = name;
        this.memory = bound.memory();
        TensorBox made = null;
        Fault notMade = null;
        try {
            made = new TensorBox(bound.map());
        } catch (Fault f) {
            notMade = f;
        }
        this.box = made;
        this.problem = notMade;
    }

    MemorySegment memory() {
        return memory;
    }

    /** The box; a map that cannot be used is reported by the first step that uses it. */
    TensorBox box() {
        if (problem != null) {
            throw new Fault(problem.kind(), "tensor map '" + name + "': " + problem.getMessage());
        }
        return box;
    }

    void check(int[] coordinates, boolean store) {
        try {
            box().checkCoordinates(memory.byteSize(), coordinates, store);
        } catch (Fault f) {
            throw new Fault(f.kind(), "tensor map '" + name + "': " + f.getMessage());
        }
    }
}
