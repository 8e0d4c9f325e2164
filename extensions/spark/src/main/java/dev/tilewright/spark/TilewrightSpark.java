package dev.tilewright.spark;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Tile kernels over the rows of Spark's datasets and RDDs.
 *
 * {@snippet :
 * Dataset<Row> probabilities = TilewrightSpark.map(dataset, () -> SOFTMAX, "scores", "probabilities");
 * }
 */
public final class TilewrightSpark {
    private TilewrightSpark() { }

    /**
     * The dataset with what a kernel makes of each row; see {@link RowMap}.
     *
     * @param columns of the tensors that have rows, read or written, in the order in which the kernel declares
     *     them; where there are fewer, the others have the names of their tensors
     */
    public static Dataset<Row> map(Dataset<?> data, KernelSource kernel, String... columns) {
        return kernel(kernel).columns(columns).map(data);
    }

    /**
     * What a kernel makes of each array; see {@link RowMap#map(JavaRDD, Class, Class)}.
     *
     * {@snippet :
     * JavaRDD<float[]> y = TilewrightSpark.map(x, float[].class, () -> SOFTMAX, float[].class);
     * }
     */
    public static <A, B> JavaRDD<B> map(JavaRDD<A> data, Class<A> read, KernelSource kernel, Class<B> written) {
        return kernel(kernel).map(data, read, written);
    }

    /** A kernel that needs more than columns: weights, scalars, extents, or a word about nulls. */
    public static RowMap kernel(KernelSource kernel) {
        return new RowMap(kernel);
    }
}
