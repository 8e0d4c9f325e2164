package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.spark.executor.Settings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What cannot be is said when the plan is built, in a sentence with the remedy. */
class RefusalTest {
    private static Dataset<Row> data() {
        return LocalSpark.dataset(LocalSpark.session("cpu"), LocalSpark.rows(3, 4, 1), 1);
    }

    private static void refused(String message, Executable plan) {
        assertEquals(message, assertThrows(RuntimeException.class, plan).getMessage());
    }

    @Test
    void columns() {
        refused("there is no column 'z' for tensor 'x', but [id, x]: name the column that it is",
                () -> TilewrightSpark.map(data(), () -> Kernels.SOFTMAX, "z"));
        refused("column 'id' is bigint, and tensor 'x' takes array<float>: select col(\"id\").cast(\"array<float>\")",
                () -> TilewrightSpark.map(data(), () -> Kernels.SOFTMAX, "id"));
        refused("column 'x' is array<double>, and tensor 'x' takes array<float>: select col(\"x\")"
                + ".cast(\"array<float>\")", () -> TilewrightSpark.map(data().selectExpr("cast(x as array<double>) x"),
                () -> Kernels.SOFTMAX));
        refused("there is a column 'x', and kernel 'softmax' would write another: give tensor 'y' one with "
                + "another name",
                () -> TilewrightSpark.map(data(), () -> Kernels.SOFTMAX, "x", "x"));
        refused("kernel 'softmax' takes and gives [x, y] along rows, got 3 columns",
                () -> TilewrightSpark.map(data(), () -> Kernels.SOFTMAX, "x", "y", "z"));
        refused("tensor 'x' is of f32, which is float[] in Java, got double[]: map the RDD to that first",
                () -> TilewrightSpark.map(new JavaSparkContext(data().sparkSession().sparkContext())
                        .parallelize(List.of(new double[1])), double[].class, () -> Kernels.SOFTMAX, double[].class));
    }

    @Test
    void whatIsNotSaid() {
        refused("kernel 'projection' takes 'w', [depth, columns] of f32, the same for all rows: say weight(\"w\", …)",
                () -> TilewrightSpark.map(data(), () -> Kernels.PROJECTION));
        refused("tensor 'w' is [depth, columns] of f32, got 8 bytes as [3]",
                () -> TilewrightSpark.kernel(() -> Kernels.PROJECTION).weight("w", new float[2], 3));
        refused("there is no tensor that is the same for all rows named 'v', but [w]",
                () -> TilewrightSpark.kernel(() -> Kernels.PROJECTION).weight("v", new float[2], 2));
        refused("kernel 'softmax' has no scalar 'scale'",
                () -> TilewrightSpark.kernel(() -> Kernels.SOFTMAX).scalar("scale", 1));
        refused("kernel 'softmax' has no extent 'rows' beside rows",
                () -> TilewrightSpark.kernel(() -> Kernels.SOFTMAX).extent("rows", 1));
    }

    @Test
    void rowsThatDependOnEachOther() {
        String message = assertThrows(IllegalArgumentException.class,
                () -> TilewrightSpark.kernel(() -> Kernels.COLUMN_SUMS)).getMessage();
        assertTrue(message.startsWith("kernel 'column_sums' cannot go through rows in batches, as they depend on each "
                + "other: "), message);
    }

    @Test
    void aNullThatNobodySpokeOf() {
        Dataset<Row> data = data().selectExpr("id", "if(id = 1, null, x) x");
        SparkException e = assertThrows(SparkException.class,
                () -> TilewrightSpark.map(data, () -> Kernels.SOFTMAX).collectAsList());
        assertTrue(e.getMessage().contains("column 'x' has a null, and kernel 'softmax' takes none: drop such rows, or "
                + "say nulls(Nulls.KEEP), and their results are null"), e.getMessage());
    }

    @Test
    void thisProcess() {
        Runtime.Version java = Runtime.Version.parse("25.0.3");
        refused("this is for Spark 4.2.x, and here is 4.1.1: take the tilewright-spark that was built for it",
                () -> Requirements.require("4.1.1", java, true));
        refused("Java 25.0.2 can damage arrays that native code holds (JDK-8377811): use 25.0.3 or later, on the "
                + "driver and on executors", () -> Requirements.require("4.2.0",
                Runtime.Version.parse("25.0.2"), true));
        refused("this process was started without --add-opens=java.base/java.nio=ALL-UNNAMED and the other flags that "
                + "Spark needs on Java 25: docs/spark.md has them for spark.driver.extraJavaOptions and "
                + "spark.executor.extraJavaOptions", () -> Requirements.require("4.2.1", java, false));
    }

    /** A driver of its own, started without flags. */
    static final class WithoutFlags {
        private WithoutFlags() { }

        public static void main(String[] arguments) {
            try {
                TilewrightSpark.kernel(() -> Kernels.SOFTMAX);
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void aProcessWithoutFlags() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                LocalCluster.classPath(), WithoutFlags.class.getName()).redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals("this process was started without --add-opens=java.base/java.nio=ALL-UNNAMED and the other flags "
                + "that Spark needs on Java 25: docs/spark.md has them for spark.driver.extraJavaOptions and "
                + "spark.executor.extraJavaOptions\n", new String(process.getInputStream().readAllBytes(),
                StandardCharsets.UTF_8));
        assertEquals(0, process.waitFor());
    }

    @Test
    void aGpuThatSparkAssignsNobody() {
        SparkConf conf = new SparkConf(false).set("spark.tilewright.device", "gpu");
        refused("spark.tilewright.device is gpu, and Spark assigns tasks none: declare "
                + "spark.executor.resource.gpu.amount=1, spark.task.resource.gpu.amount and a discovery script, map an "
                + "RDD withResources, or say auto", () -> Settings.of(conf, false, false));
        assertEquals(Settings.Choice.GPU, Settings.of(conf, false, true).device());
        assertEquals(Settings.Choice.GPU, Settings.of(conf.set("spark.task.resource.gpu.amount", "0.25"), false, false)
                .device());
        refused("spark.tilewright.device is 'tpu': give one of auto, gpu, cpu, emulated",
                () -> Settings.of(new SparkConf(false).set("spark.tilewright.device", "tpu"), true, false));
    }
}
