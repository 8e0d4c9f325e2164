package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random command lines, damaged arrays and damaged recordings: an exit code of the contract, and a message in the
 * command's words. {@code -Dtilewright.fuzz=N} makes N of each, {@code -Dtilewright.fuzz.seed=S} others.
 */
class CommandFuzzTest {
    private static final int CASES = Integer.getInteger("tilewright.fuzz", Thorough.of(50, 150));
    private static final long SEED = Long.getLong("tilewright.fuzz.seed", 1);
    /** Stack traces, classes of ours and of what we use, the JVM's words for a null, and what steers terminals. */
    private static final Pattern FORBIDDEN =
            Pattern.compile("Exception|\\bat [a-z]+\\.[a-z]+\\.|\\b(java|javax|jdk|com|org|dev)\\.[a-z]+\\."
            + "|Cannot invoke|tilewright: null|[\\p{Cntrl}&&[^\\n\\t]]|[A-Z]\\w+Error\\b|@[0-9a-f]{5,"
            + "8}\\b|picocli|Jackson|JsonToken|StreamRead");

    private static final List<String> VERBS = List.of("doctor", "list", "emit", "run", "verify", "check", "replay",
            "tensormap", "swizzle", "ptx", "bench", "cache", "annotate", "help", "record", "explain", "timeline",
            "tune", "", "-", "--", "-h", "--help", "-V", "--version", "LIST", "emti");
    private static final List<String> OPTIONS = List.of("--json", "--need", "--tsv", "--markdown", "--help", "-h",
            "--target", "--ptx", "--type", "--tile", "--stages", "--threads", "--step", "--swizzle", "--unswizzle",
            "--walk", "--roles", "--wait", "--loads", "--copy-bytes", "--input", "--output", "-o", "--executor",
            "--scalar", "--check", "--seeds", "--mode", "--box", "--format", "--spec", "--stats",
            "--junit-xml", "--sizes", "--shape", "--time", "--seed", "--nothing", "-x", "--debugs", "--", "-");
    private static final List<String> VALUES = List.of("0", "1", "-1", "2147483648", "9223372036854775808", "1e9",
            "NaN", "0x10", "", " ", "f32", "bf16", "u64", "f99", "sm_90a", "sm_80", "sm_1000000", "sm_", "8.0", "99.99",
            "1.2.3", "64x64", "0x0", "64x64x64x64x64x64", "1000000x1000000", "64x128B", "x", "128B", "none", "6", "99",
            "copy", "scale", "add", "gpu", "reference", "auto", "store", "token", "bulk-copy", "tensor-copy",
            "cp-async-pipeline", "vector-copy", "no-such-preset", "TensorLoad", "mbarrier.arrive", "*", "*.*!",
            "{a,b", "[", "text", "svg", "html", "check", "encode", "decode", "a\u001b[2Jb", "\n",
            "\u00e4\u20ac\ud83d\ude00", "\ud800", "%s%n", "$(x)", "'", "\"", "a,b", ",", "=", "a=b", "--", "@x", "/",
            "/dev/null/x", "a\0b");

    @TempDir
    Path folder;

    private final SplittableRandom random = new SplittableRandom(SEED);

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void requireContract(PipedCommand result, String what) {
        String said = result.out() + "\n" + result.err();
        assertTrue(result.code() >= 0 && result.code() <= 3, () -> what + ": " + result);
        var found = FORBIDDEN.matcher(said.replace(folder.toString(), ""));
        assertFalse(found.find(), () -> what + ": '" + found.group() + "' in " + result);
        assertTrue(result.code() == 0 || !said.isBlank(), () -> what + ": " + result);
        assertTrue(result.code() != 2 || result.err().startsWith("tilewright: "), () -> what + ": " + result);
        assertTrue(result.code() != 0 || !said.isBlank() || what.contains("tensormap"), () -> what + ": " + result);
    }

    @Test
    void commandLines() throws IOException {
        Path array = Files.write(folder.resolve("a.npy"), array());
        Path rows = Files.writeString(folder.resolve("rows.jsonl"), first("encode"));
        for (int i = 0; i < CASES; i++) {
            List<String> line = new ArrayList<>(List.of(one(VERBS)));
            for (int n = random.nextInt(6); n > 0; n--) {
                String value = switch (random.nextInt(12)) {
                    case 0 -> array.toString();
                    case 1 -> rows.toString();
                    case 2 -> folder.toString();
                    case 3 -> folder.resolve("out" + random.nextInt(3)).toString();
                    default -> one(VALUES);
                };
                switch (random.nextInt(4)) {
                    case 0 -> line.add(value);
                    case 1 -> line.add(one(OPTIONS));
                    case 2 -> line.add(one(OPTIONS) + "=" + value);
                    default -> line.addAll(List.of(one(OPTIONS), value));
                }
            }
            // These write where they like, or take long.
            if (line.getFirst().equals("verify")) {
                line.add("--cases=-1");
            } else if (line.getFirst().equals("bench")) {
                line.add("--sizes=0");
            } else if (line.getFirst().equals("tune")) {
                line.add("--time=0s");
            }
            if (line.stream().anyMatch(l -> l.contains("1000000x") || l.startsWith("-o")
                    && !l.contains(folder.toString()))
                    || line.contains("-o") && !line.toString().contains(folder.toString())) {
                continue;
            }
            requireContract(PipedCommand.run(one(List.of("", "{}", first("encode"), "[", "\0")),
                    line.toArray(String[]::new)), line.toString());
        }
    }

    private static byte[] array() {
        String header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 16), }";
        byte[] all = new byte[128 + 8 * 16 * 4];
        System.arraycopy(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0}, 0, all, 0, 10);
        byte[] text = (header + " ".repeat(117 - header.length()) + "\n").getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(text, 0, all, 10, text.length);
        return all;
    }

    private byte[] damaged(byte[] bytes, int within) {
        byte[] changed = bytes.clone();
        for (int n = 1 + random.nextInt(3); n > 0 && changed.length > 2; n--) {
            int at = random.nextInt(Math.min(within, changed.length));
            switch (random.nextInt(5)) {
                case 0 -> changed[at] = (byte) random.nextInt(256);
                case 1 -> changed[at] = (byte) "0123456789'\"()[]{},:-+.eEx \\".charAt(random.nextInt(28));
                case 2 -> changed = Arrays.copyOf(changed, at);
                case 3 -> {
                    byte[] without = new byte[changed.length - 1];
                    System.arraycopy(changed, 0, without, 0, at);
                    System.arraycopy(changed, at + 1, without, at, without.length - at);
                    changed = without;
                }
                default -> {
                    int length = Math.min(1 + random.nextInt(20), changed.length - at);
                    byte[] with = new byte[changed.length + length];
                    System.arraycopy(changed, 0, with, 0, at + length);
                    System.arraycopy(changed, at, with, at + length, changed.length - at);
                    changed = with;
                }
            }
        }
        return changed;
    }

    @Test
    void arrays() throws IOException {
        Path in = folder.resolve("in.npy");
        Path out = folder.resolve("out.npy");
        for (int i = 0; i < CASES; i++) {
            Files.write(in, damaged(array(), 150));
            PipedCommand result = PipedCommand.run("", "run", one(List.of("bulk-copy", "vector-copy", "tensor-copy")),
                    "--input", in.toString(), "--output", out.toString(), "--executor", "reference", "--check");
            requireContract(result, "array " + i + " of seed " + SEED);
            assertTrue(Files.exists(out) == (result.code() == 0), result::toString);
            Files.deleteIfExists(out);
        }
    }

    private static String first(String recording) throws IOException {
        Path file = Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings",
                recording + ".jsonl.gz");
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)),
                StandardCharsets.UTF_8))) {
            return in.readLine();
        }
    }

    @Test
    void rowsAndDescriptions() throws IOException {
        List<byte[]> rows = new ArrayList<>();
        for (String recording : List.of("encode", "tile-load", "im2col-load", "store-reduce", "interleave-load")) {
            rows.add(first(recording).getBytes(StandardCharsets.UTF_8));
        }
        Path file = folder.resolve("rows.jsonl");
        for (int i = 0; i < CASES; i++) {
            byte[] row = one(rows.subList(0, random.nextInt(20) == 0 ? 5 : 4));
            byte[] changed = damaged(row, 450);
            Files.write(file, changed);
            PipedCommand replayed = PipedCommand.run("", "replay", file.toString());
            requireContract(replayed, "row " + i + " of seed " + SEED + ": "
                    + new String(changed, StandardCharsets.UTF_8));
            requireContract(PipedCommand.run("", "tensormap", one(List.of("check", "encode", "decode")),
                    file.toString()), "tensormap with row " + i + " of seed " + SEED);
        }
    }
}
