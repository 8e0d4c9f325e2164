package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reader takes and, sentence by sentence, what it does not. */
class NpyReaderTest {

    private static final String SUPPORTED =
            "|u1, |i1, |b1, <u2, <i2, <u4, <i4, <u8, <i8, <f2, <f4, <f8, and <V2 for bfloat16";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void readsEveryFormatVersion(int major) throws IOException {
        byte[] data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        try (Arena arena = Arena.ofConfined()) {
            Npy array = NpyReader.open(write(RawNpy.file(major, RawNpy.dict("<i2", "(2, 3)"), data)), arena);
            assertEquals(ElementType.I16, array.type());
            assertEquals(List.of(2L, 3L), array.shape());
            assertEquals(6, array.elements());
            assertArrayEquals(data, array.data().toArray(ValueLayout.JAVA_BYTE));
            assertTrue(array.data().isReadOnly());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "|u1, U8", "|b1, U8", "|i1, I8", ">i1, I8", "<u2, U16", "<i2, I16", "<u4, U32", "<i4, I32", "<u8, U64",
        "<i8, I64", "<f2, F16", "<f4, F32", "=f4, F32", "f4, F32", "<f8, F64", "<V2, BF16", "|V2, BF16", "V2, BF16",
        "bfloat16, BF16"
    })
    void readsEveryType(String descr, ElementType type) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(type, NpyReader.open(write(RawNpy.file(RawNpy.dict(descr, "()"), type.bytes())), arena)
                    .type());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "(5,);20", "(1, 5, 1);20", "();4", "(3, 0, 3);0", "(1, 1);4"
    })
    void fortranOrderIsTakenWhereItMakesNoDifference(String shape, int bytes) throws IOException {
        String header = RawNpy.dict("<f4", shape).replace("False", "True");
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(bytes, NpyReader.open(write(RawNpy.file(header, bytes)), arena).data().byteSize());
        }
    }

    @Test
    void readsAHeaderThatIsWrittenInAnotherStyle() throws IOException {
        byte[] odd = RawNpy.file(3, "{\"shape\":(2L,3L),'fortran_order':False,\t'descr':\"<f4\"}", new byte[24]);
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(List.of(2L, 3L), NpyReader.open(write(odd), arena).shape());
        }
    }

    @Test
    void sixtyFourDimensionsAreReadAndNoMore() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            String ones = "(" + "1, ".repeat(64) + ")";
            assertEquals(64, NpyReader.open(write(RawNpy.file(RawNpy.dict("|u1", ones), 1)), arena).rank());
        }
        refused(RawNpy.file(RawNpy.dict("|u1", "(" + "1, ".repeat(65) + ")"), 1),
                " has a header that cannot be: it has 65 dimensions, and at most 64 are possible");
    }

    @Test
    void filesThatAreNone() throws IOException {
        assertEquals("cannot read " + folder.resolve("none.npy") + ": there is no such file",
                refusal(folder.resolve("none.npy")));
        assertEquals("cannot read " + folder + ": it is a folder, not a .npy file", refusal(folder));
        Path inFile = Files.createFile(folder.resolve("file")).resolve("x.npy");
        assertEquals("cannot read " + inFile + ": there is no such file", refusal(inFile));
        if (Files.exists(Path.of("/dev/null"))) {
            assertEquals("cannot read /dev/null: it is not a regular file, and only those can be mapped into memory",
                    refusal(Path.of("/dev/null")));
        }
    }

    @Test
    void aFileThatMayNotBeRead() {
        // The super-user may read everything, so this is about the sentence alone.
        assertEquals("cannot read x.npy: permission denied",
                FileProblem.of("read", Path.of("x.npy"), new AccessDeniedException("x.npy")).getMessage());
    }

    @Test
    void filesOfAnotherKind() throws IOException {
        refused(new byte[0], " is empty, and not a .npy file");
        refused("hello, world".getBytes(StandardCharsets.US_ASCII), " is not a .npy file: it starts with the bytes"
                + " 68 65 6c 6c 6f 2c, not with 93 4e 55 4d 50 59 (\\x93NUMPY)");
        refused("PK\3\4zip".getBytes(StandardCharsets.US_ASCII), " is not a .npy file: it starts with the bytes"
                + " 50 4b 03 04 7a 69, not with 93 4e 55 4d 50 59 (\\x93NUMPY); if it is a .npz archive, unzip it and"
                + " name one of the arrays in it");
        byte[] future = RawNpy.file(RawNpy.dict("<f4", "()"), 4);
        future[6] = 4;
        future[7] = 1;
        refused(future, " is of npy format version 4.1, and only 1.0, 2.0 and 3.0 are read");
    }

    @Test
    void filesCutShort() throws IOException {
        byte[] one = RawNpy.file(1, RawNpy.dict("<f4", "(3, 4)"), new byte[48]);
        byte[] two = RawNpy.file(2, RawNpy.dict("<f4", "(3, 4)"), new byte[48]);
        refused(cut(one, 3), " is cut short: it ends after 3 bytes, inside the magic string");
        refused(cut(one, 7), " is cut short: it ends after 7 bytes, inside the version number");
        refused(cut(one, 9), " is cut short: it ends after 9 bytes, inside the header's length");
        refused(cut(two, 11), " is cut short: it ends after 11 bytes, inside the header's length");
        refused(cut(one, 30), " is cut short: its header should have 118 bytes, and 20 are left");
        refused(cut(one, 128 + 47), " is cut short: its header says shape (3, 4) of f32, which is 48 bytes of data,"
                + " and there are 47");
    }

    @Test
    void dataBeyondTheArray() throws IOException {
        refused(RawNpy.file(RawNpy.dict("<f8", "(2,)"), 17), " is longer than it says: its header says shape (2,) of"
                + " f64, which is 16 bytes of data, and there are 17; a file with several arrays in it must be split");
    }

    @Test
    void aHeaderThatIsTooLong() throws IOException {
        byte[] file = RawNpy.file(2, RawNpy.dict("<f4", "()") + " ".repeat(1 << 20), new byte[4]);
        refused(file, " has a header of 1048692 bytes, and at most 1048576 are read");
    }

    @Test
    void headersThatAreNotTheDictionary() throws IOException {
        header("", "has a header that is not a Python dictionary: expected a value, found the end, at character 54 of"
                + " it");
        header("{'descr': '<f4', ", "has a header that is not a Python dictionary: expected a key in quotes, found the"
                + " end, at character 54 of it");
        header("(1, 2)", "has a header that is not a Python dictionary: it is (1, 2)");
        header("{'descr': '<f4', 'shape': (1,)}", "has a header with other keys than 'descr', 'fortran_order' and"
                + " 'shape': {'descr': '<f4', 'shape': (1,)}");
        header(RawNpy.dict("<f4", "()").replace(", }", ", 'x': 1}"), "has a header with other keys than 'descr',"
                + " 'fortran_order' and 'shape': {'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}");
        header(RawNpy.dict("<f4", "()").replace("False", "0"),
                "has a header whose fortran_order is neither True nor False: 0");
        header(RawNpy.dict("<f4", "[3, 4]"), "has a header whose shape is not a tuple such as (3,) but [3, 4]");
        header(RawNpy.dict("<f4", "(3)"), "has a header whose shape is not a tuple such as (3,) but 3");
        header(RawNpy.dict("<f4", "(3, True)"), "has a header whose shape[1] is not an integer but True");
        byte[] latin = RawNpy.file(1, "{'d\u00e9scr'}", new byte[0]);
        latin[6] = 3;
        byte[] three = new byte[latin.length + 2];
        System.arraycopy(latin, 0, three, 0, 10);
        System.arraycopy(latin, 10, three, 12, latin.length - 10);
        refused(three, " has a header that is not UTF-8 text");
    }

    @Test
    void shapesThatCannotBe() throws IOException {
        header(RawNpy.dict("<f4", "(3, -1)"), "has a header that cannot be: its shape is (3, -1), and shape[1] must be"
                + " at least 0, got -1");
        header(RawNpy.dict("<f4", "(9223372036854775808,)"),
                "has a header whose shape[0] does not fit into 64 bits: 9223372036854775808");
        header(RawNpy.dict("<f4", "(4611686018427387904, 2)"), "has a header that cannot be: its shape is"
                + " (4611686018427387904, 2) of f32, which is more bytes than a 64-bit size can count");
        header(RawNpy.dict("<f4", "(0, 4611686018427387904)"), "has a header that cannot be: its shape is"
                + " (0, 4611686018427387904) of f32, which is more bytes than a 64-bit size can count");
    }

    @Test
    void otherOrders() throws IOException {
        header(RawNpy.dict("<f4", "(3, 4)").replace("False", "True"), "has shape (3, 4) in Fortran (column-major)"
                + " order, and only C (row-major) order is read: convert it with numpy.ascontiguousarray");
        header(RawNpy.dict(">f4", "(3,)"), "has the big-endian dtype '>f4', and only little-endian data are read:"
                + " convert it with .astype('<f4')");
    }

    @Test
    void otherTypes() throws IOException {
        String only = ", and only these are read: " + SUPPORTED;
        header(RawNpy.dict("<c8", "(3,)"), "has the complex dtype '<c8'" + only);
        header(RawNpy.dict("|O", "(3,)"), "has the Python-object dtype '|O'" + only);
        header(RawNpy.dict("<U5", "(3,)"), "has the text dtype '<U5'" + only);
        header(RawNpy.dict("<M8[ns]", "(3,)"), "has the date or time dtype '<M8[ns]'" + only);
        header(RawNpy.dict("|V3", "(3,)"), "has the void dtype '|V3'" + only);
        header(RawNpy.dict("<f16", "(3,)"), "has the floating-point dtype '<f16'" + only);
        header(RawNpy.dict("", "(3,)"), "has the dtype ''" + only);
        header(RawNpy.dict("<f4", "(3,)").replace("'<f4'", "[('a', '<f4')]"), "has the structured dtype"
                + " [('a', '<f4')], and only plain ones are read: save one field of it, with one of " + SUPPORTED);
        header(RawNpy.dict("<f4", "(3,)").replace("'<f4'", "None"), "has the dtype None, which is not a code in quotes"
                + only);
    }

    private void header(String header, String complaint) throws IOException {
        refused(RawNpy.file(header, 0), " " + complaint);
    }

    private void refused(byte[] contents, String complaint) throws IOException {
        Path file = write(contents);
        assertEquals(file + complaint, refusal(file));
    }

    private static String refusal(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            return assertThrows(BadRequestException.class, () -> NpyReader.open(file, arena)).getMessage();
        }
    }

    private Path write(byte[] contents) throws IOException {
        return Files.write(folder.resolve("x.npy"), contents);
    }

    private static byte[] cut(byte[] contents, int length) {
        return java.util.Arrays.copyOf(contents, length);
    }
}
