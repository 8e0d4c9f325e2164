package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A model in a folder, as Hugging Face's are, and configurations that cannot be. */
class SourceTest {
    private static final String CONFIG = "{'hidden_size':64,'num_hidden_layers':1,'num_attention_heads':4,"
            + "'num_key_value_heads':2,'intermediate_size':96,'vocab_size':80,'max_position_embeddings':128,"
            + "'rms_norm_eps':1e-5,'rope_theta':10000.0,'tie_word_embeddings':false}";
    @TempDir
    private Path folder;

    /** Writes down what a model asks of its weights. */
    private record Listening(Weights weights, Map<String, long[]> asked) implements Weights {
        @Override
        public MemorySegment bf16(String name, long... shape) {
            asked.put(name, shape);
            return weights.bf16(name, shape);
        }
    }

    private static float[] logits(Source source) {
        try (Device device = new CpuDevice(Target.SM_90A); Model model = new Model(device, source.config(),
                source.weights(), new Model.Limits(8, 8, 1), 2); Cache.Sequence sequence = model.cache().open()) {
            return model.run(List.of(new Model.Feed(sequence, new int[] {3, 1, 79}, Model.Wanted.ALL))).getFirst();
        }
    }

    private static String quoted(String json) {
        return json.replace('\'', '"');
    }

    @Test
    void aModelOfAFolderIsThatOfItsWeights() throws IOException {
        Files.writeString(folder.resolve("config.json"), quoted(CONFIG));
        Config config = new Config(80, 64, 1, 4, 2, 16, 96, 128, 1e-5, 10_000, Optional.empty(), false);
        Listening seeded = new Listening(new SeededWeights(9), new LinkedHashMap<>());
        float[] expected = logits(new Source(config, seeded, ""));
        write(seeded);
        try (Arena arena = Arena.ofShared()) {
            Source source = Source.of(folder.toString(), 1, arena);
            assertEquals(config, source.config());
            assertArrayEquals(expected, logits(source));
        }
        assertEquals(12, seeded.asked().size(), "tensors of a layer and of both ends");
    }

    private void write(Listening weights) throws IOException {
        StringBuilder header = new StringBuilder("{");
        long end = 0;
        for (Map.Entry<String, long[]> tensor : weights.asked().entrySet()) {
            long begin = end;
            end += 2 * Weights.count(tensor.getValue());
            header.append(header.length() > 1 ? "," : "").append(quoted("'" + tensor.getKey()
                    + "':{'dtype':'BF16','shape':" + java.util.Arrays.toString(tensor.getValue())
                    + ",'data_offsets':[" + begin + "," + end + "]}"));
        }
        byte[] text = header.append("}").toString().getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = Files.newOutputStream(folder.resolve("model.safetensors"))) {
            out.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(text.length).array());
            out.write(text);
            for (Map.Entry<String, long[]> tensor : weights.asked().entrySet()) {
                out.write(weights.weights().bf16(tensor.getKey(), tensor.getValue()).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "'hidden_size':64|'hidden_size':63|head_dim, hidden_size and intermediate_size must be multiples of 16, got "
                + "15, 63 and 96",
        "'num_key_value_heads':2|'num_key_value_heads':3|4 heads do not share 3 key heads evenly",
        "'vocab_size':80,||vocab_size must be a whole number, got nothing",
        "'vocab_size':80|'vocab_size':'80'|vocab_size must be a whole number, got \"80\"",
        "'vocab_size':80|'vocab_size':0|vocab_size must be at least 1, got 0",
        "'rope_theta':10000.0|'rope_theta':10000.0,'rope_scaling':{'rope_type':'yarn'}|rope_scaling is of type 'yarn', "
                + "and only llama3 is there",
        "'num_attention_heads':4|'num_attention_heads':2147483647,'head_dim':32|2147483647 heads do not share 2 key "
                + "heads evenly",
        "'num_attention_heads':4|'num_attention_heads':2147483646,'head_dim':32|2147483646 heads and twice 2 key heads "
                + "of 32 make rows of more than 2147483647 elements",
        "'rope_theta':10000.0|'rope_scaling':{'rope_type':'llama3','factor':0,'low_freq_factor':1,'high_freq_factor':4,"
                + "'original_max_position_embeddings':64}|rope_scaling's factor must be above 0, got 0.0",
        "'rope_theta':10000.0|'rope_scaling':{'rope_type':'llama3','factor':8,'low_freq_factor':1,'high_freq_factor':1,"
                + "'original_max_position_embeddings':64}|low_freq_factor must be less than high_freq_factor, got 1.0 "
                + "and 1.0",
        "'rope_theta':10000.0|'rope_scaling':{'rope_type':'llama3','factor':8,'low_freq_factor':1,'high_freq_factor':4,"
                + "'original_max_position_embeddings':0}|original_max_position_embeddings must be at least 1, got 0",
        "'vocab_size':80|'vocab_size':80,'attention_bias':true|attention_bias is true, and there are no biases here",
        "'vocab_size':80|'vocab_size':80,'hidden_act':'gelu'|hidden_act is \"gelu\", and only silu is there"})
    void aConfigurationThatCannotBeIsRefused(String text, String instead, String why) throws IOException {
        Files.writeString(folder.resolve("config.json"), quoted(CONFIG.replace(text, instead == null ? "" : instead)));
        try (Arena arena = Arena.ofShared()) {
            assertEquals(folder + ": " + why, assertThrows(IllegalArgumentException.class,
                    () -> Source.of(folder.toString(), 1, arena)).getMessage());
        }
    }

    /** A file that lacks a tensor is refused before there is memory for it. */
    @Test
    void weightsAreLookedAtFirst() {
        Config config = new Config(Integer.MAX_VALUE, 64, 1, 4, 2, 16, 96, 128, 1e-5, 10_000, Optional.empty(), true);
        Weights weights = (name, shape) -> {
            if (shape[0] == config.vocabulary()) {
                throw new IllegalArgumentException("there is no tensor " + name);
            }
            return new SeededWeights(1).bf16(name, shape);
        };
        try (Device device = new CpuDevice(Target.SM_90A)) {
            assertEquals("there is no tensor model.embed_tokens.weight", assertThrows(IllegalArgumentException.class,
                    () -> new Model(device, config, weights, new Model.Limits(8, 8, 1), 2)).getMessage());
        }
    }

    private static void assertRefused(String message, Path folder) {
        try (Arena arena = Arena.ofShared()) {
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                    () -> Source.of(folder.toString(), 1, arena)).getMessage());
        }
    }

    @Test
    void aFolderWithoutWeightsIsRefused() throws IOException {
        Files.writeString(folder.resolve("config.json"), quoted(CONFIG));
        try (Arena arena = Arena.ofShared()) {
            assertEquals(folder + ": there is no safetensors file in " + folder, assertThrows(
                    IllegalArgumentException.class, () -> Source.of(folder.toString(), 1, arena)).getMessage());
        }
        Files.createDirectory(folder.resolve("a.safetensors"));
        assertRefused(folder + ": there is no safetensors file in " + folder, folder);
        Files.writeString(folder.resolve("config.json"), quoted(CONFIG) + "}");
        assertRefused(folder.resolve("config.json") + " is no JSON: Unexpected close marker '}': no open Object to "
                + "close", folder);
        Path none = folder.resolve("a.safetensors"), file = folder.resolve("config.json");
        assertRefused(none + " is not a folder with a config.json", none);
        assertRefused(file + " is not a folder with a config.json", file);
        assertEquals("there is no preset 7b: tiny or 1b", assertThrows(IllegalArgumentException.class,
                () -> Config.preset("7b")).getMessage());
    }
}
