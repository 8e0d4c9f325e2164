package dev.tilewright.gpu;

import dev.tilewright.Counted;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Whether an application's buffers are the arrays that a kernel takes: how many, and elements of which type. Types that
 * Java has no array for (f16, bf16, unsigned integers) are in integers of their width; byte arrays hold anything.
 */
final class ArrayBuffers {
    private static final String WORKSPACE = "workspace";

    private ArrayBuffers() { }

    static void check(Launchable kernel, Launch launch, Buffer<?>[] buffers) {
        int arrays = kernel.arrays().size();
        long workspace = kernel.workspaceBytes(launch);
        int count = arrays + (workspace > 0 ? 1 : 0);
        // A workspace of no bytes may come along, as code that asks how many always has a buffer for them; or one for
        // other shapes where this one is empty.
        boolean fits = buffers.length == count || buffers.length == arrays + 1
                && (isEmpty(buffers[arrays]) || launch.grid().count() == 0);
        if (!fits) {
            throw new IllegalArgumentException(name(kernel) + " takes " + Counted.of(count, "buffer") + ": "
                    + names(kernel)
                    + (workspace > 0 ? " and a workspace of " + Counted.of(workspace, "byte") + " (gpu.bytes("
                    + workspace + "))"
                            : "") + "; got " + buffers.length);
        }
        checkTypes(kernel, buffers);
    }

    private static boolean isEmpty(Buffer<?> buffer) {
        return buffer != null && buffer.bytes() == 0;
    }

    private static String name(Launchable kernel) {
        return "kernel '" + kernel.program().name() + "'";
    }

    private static String names(Launchable kernel) {
        return kernel.arrays().stream().map(Launchable.Array::name).collect(Collectors.joining(", "));
    }

    /** Checks the element types alone, where the launch says which buffer is which. */
    static void checkTypes(Launchable kernel, Buffer<?>[] buffers) {
        List<Launchable.Array> arrays = kernel.arrays();
        for (int i = 0; i < Math.min(arrays.size(), buffers.length); i++) {
            require(name(kernel) + ": array '" + arrays.get(i).name() + "'", arrays.get(i).type(), buffers[i]);
        }
    }

    /** The buffers of a launch, whose arrays are given by name. */
    static Buffer<?>[] inOrder(Launchable kernel, Map<String, ShapedBuffer> given) {
        List<Buffer<?>> buffers = new ArrayList<>();
        for (Launchable.Array array : kernel.arrays()) {
            if (!given.containsKey(array.name())) {
                throw new IllegalArgumentException(name(kernel) + " takes the arrays " + names(kernel) + ": '"
                        + array.name() + "' is missing");
            }
            buffers.add(given.get(array.name()).buffer());
        }
        for (String name : given.keySet()) {
            if (!name.equals(WORKSPACE) && kernel.arrays().stream().noneMatch(array -> array.name().equals(name))) {
                throw new IllegalArgumentException(name(kernel) + " takes the arrays " + names(kernel)
                        + ", and has none named '" + name + "'");
            }
        }
        if (given.containsKey(WORKSPACE)) {
            buffers.add(given.get(WORKSPACE).buffer());
        }
        return buffers.toArray(Buffer<?>[]::new);
    }

    /** The shapes of arrays that are given by name. */
    static Map<String, List<Long>> shapes(Launchable kernel, Map<String, ShapedBuffer> given) {
        return kernel.arrays().stream().collect(Collectors.toMap(Launchable.Array::name,
                array -> given.get(array.name()).shape()));
    }

    /** Refuses a buffer of other elements. @param what begins the message */
    static void require(String what, ElementType type, Buffer<?> buffer) {
        if (buffer != null && buffer.type() != ArrayType.BYTES && buffer.type() != arrayOf(type)) {
            String constant = arrayOf(type) + "s";
            throw new IllegalArgumentException(what + " has elements of type " + type + ", got a buffer of "
                    + buffer.type() + ": give one of " + arrayOf(type)
                    + ", or take it as that, with buffer.as(ArrayType." + constant.toUpperCase(Locale.ROOT) + ")");
        }
    }

    /** The Java array for elements of a type: of its own kind, else its bits in integers of its width. */
    private static ArrayType<?> arrayOf(ElementType type) {
        return switch (type) {
            case U8, I8 -> ArrayType.BYTES;
            case U16, I16, F16, BF16 -> ArrayType.SHORTS;
            case U32, I32 -> ArrayType.INTS;
            case U64, I64 -> ArrayType.LONGS;
            case F32 -> ArrayType.FLOATS;
            case F64 -> ArrayType.DOUBLES;
        };
    }
}
