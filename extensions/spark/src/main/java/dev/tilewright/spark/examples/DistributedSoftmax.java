package dev.tilewright.spark.examples;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.spark.TilewrightSpark;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.RowKernels;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The softmax of each row of a matrix whose rows are everywhere: {@code DistributedSoftmax [ROWS [COLUMNS
 * [PARTITIONS]]]}.
 *
 * <p>Order of sums: element i of a row belongs to accumulator i mod 1024, which takes its elements in ascending order;
 * then accumulator j takes accumulator j + h for h = 512, 256, ... 1. It depends on the length of the row alone, so
 * partitions, batches, executors and retries do not show in a bit.
 */
public final class DistributedSoftmax {
    private static final TileKernel SOFTMAX = RowKernels.softmax(ValueType.F32);
    private static final int ACCUMULATORS = 1024;
    /** {@code (e^r - 1 - r) / r^2} for small r. */
    private static final float[] POWERS = {0x1.fffffcp-2f, 0x1.555490p-3f, 0x1.5558d2p-5f, 0x1.123b3ep-7f,
        0x1.6a23e8p-10f};
    private static final float LOG2_E = 0x1.715476p+0f;
    private static final float MINUS_LN2_HIGH = -0x1.62e430p-1f;
    private static final float MINUS_LN2_LOW = 0x1.05c610p-29f;
    private static final float LEAST = -105;

    private DistributedSoftmax() { }

    /** See the class. */
    public static void main(String[] arguments) throws IOException {
        int[] sizes = {2000, 1500, 8};
        for (int i = 0; i < arguments.length; i++) {
            sizes[i] = Integer.parseInt(arguments[i]);
        }
        try (SparkSession session = SparkSession.builder().appName("distributed softmax").getOrCreate()) {
            List<Row> rows = softmax(DistributedProduct.rows(session, sizes[0], sizes[1], sizes[2])).orderBy("id")
                    .collectAsList();
            Results.say("softmax of " + sizes[0] + " x " + sizes[1] + " in " + sizes[2] + " partitions", rows,
                    id -> plain(DistributedProduct.drawn(id, sizes[1])));
        }
    }

    /** The rows' softmax, as columns {@code id} and {@code y}. @param a rows in a column {@code a} */
    public static Dataset<Row> softmax(Dataset<Row> a) {
        return TilewrightSpark.map(a, () -> SOFTMAX, "a", "y").select("id", "y");
    }

    /** A row's softmax, by loops that know no tiles. */
    public static float[] plain(float[] row) {
        float most = Float.NEGATIVE_INFINITY;
        for (float x : row) {
            most = Math.max(most, x);
        }
        float[] y = new float[row.length];
        float[] sums = new float[Math.min(ACCUMULATORS, row.length)];
        for (int i = 0; i < row.length; i++) {
            y[i] = exp(row[i] - most);
            sums[i % ACCUMULATORS] = i < ACCUMULATORS ? y[i] : sums[i % ACCUMULATORS] + y[i];
        }
        for (int h = ACCUMULATORS / 2; h > 0; h /= 2) {
            for (int j = 0; j < h && j + h < sums.length; j++) {
                sums[j] += sums[j + h];
            }
        }
        for (int i = 0; i < y.length; i++) {
            y[i] /= sums[0];
        }
        return y;
    }

    /** e to the power of a number up to 0, as kernels have it: 2^n e^r, rounded once more where that is subnormal. */
    private static float exp(float x) {
        float within = Math.max(x, LEAST);
        float n = (float) Math.rint(within * (double) LOG2_E);
        float r = Math.fma(n, MINUS_LN2_LOW, Math.fma(n, MINUS_LN2_HIGH, within));
        float sum = POWERS[POWERS.length - 1];
        for (int k = POWERS.length - 2; k >= 0; k--) {
            sum = Math.fma(sum, r, POWERS[k]);
        }
        return Math.scalb(Math.fma(Math.fma(sum, r, 1), r, 1), (int) n);
    }
}
