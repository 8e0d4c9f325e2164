package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.kernel.RowKernels;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowMapTest {

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void rowsHaveTheBytesOfADirectLaunch(String device) {
        SparkSession session = LocalSpark.session(device);
        List<float[]> rows = LocalSpark.rows(37, 20, 1);

        Dataset<Row> mapped = TilewrightSpark.map(LocalSpark.dataset(session, rows, 3),
                () -> RowKernels.softmax(ValueType.F32), "x", "y");

        assertArrayEquals(softmax(rows), LocalSpark.collected(mapped, "y"));
    }

    /** In plain Java's arrays, by one launch of all rows. */
    static float[][] softmax(List<float[]> rows) {
        int columns = rows.getFirst().length;
        float[] x = new float[rows.size() * columns];
        for (int i = 0; i < rows.size(); i++) {
            System.arraycopy(rows.get(i), 0, x, i * columns, columns);
        }
        float[] y = new float[x.length];
        RowKernels.softmax(ValueType.F32).onCpu().set("x", x, rows.size(), columns).set("y", y, rows.size(), columns)
                .run();
        float[][] all = new float[rows.size()][columns];
        for (int i = 0; i < all.length; i++) {
            System.arraycopy(y, i * columns, all[i], 0, columns);
        }
        return all;
    }
}
