package dev.tilewright.spark.executor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.LocalCluster;
import dev.tilewright.spark.LocalSpark;
import dev.tilewright.spark.StandaloneCluster;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.spark.compile.DriverCompiler;
import dev.tilewright.spark.compile.DriverKernels;
import dev.tilewright.spark.examples.DistributedProduct;
import dev.tilewright.spark.examples.DistributedSoftmax;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A standalone cluster on this machine, of two workers, whose executors are processes. */
class ClusterTest {
    private static final int LOST = 20;

    @TempDir
    private static Path folder;
    private static StandaloneCluster cluster;
    private static JavaSparkContext context;

    /** What an executor came by. */
    private record Got(String executor, String cubin, String again, List<String> notes) implements Serializable { }

    @BeforeAll
    static void start() throws Exception {
        SparkSession.getActiveSession().foreach(session -> {
            session.stop();
            return null;
        });
        cluster = new StandaloneCluster(folder);
        context = new JavaSparkContext(LocalCluster.conf(cluster.url())
                .set("spark.scheduler.minRegisteredResourcesRatio", "1").set("spark.speculation", "true")
                .set("spark.speculation.interval", "50ms").set("spark.speculation.quantile", "0.5")
                .set("spark.speculation.minTaskRuntime", "1s").set("spark.sql.shuffle.partitions", "3")
                .set("spark.sql.codegen.wholeStage", "false").set("spark.sql.adaptive.enabled", "false"));
    }

    @AfterAll
    static void end() throws Exception {
        context.close();
        cluster.close();
        for (int i = 0; i < 200 && LocalCluster.executors() > 0; i++) {
            Thread.sleep(50);
        }
        assertEquals(0, LocalCluster.executors(), "executors that nobody ended");
    }

    private static float[][] softmax(List<float[]> rows) {
        return rows.stream().map(DistributedSoftmax::plain).toArray(float[][]::new);
    }

    private static float[][] mapped(JavaRDD<float[]> rows, String device) {
        context.sc().conf().set("spark.tilewright.device", device);
        return TilewrightSpark.map(rows, float[].class, () -> Kernels.SOFTMAX, float[].class).collect()
                .toArray(float[][]::new);
    }

    private static boolean isFirst(int part, int wanted) {
        return part == wanted && TaskContext.get().attemptNumber() == 0;
    }

    /** Bytes that tasks of both executors hold. */
    private static void awaitNothingTaken() throws InterruptedException {
        long held = 1;
        for (int i = 0; i < 100 && held > 0; i++) {
            held = context.parallelize(IntStream.range(0, 8).boxed().toList(), 8).map(_ -> ExecutorDevices.inTasks())
                    .reduce(Math::max);
            Thread.sleep(20);
        }
        assertEquals(0, held);
    }

    @Test
    void aGpuThatNobodyHasIsRefusedBeforeThereIsAJob() {
        JavaRDD<float[]> rows = context.parallelize(LocalSpark.rows(4, 8, 1), 2);
        String message = assertThrows(IllegalArgumentException.class, () -> mapped(rows, "gpu")).getMessage();
        assertTrue(message.startsWith("spark.tilewright.device is gpu, and Spark assigns tasks none: declare "),
                message);
    }

    @Test
    void oneExecutorIsLost() {
        List<float[]> rows = LocalSpark.rows(120, 16, 1);
        assertArrayEquals(softmax(rows), mapped(context.parallelize(rows, 12).mapPartitionsWithIndex((part, each) -> {
            if (isFirst(part, 3)) {
                // The executor is gone without a word.
                Runtime.getRuntime().halt(1);
            }
            return each;
        }, true), "auto"));
    }

    @Test
    void anExecutorThatCannotOpenItsGpuAgainEndsAndIsReplaced() throws InterruptedException {
        List<String> ends = Collections.synchronizedList(new ArrayList<>());
        context.sc().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                ends.add(removed.reason());
            }
        });
        String faulty = context.parallelize(List.of(1), 1).map(_ -> SparkEnv.get().executorId()).first();
        context.parallelize(IntStream.range(0, 8).boxed().toList(), 8).foreach(_ -> {
            if (SparkEnv.get().executorId().equals(faulty)) {
                faultOnce();
            }
            Thread.sleep(50);
        });
        // Of a size that no task has opened the device with.
        context.sc().conf().set("spark.tilewright.memory", "100m");
        List<float[]> rows = LocalSpark.rows(120, 32, 2);
        assertArrayEquals(softmax(rows), mapped(context.parallelize(rows, 12), "emulated"));
        context.sc().conf().set("spark.tilewright.memory", "0");
        awaitNothingTaken();
        assertTrue(ends.contains("Command exited with code 20"), ends.toString());
    }

    /** The next kernel is stopped, which takes the GPU with it, and the driver refuses to open that again. */
    private static void faultOnce() {
        AtomicInteger opened = new AtomicInteger();
        ExecutorDevices.emulate(() -> {
            if (opened.getAndIncrement() > 0) {
                CudaException.check("cuDevicePrimaryCtxRetain", 700);
            }
            return Gpu.emulated(ReferenceOptions.DEFAULT.withMostSteps(10));
        });
    }

    @Test
    void aSpeculativeTwinComputesTheSameAndNothingIsThereTwice() throws InterruptedException {
        AtomicInteger twins = new AtomicInteger();
        context.sc().addSparkListener(new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                if (end.taskInfo().speculative() && end.taskInfo().successful()) {
                    twins.incrementAndGet();
                }
            }
        });
        List<float[]> rows = LocalSpark.rows(40, 32, 3);
        assertArrayEquals(softmax(rows), mapped(context.parallelize(rows, 4).mapPartitionsWithIndex(
                (part, each) -> isFirst(part, 1) ? slow(each) : each, true), "emulated"));
        awaitNothingTaken();
        assertTrue(twins.get() > 0, "no twin came first");
    }

    /** Stays at its sixth row, when some are packed. */
    private static Iterator<float[]> slow(Iterator<float[]> rows) {
        return new Iterator<>() {
            private int row;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public float[] next() {
                if (row++ == 5) {
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException("killed", e);
                    }
                }
                return rows.next();
            }
        };
    }

    @Test
    void aCancelledJobHoldsNothing() throws Exception {
        context.setJobGroup("cancelled", "cancelled", true);
        context.sc().conf().set("spark.tilewright.device", "emulated");
        JavaFutureAction<List<float[]>> job = TilewrightSpark.map(context.parallelize(LocalSpark.rows(40, 32, 4), 4)
                .mapPartitions(ClusterTest::slow), float[].class, () -> Kernels.SOFTMAX, float[].class).collectAsync();
        Thread.sleep(500);
        context.cancelJobGroup("cancelled");
        assertThrows(ExecutionException.class, job::get);
        context.clearJobGroup();
        awaitNothingTaken();
    }

    private static Got got(DriverCompiler compiler, String source) {
        // Each executor works in a folder of its own, and has no NVRTC.
        System.setProperty("tilewright.cache", Path.of("kernels").toAbsolutePath().toString());
        System.setProperty("tilewright.nvrtc", Path.of("none").toAbsolutePath().toString());
        List<String> notes = Collections.synchronizedList(new ArrayList<>());
        return new Got(SparkEnv.get().executorId(), cubin(compiler.onExecutor(notes::add), source),
                cubin(compiler.onExecutor(notes::add), source), List.copyOf(notes));
    }

    private static String cubin(KernelCompiler compiler, String source) {
        return HexFormat.of().formatHex(compiler.cubin(source, "k", Target.SM_90A, KernelCompiler.OPTIONS));
    }

    @Test
    void theDriverCompilesAKernelOnceForExecutorsWithoutACompiler() {
        // In nobody's cache yet.
        String source = "// " + System.nanoTime() + "\nextern \"C\" __global__ void k(int *p) { *p = 7; }\n";
        String expected = HexFormat.of().formatHex(Nvrtc.find(Progress.NONE).compilation(source, "k", Target.SM_90A,
                KernelCompiler.OPTIONS).cubin());
        DriverCompiler compiler = DriverKernels.of(context.sc());
        List<Got> all = context.parallelize(IntStream.range(0, 16).boxed().toList(), 16)
                .map(_ -> got(compiler, source)).collect();
        Set<String> executors = new HashSet<>();
        for (Got got : all) {
            executors.add(got.executor());
            assertEquals(expected, got.cubin());
            assertEquals(expected, got.again());
            assertEquals(List.of(), got.notes());
        }
        assertEquals(1, DriverKernels.kernels(context.sc()));
        assertEquals(executors.size(), DriverKernels.asked(context.sc()));
    }

    @Test
    void theExamplesHaveThePlainLoopsBytes() {
        context.sc().conf().set("spark.tilewright.device", "auto");
        SparkSession session = SparkSession.builder().getOrCreate();
        float[] b = DistributedProduct.drawn(-1, 80 * 40);
        Dataset<Row> rows = DistributedProduct.rows(session, 50, 80, 4);
        for (Row row : DistributedProduct.product(rows, b, 80, 40).collectAsList()) {
            assertEquals(boxed(DistributedProduct.plain(DistributedProduct.drawn(row.getLong(0), 80), b, 40)),
                    row.getList(1));
        }
        for (Row row : DistributedSoftmax.softmax(rows).collectAsList()) {
            assertEquals(boxed(DistributedSoftmax.plain(DistributedProduct.drawn(row.getLong(0), 80))),
                    row.getList(1));
        }
    }

    private static List<Float> boxed(float[] all) {
        List<Float> list = new ArrayList<>();
        for (float one : all) {
            list.add(one);
        }
        return list;
    }
}
