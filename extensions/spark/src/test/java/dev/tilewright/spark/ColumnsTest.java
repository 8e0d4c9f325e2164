package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns go to the kernel as they lie, and what comes of them is what comes of rows. */
class ColumnsTest {

    @ParameterizedTest
    @CsvSource({"cpu,false", "cpu,true", "emulated,true"})
    void aTableThatIsCachedStaysInColumns(String device, boolean isOffHeap) {
        SparkSession session = LocalSpark.session(device);
        session.conf().set("spark.sql.columnVector.offheap.enabled", isOffHeap);
        session.conf().set("spark.sql.inMemoryColumnarStorage.batchSize", "100");
        Dataset<Row> data = session.range(0, 1000, 1, 3).selectExpr("id", "cast(id as double) / 7 as a",
                "if(id % 10 = 3, null, cast(id * 3 as int)) as b").cache();
        try {
            assertThrows(Exception.class, () -> TilewrightSpark.map(data, () -> Kernels.SCALARS).count());
            Dataset<Row> mapped = TilewrightSpark.kernel(() -> Kernels.SCALARS).nulls(Nulls.KEEP).map(data);

            List<Row> rows = mapped.collectAsList();

            String plan = mapped.queryExecution().executedPlan().toString();
            // Rows are made of what the kernel leaves, and of nothing before it.
            assertTrue(plan.matches("(?s).*ColumnarToRow\\s+\\+- "
                    + "RowMap \\[a, b\\] -> \\[c, d\\].*\\+- InMemoryTableScan.*"),
                    plan);
            assertEquals(1000, rows.size());
            for (Row row : rows) {
                long id = row.getLong(0);
                assertEquals(id % 10 == 3, row.isNullAt(3));
                assertEquals(id % 10 == 3, row.isNullAt(4));
                if (id % 10 != 3) {
                    assertEquals(id / 7.0 + id * 3, row.getDouble(3));
                    assertEquals(6 * id, row.getInt(4));
                }
            }
        } finally {
            data.unpersist();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "emulated"})
    void vectorsOfArrow(String device) {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(LocalSpark.session(device).sparkContext());
        StructType schema = DataTypes.createStructType(List.of(LocalSpark.field("p", DataTypes.DoubleType),
                LocalSpark.field("q", DataTypes.IntegerType)));

        List<Double> sums = TilewrightSpark.kernel(() -> Kernels.SCALARS).columns("p", "q", "r", "s")
                .mapBatches(context.parallelize(List.of(1, 300, 5000), 2).map(ColumnsTest::batch), schema)
                .flatMap(batch -> IntStream.range(0, batch.numRows()).mapToObj(i -> batch.column(2).getDouble(i)
                        + batch.column(3).getInt(i)).iterator()).collect();

        List<Double> expected = IntStream.of(1, 300, 5000).boxed().flatMap(rows -> IntStream.range(0, rows)
                .mapToObj(i -> i / 3.0 + (i - rows) + 2 * (i - rows))).toList();
        assertEquals(expected, sums);
    }

    private static ColumnarBatch batch(int rows) {
        RootAllocator allocator = new RootAllocator();
        Float8Vector p = new Float8Vector("p", allocator);
        IntVector q = new IntVector("q", allocator);
        p.allocateNew(rows);
        q.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            p.set(i, i / 3.0);
            q.set(i, i - rows);
        }
        p.setValueCount(rows);
        q.setValueCount(rows);
        return new ColumnarBatch(new ColumnVector[] {new ArrowColumnVector(p), new ArrowColumnVector(q)}, rows);
    }
}
