package dev.tilewright.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/** The fields of one JSON object, read strictly: each fault is one sentence that names the field. */
public final class JsonFields {
    /** The longest piece of input that a message repeats. */
    private static final int SHOWN = 60;
    /** Objects and lists within each other, at most: far more than there are in any row or description. */
    private static final int DEEPEST = 100;
    /** Long numbers are left to {@link JsonLimits}, which names their field. */
    private static final StreamReadConstraints ANY_NUMBER =
            StreamReadConstraints.builder().maxNumberLength(Integer.MAX_VALUE).maxNestingDepth(DEEPEST).build();
    private static final JsonMapper JSON = JsonMapper.builder(
            JsonFactory.builder().streamReadConstraints(ANY_NUMBER).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** Where the parser tells of its places and settings. */
    private static final Pattern PARENTHESES =
            Pattern.compile(" *\\([^()]*(\\[Source|`)[^()]*(\\([^()]*\\)[^()]*)*\\)");
    private static final Pattern JAVA_NAMES = Pattern.compile("\\[Source|`|[a-z]\\.[a-z]+\\.[A-Z]|Feature|Token\\.");

    private final ObjectNode object;

    private JsonFields(JsonNode object) {
        this((ObjectNode) object);
    }

    /** The fields of an object that has been read. */
    public JsonFields(ObjectNode object) {
        this.object = object;
    }

    /**
     * Reads one object, in which no field is there twice and behind which there is nothing.
     *
     * @param what what the object is, such as "description", for messages
     * @param entries the most that a list of it may have
     * @throws BadRequestException if the text is not one JSON object, with the column; or if a list or number is too
     *     long, with the field
     */
    public static JsonFields parse(String text, String what, int entries) {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                parser.skipChildren();
                throw new BadRequestException("a " + what + " is a JSON object, got " + oneLine(text.strip()));
            }
            JsonLimits.check(parser, entries);
            return new JsonFields(JSON.readTree(text));
        } catch (JsonEOFException e) {
            throw new BadRequestException("the JSON ends too early: write each " + what + " on one line", e);
        } catch (JsonProcessingException e) {
            throw new BadRequestException("not JSON, column "
                    + (e.getLocation() == null ? 1 : e.getLocation().getColumnNr()) + ": " + complaint(e), e);
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot be read", e);
        }
    }

    /** What the parser says, without the names of its own classes and settings. */
    private static String complaint(JsonProcessingException e) {
        if (e instanceof MismatchedInputException) {
            return "something follows the object";
        }
        if (e instanceof StreamConstraintsException) {
            return "it is nested too deeply, or a name or string in it is too long";
        }
        String text = PARENTHESES.matcher(e.getOriginalMessage()).replaceAll("");
        return JAVA_NAMES.matcher(text).find() ? "this is not as JSON is written" : oneLine(text);
    }

    /** The object, whose fields are as they were read. */
    public ObjectNode object() {
        return object;
    }

    /** @throws BadRequestException for the first field that is not among the known, with the one that may be meant */
    public void requireOnly(Set<String> known, String what) {
        for (String name : (Iterable<String>) object::fieldNames) {
            if (!known.contains(name)) {
                String meant = Nearest.question(name, known);
                throw new BadRequestException("unknown field '" + oneLine(name) + "'" + (meant.isEmpty()
                        ? ": " + what + " has " + String.join(", ", known) : meant));
            }
        }
    }

    /** Whether there is such a field, of whatever kind. */
    public boolean has(String name) {
        return object.has(name);
    }

    /** @throws BadRequestException if it is missing or no string */
    public String text(String name) {
        JsonNode value = require(name);
        if (!value.isTextual()) {
            throw wrong(name, "a string", value);
        }
        return value.textValue();
    }

    /** @throws BadRequestException if it is missing, no integer, or beyond 64 bits with the sign */
    public long integer(String name) {
        return integer(name, require(name));
    }

    /** @throws BadRequestException if it is missing, or an entry is no integer of 64 bits */
    public List<Long> integers(String name) {
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

    /** @throws BadRequestException if it is missing, no integer, or not within these ends */
    public int number(String name, int least, int most) {
        long number = integer(name);
        if (number < least || number > most) {
            throw wrong(name, "in [" + least + ", " + most + "]", number);
        }
        return (int) number;
    }

    /** A number that is 0 or 1. */
    public boolean flag(String name) {
        return number(name, 0, 1) == 1;
    }

    /** @throws BadRequestException if it is missing, or an entry is no integer of 32 bits */
    public List<Integer> numbers(String name) {
        try {
            return integers(name).stream().map(Math::toIntExact).toList();
        } catch (ArithmeticException e) {
            throw tooLarge(name, "32 bits", require(name).toString());
        }
    }

    /** The bits of an integer of 64, with a sign or without. */
    public long bits(String name) {
        return bits(name, require(name));
    }

    /** The bits of each integer of a list, of which it has at most {@code most}. */
    public List<Long> bits(String name, int most) {
        JsonNode list = require(name);
        if (!list.isArray() || list.size() > most) {
            throw wrong(name, "a list of " + (list.isArray() ? "at most " + most + " " : "") + "integers", list);
        }
        List<Long> values = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            values.add(bits(name + "[" + i + "]", list.get(i)));
        }
        return values;
    }

    private static long bits(String name, JsonNode value) {
        if (!value.isIntegralNumber()) {
            throw wrong(name, "an integer", value);
        }
        BigInteger number = value.bigIntegerValue();
        if (number.bitLength() > (number.signum() < 0 ? Long.SIZE - 1 : Long.SIZE)) {
            throw tooLarge(name, "64 bits", value.asText());
        }
        return number.longValue();
    }

    /** A constant that has this name in any case, or is written so. */
    public <E extends Enum<E>> E constant(String name, Class<E> type) {
        String text = text(name);
        return Arrays.stream(type.getEnumConstants())
                .filter(c -> c.name().equalsIgnoreCase(text) || c.toString().equals(text)).findFirst()
                .orElseThrow(() -> wrong(name, "one of " + Arrays.toString(type.getEnumConstants()), text));
    }

    /** A constant by its number. */
    public <E extends Enum<E>> E numbered(String name, Class<E> type) {
        return type.getEnumConstants()[number(name, 0, type.getEnumConstants().length - 1)];
    }

    /** The bytes of pairs of hexadecimal digits; there may be none. */
    public byte[] hex(String name) {
        String text = text(name);
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            throw wrong(name, "pairs of hexadecimal digits", require(name));
        }
    }

    /** An integer by itself or in a list of its own. */
    public long only(String name) {
        JsonNode value = require(name);
        return value.isArray() && value.size() == 1 ? integer(name + "[0]", value.get(0)) : integer(name, value);
    }

    /** An integer, of which a pointer may use all 64 bits unsigned, or its hexadecimal digits after 0x in a string. */
    public long address(String name) {
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

    private static long integer(String name, JsonNode value) {
        if (!value.isIntegralNumber()) {
            throw wrong(name, "an integer", value);
        }
        if (!value.canConvertToLong()) {
            throw tooLarge(name, "64 bits with the sign", value.asText());
        }
        return value.longValue();
    }

    /** A field's value, of whatever kind. @throws BadRequestException if it is missing */
    public JsonNode require(String name) {
        JsonNode value = object.get(name);
        if (value == null) {
            throw new BadRequestException("field '" + name + "' is missing");
        }
        return value;
    }

    /** A field that is of the wrong kind. @param wanted what it must be */
    public static BadRequestException wrong(String name, String wanted, Object value) {
        return new BadRequestException("field '" + name + "' must be " + wanted + ", got " + shown(value));
    }

    /** @param number as it is written */
    public static BadRequestException tooLarge(String name, String bits, String number) {
        return new BadRequestException("field '" + oneLine(name) + "' must fit in " + bits + ", got "
                + StringUtils.abbreviate(number, SHOWN));
    }

    private static String shown(Object value) {
        return oneLine(value.toString());
    }

    /** The text on one line, cut where it is long. */
    public static String oneLine(String text) {
        return StringUtils.abbreviate(text.replaceAll("\\R|\\p{Cntrl}", " "), SHOWN * 3);
    }
}
