package dev.tilewright.reference;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.compile.Binding;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A kernel of a few steps: 64 readable bytes, 64 writable ones, a shared buffer of 1,056 bytes and two barriers. */
final class SmallKernel {
    static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    /** Starts at shared address 16. */
    static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 1056, 8);
    static final SharedRegion.Barriers BARRIERS = new SharedRegion.Barriers("ready", 2);

    private SmallKernel() {
    }

    static TileProgram of(int threads, Consumer<Body> code) {
        return new TileProgram("small", "a few steps", threads, List.of(IN, OUT),
                new SharedLayout(List.of(BARRIERS, BUFFER)), Body.steps(code));
    }

    /** Runs one block and returns the 64 bytes of the result; the input holds the bytes 0 to 63. */
    static byte[] run(int threads, Consumer<Body> code) {
        return run(of(threads, code), 1);
    }

    static byte[] run(TileProgram program, int grid) {
        return run(program, grid, ReferenceOptions.DEFAULT);
    }

    static byte[] run(TileProgram program, int grid, ReferenceOptions options) {
        byte[] in = new byte[64];
        for (int i = 0; i < in.length; i++) {
            in[i] = (byte) i;
        }
        byte[] out = new byte[64];
        Execution.run(program, grid, Map.of(IN, new Binding.Memory(MemorySegment.ofArray(in)),
                OUT, new Binding.Memory(MemorySegment.ofArray(out))), options, null);
        return out;
    }

    static Address.Global in(int offset) {
        return new Address.Global(IN, offset);
    }

    static Address.Global out(int offset) {
        return new Address.Global(OUT, offset);
    }

    static Address.Shared buffer(int offset) {
        return BUFFER.at(offset);
    }

    static Address.Barrier barrier(int index) {
        return BARRIERS.at(index);
    }
}
