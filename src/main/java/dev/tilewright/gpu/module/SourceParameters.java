package dev.tilewright.gpu.module;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Whether the parameters that an application declares for its own source are those of the function that was compiled,
 * as far as the driver tells: how many there are, and the bytes of each (cuFuncGetParamInfo, CUDA 12.4). Two of the
 * same size that were swapped it cannot tell apart.
 */
public final class SourceParameters {
    private static final int POINTER_BYTES = 8;
    private static final int MAP_BYTES = 128;

    private SourceParameters() { }

    /** Needs the context to be current. @throws IllegalArgumentException if they differ, with what does */
    public static void check(Context context, KernelSignature signature, long function) {
        List<Parameter> declared = signature.parameters();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment offset = arena.allocate(JAVA_LONG);
            MemorySegment size = arena.allocate(JAVA_LONG);
            for (int i = 0; i <= declared.size(); i++) {
                int result = context.api().cuFuncGetParamInfo(function, i, offset, size);
                if (result == DriverApi.NOT_SUPPORTED) {
                    return;
                }
                boolean there = result != DriverApi.INVALID_VALUE;
                if (there) {
                    context.check("cuFuncGetParamInfo of " + signature.name(), result);
                }
                if (there && i == declared.size()) {
                    throw new IllegalArgumentException("kernel '" + signature.name() + "' is declared with " + i
                            + parameters(i) + ", and its source has more: declare each, in the source's order");
                }
                if (!there && i < declared.size()) {
                    throw new IllegalArgumentException("kernel '" + signature.name() + "' is declared with "
                            + declared.size() + parameters(declared.size()) + ", and its source has " + i + ": '"
                            + declared.get(i).name() + "' is one too many");
                }
                if (there && size.get(JAVA_LONG, 0) != bytes(declared.get(i))) {
                    throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter " + i + ", '"
                            + declared.get(i).name() + "', is declared as " + words(declared.get(i)) + " of "
                            + bytes(declared.get(i)) + " bytes, and has " + size.get(JAVA_LONG, 0)
                            + " bytes in its source: declare each as it is there, in the source's order");
                }
            }
        }
    }

    private static String parameters(int count) {
        return count == 1 ? " parameter" : " parameters";
    }

    private static int bytes(Parameter parameter) {
        return switch (parameter) {
            case Parameter.Pointer _ -> POINTER_BYTES;
            case Parameter.Int p -> p.type() == IntType.S32 ? Integer.BYTES : Long.BYTES;
            case Parameter.Scalar p -> p.type().bytes();
            case Parameter.TensorMap _ -> MAP_BYTES;
        };
    }

    private static String words(Parameter parameter) {
        return switch (parameter) {
            case Parameter.Pointer _ -> "a pointer";
            case Parameter.Int _ -> "an integer";
            case Parameter.Scalar p -> "a number of type " + p.type();
            case Parameter.TensorMap _ -> "a tensor map";
        };
    }
}
