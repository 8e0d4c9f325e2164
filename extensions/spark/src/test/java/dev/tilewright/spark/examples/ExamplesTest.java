package dev.tilewright.spark.examples;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.spark.LocalSpark;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever the partitions and devices, and where tasks fail and are repeated: the bytes of plain loops. */
class ExamplesTest {
    private static final int ROWS = 40;

    /** Some tasks fail once, in the middle of their rows. */
    private static Dataset<Row> failing(Dataset<Row> rows) {
        return rows.sparkSession().createDataFrame(rows.javaRDD().mapPartitionsWithIndex((part, each) ->
                part % 3 == 0 && TaskContext.get().attemptNumber() == 0 ? failing(each) : each, true), rows.schema());
    }

    private static Iterator<Row> failing(Iterator<Row> rows) {
        return new Iterator<>() {
            private int row;

            @Override
            public boolean hasNext() {
                return rows.hasNext();
            }

            @Override
            public Row next() {
                if (row++ == 2) {
                    throw new IllegalStateException("by the test");
                }
                return rows.next();
            }
        };
    }

    private static void assertPlain(Dataset<Row> results, LongFunction<float[]> plain) {
        List<Row> rows = results.collectAsList();
        assertEquals(ROWS, rows.stream().map(row -> row.getLong(0)).distinct().count());
        assertEquals(ROWS, rows.size());
        rows.forEach(row -> assertArrayEquals(plain.apply(row.getLong(0)), Results.floats(row)));
    }

    @ParameterizedTest
    @CsvSource({"cpu, 1, 130, 33", "cpu, 7, 20, 1", "emulated, 4, 70, 40"})
    void product(String device, int partitions, int depth, int columns) {
        SparkSession session = LocalSpark.session(device, "4k");
        float[] b = DistributedProduct.drawn(-1, depth * columns);
        Dataset<Row> rows = DistributedProduct.rows(session, ROWS, depth, partitions);
        assertPlain(DistributedProduct.product(failing(rows), b, depth, columns),
                id -> DistributedProduct.plain(DistributedProduct.drawn(id, depth), b, columns));
    }

    @ParameterizedTest
    @CsvSource({"cpu, 1, 3000", "cpu, 7, 5", "emulated, 4, 1100"})
    void softmax(String device, int partitions, int columns) {
        SparkSession session = LocalSpark.session(device, "64k");
        assertPlain(DistributedSoftmax.softmax(failing(DistributedProduct.rows(session, ROWS, columns, partitions))),
                id -> DistributedSoftmax.plain(DistributedProduct.drawn(id, columns)));
    }
}
