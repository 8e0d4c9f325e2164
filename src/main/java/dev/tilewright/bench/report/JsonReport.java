package dev.tilewright.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.bench.result.Report;
import dev.tilewright.builder.Schedule;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A report as a JSON document, and back. The records' components are its fields, in their order, so that the same
 * report is the same text; units are their symbols, schedules their texts. {@code complete} is false where the run was
 * interrupted: the document is whole then too, and has the rows that were measured.
 */
public final class JsonReport {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // What a later version adds without giving its form a new number is nothing that has to be known.
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addModule(new SimpleModule().addSerializer(Schedule.class, ToStringSerializer.instance)
                    .addDeserializer(Schedule.class, new ScheduleText()))
            // A row says whether it is correct by its verdict.
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
            .build();

    private JsonReport() { }

    private static final class ScheduleText extends FromStringDeserializer<Schedule> {
        ScheduleText() {
            super(Schedule.class);
        }

        @Override
        protected Schedule _deserialize(String text, DeserializationContext context) {
            return Schedule.parse(text);
        }
    }

    /** The document, with line breaks for people. */
    public static String text(Report report) {
        Objects.requireNonNull(report, "report");
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(report) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("this report has no JSON form", e);
        }
    }

    /**
     * Reads the file that an earlier run has written.
     *
     * @throws BadRequestException if it cannot be read, is no report, or is of a form that this version does not know
     */
    public static Report read(Path file) {
        Objects.requireNonNull(file, "file");
        try {
            return parse(Files.readString(file), file.toString());
        } catch (IOException e) {
            throw FileProblem.of("read", file, e);
        }
    }

    /**
     * Reads a document.
     *
     * @param name of where it comes from, for messages
     * @throws BadRequestException if it is no report, or of a form that this version does not know
     */
    public static Report parse(String text, String name) {
        NotNull.all("text, name", text, name);
        try {
            JsonNode tree = MAPPER.readTree(text);
            JsonNode format = tree.get("format");
            if (format == null || !format.isIntegralNumber()) {
                throw none(name, "it has no number 'format'", null);
            }
            if (!format.canConvertToInt() || format.intValue() != Report.FORMAT) {
                throw new BadRequestException(name + " is a report of form " + format.asText()
                        + ", and this version reads form "
                        + Report.FORMAT + ": use the version that wrote it, or measure anew");
            }
            return MAPPER.treeToValue(tree, Report.class);
        } catch (JsonProcessingException e) {
            throw none(name, ReportFault.of(e), e);
        }
    }

    private static BadRequestException none(String name, String why, Exception cause) {
        return new BadRequestException(name + " is not a report of 'bench --json': " + why, cause);
    }
}
