package dev.tilewright.reference;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs a {@link Launch} on the CPU: its arguments, with host memory in the place of its numbered buffers. */
public final class ReferenceLaunch {

    private ReferenceLaunch() {
    }

    /**
     * Runs the launch to its end; results are in the memory afterwards.
     *
     * @param memory what the launch's buffer numbers stand for
     * @throws ReferenceException if the program does something that the hardware would fault on or wait for ever on
     */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory) {
        if (launch.blocks() == 0) {
            return new ReferenceRun(0, 0);
        }
        Map<Parameter, Binding> bindings = new HashMap<>();
        for (int i = 0; i < launch.arguments().size(); i++) {
            bindings.put(launch.program().parameters().get(i), switch (launch.arguments().get(i)) {
                case Argument.Buffer(int buffer) -> new Binding.Memory(memory.get(buffer));
                case Argument.Int(long value) -> new Binding.Integer(value);
                case Argument.Scalar(long bits) -> new Binding.Scalar(bits);
                case Argument.Tensor(var map, int buffer) -> new Binding.BoundTensorMap(map, memory.get(buffer));
            });
        }
        return Reference.run(launch.program(), launch.blocks(), bindings);
    }
}
