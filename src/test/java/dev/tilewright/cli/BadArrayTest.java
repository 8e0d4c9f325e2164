package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Input files that {@code run} cannot take: one sentence that names the file, exit code 2, no stack trace unless asked
 * for, and neither a result nor a part of one in the folder.
 */
class BadArrayTest {
    private static final String SUPPORTED = "|u1, |i1, |b1, <u2, <i2, <u4, <i4, <u8, <i8, <f2, <f4, <f8, and <V2 for "
            + "bfloat16";

    @TempDir
    Path folder;
    private NpyFiles files;

    @BeforeEach
    void files() {
        files = new NpyFiles(folder);
    }

    private static String header(String descr, boolean fortran, String shape) {
        return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape
                + ", }";
    }

    static Stream<Arguments> headers() {
        return Stream.of(
                Arguments.of("truncated", header("<f4", false, "(4, 4)"), 60,
                        "is cut short: its header says shape (4, 4) of f32, which is 64 bytes of data, and there are "
                        + "60"),
                Arguments.of("lying: more data", header("<f4", false, "(4, 4)"), 80,
                        "is longer than it says: its header says shape (4, 4) of f32, which is 64 bytes of data, and "
                        + "there are 80; "
                                + "a file with several arrays in it must be split"),
                Arguments.of("lying: no data", header("<f8", false, "(1000000, 1000000)"), 0,
                "is cut short: its header says shape "
                        + "(1000000, 1000000) of f64, which is 8000000000000 bytes of data, and there are 0"),
                Arguments.of("lying: impossible", header("<f8", false, "(4611686018427387904, 4)"), 0,
                "has a header that cannot be: its shape is "
                        + "(4611686018427387904, 4) of f64, which is more bytes than a 64-bit size can count"),
                Arguments.of("lying: negative", header("<f8", false, "(4, -4)"), 0,
                        "has a header that cannot be: its shape is (4, -4), and shape[1] must be at least 0, got -4"),
                Arguments.of("Fortran order", header("<f4", true, "(4, 4)"), 64,
                "has shape (4, 4) in Fortran (column-major) order, and only C "
                        + "(row-major) order is read: convert it with numpy.ascontiguousarray"),
                Arguments.of("big-endian", header(">f4", false, "(4, 4)"), 64,
                        "has the big-endian dtype '>f4', and only little-endian data are read: convert it with "
                        + ".astype('<f4')"),
                Arguments.of("unknown dtype", header("<c8", false, "(4, 4)"), 128,
                        "has the complex dtype '<c8', and only these are read: " + SUPPORTED),
                Arguments.of("objects", header("|O", false, "(4,)"), 32,
                "has the Python-object dtype '|O', and only these are read: " + SUPPORTED));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("headers")
    void aWrongHeader(String what, String header, int bytes, String message) {
        Path input = files.raw("x.npy", header, bytes);
        refused(input + " " + message, input);
    }

    @Test
    void filesThatAreNoArrays() {
        Path empty = files.bytes("x.npy", new byte[0]);
        refused(empty + " is empty, and not a .npy file", empty);
        files.bytes("x.npy", new byte[] {(byte) 0x93, 'N', 'U', 'M'});
        refused(empty + " is cut short: it ends after 4 bytes, inside the magic string", empty);
        files.bytes("x.npy", "col1,col2\n".getBytes());
        refused(empty + " is not a .npy file: it starts with the bytes 63 6f 6c 31 2c 63, not with 93 4e 55 4d 50 59 "
                + "(\\x93NUMPY)", empty);
    }

    @Test
    void aFileThatIsNotThere() {
        files.bytes("x.npy", new byte[0]);
        Path missing = folder.resolve("missing.npy");
        refused("cannot read " + missing + ": there is no such file", missing);
        refused("cannot read " + folder + ": it is a folder, not a .npy file", folder);
    }

    private void refused(String message, Path input) {
        String[] line = {"run", "bulk-copy", "--input", input.toString(), "--output",
                folder.resolve("y.npy").toString(), "--executor", "reference"};
        assertEquals("tilewright: " + message, PipedCommand.run("", line).refusal());
        String[] debug = Stream.concat(Stream.of(line), Stream.of("--debug")).toArray(String[]::new);
        PipedCommand traced = PipedCommand.run("", debug);
        assertEquals(2, traced.code());
        assertTrue(traced.err().startsWith("dev.tilewright.BadRequestException: ") && traced.err().contains("\n\tat "),
                traced.err());
        assertTrue(traced.err().endsWith("\ntilewright: " + message + "\n"), traced.err());
        assertEquals(List.of("x.npy"), files.names());
    }
}
