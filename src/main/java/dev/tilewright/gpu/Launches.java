package dev.tilewright.gpu;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import java.util.List;

/** Checks that every driver makes of a launch before it starts. */
final class Launches {

    private Launches() {
    }

    static void check(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        if (kernel.program() != launch.program() && !kernel.program().equals(launch.program())) {
            throw new IllegalArgumentException("the launch is of kernel '" + launch.program().name()
                    + "', the loaded kernel is another program: '" + kernel.program().name() + "'");
        }
        for (Argument argument : launch.arguments()) {
            int number = switch (argument) {
                case Argument.Buffer b -> b.buffer();
                case Argument.Tensor t -> t.buffer();
                case Argument.Int _, Argument.Scalar _ -> -1;
            };
            if (number >= buffers.size()) {
                throw new IllegalArgumentException("kernel '" + launch.program().name() + "' uses buffer " + number
                        + ", got " + buffers.size() + " buffers");
            }
            if (argument instanceof Argument.Buffer b) {
                requireExtent(launch, b, buffers.get(number));
            }
        }
    }

    private static void requireExtent(Launch launch, Argument.Buffer argument, DeviceBuffer buffer) {
        try {
            argument.extentIn(buffer.bytes());
        } catch (IllegalArgumentException e) {
            String parameter = launch.program().parameters().get(launch.arguments().indexOf(argument)).name();
            throw new IllegalArgumentException("kernel '" + launch.program().name() + "': parameter '" + parameter
                    + "' " + e.getMessage());
        }
    }
}
