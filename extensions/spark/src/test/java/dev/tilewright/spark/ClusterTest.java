package dev.tilewright.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** A cluster on this machine: two executors, each a process. */
class ClusterTest {

    @Test
    void oneExecutorIsLost() throws Exception {
        SparkSession.getActiveSession().foreach(session -> {
            session.stop();
            return null;
        });
        List<float[]> rows = LocalSpark.rows(120, 16, 1);
        List<float[]> mapped;
        try (JavaSparkContext context = new JavaSparkContext(LocalCluster.conf("local-cluster[2,1,512]"))) {
            mapped = TilewrightSpark.map(context.parallelize(rows, 12).mapPartitionsWithIndex((part, each) -> {
                TaskContext task = TaskContext.get();
                if (part == 3 && task.attemptNumber() == 0) {
                    // The executor is gone without a word.
                    Runtime.getRuntime().halt(1);
                }
                return each;
            }, true), float[].class, () -> Kernels.SOFTMAX, float[].class).collect();
        }
        assertArrayEquals(RowMapTest.softmax(rows), mapped.toArray(float[][]::new));
        for (int i = 0; i < 200 && LocalCluster.processes() > 0; i++) {
            Thread.sleep(50);
        }
        assertEquals(0, LocalCluster.processes(), "executors that nobody ended");
    }
}
