package dev.tilewright.spark.executor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.LocalSpark;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.spark.examples.DistributedSoftmax;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that end before their time: no result is lost or there twice, and nothing stays taken. */
class FaultsTest {
    private static final AtomicInteger KILLED = new AtomicInteger();

    private final List<AutoCloseable> after = new ArrayList<>();

    @AfterEach
    void restore() throws Exception {
        for (AutoCloseable each : after) {
            each.close();
        }
    }

    private static JavaSparkContext context(String device, String batch, String memory) {
        SparkSession session = LocalSpark.session(device, batch);
        session.sparkContext().conf().set("spark.tilewright.memory", memory);
        return JavaSparkContext.fromSparkContext(session.sparkContext());
    }

    private static float[][] mapped(JavaRDD<float[]> rows) {
        return TilewrightSpark.map(rows, float[].class, () -> Kernels.SOFTMAX, float[].class).collect()
                .toArray(float[][]::new);
    }

    private static void awaitNothingTaken() throws InterruptedException {
        for (int i = 0; i < 200 && ExecutorDevices.inTasks() > 0; i++) {
            Thread.sleep(50);
        }
        assertEquals(0, ExecutorDevices.inTasks());
    }

    /** Kills the task at its third row, as Spark's scheduler does; by then a batch is under way. */
    private static Iterator<float[]> killedOnce(Iterator<float[]> rows) {
        TaskContext task = TaskContext.get();
        boolean kill = task.partitionId() % 10 == 0 && task.attemptNumber() == 0;
        return new Iterator<>() {
            private int row;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public float[] next() {
                if (kill && row++ == 2) {
                    KILLED.incrementAndGet();
                    task.markInterrupted("by the test");
                }
                return rows.next();
            }
        };
    }

    @Test
    void everyTenthOfAThousandTasksIsKilledOnce() throws InterruptedException {
        JavaSparkContext context = context("emulated", "128", "0");
        List<float[]> rows = LocalSpark.rows(4000, 8, 1);
        KILLED.set(0);

        float[][] disturbed = mapped(context.parallelize(rows, 1000).mapPartitions(FaultsTest::killedOnce));

        assertEquals(100, KILLED.get());
        assertArrayEquals(rows.stream().map(DistributedSoftmax::plain).toArray(), disturbed);
        awaitNothingTaken();
    }

    @Test
    void tasksWaitForMemoryOfTheDevice() throws InterruptedException {
        JavaSparkContext context = context("emulated", "16k", "64k");
        JavaRDD<float[]> rows = context.parallelize(LocalSpark.rows(400, 64, 2), 8);
        assertArrayEquals(mapped(context("cpu", "16k", "0").parallelize(rows.collect(), 2)),
                mapped(context("emulated", "16k", "64k").parallelize(rows.collect(), 8)));
        awaitNothingTaken();
    }

    @Test
    void aContextThatAKernelTookWithItIsReplaced() throws InterruptedException {
        AtomicInteger opened = new AtomicInteger();
        // Its kernels are stopped after some steps, and the GPU is lost, as by a fault.
        ExecutorDevices.emulate(() -> opened.getAndIncrement() == 0
                ? Gpu.emulated(ReferenceOptions.DEFAULT.withMostSteps(10)) : Gpu.emulated());
        after.add(() -> ExecutorDevices.emulate(Gpu::emulated));
        List<float[]> rows = LocalSpark.rows(40, 32, 3);
        float[][] expected = mapped(context("cpu", "1k", "0").parallelize(rows, 4));

        float[][] all = mapped(context("emulated", "1k", "100m").parallelize(rows, 4));

        assertArrayEquals(expected, all);
        assertEquals(2, opened.get());
        awaitNothingTaken();
    }

    @Test
    void aProcessThatCannotOpenItsGpuAgainSaysWhatToDo() throws InterruptedException {
        AtomicInteger opened = new AtomicInteger();
        ExecutorDevices.emulate(() -> {
            if (opened.getAndIncrement() > 0) {
                CudaException.check("cuDevicePrimaryCtxRetain", 700);
            }
            return Gpu.emulated(ReferenceOptions.DEFAULT.withMostSteps(10));
        });
        after.add(() -> ExecutorDevices.emulate(Gpu::emulated));
        JavaRDD<float[]> rows = context("emulated", "1k", "101m").parallelize(LocalSpark.rows(40, 32, 3), 4);

        String message = assertThrows(SparkException.class, () -> mapped(rows)).getMessage();

        assertTrue(message.contains("emulated GPU cannot be used in this process any more: start it again, or take a "
                + "cluster, whose executors end and are replaced: cuDevicePrimaryCtxRetain failed: "), message);
        awaitNothingTaken();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void aCancelledJobHoldsNothing(String device) throws Exception {
        JavaSparkContext context = context(device, "128", "0");
        context.setJobGroup("cancelled", "cancelled", false);
        JavaRDD<float[]> slow = context.parallelize(LocalSpark.rows(400, 8, 4), 2).map(row -> {
            Thread.sleep(50);
            return row;
        });
        JavaFutureAction<List<float[]>> job = TilewrightSpark.map(slow, float[].class, () -> Kernels.SOFTMAX,
                float[].class).collectAsync();
        for (int i = 0; i < 200 && ExecutorDevices.inTasks() == 0; i++) {
            Thread.sleep(20);
        }
        assertTrue(ExecutorDevices.inTasks() > 0, "nothing was under way");

        context.cancelJobGroup("cancelled");

        assertThrows(ExecutionException.class, job::get);
        awaitNothingTaken();
        context.clearJobGroup();
        float[][] next = mapped(context.parallelize(Arrays.asList(new float[] {1}, new float[] {2}), 2));
        assertArrayEquals(new float[][] {{1}, {1}}, next);
    }
}
