package dev.tilewright.bench.suite;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.CuBlasLt;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Kernels that compute: steps of the builders on every element, the softmax of rows, and products of matrices. There is
 * no attention and no norm among what this library measures.
 */
public final class ComputeSuite extends Suite {
    private static final String CUBLAS = "cuBLAS";
    private static final long COLUMNS = 4096;
    private static final int SIDE_BF16 = 8192;
    private static final int SIDE_F32 = 4096;
    private static final int FACTOR = Float.floatToRawIntBits(1.3f);

    /** Of the presets with an elementwise step: what is demanded of a pipeline with one. */
    private static final double DEMANDED_OF_MEMCPY = 0.97;
    /** As fast as the best of its algorithms, within what one run differs from another. */
    private static final double DEMANDED_OF_CUBLAS = 0.97;
    /** Of an element: its exponential, and an addition, a division and a change of sign. */
    private static final long SILU_OPERATIONS = 4;
    /** Of an element: a comparison, a subtraction, an exponential, an addition and a division. */
    private static final long SOFTMAX_OPERATIONS = 5;

    private final RivalSides sides;
    private final int sideBf16;
    private final int sideF32;

    /** @param sides who is measured beside ours */
    public ComputeSuite(RivalSides sides) {
        this(sides, SIDE_BF16, SIDE_F32);
    }

    /** @param sideBf16 rows and columns of matrices that are multiplied */
    ComputeSuite(RivalSides sides, int sideBf16, int sideF32) {
        super("compute", "elementwise steps, softmax and products of matrices, against C++, cuBLAS, PyTorch and "
                + "Triton", true);
        this.sides = sides;
        this.sideBf16 = sideBf16;
        this.sideF32 = sideF32;
    }

    @Override
    public void run(Bench bench) {
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name(), "elementwise", Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> steps(bench, bytes));
        }
        bench.attempt(name(), "product of bf16", Row.OURS, Unit.TERAFLOPS, () -> product(bench, "bf16", sideBf16, 2,
                Content.WHOLE_BF16, Content.BF16, Checks.BF16_PRODUCT,
                blocks -> bf16Product(sideBf16, sideBf16, sideBf16, blocks)));
        bench.attempt(name(), "product of f32", Row.OURS, Unit.TERAFLOPS, () -> product(bench, "f32", sideF32, 4,
                Content.WHOLE_F32, Content.F32, Checks.F32_PRODUCT,
                blocks -> f32Product(sideF32, sideF32, sideF32, blocks)));
    }

    private void steps(Bench bench, long bytes) {
        long count = bytes / Float.BYTES;
        List<Long> shape = List.of(count / COLUMNS, COLUMNS);
        RivalsBeside others = new RivalsBeside(bench, name(), sides);
        List<Row> scales = others.completing(row -> row.computing(count)).kernels("scale",
                Set.of("scale-vector", "scale-warps"), bytes);
        List<Row> softmaxes = others.completing(row -> row.computing(SOFTMAX_OPERATIONS * count).with("size", bytes))
                .python("softmax", "softmax", "f32", shape);
        try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, bytes, Content.F32, bench.settings().seed());
                WorkRows rows = new WorkRows(bench, name(), arrays)) {
            for (String preset : List.of("cp-async-scale", "tensor-scale", "bulk-add")) {
                boolean scale = !preset.endsWith("add");
                rows.take(elementwise(preset, Presets.named(preset).build(ElementType.F32), scale ? "scale" : "add",
                        shape, Scalars.ofBits(FACTOR), bytes).operating(count), () -> arrays.wrong(
                        scale ? Checks.SCALED : Checks.SHIFTED,
                        check -> check.set("count", count).set(scale ? "factor" : "summand", FACTOR)),
                        scale ? scales : List.of())
                        .ifPresent(row -> bench.add(row.demanding(Row.MEMCPY, DEMANDED_OF_MEMCPY)));
            }
            rows.measure(elementwise("vector-copy", silu(), "silu", shape, Scalars.NONE, bytes)
                    .operating(SILU_OPERATIONS * count), () -> arrays.wrong(Checks.SILU,
                    check -> check.set("count", count)), List.of());
            for (int threads : new int[] {128, 256, 512}) {
                Launch softmax = softmax(count / COLUMNS, threads, bench.gpu().target());
                rows.measure(Work.moving("softmax", Work.parameters("size", bytes),
                        softmax.program(), _ -> softmax, 2 * bytes).by("threads=" + threads)
                        .operating(SOFTMAX_OPERATIONS * count),
                        () -> arrays.wrong(Checks.SOFTMAX,
                        check -> check.set("count", count / COLUMNS).set("columns", COLUMNS)), softmaxes);
            }
        }
    }

    /** x / (1 + e^-x) of every element. */
    static ElementwiseKernel silu() {
        return VectorCopy.of(ElementType.F32).step(ElementStep.of(Value::silu).named("silu_step")).build();
    }

    /** The tile kernel by this many threads a row: buffer 0 to buffer 1. */
    static Launch softmax(long rows, int threads, Target target) {
        ArrayShape shape = ArrayShape.dense(rows, COLUMNS);
        return RowKernels.softmax(ValueType.F32).with(Schedule.parse("threads=" + threads))
                .launch(Map.of("x", shape, "y", shape), Scalars.NONE, target, 1);
    }

    private static Work elementwise(String by, ElementwiseKernel kernel, String step, List<Long> shape, Scalars scalars,
            long bytes) {
        return Work.moving(step, Work.parameters("size", bytes, "preset", by), kernel.program(),
                _ -> kernel.launch(shape, scalars), 2 * bytes);
    }

    /** On whole numbers, whose products must be exact, and on others, which cost the tensor cores more power. */
    private void product(Bench bench, String type, int side, int elementBytes, Content whole, Content random,
            CudaFunction check, Function<Integer, Launch> launch) {
        String subject = "product of " + type;
        long matrix = (long) side * side * elementBytes;
        RivalsBeside others = new RivalsBeside(bench, name(), sides).completing(row -> row.moving(3 * matrix));
        List<Row> python = others.python(subject, "product", type, List.of((long) side, (long) side, (long) side));
        try (WorkArrays arrays = new WorkArrays(bench.gpu(), 2 * matrix, matrix, whole, bench.settings().seed(), 1);
                WorkRows rows = new WorkRows(bench, name(), arrays);
                CuBlasLt cuBlas = cuBlas(bench, rows, subject)) {
            Launch first = launch.apply(bench.gpu().info().multiprocessors());
            for (boolean exact : new boolean[] {true, false}) {
                if (!exact) {
                    arrays.fill(random, bench.settings().seed());
                }
                Consumer<KernelLaunch> values = one -> one.set("m", side).set("n", side).set("k", side)
                        .set("exact", exact ? 1 : 0);
                rows.take(Work.moving(subject, Work.parameters("shape", side + "x" + side + "x" + side, "numbers",
                        exact ? "whole" : "random"), first.program(), _ -> onTwoBuffers(first, matrix), 3 * matrix)
                        .computing(2.0 * side * side * side), () -> arrays.wrong(check, values),
                        exact ? List.of() : python, exact || cuBlas == null ? Optional.empty()
                                : Optional.of(opponent(cuBlas, rows, arrays, type, side, matrix)))
                        .ifPresent(row -> bench.add(type.equals("bf16") ? row.demanding(CUBLAS, DEMANDED_OF_CUBLAS)
                        : row));
            }
        }
    }

    /** Null where there is none, as a row says. */
    private CuBlasLt cuBlas(Bench bench, WorkRows rows, String subject) {
        if (!bench.settings().rivals()) {
            return null;
        }
        try {
            return CuBlasLt.open(rows.sustained().stream());
        } catch (MissingRequirementException e) {
            bench.add(Row.notRun(name(), subject, CUBLAS, Unit.TERAFLOPS, e.getMessage()));
            return null;
        }
    }

    /** The fastest of cuBLAS' algorithms, on the arrays of ours. */
    private WorkRows.Opponent opponent(CuBlasLt cuBlas, WorkRows rows, WorkArrays arrays, String type, int side,
            long matrix) {
        CuBlasLt.Kind kind = CuBlasLt.Kind.valueOf(type.toUpperCase(Locale.ROOT));
        List<DeviceTurns.Work> algorithms = cuBlas.products(kind, arrays.in(0).slice(0, matrix), arrays.in(0).slice(
                matrix, matrix), type.equals("bf16"), arrays.out(0), side, side, side).stream()
                .<DeviceTurns.Work>map(product -> (_, _) -> product.run()).toList();
        int best = rows.sustained().fastest(algorithms);
        double operations = 2.0 * side * side * side;
        return new WorkRows.Opponent(algorithms.get(best), micros -> Row.of(name(), "product of " + type, CUBLAS,
                Unit.TERAFLOPS, micros.teraflops(operations), Verdict.NO_OUTPUT).moving(3 * matrix)
                .computing(operations)
                .by("algorithm", "number " + (best + 1) + " of " + algorithms.size() + " algorithms, the fastest")
                .with("shape", side + "x" + side + "x" + side).with("type", type));
    }

    /** The product of the tile language on buffers 0 (A), 1 (B's columns) and 2 (C). @param blocks at most */
    static Launch bf16Product(int m, int n, int k, int blocks) {
        return Gemm.of(ValueType.BF16).withTransposedB().kernel().launch(Map.of("a", ArrayShape.dense(m, k),
                "b", ArrayShape.dense(n, k), "c", ArrayShape.dense(m, n)), Scalars.NONE, Target.SM_90A, blocks);
    }

    static Launch f32Product(int m, int n, int k, int blocks) {
        return Gemm.of(ValueType.F32).kernel().launch(Map.of("a", ArrayShape.dense(m, k), "b", ArrayShape.dense(k, n),
                "c", ArrayShape.dense(m, n)), Scalars.NONE, Target.SM_90A, blocks);
    }

    /** A launch whose second operand lies behind the first, and whose result is buffer 1. */
    static Launch onTwoBuffers(Launch launch, long operandBytes) {
        List<Argument> arguments = launch.arguments().stream().map(argument -> switch (argument) {
            case Argument.Tensor(var map, int buffer, long offset) when buffer == 1 ->
                    new Argument.Tensor(map, 0, offset + operandBytes);
            case Argument.Tensor(var map, int buffer, long offset) when buffer
                    == 2 -> new Argument.Tensor(map, 1, offset);
            case Argument.Buffer b when b.buffer() == 1 -> new Argument.Buffer(0, b.offset() + operandBytes);
            case Argument.Buffer b when b.buffer() == 2 -> new Argument.Buffer(1, b.offset());
            default -> argument;
        }).toList();
        return new Launch(launch.program(), launch.grid(), arguments);
    }
}
