package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Launches in which a dimension is empty, such as attention without keys and products without k. */
class EmptyDimensionsTest {
    /** Rows of 16 elements are aligned: fast paths would be taken. */
    private static final long USUAL = 16;
    /** What results hold before. */
    private static final byte BEFORE = 0x11;

    static Stream<TilePreset> presets() {
        return TilePresets.ALL.stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("presets")
    void theProgramLeavesTheExecutorsBytes(TilePreset preset) {
        TileKernel kernel = preset.kernel();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            for (Dim empty : kernel.dims()) {
                Map<String, Long> extents = new HashMap<>();
                kernel.dims().forEach(dim -> extents.put(dim.name(), dim.equals(empty) ? 0
                        : Math.min(USUAL, preset.most().getOrDefault(dim.name(), USUAL))));
                assertEquals(left(kernel, kernel.onCpu(), extents), left(kernel, loaded.launch(), extents),
                        () -> "without " + empty.name());
            }
        }
    }

    /** The bytes of each tensor, or that the launch is refused. */
    private static Map<String, String> left(TileKernel kernel, ArrayLaunch<?> launch, Map<String, Long> extents) {
        Map<String, MemorySegment> arrays = new LinkedHashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            List<Long> shape = kernel.shape(tensor, extents);
            MemorySegment array = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(shape.stream().reduce(
                    (long) tensor.type().bytes(), Math::multiplyExact), Long.BYTES))]);
            array.fill(tensor.role() == Tensor.Role.IN ? 0 : BEFORE);
            arrays.put(tensor.name(), array);
            launch.set(tensor.name(), array, shape.stream().mapToLong(extent -> extent).toArray());
        }
        kernel.scalars().forEach(scalar -> launch.scalar(scalar.name(), 1));
        Map<String, String> left = new LinkedHashMap<>();
        try {
            launch.run();
            arrays.forEach((name, array) -> left.put(name, Arrays.toString(array.toArray(ValueLayout.JAVA_BYTE))));
        } catch (IllegalArgumentException e) {
            assertEquals(-1, e.getMessage().indexOf('\n'), e::getMessage);
            left.put("refused", "");
        }
        return left;
    }
}
