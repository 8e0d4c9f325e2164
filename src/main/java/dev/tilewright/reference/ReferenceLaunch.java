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
        return run(launch, memory, ReferenceOptions.DEFAULT);
    }

    /** Runs the launch to its end; see {@link #run(Launch, List)}. */
    public static ReferenceRun run(Launch launch, List<MemorySegment> memory, ReferenceOptions options) {
        if (launch.blocks() == 0) {
            return new ReferenceRun(0, 0);
        }
        return Reference.run(launch.program(), launch.blocks(), bindings(launch, memory), options);
    }

    /** What each parameter of the launch's program stands for. */
    static Map<Parameter, Binding> bindings(Launch launch, List<MemorySegment> memory) {
        Map<Parameter, Binding> bindings = new HashMap<>();
        for (int i = 0; i < launch.arguments().size(); i++) {
            bindings.put(launch.program().parameters().get(i), switch (launch.arguments().get(i)) {
                case Argument.Buffer(int buffer) -> new Binding.Memory(buffer(launch, i, memory, buffer));
                case Argument.Int(long value) -> new Binding.Integer(value);
                case Argument.Scalar(long bits) -> new Binding.Scalar(bits);
                case Argument.Tensor(var map, int buffer) -> new Binding.BoundTensorMap(map, buffer(launch, i, memory, buffer));
            });
        }
        return bindings;
    }

    private static MemorySegment buffer(Launch launch, int parameter, List<MemorySegment> memory, int number) {
        if (number >= memory.size()) {
            throw new IllegalArgumentException("kernel '" + launch.program().name() + "': parameter '"
                    + launch.program().parameters().get(parameter).name() + "' is buffer " + number + ", and the launch is given "
                    + memory.size() + " buffers");
        }
        return memory.get(number);
    }
}
