package llama;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a model comes from. @param note a sentence for people */
record Source(Config config, Weights weights, String note) {

    /**
     * A preset, whose weights are made from a seed, or a folder with {@code config.json} and safetensors files.
     *
     * @param arena that the files stay mapped as long as
     */
    static Source of(String name, long seed, Arena arena) throws IOException {
        Path file = Path.of(name, "config.json");
        if (!Files.exists(file)) {
            if (Files.exists(Path.of(name)) && !Config.PRESETS.contains(name)) {
                throw new IllegalArgumentException(name + " is not a folder with a config.json");
            }
            return new Source(Config.preset(name), new SeededWeights(seed),
                    "weights are made from seed " + seed + ": what they say has no meaning");
        }
        try {
            return new Source(Config.of(JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build().readTree(file.toFile())),
                    new FileWeights(Path.of(name), arena), "weights of " + name);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + " is no JSON: " + e.getOriginalMessage(), e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }
}
