package llama;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where a model runs: a GPU, an emulated one, or the CPU by the executor of the tile language. */
interface Device extends AutoCloseable {

    /** Memory of the device. */
    interface Memory {
        /** Copies bytes there, from an offset on. */
        void write(long offset, MemorySegment from);

        /** Copies bytes from there, from an offset on. */
        void read(long offset, MemorySegment to);
    }

    /** An array of a call. @param offset of its first element, in bytes */
    record Argument(Memory memory, long offset, ArrayShape shape) { }

    /** A kernel with its arrays and scalars. */
    record Call(TileKernel kernel, Map<String, Argument> arrays, Map<String, Number> scalars) {
        static Call of(TileKernel kernel) {
            return new Call(kernel, new LinkedHashMap<>(), new LinkedHashMap<>());
        }

        Call with(String name, Memory memory, long... extents) {
            return with(name, memory, 0, ArrayShape.dense(extents));
        }

        Call with(String name, Memory memory, long offset, ArrayShape shape) {
            arrays.put(name, new Argument(memory, offset, shape));
            return this;
        }

        Call scalar(String name, Number number) {
            scalars.put(name, number);
            return this;
        }
    }

    /** Calls that are ready to run, again and again. */
    interface Plan extends AutoCloseable {
        /** Runs them all, in their order, {@code times} times, and waits for the last. */
        void run(int times);

        @Override
        void close();
    }

    /** New memory, all zeros. */
    Memory allocate(long bytes);

    /** The GPU that kernels are made for, or whose bytes they leave. */
    Target target();

    /** Makes calls ready. */
    Plan plan(List<Call> calls);

    @Override
    void close();
}
