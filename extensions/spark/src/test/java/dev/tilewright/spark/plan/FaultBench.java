package dev.tilewright.spark.plan;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.LocalCluster;
import dev.tilewright.spark.LocalSpark;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.spark.compile.DriverKernels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * What becomes of a job on a GPU in whose middle a kernel writes where no memory is: {@code FaultBench MASTER}, such as
 * {@code local[2,4]} or {@code local-cluster[1,2,1024]}. Exits with 1 if a byte differs from those of the CPU.
 */
public final class FaultBench {
    private static final CudaFunction FAULT = CudaFunction.of("fault", """
            extern "C" __global__ void fault() { *(volatile int *) 8 = 1; }
            """, 32, List.of());

    private static final int FAULTY = 20;

    private FaultBench() { }

    /** See the class. */
    public static void main(String[] arguments) throws Exception {
        String master = arguments[0];
        System.out.println("a kernel faults in the middle of a job: " + master + ", "
                + Gpu.list().stream().map(gpu -> gpu.name()).findFirst().orElse("no GPU"));
        SparkConf conf = LocalCluster.conf(master).set("spark.tilewright.device",
                Gpu.list().isEmpty() ? "cpu" : "gpu");
        if (master.startsWith("local-cluster")) {
            conf.set("spark.worker.resource.gpu.amount", "1")
                    .set("spark.worker.resource.gpu.discoveryScript", script().toString())
                    .set("spark.executor.resource.gpu.amount", "1").set("spark.task.resource.gpu.amount", "0.5");
        }
        List<float[]> rows = LocalSpark.rows(400, 64, 1);
        float[][] expected = rows.stream().map(row -> {
            float[] y = new float[row.length];
            Kernels.SOFTMAX.onCpu().set("x", row, 1, row.length).set("y", y, 1, row.length).run();
            return y;
        }).toArray(float[][]::new);
        boolean same;
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            float[][] all = TilewrightSpark.map(context.parallelize(rows, 40).mapPartitionsWithIndex(FaultBench::faults,
                    true), float[].class, () -> Kernels.SOFTMAX, float[].class).collect().toArray(float[][]::new);
            same = Arrays.deepEquals(expected, all);
            if (!context.isLocal()) {
                System.out.println("kernels that the driver made for executors: " + DriverKernels.kernels(context.sc())
                        + ", asked for " + DriverKernels.asked(context.sc()) + " times");
            }
            System.out.println("the job ended with " + (same ? "the bytes of the CPU" : "OTHER BYTES"));
        } catch (Exception e) {
            same = true;
            System.out.println("the job failed: " + e.getMessage().lines().findFirst().orElse(""));
        }
        for (int i = 0; i < 100 && LocalCluster.executors() > 0; i++) {
            Thread.sleep(100);
        }
        System.out.println("executors left: " + LocalCluster.executors());
        System.exit(same ? 0 : 1);
    }

    private static Iterator<float[]> faults(int part, Iterator<float[]> rows) {
        if (part != FAULTY || TaskContext.get().attemptNumber() > 0) {
            return rows;
        }
        if (Gpu.list().isEmpty()) {
            // What becomes of the task and of an executor that cannot open its GPU again.
            if (!SparkEnv.get().executorId().equals("driver")) {
                System.exit(20);
            }
            throw new IllegalStateException("as if a kernel had faulted");
        } else {
            // In the context that the executor's other tasks use.
            try (Gpu gpu = Gpu.open(); Kernel kernel = gpu.load(FAULT)) {
                kernel.prepare().grid(1).start();
                gpu.defaultStream().synchronize();
            }
        }
        return rows;
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
}
