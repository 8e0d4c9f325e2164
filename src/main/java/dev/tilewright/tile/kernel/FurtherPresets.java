package dev.tilewright.tile.kernel;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I8;
import static dev.tilewright.program.value.ValueType.U8;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Presets of products with scales, of what models have besides products, of pictures, and of choices among numbers. */
final class FurtherPresets {
    private static final List<ValueType> HALVES = List.of(BF16, F16);
    private static final List<ValueType> HALVES_FIRST = List.of(BF16, F16, F32);
    private static final List<ValueType> FLOATS_FIRST = List.of(F32, BF16, F16);
    private static final Map<String, Long> WEIGHT = Map.of("n", 8192L, "k", 8192L);
    private static final Map<String, Long> ROWS = Map.of("rows", 32768L, "columns", 4096L);

    static final List<TilePreset> ALL = List.of(
            product("gemm-w4", "a product with weights of 4 bits and a scale for each 128 along k", HALVES,
                    Target.SM_80, type -> QuantisedGemm.of(type, 4, 128).kernel()),
            product("gemm-w8", "a product with weights of 8 bits and a scale for each 128 along k", HALVES,
                    Target.SM_80, type -> QuantisedGemm.of(type, 8, 128).kernel()),
            of("quantise-w4", "makes weights of 4 bits with a scale for each 128 along k", HALVES, WEIGHT,
                    type -> QuantisedGemm.of(type, 4, 128).quantising()),
            product("gemm-block-scaled", "a product of e4m3 with scales of blocks of 128, blocks added in f32",
                    HALVES_FIRST, Target.SM_90A, type -> BlockScaledGemm.of(type).kernel()),
            product("gemm-gated", "two products of one matrix, the sigmoid linear unit of one times the other: SwiGLU",
                    HALVES, Target.SM_80, type -> GatedGemm.of(type).kernel()),
            of("quantise-rows", "rows in 8 bits, with a scale for each", HALVES_FIRST, ROWS,
                    type -> QuantiseRows.of(type, I8).kernel()),
            new TilePreset("quantise-groups", "rows in e4m3, with a scale for each 128 columns", HALVES_FIRST,
                    Target.SM_89, List.of(ROWS), type -> QuantiseRows.of(type, E4M3)
                            .withGroups(BlockScaledGemm.BLOCK).kernel()),
            of("rotary", "rotary position embedding of heads of 128", HALVES_FIRST, Map.of("tokens", 16384L, "heads",
                    32L, "places", 16384L), type -> Rotary.of(type, 128).kernel()),
            of("rotary-table", "sines and cosines for rotary position embedding of heads of 128", List.of(F32),
                    Map.of("places", 131072L), _ -> Rotary.table(128)),
            of("embedding", "rows of a table by their numbers", HALVES_FIRST, Map.of("tokens", 131072L, "width", 512L,
                    "vocabulary", 1048576L), EmbeddingKernels::gather),
            of("embedding-gradient", "adds rows to those of a table by their numbers, in ascending order", HALVES_FIRST,
                    Map.of("tokens", 8192L, "width", 4096L, "vocabulary", 131072L), EmbeddingKernels::gradient),
            small("conv-2d", "a convolution of images by 3 x 3 filters, as a product", Map.of("images", 64L, "height",
                    56L, "width", 56L, "channels", 256L, "filters", 256L), Map.of("images", 2L, "height", 6L, "width",
                    7L, "channels", 40L, "filters", 24L), type -> Conv.of(type, Convolution.square(3, 1, 1)).kernel()),
            small("conv-3d", "a convolution of volumes by 3 x 3 x 3 filters, as a product", Map.of("images", 4L,
                    "depth", 16L, "height", 56L, "width", 56L, "channels", 64L, "filters", 64L), Map.of("images", 1L,
                    "depth", 3L, "height", 4L, "width", 5L, "channels", 20L, "filters", 24L),
                    type -> Conv.of(type, new Convolution(List.of(3, 3, 3), List.of(1, 1, 1), List.of(1, 1, 1),
                            List.of(1, 1, 1))).kernel()),
            of("histogram", "counts how often numbers occur, in 256 bins", List.of(U8, I32, F32), Map.of("n", 1L << 27),
                    type -> Histogram.of(type, 256)),
            of("blur", "a picture's elements with those around them, by binomial weights", List.of(U8, F32, BF16),
                    Map.of("rows", 16384L, "columns", 16384L), type -> Stencil.blur(type, 1).kernel()),
            of("top", "the 8 greatest numbers of each row, and where they are", FLOATS_FIRST, Map.of("rows", 256L,
                    "columns", 131072L), type -> Selection.top(type, 8)),
            of("sample", "an index of each row, drawn by its numbers' shares", FLOATS_FIRST, Map.of("rows", 256L,
                    "columns", 131072L), Selection::sample),
            of("sample-top", "an index of each row, drawn among the ones that top chose", FLOATS_FIRST, Map.of("rows",
                    4096L, "columns", 64L), Selection::sampleOfTop));

    private FurtherPresets() { }

    /** @param size extents of the launch that is tuned and measured */
    private static TilePreset of(String name, String summary, List<ValueType> types, Map<String, Long> size,
            Function<ValueType, TileKernel> kernels) {
        return new TilePreset(name, summary, types, Target.SM_80, List.of(size), kernels);
    }

    /** @param most of launches that are drawn, or made small */
    private static TilePreset small(String name, String summary, Map<String, Long> size, Map<String, Long> most,
            Function<ValueType, TileKernel> kernels) {
        return new TilePreset(name, summary, HALVES, Target.SM_80, List.of(size), most, kernels);
    }

    private static TilePreset product(String name, String summary, List<ValueType> types, Target minimumTarget,
            Function<ValueType, TileKernel> kernels) {
        return new TilePreset(name, summary, types, minimumTarget, List.of(Map.of("m", 8192L, "n", 8192L, "k", 8192L),
                Map.of("m", 1L, "n", 8192L, "k", 8192L), Map.of("m", 16L, "n", 8192L, "k", 8192L)), kernels);
    }
}
