package llama;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tensors of a safetensors file, which is mapped into memory: 8 bytes with the length of a header, the header in
 * JSON, and the elements, which follow each other without gaps.
 *
 * @param tensors by their names
 */
record SafeTensors(Map<String, Tensor> tensors) {
    private static final int LENGTH_BYTES = 8;
    /** No header of a model is longer. */
    private static final long MOST_HEADER = 100_000_000;
    private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final JsonMapper JSON = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    /** Types of elements that are read. */
    enum Type {
        F32(4), F16(2), BF16(2);

        private final int bytes;

        Type(int bytes) {
            this.bytes = bytes;
        }
    }

    /** @param shape outermost first @param elements little-endian, row by row */
    record Tensor(Type type, List<Long> shape, MemorySegment elements) { }

    private record Placed(String name, Type type, List<Long> shape, long begin, long end) { }

    /**
     * Maps a file.
     *
     * @param arena that the memory lives as long as
     * @throws IllegalArgumentException if it is no such file, or its header and its elements do not go together
     */
    static SafeTensors map(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return of(file.toString(), channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
        }
    }

    private static SafeTensors of(String file, MemorySegment bytes) {
        if (bytes.byteSize() < LENGTH_BYTES) {
            throw refused(file, "has " + bytes.byteSize() + " bytes, and the length of the header alone takes 8");
        }
        long header = bytes.get(LENGTH, 0);
        long most = Math.min(MOST_HEADER, bytes.byteSize() - LENGTH_BYTES);
        if (header < 2 || header > most) {
            throw refused(file, "says that its header has " + Long.toUnsignedString(header)
                    + " bytes, and there is room for 2 to " + most);
        }
        JsonNode json;
        try {
            json = JSON.readTree(bytes.asSlice(LENGTH_BYTES, header).toArray(ValueLayout.JAVA_BYTE));
        } catch (JsonProcessingException e) {
            throw refused(file, "has a header that is no JSON: " + e.getOriginalMessage().replaceAll("\\s+", " "));
        } catch (IOException e) {
            throw refused(file, "has a header that is no text: " + e.getMessage());
        }
        if (!json.isObject()) {
            throw refused(file, "has a header that is no JSON object");
        }
        MemorySegment elements = bytes.asSlice(LENGTH_BYTES + header);
        List<Placed> placed = new ArrayList<>();
        json.properties().forEach(entry -> {
            if (!entry.getKey().equals("__metadata__")) {
                placed.add(placed(file, entry.getKey(), entry.getValue()));
            }
        });
        placed.sort(Comparator.comparingLong(Placed::begin).thenComparingLong(Placed::end));
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        long end = 0;
        for (Placed tensor : placed) {
            if (tensor.end() > elements.byteSize()) {
                throw refused(file, "has tensor " + tensor.name() + " at bytes " + tensor.begin() + " to "
                        + tensor.end() + ", and " + elements.byteSize() + " bytes follow its header");
            }
            if (tensor.begin() != end) {
                throw refused(file, "has tensor " + tensor.name() + " from byte " + tensor.begin()
                        + " on, and what is before it ends at " + end);
            }
            end = tensor.end();
            tensors.put(tensor.name(), new Tensor(tensor.type(), tensor.shape(),
                    elements.asSlice(tensor.begin(), tensor.end() - tensor.begin())));
        }
        if (end != elements.byteSize()) {
            throw refused(file, "has " + elements.byteSize() + " bytes behind its header, and its tensors end at "
                    + end);
        }
        return new SafeTensors(Map.copyOf(tensors));
    }

    private static Placed placed(String file, String name, JsonNode json) {
        String dtype = json.path("dtype").asText();
        Type type = switch (dtype) {
            case "F32" -> Type.F32;
            case "F16" -> Type.F16;
            case "BF16" -> Type.BF16;
            default -> throw refused(file, "has tensor " + name + " of type '" + dtype
                    + "', and F32, F16 and BF16 are read");
        };
        List<Long> shape = numbers(file, name, json.path("shape"), "shape");
        List<Long> offsets = numbers(file, name, json.path("data_offsets"), "data_offsets");
        if (offsets.size() != 2 || offsets.get(0) > offsets.get(1)) {
            throw refused(file, "has tensor " + name + " with data_offsets " + offsets
                    + ", which are no begin and end");
        }
        long bytes = offsets.get(1) - offsets.get(0);
        long needed;
        try {
            needed = shape.stream().reduce((long) type.bytes, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw refused(file, "has tensor " + name + " of shape " + shape + ", which no file can hold");
        }
        if (needed != bytes) {
            throw refused(file, "has tensor " + name + " of " + type + " " + shape + ", which takes " + needed
                    + " bytes, at " + bytes + " bytes");
        }
        return new Placed(name, type, shape, offsets.get(0), offsets.get(1));
    }

    private static List<Long> numbers(String file, String name, JsonNode json, String what) {
        List<Long> numbers = new ArrayList<>();
        for (JsonNode number : json) {
            if (!number.isIntegralNumber() || !number.canConvertToLong() || number.longValue() < 0) {
                throw refused(file, "has tensor " + name + " with " + what + " " + json
                        + ", which are not all whole numbers from 0 on");
            }
            numbers.add(number.longValue());
        }
        if (!json.isArray()) {
            throw refused(file, "has tensor " + name + " without " + what);
        }
        return List.copyOf(numbers);
    }

    private static IllegalArgumentException refused(String file, String why) {
        return new IllegalArgumentException(file + " " + why);
    }
}
