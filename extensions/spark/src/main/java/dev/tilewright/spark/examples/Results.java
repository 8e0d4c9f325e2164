package dev.tilewright.spark.examples;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.spark.sql.Row;

/** What the examples say of their results. */
final class Results {
    private Results() { }

    /** Prints a digest of all bytes, and ends the process with 1 if one differs. @param rows by their numbers */
    static void say(String what, List<Row> rows, LongFunction<float[]> plain) {
        long differ = rows.stream().filter(row -> !Arrays.equals(floats(row), plain.apply(row.getLong(0)))).count();
        System.out.println(what + ": SHA-256 " + digest(rows));
        System.out.println(differ == 0 ? "the bytes of a plain loop" : differ + " ROWS DIFFER FROM A PLAIN LOOP");
        if (differ > 0) {
            System.exit(1);
        }
    }

    static float[] floats(Row row) {
        List<Float> list = row.getList(1);
        float[] all = new float[list.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = list.get(i);
        }
        return all;
    }

    static String digest(List<Row> rows) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Row row : rows) {
                float[] y = floats(row);
                ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + y.length * Float.BYTES).putLong(row.getLong(0));
                for (float one : y) {
                    bytes.putFloat(one);
                }
                digest.update(bytes.array());
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
