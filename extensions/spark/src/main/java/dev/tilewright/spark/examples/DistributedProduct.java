package dev.tilewright.spark.examples;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The product of two matrices, of which no machine holds more than some rows of the first and a slab of the second:
 * {@code DistributedProduct [ROWS [DEPTH [COLUMNS [PARTITIONS]]]]}.
 *
 * <p>Order of sums: each element is one chain of fused multiply-adds that begins with 0, k ascending. Slabs of k follow
 * each other, and each goes on with what the one before left; rows are not added to each other. So neither slabs nor
 * partitions, batches, executors and retries show in a bit, and a loop over k in plain Java has the same.
 */
public final class DistributedProduct {
    /** How many rows of the second matrix are broadcast at a time. */
    static final int SLAB = 64;
    private static final StructType SCHEMA = DataTypes.createStructType(List.of(
            DataTypes.createStructField("id", DataTypes.LongType, false),
            DataTypes.createStructField("a", DataTypes.createArrayType(DataTypes.FloatType, false), false)));
    private static final int TILE = 32;
    private static final int STEP = 16;

    /** {@code y = start + x w}. */
    private static final TileKernel ADD_PRODUCT = TileKernel.of("add_product", k -> {
        Dim rows = k.dim("rows");
        Dim depth = k.dim("depth");
        Dim columns = k.dim("columns");
        Tensor x = k.in("x", ValueType.F32, rows, depth);
        Tensor w = k.in("w", ValueType.F32, depth, columns);
        Tensor start = k.in("start", ValueType.F32, rows, columns);
        Tensor y = k.out("y", ValueType.F32, rows, columns);
        k.forEachTile(y, TILE, TILE, at -> y.store(at, k.fold(start.tile(at), k.steps(depth, STEP),
                (sum, i) -> sum.mma(x.tile(at.row(), i), w.tile(i, at.column())))));
    });

    private DistributedProduct() { }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        int[] sizes = {2000, 256, 96, 8};
        for (int i = 0; i < arguments.length; i++) {
            sizes[i] = Integer.parseInt(arguments[i]);
        }
        try (SparkSession session = SparkSession.builder().appName("distributed product").getOrCreate()) {
            float[] b = drawn(-1, sizes[1] * sizes[2]);
            List<Row> rows = product(rows(session, sizes[0], sizes[1], sizes[3]), b, sizes[1], sizes[2])
                    .orderBy("id").collectAsList();
            Results.say("product of " + sizes[0] + " x " + sizes[1] + " by " + sizes[1] + " x " + sizes[2] + " in "
                    + sizes[3] + " partitions", rows, id -> plain(drawn(id, sizes[1]), b, sizes[2]));
        }
    }

    /** Rows of the first matrix, each by its number, wherever it is made. */
    public static Dataset<Row> rows(SparkSession session, int rows, int depth, int partitions) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        return session.createDataFrame(context.parallelize(LongStream.range(0, rows).boxed().toList(), partitions)
                .map(id -> RowFactory.create(id, drawn(id, depth))), SCHEMA);
    }

    /** @param number of a row of the first matrix, or -1 for the second matrix */
    public static float[] drawn(long number, int count) {
        Random random = new Random(number * 0x9e37_79b9L + count);
        float[] all = new float[count];
        for (int i = 0; i < count; i++) {
            all[i] = (float) random.nextGaussian();
        }
        return all;
    }

    /**
     * The product's rows, as columns {@code id} and {@code y}.
     *
     * @param a rows of the first matrix, in a column {@code a}
     * @param b the second matrix, row-major
     * @param depth columns of the first and rows of the second
     * @param columns of the second
     */
    public static Dataset<Row> product(Dataset<Row> a, float[] b, int depth, int columns) {
        Dataset<Row> sums = a.withColumn("y", functions.array_repeat(functions.lit(0.0f), columns));
        for (int from = 0; from < depth; from += SLAB) {
            int length = Math.min(SLAB, depth - from);
            Dataset<Row> next = sums.withColumnRenamed("y", "start").withColumn("x", functions.slice(
                    functions.col("a"), from + 1, length));
            float[] slab = Arrays.copyOfRange(b, from * columns, (from + length) * columns);
            sums = TilewrightSpark.kernel(() -> ADD_PRODUCT).weight("w", slab, length, columns).map(next)
                    .drop("start", "x");
        }
        return sums.select("id", "y");
    }

    /** A row of the product, by a loop that knows neither tiles nor slabs. */
    public static float[] plain(float[] row, float[] b, int columns) {
        float[] y = new float[columns];
        for (int j = 0; j < columns; j++) {
            float sum = 0;
            for (int k = 0; k < row.length; k++) {
                sum = Math.fma(row[k], b[k * columns + j], sum);
            }
            y[j] = sum;
        }
        return y;
    }
}
