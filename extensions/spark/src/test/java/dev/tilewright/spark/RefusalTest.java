package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.spark.executor.Settings;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    void namesThatSparkTakesForOne() {
        refused("there are 2 columns 'x', and tensor 'x' takes one: rename the others, or leave them out",
                () -> TilewrightSpark.map(data().selectExpr("x", "x"), () -> Kernels.SOFTMAX));
        refused("there is a column 'y', and kernel 'softmax' would write another: give tensor 'y' one with another "
                + "name", () -> TilewrightSpark.map(data().selectExpr("x", "1 as Y"), () -> Kernels.SOFTMAX));
        Dataset<Row> scalars = data().selectExpr("1d as a", "2 as b");
        refused("tensors 'c' and 'd' would both be written to column 'c': name another",
                () -> TilewrightSpark.map(scalars, () -> Kernels.SCALARS, "a", "b", "c", "c"));
    }

    /** What the message says to do is something that Spark does, and that helps. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cast(x as array<double>) | select col("x").cast("array<float>")
            id | select array(col("x").cast("float")), or the column that has arrays
            array(x) | select a column of numbers
            named_struct('p', x) | select a column of numbers
            """)
    void columnsOfOtherTypes(String column, String remedy) {
        Dataset<Row> data = data().selectExpr(column + " as x");
        refused("column 'x' is " + data.schema().apply("x").dataType().catalogString()
                + ", and tensor 'x' takes array<float>: " + remedy, () -> TilewrightSpark.map(data,
                () -> Kernels.SOFTMAX));
    }

    @Test
    void columnsOfOtherTypesForOneNumber() {
        refused("column 'a' is array<float>, and tensor 'a' takes double: select one element of it, or use a kernel "
                + "whose tensor has a dimension beside rows", () -> TilewrightSpark.map(data().selectExpr("x as a",
                "1 as b"), () -> Kernels.SCALARS));
        refused("column 'x' is float, and tensor 'x' takes smallint: its elements are the bits of f16, which no cast "
                + "gives: let the kernel take F32 and convert that itself, with to(…)",
                () -> TilewrightSpark.map(data().selectExpr("1f as x"), () -> Kernels.HALVES));
    }

    @Test
    void whatIsNotOfTheKernelsTypes() {
        refused("tensor 'w' is [depth, columns] of f32, row-major in a float[], got int[]",
                () -> TilewrightSpark.kernel(() -> Kernels.PROJECTION).weight("w", new int[2], 1, 2));
        refused("elements of type i32 take a whole number as scalar, got '2.5'",
                () -> TilewrightSpark.kernel(() -> Kernels.TIMES).scalar("factor", 2.5));
        refused("extent 'depth' cannot be 7: it is 3 elsewhere", () -> TilewrightSpark.kernel(() -> Kernels.PROJECTION)
                .weight("w", new float[6], 3, 2).extent("depth", 7));
        refused("extent 'columns' cannot be 0: give at least 1",
                () -> TilewrightSpark.kernel(() -> Kernels.SOFTMAX).extent("columns", 0));
    }

    @Test
    void aKernelThatCannotTravel() {
        Object here = new Object();
        refused("the kernel's lambda holds what cannot travel to executors, java.lang.Object: keep the kernel in a "
                + "static field, and let the lambda name that", () -> TilewrightSpark.kernel(() -> {
                    here.hashCode();
                    return Kernels.SOFTMAX;
                }));
    }

    @Test
    void settings() {
        refused("spark.tilewright.batch is '0': give a number of bytes, at least 1, such as 16m or 2g",
                () -> Settings.of(new SparkConf(false).set("spark.tilewright.batch", "0"), true, false));
        refused("spark.tilewright.memory is 'lots': give a number of bytes, at least 0, such as 16m or 2g",
                () -> Settings.of(new SparkConf(false).set("spark.tilewright.memory", "lots"), true, false));
        Dataset<Row> data = data();
        data.sparkSession().conf().set("spark.tilewright.device", "tpu");
        refused("spark.tilewright.device is 'tpu': give one of auto, gpu, cpu, emulated",
                () -> TilewrightSpark.map(data, () -> Kernels.SOFTMAX));
    }

    @Test
    void aGpuThatOneProcessDoesNotHave() {
        assumeTrue(Gpu.list().isEmpty(), "there is a GPU");
        refused("spark.tilewright.device is gpu, and this process, which runs all tasks, has no GPU: say auto, and it "
                + "computes the same bytes on its CPU",
                () -> Settings.of(new SparkConf(false).set("spark.tilewright.device", "gpu"), true, false));
    }

    @Test
    void batchesOfAnotherSchema() {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(data().sparkSession().sparkContext());
        StructType schema = DataTypes.createStructType(List.of(LocalSpark.field("a", DataTypes.DoubleType),
                LocalSpark.field("b", DataTypes.IntegerType)));
        JavaRDD<ColumnarBatch> batches = context.parallelize(List.of(10), 1).map(rows -> new ColumnarBatch(
                new ColumnVector[] {new OnHeapColumnVector(rows, DataTypes.FloatType),
                        new OnHeapColumnVector(rows, DataTypes.IntegerType)}, rows));
        String message = assertThrows(SparkException.class, () -> TilewrightSpark.kernel(() -> Kernels.SCALARS)
                .mapBatches(batches, schema).count()).getMessage();
        assertTrue(message.contains("column 'a' of a batch is float, and the schema says double: give the schema that "
                + "batches have"), message);
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
        assertEquals("this process was started without --add-opens=java.base/java.nio=ALL-UNNAMED and the other flags "
                + "that Spark needs on Java 25: docs/spark.md has them for spark.driver.extraJavaOptions and "
                + "spark.executor.extraJavaOptions\n", said(LocalCluster.classPath()));
    }

    /** Of a Spark that lacks classes of this one: the sentence comes before one is missed. */
    @Test
    void aProcessWithAnotherSpark(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("spark-version-info.properties"), "version=3.5.7\n");
        String others = Arrays.stream(LocalCluster.classPath().split(File.pathSeparator))
                .filter(path -> !path.matches(".*/spark-(sql|catalyst)_[^/]*")).collect(Collectors.joining(
                File.pathSeparator));
        assertEquals("this is for Spark 4.2.x, and here is 3.5.7: take the tilewright-spark that was built for it\n",
                said(folder + File.pathSeparator + others));
    }

    private static String said(String classPath) throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                classPath, WithoutFlags.class.getName()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return said;
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
