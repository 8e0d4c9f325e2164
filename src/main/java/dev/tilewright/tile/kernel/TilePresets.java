package dev.tilewright.tile.kernel;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.E4M3;
import static dev.tilewright.program.value.ValueType.E5M2;
import static dev.tilewright.program.value.ValueType.F16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.F64;
import static dev.tilewright.program.value.ValueType.I32;
import static dev.tilewright.program.value.ValueType.I64;
import static dev.tilewright.program.value.ValueType.I8;
import static dev.tilewright.program.value.ValueType.U8;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.TileKernel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The tile kernels that have names, in the order in which they are listed. */
public final class TilePresets {
    private static final List<ValueType> NUMBERS = List.of(F32, BF16, F16, F64, I32, I64);
    private static final List<ValueType> HALVES = List.of(BF16, F16);

    /** Extents of the tensors of elements that are measured, by rank. */
    private static final List<List<Long>> ELEMENTS = List.of(List.of(1L << 27), List.of(32768L, 4096L),
            List.of(128L, 256L, 4096L), List.of(), List.of(8L, 16L, 16L, 16L, 4096L));

    private static final int MOST_DIMENSIONS = 5;

    /** All of them. Names are unique, also among {@link dev.tilewright.builder.Presets}. */
    public static final List<TilePreset> ALL = Stream.concat(Stream.of(
            elements("tile-copy", "copies a matrix", List.of(F32, BF16, F64, U8), type -> ElementKernels.copy(type, 2)),
            elements("tile-copy-1d", "copies a vector", NUMBERS, type -> ElementKernels.copy(type, 1)),
            elements("tile-copy-3d", "copies a tensor of three dimensions", NUMBERS,
                    type -> ElementKernels.copy(type, 3)),
            elements("tile-copy-5d", "copies a tensor of five dimensions", NUMBERS,
                    type -> ElementKernels.copy(type, 5)),
            elements("tile-scale", "multiplies every element of a matrix by a scalar", NUMBERS,
                    type -> ElementKernels.scale(type, 2)),
            elements("tile-add", "adds two matrices", NUMBERS, type -> ElementKernels.add(type, 2)),
            elements("tile-relu", "a step of its own of every element: the greater of it and 0", NUMBERS,
                    type -> ElementKernels.map("relu", type, 2, x -> x.max(0))),
            elements("transpose", "exchanges a matrix' rows and columns", List.of(F32, BF16, F64, U8),
                    ElementKernels::transpose),
            elements("bias-gelu", "GELU of each element plus its column's bias", RowKernels.GELU,
                    RowKernels::biasGelu),
            elements("swiglu", "SiLU of each element of a gate, times another matrix'", List.of(BF16, F16, F32),
                    ElementKernels::swiGlu),
            rows("softmax", "e to the power of each element, divided by the sum of its row", RowKernels::softmax),
            rows("log-softmax", "the logarithm of softmax", RowKernels::logSoftmax),
            rows("layer-norm", "each row less its mean, over its deviation, times a weight, plus a bias",
                    RowKernels::layerNorm),
            rows("rms-norm", "each row over the root of its mean square, times a weight", RowKernels::rmsNorm),
            rows("add-rms-norm", "RMS norm of a sum with the residual, which is left, too", RowKernels::addRmsNorm),
            rows("row-sums", "the sum of each row", RowKernels::rowSums),
            rows("arg-max", "where in each row its greatest number is", RowKernels::argMax),
            gemm("gemm", "a product of matrices, both row by row", HALVES, Target.SM_80, Gemm::of),
            gemm("gemm-nt", "a product whose second factor is given transposed", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withTransposedB()),
            gemm("gemm-tn", "a product whose first factor is given transposed", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withTransposedA()),
            gemm("gemm-tt", "a product whose factors are both given transposed", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withTransposedA().withTransposedB()),
            gemm("gemm-bias-gelu", "GELU of a product plus a bias of its columns", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withTransposedB().withBias().with(Activation.GELU)),
            gemm("gemm-batched", "a product of each of a batch of matrices", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withBatch()),
            gemm("gemm-split", "a product in four parts of k, added in their order", HALVES, Target.SM_80,
                    type -> Gemm.of(type).withSplit(4)),
            gemm("gemm-tf32", "a product of f32 rounded to tf32, given as B's columns", List.of(F32), Target.SM_80,
                    _ -> Gemm.of(ValueType.TF32).withTransposedB()),
            gemm("gemm-f32", "a product of f32, a chain of fused multiply-adds", List.of(F32), Target.SM_80, Gemm::of),
            gemm("gemm-f64", "a product of f64", List.of(F64), Target.SM_80, Gemm::of),
            gemm("gemm-fp8", "a product of 8-bit floats, given as B's columns, into bf16", List.of(E4M3, E5M2),
                    Target.SM_90A, type -> Gemm.of(type).withTransposedB()),
            gemm("gemm-int8", "a product of 8-bit integers, given as B's columns, into i32", List.of(I8, U8),
                    Target.SM_80, type -> Gemm.of(type).withTransposedB()),
            attention("attention", "attention in which all see all", Attention::of),
            attention("attention-causal", "attention in which no query sees a later key", type -> Attention.of(type)
                    .causal()),
            attention("attention-grouped", "causal attention in which 4 query heads share keys and values",
                    type -> Attention.of(type).causal().withGroupsOf(4)),
            attention("attention-window", "attention of heads 64 wide, in which a query sees the 256 places before it",
                    type -> Attention.of(type).withHeadWidth(64).causal().withWindow(256)),
            new TilePreset("attention-paged", "decoding: 8 query heads on keys and values in pages of 16", HALVES,
                    Target.SM_90A, List.of(Map.of("batch", 64L, "heads", 8L, "queries", 1L, "slots", 512L, "pages",
                            32768L)), Map.of("batch", 2L, "heads", 2L, "queries", 2L, "slots", 20L, "pages", 12L),
                    type -> PagedAttention.of(Attention.of(type).withGroupsOf(8).withRows(8), 16).kernel())),
            FurtherPresets.ALL.stream()).toList();

    private TilePresets() { }

    private static TilePreset elements(String name, String summary, List<ValueType> types,
            Function<ValueType, TileKernel> kernels) {
        List<Dim> dims = kernels.apply(types.getFirst()).dims();
        Map<String, Long> extents = new HashMap<>();
        // 2^27 elements: as many as of 32,768 rows of 4,096.
        for (int i = 0; i < dims.size(); i++) {
            extents.put(dims.get(i).name(), ELEMENTS.get(dims.size() - 1).get(i));
        }
        return new TilePreset(name, summary, types, Target.SM_80, List.of(extents), dims.size() == MOST_DIMENSIONS
                ? Map.of("d0", 2L, "d1", 3L, "d2", 5L) : Map.of(), kernels);
    }

    private static TilePreset rows(String name, String summary, Function<ValueType, TileKernel> kernels) {
        Map<String, Long> usual = Map.of("rows", 32768L, "columns", 4096L);
        return new TilePreset(name, summary, RowKernels.FLOATS, Target.SM_80, name.equals("softmax")
                ? List.of(usual, Map.of("rows", 16384L, "columns", 131072L)) : List.of(usual), kernels);
    }

    private static TilePreset gemm(String name, String summary, List<ValueType> operands, Target minimumTarget,
            Function<ValueType, Gemm> product) {
        Gemm usual = product.apply(operands.getFirst());
        List<Map<String, Long>> sizes;
        if (usual.batched()) {
            sizes = List.of(Map.of("m", 2048L, "n", 2048L, "k", 2048L, "batch", 64L));
        } else if (usual.activation() == Activation.GELU) {
            // GELU in tiles of 128 x 256, which larger products have, keeps registers in memory.
            sizes = List.of(square(1024), square(8192));
        } else if (name.equals("gemm") || name.equals("gemm-nt")) {
            sizes = List.of(square(8192), square(4096), square(2048), square(1024), weight(1), weight(16), weight(64),
                    weight(256));
        } else {
            sizes = List.of(square(8192));
        }
        return new TilePreset(name, summary, operands, minimumTarget, sizes, type -> product.apply(type).kernel());
    }

    private static Map<String, Long> square(long side) {
        return Map.of("m", side, "n", side, "k", side);
    }

    /** Some rows against a weight. */
    private static Map<String, Long> weight(long rows) {
        return Map.of("m", rows, "n", 8192L, "k", 8192L);
    }

    private static TilePreset attention(String name, String summary, Function<ValueType, Attention> kernels) {
        return new TilePreset(name, summary, HALVES, Target.SM_80, List.of(Map.of("batch", 1L, "heads", 16L, "queries",
                16384L, "keys", 16384L)), Map.of("batch", 1L, "heads", 2L, "queries", 140L, "keys", 300L),
                type -> kernels.apply(type).kernel());
    }

    /** The one of this name, if there is one. */
    public static Optional<TilePreset> find(String name) {
        Objects.requireNonNull(name, "name");
        return ALL.stream().filter(preset -> preset.name().equals(name)).findFirst();
    }
}
