package dev.tilewright.gpu;

import dev.tilewright.gpu.driver.CudaError;
import dev.tilewright.gpu.driver.LibCuda;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Encodes tensor maps through the driver: {@code cuTensorMapEncodeTiled}, bound by {@code java.lang.foreign}. It needs
 * a current context.
 */
final class DriverTensorMaps {
    /** Size and alignment of a CUtensorMap, in bytes (cuda.h of CUDA 13). */
    static final int BYTES = 128;

    private DriverTensorMaps() {
    }

    /**
     * Writes the 128 bytes.
     *
     * @param map 128 bytes, aligned to 64
     * @throws IllegalArgumentException if the driver refuses the description; the driver gives no reason, so the
     *     message shows everything that it was told
     */
    static void encode(CudaDriver driver, TiledTensorMap tensor, long globalAddress, MemorySegment map) {
        try (Arena arena = Arena.ofConfined()) {
            int result = LibCuda.cuTensorMapEncodeTiled(map, tensor.type().cudaValue(), tensor.rank(), globalAddress,
                    longs(arena, tensor.dims()), longs(arena, tensor.strides()), ints(arena, tensor.box()),
                    ints(arena, tensor.elementStrides()), tensor.interleave().cudaValue(), tensor.swizzle().cudaValue(),
                    tensor.l2Promotion().cudaValue(), tensor.fill().cudaValue());
            if (result == CudaError.INVALID_VALUE) {
                throw new IllegalArgumentException("cuTensorMapEncodeTiled refused the tensor map: " + tensor + " at address 0x" + Long.toHexString(globalAddress));
            }
            driver.check("cuTensorMapEncodeTiled", result);
        }
    }

    private static MemorySegment longs(Arena arena, List<Long> values) {
        return arena.allocateFrom(ValueLayout.JAVA_LONG, values.stream().mapToLong(Long::longValue).toArray());
    }

    private static MemorySegment ints(Arena arena, List<Integer> values) {
        return arena.allocateFrom(ValueLayout.JAVA_INT, values.stream().mapToInt(Integer::intValue).toArray());
    }
}
