package dev.tilewright.spark.plan;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.spark.KernelSource;
import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.LocalSpark;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * What a task costs, and how fast batches go through a kernel with Spark and without it, on the GPU or, where there is
 * none, on the CPU: {@code SparkBench [CORES [FLOATS_OF_A_BATCH [BATCHES]]]}. Exits with 1 if a byte differs.
 */
public final class SparkBench {
    private static final int TURNS = 5;
    private static final TileKernel SCALE = TileKernel.of("scale", k -> {
        Dim n = k.dim("n");
        Tensor x = k.in("x", ValueType.F32, n);
        Tensor y = k.out("y", ValueType.F32, n);
        k.forEachTile(y, 4096, at -> y.store(at, x.tile(at).times(3)));
    });
    private static final StructType SCHEMA = DataTypes.createStructType(List.of(
            LocalSpark.field("x", DataTypes.FloatType)));
    /** Shared with the tasks, which run in this process. */
    private static final List<MemorySegment> BATCHES = new ArrayList<>();

    private SparkBench() { }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        int cores = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2;
        int floats = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1 << 16;
        int batches = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 64;
        boolean isGpu = !Gpu.list().isEmpty();
        System.out.printf("Java %s, %d tasks at once, on %s%n", Runtime.version(), cores,
                isGpu ? Gpu.list().getFirst().name() : "the CPU");
        SparkConf conf = new SparkConf(false).setMaster("local[" + cores + ",4]").setAppName("bench")
                .set("spark.ui.enabled", "false").set("spark.driver.host", "localhost")
                .set("spark.cleaner.referenceTracking", "false")
                .set("spark.driver.bindAddress", "127.0.0.1").set("spark.tilewright.device", isGpu ? "gpu" : "cpu");
        try (JavaSparkContext context = new JavaSparkContext(conf); ExecutorService threads =
                Executors.newFixedThreadPool(cores)) {
            boolean same = rows(context) & killed(context);
            overhead(context, cores);
            same &= batches(context, threads, cores, floats, batches, isGpu);
            System.out.println(same ? "every byte is the same" : "BYTES DIFFER");
            System.exit(same ? 0 : 1);
        }
    }

    private static double seconds(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) / 1e9;
    }

    private static double median(Runnable work) {
        work.run();
        return IntStream.range(0, TURNS).mapToDouble(_ -> seconds(work)).sorted().toArray()[TURNS / 2];
    }

    private static float[][] softmax(JavaRDD<float[]> rows) {
        return TilewrightSpark.map(rows, float[].class, () -> Kernels.SOFTMAX, float[].class).collect()
                .toArray(float[][]::new);
    }

    private static boolean rows(JavaSparkContext context) {
        List<float[]> rows = LocalSpark.rows(2000, 257, 1);
        float[][] expected = rows.stream().map(row -> {
            float[] y = new float[row.length];
            Kernels.SOFTMAX.onCpu().set("x", row, 1, row.length).set("y", y, 1, row.length).run();
            return y;
        }).toArray(float[][]::new);
        boolean same = Arrays.deepEquals(expected, softmax(context.parallelize(rows, 16)));
        System.out.println("softmax of 2,000 rows: " + (same ? "the bytes of the CPU" : "OTHER BYTES"));
        return same;
    }

    private static boolean killed(JavaSparkContext context) {
        JavaRDD<float[]> rows = context.parallelize(LocalSpark.rows(4000, 64, 2), 1000);
        float[][] undisturbed = softmax(rows);
        float[][] disturbed = softmax(rows.mapPartitions(part -> {
            TaskContext task = TaskContext.get();
            if (task.partitionId() % 10 == 0 && task.attemptNumber() == 0) {
                task.markInterrupted("by the benchmark");
            }
            return part;
        }));
        boolean same = Arrays.deepEquals(undisturbed, disturbed);
        System.out.println("1,000 tasks, every tenth killed once: " + (same ? "the same bytes" : "OTHER BYTES"));
        return same;
    }

    private static void overhead(JavaSparkContext context, int cores) {
        int tasks = 400;
        JavaRDD<float[]> rows = context.parallelize(LocalSpark.rows(tasks, 16, 3), tasks).cache();
        JavaRDD<float[]> mapped = TilewrightSpark.map(rows, float[].class, () -> Kernels.SOFTMAX, float[].class);
        double without = median(rows::count);
        double with = median(mapped::count);
        System.out.printf(Locale.ROOT, "a task with one row: %.2f ms, without a kernel %.2f ms, so %.2f ms for it%n",
                with * cores / tasks * 1e3, without * cores / tasks * 1e3, (with - without) * cores / tasks * 1e3);
    }

    private static boolean batches(JavaSparkContext context, ExecutorService threads, int cores, int floats,
            int batches, boolean isGpu) throws Exception {
        Gpu gpu = isGpu ? Gpu.open() : null;
        for (int i = 0; i < batches; i++) {
            MemorySegment batch = isGpu ? gpu.pinned(4L * floats).segment() : Arena.global().allocate(4L * floats, 64);
            for (int j = 0; j < floats; j++) {
                batch.setAtIndex(ValueLayout.JAVA_FLOAT, j, i + j);
            }
            BATCHES.add(batch);
        }
        KernelSource source = () -> SCALE;
        // Each partition is a task's share; each batch is checked by its last number.
        JavaRDD<Float> last = TilewrightSpark.kernel(source).mapBatches(context.parallelize(IntStream.range(0, batches)
                .boxed().toList(), cores).map(SparkBench::batch), SCHEMA)
                .map(batch -> batch.column(1).getFloat(batch.numRows() - 1));
        List<Float> expected = IntStream.range(0, batches).mapToObj(i -> (float) (i + floats - 1) * 3).toList();
        boolean same = last.collect().equals(expected);
        double bytes = 8.0 * floats * batches;
        double spark = median(last::count);
        List<Lane> lanes = IntStream.range(0, cores).mapToObj(i -> new Lane(gpu, SCALE,
                BATCHES.subList(batches * i / cores, batches * (i + 1) / cores))).toList();
        double direct = median(() -> share(threads, lanes, Lane::compute));
        System.out.printf(Locale.ROOT, "%d batches of %d floats, each read once and written once, bytes of both: %.2f "
                + "GB/s with Spark, %.2f GB/s without it, ratio %.3f%n", batches, floats, bytes / spark / 1e9,
                bytes / direct / 1e9, direct / spark);
        if (isGpu) {
            double copies = median(() -> share(threads, lanes, Lane::copy));
            System.out.printf(Locale.ROOT, "the batches copied from and to pinned memory, bytes of both: %.2f GB/s, "
                    + "of it with Spark %.3f%n",
                    bytes / copies / 1e9, copies / spark);
        }
        return same;
    }

    private static ColumnarBatch batch(int number) {
        MemorySegment memory = BATCHES.get(number);
        return new ColumnarBatch(new ColumnVector[] {new SegmentColumn(ElementType.F32, memory, new BitSet())},
                (int) (memory.byteSize() / 4));
    }

    private static void share(ExecutorService threads, List<Lane> lanes, Consumer<Lane> work) {
        List<? extends Future<?>> all = lanes.stream().map(lane -> threads.submit(() -> work.accept(lane))).toList();
        for (Future<?> one : all) {
            try {
                one.get();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
