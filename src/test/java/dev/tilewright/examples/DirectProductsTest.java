package dev.tilewright.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/**
 * The direct computation is itself held against what an H200 computed: every recorded bf16 product of finite numbers.
 */
class DirectProductsTest {
    private static final Path RECORDING =
            Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings/mma.jsonl.gz");
    private static final Pattern SHAPE = Pattern.compile("\"shape\": *\"m(\\d+)n(\\d+)k16\"");

    @Test
    void recordedProducts() throws IOException {
        int elements = 0;
        for (String row : rows()) {
            Matcher shape = SHAPE.matcher(row);
            if (shape.find()) {
                elements += check(row, Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)));
            }
        }
        assertTrue(elements > 1000, "finite elements in " + RECORDING + ": " + elements);
    }

    private static List<String> rows() throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(RECORDING)), StandardCharsets.UTF_8))) {
            return lines.lines().filter(line -> line.contains("\"bf16.f32\"")).toList();
        }
    }

    /** How many elements could be compared. */
    private static int check(String row, int m, int n) {
        int[] a = numbers(row, "a", 4);
        int[] b = numbers(row, "b", 4);
        int[] c = numbers(row, "c", 8);
        int[] d = numbers(row, "d", 8);
        int compared = 0;
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                short[] x = new short[16];
                short[] y = new short[16];
                for (int k = 0; k < 16; k++) {
                    x[k] = (short) a[i * 16 + k];
                    y[k] = (short) b[k * n + j];
                }
                if (isFinite(x) && isFinite(y) && isFinite(c[i * n + j]) && isFinite(d[i * n + j])) {
                    float sum = DirectProducts.step(DirectProducts.Numbers.of(x), 0, DirectProducts.Numbers.of(y),
                            0, 16, Float.intBitsToFloat(c[i * n + j]));
                    assertEquals(Integer.toHexString(d[i * n + j]), Integer.toHexString(Float.floatToRawIntBits(sum)),
                            row);
                    compared++;
                }
            }
        }
        return compared;
    }

    private static boolean isFinite(short[] bf16) {
        for (short x : bf16) {
            if (!isFinite(x << 16)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isFinite(int f32) {
        return Float.isFinite(Float.intBitsToFloat(f32));
    }

    private static int[] numbers(String row, String name, int digits) {
        Matcher text = Pattern.compile("\"" + name + "\": *\"([0-9a-f]*)\"").matcher(row);
        assertTrue(text.find(), name);
        int[] numbers = new int[text.group(1).length() / digits];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = HexFormat.fromHexDigits(text.group(1), i * digits, (i + 1) * digits);
        }
        return numbers;
    }
}
