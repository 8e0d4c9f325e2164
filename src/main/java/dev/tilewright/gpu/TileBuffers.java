package dev.tilewright.gpu;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.util.Locale;

/**
 * Whether an application's buffers are what a tile kernel takes: how many, and elements of which type. Types that Java
 * has no array for (f16, bf16, unsigned integers) are in integers of their width; byte arrays hold anything.
 */
final class TileBuffers {

    private TileBuffers() { }

    static void check(TileKernel kernel, Launch launch, Buffer<?>[] buffers) {
        String name = "kernel '" + kernel.program().name() + "'";
        int sources = kernel.step().inputs();
        long workspace = kernel.workspaceBytes(launch);
        int count = sources + 1 + (workspace > 0 ? 1 : 0);
        // A workspace of no bytes may come along, as code that asks how many always has a buffer for them; or one for
        // other shapes where this one is empty.
        boolean fits = buffers.length == count || buffers.length == sources + 2
                && (isEmpty(buffers[sources + 1]) || launch.grid().count() == 0);
        if (!fits) {
            throw new IllegalArgumentException(name + " takes " + count + " buffers: " + sources
                    + (sources == 1 ? " source" : " sources") + ", the result"
                    + (workspace > 0 ? ", a workspace of " + workspace + " bytes (gpu.bytes(" + workspace + "))" : "")
                    + "; got " + buffers.length);
        }
        checkTypes(kernel, buffers);
    }

    private static boolean isEmpty(Buffer<?> buffer) {
        return buffer != null && buffer.bytes() == 0;
    }

    /** The same where the launch says which buffer is which: elements alone. */
    static void checkTypes(TileKernel kernel, Buffer<?>[] buffers) {
        String name = "kernel '" + kernel.program().name() + "'";
        int sources = kernel.step().inputs();
        for (int i = 0; i < Math.min(sources, buffers.length); i++) {
            require(name + ": source " + i, kernel.type(), buffers[i]);
        }
        if (sources < buffers.length) {
            require(name + ": the result", kernel.resultType(), buffers[sources]);
        }
    }

    private static void require(String what, ElementType type, Buffer<?> buffer) {
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
