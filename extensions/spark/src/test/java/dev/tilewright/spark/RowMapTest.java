package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes of rows is what a launch of the kernel by itself leaves, to the bit. */
class RowMapTest {

    /** A row's result, by a launch of it alone on the executor of the language. */
    static float[] softmax(float[] row) {
        float[] y = new float[row.length];
        Kernels.SOFTMAX.onCpu().set("x", row, 1, row.length).set("y", y, 1, row.length).run();
        return y;
    }

    static float[][] softmax(List<float[]> rows) {
        return rows.stream().map(row -> row == null ? null : softmax(row)).toArray(float[][]::new);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void arraysOfOneLength(String device) {
        SparkSession session = LocalSpark.session(device);
        List<float[]> rows = LocalSpark.rows(37, 20, 1);

        Dataset<Row> mapped = TilewrightSpark.map(LocalSpark.dataset(session, rows, 3), () -> Kernels.SOFTMAX, "x",
                "y");

        assertArrayEquals(softmax(rows), LocalSpark.collected(mapped, "y"));
        assertArrayEquals(rows.toArray(), LocalSpark.collected(mapped, "x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void arraysOfDrawnLengthsInSmallBatches(String device) {
        SparkSession session = LocalSpark.session(device, "1k");
        Random random = new Random(2);
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(i % 7 == 3 ? null : LocalSpark.rows(1, 1 + random.nextInt(5) * 9, i).getFirst());
        }

        Dataset<Row> mapped = TilewrightSpark.kernel(() -> Kernels.SOFTMAX).nulls(Nulls.KEEP)
                .map(LocalSpark.dataset(session, rows, 4));

        assertArrayEquals(softmax(rows), LocalSpark.collected(mapped, "y"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void arraysWithoutElementsAndPartitionsWithoutRows(String device) {
        SparkSession session = LocalSpark.session(device, "1k");
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            rows.add(i % 3 == 0 ? new float[i / 3 % 2] : i % 3 == 1 ? new float[0] : null);
        }
        Dataset<Row> data = LocalSpark.dataset(session, rows, 20);
        assertArrayEquals(rows.stream().map(row -> row == null ? null : row.length == 0 ? row : softmax(row)).toArray(),
                LocalSpark.collected(TilewrightSpark.kernel(() -> Kernels.SOFTMAX).nulls(Nulls.KEEP).map(data), "y"));
        assertEquals(8, TilewrightSpark.map(data.filter("size(x) = 0 or x[0] = 1").drop("x").selectExpr("id",
                "cast(array() as array<float>) as x").union(data.filter("size(x) = 1")),
                () -> Kernels.SOFTMAX).count());
        // Nothing is read: how many rows there are is all that counts.
        assertEquals(List.of(7.0f, 7.0f), TilewrightSpark.kernel(() -> Kernels.SEVENS).extent("columns", 2)
                .map(data.drop("x")).first().getList(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void rowsOfAnRddKeepTheirOrder(String device) {
        SparkSession session = LocalSpark.session(device, "4k");
        List<float[]> rows = LocalSpark.rows(50, 33, 3);
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());

        List<float[]> mapped = TilewrightSpark.map(context.parallelize(rows, 3), float[].class, () -> Kernels.SOFTMAX,
                float[].class).collect();

        assertArrayEquals(softmax(rows), mapped.toArray(float[][]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void numbersOfSeveralTypes(String device) {
        SparkSession session = LocalSpark.session(device);
        Random random = new Random(4);
        List<Row> rows = random.ints(70).mapToObj(i -> RowFactory.create(random.nextDouble(), i)).toList();
        Dataset<Row> data = session.createDataFrame(rows, DataTypes.createStructType(List.of(
                LocalSpark.field("a", DataTypes.DoubleType), LocalSpark.field("b", DataTypes.IntegerType))));

        for (Row row : TilewrightSpark.map(data, () -> Kernels.SCALARS).collectAsList()) {
            assertEquals(row.getDouble(0) + row.getInt(1), row.getDouble(2));
            assertEquals(2 * row.getInt(1), row.getInt(3));
        }
        assertEquals(70, TilewrightSpark.map(data, () -> Kernels.SCALARS).count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void aMatrixThatAllRowsShare(String device) {
        SparkSession session = LocalSpark.session(device);
        List<float[]> rows = LocalSpark.rows(40, 24, 5);
        float[] w = LocalSpark.rows(1, 24 * 10, 6).getFirst();
        float[][] expected = rows.stream().map(row -> {
            float[] y = new float[10];
            for (int j = 0; j < 10; j++) {
                for (int k = 0; k < 24; k++) {
                    y[j] = Math.fma(row[k], w[k * 10 + j], y[j]);
                }
            }
            return y;
        }).toArray(float[][]::new);

        Dataset<Row> mapped = TilewrightSpark.kernel(() -> Kernels.PROJECTION).weight("w", w, 24, 10)
                .map(LocalSpark.dataset(session, rows, 2));

        assertArrayEquals(expected, LocalSpark.collected(mapped, "y"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void planStaysOneAmongOthers(String device) {
        SparkSession session = LocalSpark.session(device);
        List<float[]> rows = LocalSpark.rows(30, 16, 7);
        Dataset<Row> data = LocalSpark.dataset(session, rows, 3);

        Dataset<Row> twice = TilewrightSpark.map(TilewrightSpark.map(data.filter("id % 2 = 0"), () -> Kernels.SOFTMAX,
                "x", "y"), () -> Kernels.SOFTMAX, "y", "z");
        Row sum = twice.join(data.withColumnRenamed("x", "other"), "id").where("size(z) = size(other)")
                .agg(functions.count("z"), functions.max("id")).first();

        assertEquals(15, sum.getLong(0));
        assertEquals(28, sum.getLong(1));
        float[][] z = LocalSpark.collected(twice.selectExpr("id div 2 as id", "z"), "z");
        assertArrayEquals(softmax(softmax(rows.get(28))), z[14]);
    }
}
