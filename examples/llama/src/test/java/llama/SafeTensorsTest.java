package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.FloatBits;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files as they should be, and each way in which one may be wrong. */
class SafeTensorsTest {
    @TempDir
    private Path folder;

    private Path file(String header, byte... elements) throws IOException {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        return Files.write(folder.resolve("model.safetensors"), ByteBuffer.allocate(8 + text.length + elements.length)
                .order(ByteOrder.LITTLE_ENDIAN).putLong(text.length).put(text).put(elements).array());
    }

    @Test
    void everyTypeComesOutInBf16() throws IOException {
        ByteBuffer elements = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putFloat(1.5f).putFloat(-0.1f)
                .putShort((short) FloatBits.toF16(0.1f)).putShort((short) FloatBits.toF16(-2f))
                .putShort((short) FloatBits.toBf16(3f)).putShort((short) FloatBits.toBf16(4f));
        file("{\"__metadata__\":{\"format\":\"pt\"},\"c\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[12,16]},"
                + "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
                + "\"b\":{\"dtype\":\"F16\",\"shape\":[2,1],\"data_offsets\":[8,12]}}", elements.array());
        try (Arena arena = Arena.ofConfined()) {
            FileWeights weights = new FileWeights(folder, arena);
            assertArrayEquals(bits(1.5f, -0.1f), read(weights.bf16("a", 1, 2)));
            assertArrayEquals(bits(FloatBits.f16(FloatBits.toF16(0.1f)), -2), read(weights.bf16("b", 2, 1)));
            assertArrayEquals(bits(3, 4), read(weights.bf16("c", 2)));
            assertEquals("there is no tensor d in " + folder, assertThrows(IllegalArgumentException.class,
                    () -> weights.bf16("d", 2)).getMessage());
            assertEquals("tensor c has shape [2], and the configuration asks for [1, 2]",
                    assertThrows(IllegalArgumentException.class, () -> weights.bf16("c", 1, 2)).getMessage());
        }
    }

    private static short[] bits(float... numbers) {
        short[] bits = new short[numbers.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = (short) FloatBits.toBf16(numbers[i]);
        }
        return bits;
    }

    private static short[] read(MemorySegment elements) {
        return elements.toArray(ValueLayout.JAVA_SHORT_UNALIGNED);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[0,4]}}|2|has tensor a at bytes 0 to 4, and 2 bytes follow",
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[0,4]}}|6|has 6 bytes behind its header, and its tensors end",
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[2,6]}}|6|has tensor a from byte 2 on, and what is before it",
        "{'a':{'dtype':'BF16','shape':[3],'data_offsets':[0,4]}}|4|has tensor a of BF16 [3], which takes 6 bytes",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,4]}}|4|has tensor a of F32 [2], which takes 8 bytes, at 4",
        "{'a':{'dtype':'I8','shape':[4],'data_offsets':[0,4]}}|4|has tensor a of type 'I8', and F32, F16 and BF16 are",
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[4,0]}}|4|has tensor a with data_offsets [4, 0], which are no",
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[0]}}|4|has tensor a with data_offsets [0], which are no",
        "{'a':{'dtype':'BF16','shape':[-2],'data_offsets':[0,4]}}|4|has tensor a with shape [-2], which are not all",
        "{'a':{'dtype':'BF16','shape':[1.5],'data_offsets':[0,4]}}|4|has tensor a with shape [1.5], which are not all",
        "{'a':{'dtype':'BF16','data_offsets':[0,4]}}|4|has tensor a without shape",
        "{'a':{'dtype':'BF16','shape':[4294967296,4294967296],'data_offsets':[0,0]}}|0|has tensor a of shape",
        "{'a':{'dtype':'BF16','shape':[2],'data_offsets':[0,4]},'b':{'dtype':'BF16','shape':[2],"
                + "'data_offsets':[2,6]}}|6|has tensor b from byte 2 on, and what is before it ends at 4",
        "{'a':{'dtype':'BF16','shape':[1],'data_offsets':[0,2]},'a':{'dtype':'BF16','shape':[1],"
                + "'data_offsets':[2,4]}}|4|has a header that is no JSON: Duplicate field 'a'",
        "{'a':{'dtype':'BF16'|0|has a header that is no JSON",
        "{} {}|0|has a header that is no JSON",
        "[1]|0|has a header that is no JSON object"})
    void whatDoesNotGoTogetherIsRefused(String header, int bytes, String why) throws IOException {
        assertRefused(file(header.replace('\'', '"'), new byte[bytes]), why);
    }

    private static void assertRefused(Path file, String why) {
        try (Arena arena = Arena.ofConfined()) {
            String message = assertThrows(IllegalArgumentException.class, () -> SafeTensors.map(file, arena))
                    .getMessage();
            assertTrue(message.startsWith(file + " " + why), message);
            assertEquals(-1, message.indexOf('\n'), message);
        }
    }

    /** A file cut anywhere is refused, and so is one with a length of its header that is drawn. */
    @Test
    void aFileThatIsCutShortIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(file("{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}",
                new byte[4]));
        Path cut = folder.resolve("cut.safetensors");
        for (int length = 0; length < whole.length; length++) {
            Files.write(cut, java.util.Arrays.copyOf(whole, length));
            assertRefused(cut, "");
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            byte[] other = whole.clone();
            ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN).putLong(random.nextLong());
            Files.write(cut, other);
            assertRefused(cut, "says that its header has");
        }
    }
}
