package dev.tilewright.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tilewright.BadRequestException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The fields of one JSON object, read strictly: each fault is one sentence that names the field. */
final class JsonFields {
    /** The longest piece of input that a message repeats. */
    private static final int SHOWN = 60;
    /** Long numbers are left to {@link JsonLimits}, which names their field. */
    private static final StreamReadConstraints ANY_NUMBER =
            StreamReadConstraints.builder().maxNumberLength(Integer.MAX_VALUE).build();
    private static final JsonMapper JSON = JsonMapper.builder(
            JsonFactory.builder().streamReadConstraints(ANY_NUMBER).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final JsonNode object;

    private JsonFields(JsonNode object) {
        this.object = object;
    }

    /**
     * @throws BadRequestException if the text is not one JSON object, with the column; or if a list or number is too
     *     long, with the field
     */
    static JsonFields parse(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                throw new BadRequestException("a description is a JSON object, got " + oneLine(text.strip()));
            }
            JsonLimits.check(parser);
            return new JsonFields(JSON.readTree(text));
        } catch (JsonEOFException e) {
            throw new BadRequestException("the JSON ends too early: write each description on one line", e);
        } catch (JsonProcessingException e) {
            throw new BadRequestException("not JSON, column "
                    + (e.getLocation() == null ? 1 : e.getLocation().getColumnNr())
                    + ": " + oneLine(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot be read", e);
        }
    }

    /** @throws BadRequestException for the first field that is not among the known, with the one that may be meant */
    void requireOnly(Set<String> known, String what) {
        for (String name : (Iterable<String>) object::fieldNames) {
            if (!known.contains(name)) {
                String meant = known.stream().filter(k -> isMisspelt(name, k)).findFirst()
                        .map(k -> ": did you mean '" + k + "'?")
                        .orElse(": " + what + " has " + String.join(", ", known));
                throw new BadRequestException("unknown field '" + oneLine(name) + "'" + meant);
            }
        }
    }

    private static boolean isMisspelt(String name, String known) {
        return new LevenshteinDistance(Math.max(1, known.length() / 3)).apply(known, name) >= 0;
    }

    boolean has(String name) {
        return object.has(name);
    }

    /** @throws BadRequestException if it is missing or no string */
    String text(String name) {
        JsonNode value = require(name);
        if (!value.isTextual()) {
            throw wrong(name, "a string", value);
        }
        return value.textValue();
    }

    /** @throws BadRequestException if it is missing, no integer, or beyond 64 bits with the sign */
    long integer(String name) {
        return integer(name, require(name));
    }

    /** @throws BadRequestException if it is missing, or an entry is no integer of 64 bits */
    List<Long> integers(String name) {
        JsonNode list = require(name);
        if (!list.isArray()) {
            throw wrong(name, "a list of integers", list);
        }
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            values.add(integer(name + "[" + i + "]", list.get(i)));
        }
        return values;
    }

    /** An integer by itself or in a list of its own. */
    long only(String name) {
        JsonNode value = require(name);
        return value.isArray() && value.size() == 1 ? integer(name + "[0]", value.get(0)) : integer(name, value);
    }

    /** An integer, of which a pointer may use all 64 bits unsigned, or its hexadecimal digits after 0x in a string. */
    long address(String name) {
        JsonNode value = require(name);
        if (value.isTextual()) {
            String text = value.textValue();
            if (!text.matches("0[xX][0-9a-fA-F]{1,16}")) {
                throw wrong(name, "an integer, or 0x and up to 16 hexadecimal digits in a string", value);
            }
            return Long.parseUnsignedLong(text, 2, text.length(), 16);
        }
        if (!value.isBigInteger()) {
            return integer(name, value);
        }
        BigInteger large = value.bigIntegerValue();
        if (large.signum() < 0 || large.bitLength() > 64) {
            throw tooLarge(name, "64 bits", value.asText());
        }
        return large.longValue();
    }

    /** An enum's integer or name. */
    long constant(String name, CudaEnum type) {
        JsonNode value = require(name);
        if (value.isIntegralNumber()) {
            return integer(name, value);
        }
        OptionalLong named = value.isTextual() ? type.value(value.textValue()) : OptionalLong.empty();
        return named.orElseThrow(() -> wrong(name, type.choices(), value));
    }

    private static long integer(String name, JsonNode value) {
        if (!value.isIntegralNumber()) {
            throw wrong(name, "an integer", value);
        }
        if (!value.canConvertToLong()) {
            throw tooLarge(name, "64 bits with the sign", value.asText());
        }
        return value.longValue();
    }

    private JsonNode require(String name) {
        JsonNode value = object.get(name);
        if (value == null) {
            throw new BadRequestException("field '" + name + "' is missing");
        }
        return value;
    }

    static BadRequestException wrong(String name, String wanted, Object value) {
        return new BadRequestException("field '" + name + "' must be " + wanted + ", got " + shown(value));
    }

    /** @param number as it is written */
    static BadRequestException tooLarge(String name, String bits, String number) {
        return new BadRequestException("field '" + oneLine(name) + "' must fit in " + bits + ", got "
                + StringUtils.abbreviate(number, SHOWN));
    }

    private static String shown(Object value) {
        return oneLine(value.toString());
    }

    static String oneLine(String text) {
        return StringUtils.abbreviate(text.replaceAll("\\R|\\p{Cntrl}", " "), SHOWN * 3);
    }
}
