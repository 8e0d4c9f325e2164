package dev.tilewright.gpu;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;

/**
 * Whether an application's buffers are what a tile kernel takes: how many, and elements of which type. Integer arrays
 * hold the bits of any type of their width, and byte arrays those of all.
 */
final class TileBuffers {

    private TileBuffers() { }

    static void check(TileKernel kernel, Launch launch, Buffer<?>[] buffers) {
        String name = "kernel '" + kernel.program().name() + "'";
        int sources = kernel.step().inputs();
        long workspace = kernel.workspaceBytes(launch);
        int count = sources + 1 + (workspace > 0 ? 1 : 0);
        if (buffers.length < count) {
            throw new IllegalArgumentException(name + " takes " + count + " buffers: " + sources
                    + (sources == 1 ? " source" : " sources") + ", the result"
                    + (workspace > 0 ? ", a workspace of " + workspace + " bytes (gpu.bytes(" + workspace + "))" : "")
                    + "; got " + buffers.length);
        }
        for (int i = 0; i < sources; i++) {
            require(name + ": source " + i, kernel.type(), buffers[i]);
        }
        require(name + ": the result", kernel.resultType(), buffers[sources]);
    }

    private static void require(String what, ElementType type, Buffer<?> buffer) {
        if (buffer != null && !holds(buffer.type(), type)) {
            throw new IllegalArgumentException(what + " has elements of type " + type + ", got a buffer of "
                    + buffer.type() + ": give one of another type, or its bytes (buffer.as(ArrayType.BYTES))");
        }
    }

    private static boolean holds(ArrayType<?> array, ElementType type) {
        if (array == ArrayType.BYTES) {
            return true;
        }
        if (array == ArrayType.FLOATS) {
            return type == ElementType.F32;
        }
        if (array == ArrayType.DOUBLES) {
            return type == ElementType.F64;
        }
        return array.elementBytes() == type.bytes();
    }
}
