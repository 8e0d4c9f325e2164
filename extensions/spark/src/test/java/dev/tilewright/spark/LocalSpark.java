package dev.tilewright.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Spark in this process, and data for it. */
public final class LocalSpark {
    public static final StructType ARRAYS = DataTypes.createStructType(List.of(field("id", DataTypes.LongType),
            field("x", DataTypes.createArrayType(DataTypes.FloatType))));

    private LocalSpark() { }

    public static StructField field(String name, DataType type) {
        return DataTypes.createStructField(name, type, true);
    }

    /** A session whose tasks compute on a device; the first one's context serves all. */
    public static SparkSession session(String device) {
        return session(device, "16m");
    }

    /** @param batch how large batches are */
    public static SparkSession session(String device, String batch) {
        SparkSession session = SparkSession.builder().master("local[2,4]").appName("tests")
                .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "3")
                .config("spark.driver.host", "localhost").config("spark.driver.bindAddress", "127.0.0.1")
                .getOrCreate();
        session.sparkContext().conf().set("spark.tilewright.device", device).set("spark.tilewright.batch", batch)
                .set("spark.tilewright.memory", "0");
        // What a session says counts more, for datasets.
        session.conf().set("spark.tilewright.device", device);
        session.conf().set("spark.tilewright.batch", batch);
        session.conf().set("spark.tilewright.memory", "0");
        return session;
    }

    /** The rows with their numbers. */
    public static Dataset<Row> dataset(SparkSession session, List<float[]> rows, int partitions) {
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            all.add(RowFactory.create((long) i, rows.get(i)));
        }
        return session.createDataFrame(all, ARRAYS).repartition(partitions);
    }

    public static List<float[]> rows(int count, int columns, long seed) {
        Random random = new Random(seed);
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float[] row = new float[columns];
            for (int j = 0; j < columns; j++) {
                row[j] = (float) random.nextGaussian();
            }
            rows.add(row);
        }
        return rows;
    }

    /** A column of arrays, by the rows' numbers. */
    public static float[][] collected(Dataset<Row> data, String column) {
        float[][] all = new float[(int) data.count()][];
        for (Row row : data.select("id", column).collectAsList()) {
            List<Float> elements = row.isNullAt(1) ? null : row.getList(1);
            if (elements != null) {
                float[] array = new float[elements.size()];
                for (int i = 0; i < array.length; i++) {
                    array[i] = elements.get(i);
                }
                all[(int) row.getLong(0)] = array;
            }
        }
        return all;
    }
}
