package dev.tilewright.verify.draw;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One launch of a drawn kernel.
 *
 * @param buffers what each of the launch's buffers holds before; all of them are compared afterwards
 * @param expected what some of them hold afterwards, by number, worked out without the program
 */
record DrawnRun(Launch launch, List<byte[]> buffers, Map<Integer, byte[]> expected) {
    public DrawnRun {
        buffers = List.copyOf(buffers);
        expected = Map.copyOf(expected);
    }

    /** One of which nothing is known but what the reference says. */
    public DrawnRun(Launch launch, List<byte[]> buffers) {
        this(launch, buffers, Map.of());
    }

    /** Whether the kernel may write a buffer: through a pointer, or a tensor map. */
    boolean isWritten(int buffer) {
        return parameters(buffer).anyMatch(p -> !(p instanceof Parameter.Pointer pointer) || pointer.written());
    }

    /** What messages call a buffer: its first parameter. */
    String nameOf(int buffer) {
        return parameters(buffer).map(Parameter::name).findFirst().orElse("buffer " + buffer);
    }

    private Stream<Parameter> parameters(int buffer) {
        return IntStream.range(0, launch.arguments().size()).filter(i -> switch (launch.arguments().get(i)) {
            case Argument.Buffer b -> b.buffer() == buffer;
            case Argument.Tensor t -> t.buffer() == buffer;
            default -> false;
        }).mapToObj(launch.program().parameters()::get);
    }
}
