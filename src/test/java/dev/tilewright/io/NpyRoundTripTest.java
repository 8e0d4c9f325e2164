package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever is written is read back, and stands in the file as NumPy would have written it. */
class NpyRoundTripTest {

    private static Path folder;

    @BeforeContainer
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("npy");
    }

    @AfterContainer
    static void removeFolder() throws IOException {
        Files.deleteIfExists(folder.resolve("x.npy"));
        Files.delete(folder);
    }

    @Provide
    Arbitrary<List<Long>> shapes() {
        return Arbitraries.longs().between(0, 5).list().ofMaxSize(5);
    }

    @Property(tries = 300)
    @OrdinaryTries(100)
    void anArrayComesBackAsItWas(@ForAll ElementType type, @ForAll("shapes") List<Long> shape, @ForAll long seed) {
        byte[] bytes = new byte[(int) Npy.sizeInBytes(type, shape)];
        new Random(seed).nextBytes(bytes);
        Path file = folder.resolve("x.npy");
        int half = bytes.length / 2;
        NpyWriter.write(file, type, shape, MemorySegment.ofArray(bytes).asSlice(0, half),
                MemorySegment.ofArray(bytes).asSlice(half));
        try (Arena arena = Arena.ofConfined()) {
            Npy array = NpyReader.open(file, arena);
            assertEquals(type, array.type());
            assertEquals(shape, array.shape());
            assertEquals(0, array.data().address() % 64 * array.elements());
            assertArrayEquals(bytes, array.data().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Property(tries = 200)
    @OrdinaryTries(70)
    void theFileIsTheOneThatNumpyWrites(@ForAll ElementType type, @ForAll("shapes") List<Long> shape)
            throws IOException {
        Path file = folder.resolve("x.npy");
        int size = (int) Npy.sizeInBytes(type, shape);
        NpyWriter.write(file, type, shape, MemorySegment.ofArray(new byte[size]));
        assertArrayEquals(RawNpy.file(RawNpy.dict(numpyCode(type), Npy.shapeText(shape)), size),
                Files.readAllBytes(file));
    }

    /** As {@code numpy.dtype(...).str} prints them; bfloat16 is that of the ml_dtypes package. */
    private static String numpyCode(ElementType type) {
        return switch (type) {
            case U8 -> "|u1";
            case I8 -> "|i1";
            case U16 -> "<u2";
            case I16 -> "<i2";
            case U32 -> "<u4";
            case I32 -> "<i4";
            case U64 -> "<u8";
            case I64 -> "<i8";
            case F16 -> "<f2";
            case BF16 -> "<V2";
            case F32 -> "<f4";
            case F64 -> "<f8";
        };
    }

    @ParameterizedTest
    @CsvSource({"0, 128", "5, 128", "14, 128", "15, 192", "35, 192", "36, 256"})
    void theHeaderIsAsLongAsNumpyMakesIt(int rank, int length) {
        assertEquals(length, NpyHeader.encode(ElementType.F32, Collections.nCopies(rank, 1L)).length);
    }

    @Test
    void theLongestHeaderThereCanBeStillFitsFormatOne() {
        Long[] shape = new Long[Npy.MAX_RANK];
        Arrays.fill(shape, 1L);
        shape[0] = Long.MAX_VALUE / 8;
        byte[] header = NpyHeader.encode(ElementType.F64, List.of(shape));
        assertEquals(0, header.length % 64);
        assertEquals(1, header[6]);
    }

    @Test
    void anArrayWhoseBytesDoNotFitItsShapeIsRefused() {
        var e = assertThrows(IllegalArgumentException.class,
                () -> new Npy(ElementType.F32, List.of(2L, 3L), MemorySegment.ofArray(new byte[20])));
        assertEquals("an array of shape (2, 3) of f32 has 24 bytes, got 20", e.getMessage());
    }
}
