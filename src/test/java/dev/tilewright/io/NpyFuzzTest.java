package dev.tilewright.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** However a file is damaged, it is either an array that lies wholly inside the file, or refused in one sentence. */
class NpyFuzzTest {

    private static final List<String> TOKENS = List.of("{", "}", "(", ")", "[", "]", ",", ":", "'", "\"", "\\", "-",
            "True", "False", "None", "0", "1", "L", "9223372036854775807", "99999999999999999999", "'descr'",
            "'fortran_order'", "'shape'", "'<f4'", "'>i8'", "'|V2'", "'<U9'", " ", "\n", "\0", "\u00ff");

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
    Arbitrary<byte[]> files() {
        return Combinators.combine(
                        Arbitraries.integers().between(1, 3),
                        Arbitraries.of("<f4", "|u1", "<f8", "<V2"),
                        Arbitraries.of("()", "(3,)", "(2, 3)", "(0, 4)"),
                        Arbitraries.integers().between(0, 48))
                .as((major, type, shape, size) -> RawNpy.file(major, RawNpy.dict(type, shape), new byte[size]));
    }

    /** Changes of single bytes, mostly at the front, where everything is that the reader trusts. */
    @Provide
    Arbitrary<UnaryOperator<byte[]>> byteDamage() {
        Arbitrary<Integer> places = Arbitraries.integers().between(0, 200);
        return Arbitraries.oneOf(
                Combinators.combine(places, Arbitraries.bytes()).as((at, value) -> file -> {
                    byte[] damaged = file.clone();
                    damaged[at % file.length] = value;
                    return damaged;
                }),
                places.map(at -> file -> Arrays.copyOf(file, at % (file.length + 1))),
                places.map(at -> file -> splice(file, at, 1, new byte[0])),
                Combinators.combine(places, Arbitraries.bytes()).as((at, value) -> file ->
                        splice(file, at, 0, new byte[] {value})));
    }

    /** Changes of the header's words. */
    @Provide
    Arbitrary<UnaryOperator<byte[]>> wordDamage() {
        return Combinators.combine(Arbitraries.integers().between(10, 90), Arbitraries.integers().between(0, 12),
                        Arbitraries.of(TOKENS))
                .as((at, removed, word) -> file -> {
                    byte[] text = word.getBytes(StandardCharsets.ISO_8859_1);
                    return text.length >= removed
                            ? splice(file, at, text.length, text)
                            : splice(file, at, removed, Arrays.copyOf(text, removed));
                });
    }

    @Property(tries = 750, edgeCases = EdgeCasesMode.NONE)
    void damagedBytes(@ForAll("files") byte[] file, @ForAll("byteDamage") UnaryOperator<byte[]> damage)
            throws IOException {
        readsOrRefuses(damage.apply(file));
    }

    @Property(tries = 750, edgeCases = EdgeCasesMode.NONE)
    void damagedWords(@ForAll("files") byte[] file, @ForAll("wordDamage") UnaryOperator<byte[]> first,
            @ForAll("wordDamage") UnaryOperator<byte[]> second) throws IOException {
        readsOrRefuses(second.apply(first.apply(file)));
    }

    @Property(tries = 200)
    void anyBytesBehindTheMagic(@ForAll byte[] bytes) throws IOException {
        readsOrRefuses(splice(bytes, 0, 0, new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}));
    }

    private static void readsOrRefuses(byte[] contents) throws IOException {
        Path file = Files.write(folder.resolve("x.npy"), contents);
        try (Arena arena = Arena.ofConfined()) {
            Npy array = NpyReader.open(file, arena);
            byte[] data = array.data().toArray(ValueLayout.JAVA_BYTE);
            assertEquals(Npy.sizeInBytes(array.type(), array.shape()), data.length);
            assertEquals(-1, Arrays.mismatch(data,
                    Arrays.copyOfRange(contents, contents.length - data.length, contents.length)));
        } catch (BadRequestException e) {
            assertTrue(e.getMessage().startsWith(file + " "), e.getMessage());
            assertFalse(e.getMessage().chars().anyMatch(Character::isISOControl), e.getMessage());
        }
    }

    private static byte[] splice(byte[] file, int place, int removed, byte[] inserted) {
        int at = file.length == 0 ? 0 : place % file.length;
        int end = Math.min(file.length, at + removed);
        byte[] result = Arrays.copyOf(file, file.length - (end - at) + inserted.length);
        System.arraycopy(inserted, 0, result, at, inserted.length);
        System.arraycopy(file, end, result, at + inserted.length, file.length - end);
        return result;
    }
}
