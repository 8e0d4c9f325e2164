package dev.tilewright.bench.rival;

import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A product of a tile kernel that cuBLASLt computes, too.
 *
 * @param kind its types
 * @param columns whether B's columns follow each other in memory, or its rows
 */
public record PlainProduct(CuBlasLt.Kind kind, boolean columns) {
    private static final Map<String, Boolean> COLUMNS = Map.of("gemm", false, "gemm-nt", true, "gemm-tf32", true,
            "gemm-f32", false, "gemm-f64", false, "gemm-fp8", true, "gemm-int8", true);

    /** That of a preset; empty if cuBLASLt has none. */
    public static Optional<PlainProduct> of(TilePreset preset, ValueType type) {
        return Optional.ofNullable(COLUMNS.get(preset.name())).map(columns -> new PlainProduct(preset.name().equals(
                "gemm-tf32") ? CuBlasLt.Kind.TF32 : CuBlasLt.Kind.valueOf(type.name()), columns));
    }

    /**
     * The product by each algorithm that cuBLASLt names.
     *
     * @param result where C is left
     * @param extents m, n and k
     * @param sets how many sets of arrays are taken in turn
     */
    public List<DeviceTurns.Work> algorithms(CuBlasLt cuBlas, TileArrays arrays, Buffer<?> result,
            Map<String, Long> extents, int sets) {
        List<List<Runnable>> ofSets = IntStream.range(0, sets).mapToObj(set -> cuBlas.products(kind, arrays.array(set,
                "a"), arrays.array(set, "b"), columns, result, extents.get("m").intValue(), extents.get("n").intValue(),
                extents.get("k").intValue())).toList();
        int number = ofSets.stream().mapToInt(List::size).min().orElseThrow();
        return IntStream.range(0, number).<DeviceTurns.Work>mapToObj(algorithm -> (_, place) ->
                ofSets.get(place % sets).get(algorithm).run()).toList();
    }
}
