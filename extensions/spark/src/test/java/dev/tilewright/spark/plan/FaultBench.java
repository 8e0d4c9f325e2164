package dev.tilewright.spark.plan;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.GpuOptions;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.LocalCluster;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.spark.compile.DriverCompiler;
import dev.tilewright.spark.compile.DriverKernels;
import dev.tilewright.spark.examples.DistributedProduct;
import dev.tilewright.spark.examples.DistributedSoftmax;
import dev.tilewright.spark.executor.ExecutorDevices;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * What becomes of jobs on GPUs whose kernels the driver compiles, of killed tasks, and of a kernel that writes where no
 * memory is: {@code FaultBench MASTER}, such as {@code local[2,4]} or {@code local-cluster[2,2,1024]}, whose executors
 * share a GPU. Without one, executors compute on the CPU, and end where a kernel would have faulted. Exits with 1 if
 * something is not as it should be.
 */
public final class FaultBench {
    private static final CudaFunction FAULT = CudaFunction.of("fault", """
            extern "C" __global__ void fault() { *(volatile int *) 8 = 1; }
            """, 32, List.of());
    private static final int PARTS = 40;
    private static final int FAULTY = 20;
    private static final int ROWS = 400;
    private static final int COLUMNS = 64;
    private static final int DEPTH = 150;

    private final JavaSparkContext context;
    private final DriverCompiler compiler;
    private final boolean hasGpu;
    private final List<float[]> rows = IntStream.range(0, ROWS).mapToObj(i -> DistributedProduct.drawn(i, COLUMNS))
            .toList();
    private final List<String> ends = Collections.synchronizedList(new ArrayList<>());
    private boolean isRight = true;

    private FaultBench(JavaSparkContext context, boolean hasGpu) {
        this.context = context;
        this.hasGpu = hasGpu;
        this.compiler = hasGpu ? DriverKernels.of(context.sc()) : null;
        context.sc().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                ends.add(removed.reason());
            }
        });
    }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        String master = arguments[0];
        boolean hasGpu = !Gpu.list().isEmpty();
        System.out.println("jobs and faults: " + master + ", " + (hasGpu ? Gpu.list().getFirst().name() : "no GPU"));
        FaultBench bench;
        try (JavaSparkContext context = new JavaSparkContext(conf(master, hasGpu))) {
            bench = new FaultBench(context, hasGpu);
            bench.run();
        }
        for (int i = 0; i < 100 && LocalCluster.executors() > 0; i++) {
            Thread.sleep(100);
        }
        System.out.println("executors left: " + LocalCluster.executors());
        System.exit(bench.isRight && LocalCluster.executors() == 0 ? 0 : 1);
    }

    private static SparkConf conf(String master, boolean hasGpu) throws Exception {
        SparkConf conf = LocalCluster.conf(master).set("spark.tilewright.device", hasGpu ? "gpu" : "cpu")
                .set("spark.tilewright.batch", "16k").set("spark.sql.shuffle.partitions", "3");
        if (master.startsWith("local-cluster")) {
            // Executors have no compiler, and each a cache of its own.
            conf.set("spark.executor.extraJavaOptions", LocalCluster.flags() + " -Dtilewright.nvrtc=/none "
                    + "-Dtilewright.cache=" + Files.createTempDirectory("kernels") + "/{{EXECUTOR_ID}}")
                    .set("spark.worker.resource.gpu.amount", "1")
                    .set("spark.worker.resource.gpu.discoveryScript", script().toString())
                    .set("spark.executor.resource.gpu.amount", "1").set("spark.task.resource.gpu.amount", "0.5");
        }
        return conf;
    }

    private static Path script() throws Exception {
        Path script = Files.createTempFile("gpus", ".sh", PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
        script.toFile().deleteOnExit();
        return Files.writeString(script, """
                #!/bin/sh
                echo '{"name": "gpu", "addresses": ["0"]}'
                """);
    }

    private void run() {
        say("datasets", this::datasets);
        say("every tenth of " + 10 * PARTS + " tasks killed once", () -> isSoftmax(softmax(context
                .parallelize(rows, 10 * PARTS).mapPartitionsWithIndex(FaultBench::killed, true))));
        boolean isLocal = context.isLocal();
        if (!isLocal) {
            say("a kernel that faults once", () -> isSoftmax(softmax(faulty(1))));
        }
        say("a kernel that always faults", () -> {
            try {
                softmax(faulty(Integer.MAX_VALUE));
                return false;
            } catch (Exception e) {
                System.out.println("  " + sentence(e));
                return e instanceof SparkException;
            }
        });
        if (!isLocal) {
            say("the next job", () -> isSoftmax(softmax(context.parallelize(rows, PARTS))));
            say("bytes that tasks still hold: none", () -> context.parallelize(List.of(0, 1, 2, 3), 4)
                    .map(_ -> ExecutorDevices.inTasks()).reduce(Long::sum) == 0);
            System.out.println("  executors that ended: " + ends);
        }
    }

    private void say(String what, BooleanSupplier job) {
        long begin = System.nanoTime();
        boolean right = false;
        try {
            right = job.getAsBoolean();
        } catch (RuntimeException e) {
            System.out.println("  " + e);
        }
        isRight &= right;
        System.out.printf(Locale.ROOT, "%s: %s, %.1f s%n", what, right ? "as it should be" : "WRONG",
                (System.nanoTime() - begin) / 1e9);
    }

    private static String sentence(Exception e) {
        return e.getMessage().lines().findFirst().orElse("");
    }

    /** Both examples, against their plain loops. */
    private boolean datasets() {
        SparkSession session = SparkSession.builder().getOrCreate();
        float[] b = DistributedProduct.drawn(-1, DEPTH * COLUMNS);
        Dataset<Row> data = DistributedProduct.rows(session, ROWS, DEPTH, 6);
        boolean same = isPlain(DistributedProduct.product(data, b, DEPTH, COLUMNS), id -> DistributedProduct.plain(
                DistributedProduct.drawn(id, DEPTH), b, COLUMNS))
                & isPlain(DistributedSoftmax.softmax(data), id -> DistributedSoftmax.plain(DistributedProduct.drawn(id,
                DEPTH)));
        if (hasGpu && !context.isLocal()) {
            System.out.println("  kernels that the driver made for executors: " + DriverKernels.kernels(context.sc())
                    + ", asked for " + DriverKernels.asked(context.sc()) + " times");
            return same && DriverKernels.kernels(context.sc()) > 0;
        }
        return same;
    }

    private static boolean isPlain(Dataset<Row> results, LongFunction<float[]> plain) {
        List<Row> rows = results.collectAsList();
        return rows.size() == ROWS && rows.stream().map(row -> row.getLong(0)).distinct().count() == ROWS
                && rows.stream().allMatch(row -> {
                    float[] expected = plain.apply(row.getLong(0));
                    List<Float> y = row.getList(1);
                    return y.size() == expected.length && IntStream.range(0, expected.length).allMatch(i ->
                            Float.floatToRawIntBits(y.get(i)) == Float.floatToRawIntBits(expected[i]));
                });
    }

    private static float[][] softmax(JavaRDD<float[]> rows) {
        return TilewrightSpark.map(rows, float[].class, () -> Kernels.SOFTMAX, float[].class).collect()
                .toArray(float[][]::new);
    }

    private boolean isSoftmax(float[][] all) {
        return Arrays.deepEquals(rows.stream().map(DistributedSoftmax::plain).toArray(), all);
    }

    private static Iterator<float[]> killed(int part, Iterator<float[]> rows) {
        TaskContext task = TaskContext.get();
        if (part % 10 == 0 && task.attemptNumber() == 0) {
            task.markInterrupted("by the benchmark");
        }
        return rows;
    }

    private JavaRDD<float[]> faulty(int attempts) {
        return faulty(context.parallelize(rows, PARTS), attempts, hasGpu, compiler);
    }

    /** Of no object: the context does not travel. */
    private static JavaRDD<float[]> faulty(JavaRDD<float[]> rows, int attempts, boolean hasGpu,
            DriverCompiler compiler) {
        return rows.mapPartitionsWithIndex((part, each) -> {
            if (part == FAULTY && TaskContext.get().attemptNumber() < attempts) {
                fault(hasGpu, compiler);
            }
            return each;
        }, true);
    }

    private static void fault(boolean hasGpu, DriverCompiler compiler) {
        if (hasGpu) {
            GpuOptions options = compiler == null ? Gpu.options()
                    : Gpu.options().compiler(compiler.onExecutor(System.err::println));
            // In the context that the executor's other tasks use.
            try (Gpu gpu = options.open(); Kernel kernel = gpu.load(FAULT)) {
                kernel.prepare().grid(1).start();
                gpu.defaultStream().synchronize();
            }
        } else if (!SparkEnv.get().executorId().equals("driver")) {
            // What becomes of an executor that cannot open its GPU again.
            System.exit(20);
        } else {
            throw new IllegalStateException("as if a kernel had faulted");
        }
    }
}
