package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** A cluster on this machine: two executors, each a process. */
class ClusterTest {

    @Test
    void oneExecutorIsLost() throws Exception {
        SparkSession.getActiveSession().foreach(session -> {
            session.stop();
            return null;
        });
        List<float[]> rows = LocalSpark.rows(120, 16, 1);
        List<float[]> mapped;
        try (JavaSparkContext context = new JavaSparkContext(builder().getOrCreate().sparkContext())) {
            mapped = TilewrightSpark.map(context.parallelize(rows, 12).mapPartitionsWithIndex((part, each) -> {
                TaskContext task = TaskContext.get();
                if (part == 3 && task.attemptNumber() == 0) {
                    // The executor is gone without a word.
                    Runtime.getRuntime().halt(1);
                }
                return each;
            }, true), float[].class, () -> Kernels.SOFTMAX, float[].class).collect();
        }
        assertArrayEquals(RowMapTest.softmax(rows), mapped.toArray(float[][]::new));
        for (int i = 0; i < 200 && executors() > 0; i++) {
            Thread.sleep(50);
        }
        assertEquals(0, executors(), "executors that nobody ended");
    }

    private static long executors() {
        return ProcessHandle.current().descendants().filter(ProcessHandle::isAlive).count();
    }

    private static SparkSession.Builder builder() throws IOException {
        // Executors want a folder of Spark's jars in SPARK_HOME; all that they load comes by their class path.
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String flags = ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(flag ->
                flag.startsWith("--") || flag.startsWith("-Dio.netty")).collect(Collectors.joining(" "));
        assertTrue(flags.contains("--add-opens"), flags);
        return SparkSession.builder().master("local-cluster[2,1,512]").appName("cluster")
                .config("spark.ui.enabled", "false").config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.executor.memory", "512m").config("spark.executor.extraJavaOptions", flags)
                .config("spark.executor.extraClassPath", classPath).config("spark.tilewright.device", "auto");
    }
}
