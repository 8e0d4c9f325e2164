package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.junit.jupiter.api.Test;

/** A dataset with a kernel's columns is one as any other, whatever Spark makes of its plan. */
class DatasetsTest {

    private static Dataset<Row> numbers(long rows) {
        return LocalSpark.session("cpu", "1k").range(0, rows, 1, 4).selectExpr("id", "cast(id as double) / 7 as a",
                "cast(id * 3 as int) as b");
    }

    private static Dataset<Row> mapped(Dataset<Row> numbers) {
        return TilewrightSpark.map(numbers, () -> Kernels.SCALARS);
    }

    private static void assertMapped(Row row) {
        long id = row.getLong(row.fieldIndex("id"));
        assertEquals(id / 7.0 + id * 3, row.getDouble(row.fieldIndex("c")));
        assertEquals(6 * id, row.getInt(row.fieldIndex("d")));
    }

    @Test
    void itCanBeJoinedWithItself() {
        Dataset<Row> all = mapped(numbers(30));
        List<Row> joined = all.as("l").join(all.as("r"), functions.expr("l.id = r.id + 1")).selectExpr("l.id",
                "r.d + 6 as d", "l.c").collectAsList();
        assertEquals(29, joined.size());
        joined.forEach(DatasetsTest::assertMapped);
        assertEquals(30, all.join(all, "id").where("id >= 0").count());
        assertEquals(0, all.except(all).count());
        assertEquals(60, all.union(all).count());
    }

    @Test
    void columnsThatNobodyAsksForAreNotRead() {
        Dataset<Row> wide = numbers(30).selectExpr("*", "repeat('z', 100) as z", "id as unused").cache();
        try {
            Dataset<Row> narrow = mapped(wide).select("d", "id", "c");
            narrow.collectAsList().forEach(DatasetsTest::assertMapped);
            String plan = narrow.queryExecution().executedPlan().toString();
            assertTrue(plan.matches("(?s).*InMemoryTableScan \\[id#\\d+L, a#\\d+, b#\\d+\\].*"), plan);
        } finally {
            wide.unpersist();
        }
    }

    @Test
    void namesAreComparedAsSparkDoes() {
        Dataset<Row> data = numbers(10).withColumnRenamed("a", "A");
        mapped(data).collectAsList().forEach(DatasetsTest::assertMapped);
        // Two columns of a name that the kernel does not read.
        Dataset<Row> twice = data.select(functions.col("id"), functions.col("A"), functions.col("b"),
                functions.lit(1).as("other"), functions.lit(2).as("other"));
        assertEquals(10, mapped(twice).count());
        assertEquals(2, mapped(twice).first().getInt(4));
    }

    @Test
    void emptyAndSkewedPartitionsAndRowsThatSparkMovesAbout() {
        SparkSession session = LocalSpark.session("cpu", "1k");
        session.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "2k");
        try {
            Dataset<Row> skewed = numbers(3000).repartition(5, functions.expr("if(id < 2900, 1, id)"));
            assertEquals(3000, mapped(skewed).collectAsList().stream().peek(DatasetsTest::assertMapped).count());
            assertEquals(List.of(), mapped(numbers(3000).where("id < 0")).collectAsList());
            Row sums = mapped(skewed.join(numbers(2950).selectExpr("id", "a as other"), "id")).groupBy()
                    .agg(functions.count("c"), functions.sum("d")).first();
            assertEquals(2950, sums.getLong(0));
            assertEquals(6L * 2950 * 2949 / 2, sums.getLong(1));
        } finally {
            session.conf().unset("spark.sql.adaptive.advisoryPartitionSizeInBytes");
        }
    }

    @Test
    void columnsOfAllKindsPassThrough() {
        Dataset<Row> kinds = numbers(20).selectExpr("*", "named_struct('p', id, 'q', array(named_struct('r', b))) as s",
                "map('k', id) as m", "cast(id as decimal(38, 3)) as e", "timestamp_seconds(id) as t",
                "if(id % 2 = 0, null, 'text') as n", "parse_json('{\"v\":1}') as v");
        List<Row> expected = kinds.selectExpr("id", "s", "m", "e", "t", "n", "to_json(v)").orderBy("id")
                .collectAsList();
        assertEquals(expected, mapped(kinds).selectExpr("id", "s", "m", "e", "t", "n", "to_json(v)").orderBy("id")
                .collectAsList());
    }

    @Test
    void rowsOfAStream() throws Exception {
        SparkSession session = LocalSpark.session("cpu");
        StreamingQuery query = mapped(session.readStream().format("rate-micro-batch").option("rowsPerBatch", 30).load()
                .selectExpr("value as id", "cast(value as double) / 7 as a", "cast(value * 3 as int) as b"))
                .writeStream().format("memory").queryName("stream").start();
        try {
            // The rows of a batch are in the table before its progress is said; to count them would be a job each time.
            for (int i = 0; i < 1200 && (query.lastProgress() == null || query.lastProgress().batchId() < 2); i++) {
                Thread.sleep(50);
            }
        } finally {
            query.stop();
        }
        List<Row> rows = session.table("stream").collectAsList();
        assertTrue(rows.size() >= 60, "rows that came through: " + rows.size());
        rows.forEach(DatasetsTest::assertMapped);
    }
}
