package dev.tilewright.bench.rival;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.bench.result.Spread;
import java.util.Optional;

/**
 * The lines that rivals answer: figures ({@code name}), other facts, and at last {@code done} or {@code error}. See
 * {@code native-tests/rivals/README.md}.
 */
final class Answers {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Answers() { }

    /** A line as an object. @throws RivalException if it is none */
    static JsonNode line(String line, String question) {
        try {
            JsonNode node = JSON.readTree(line);
            if (node.isObject()) {
                return node;
            }
        } catch (JsonProcessingException e) {
            // Said below, with the line itself.
        }
        throw new RivalException(RivalException.Kind.FAILED, "'" + question + "' was answered by a line that is no JSON"
                + " object: " + line.substring(0, Math.min(line.length(), 200)));
    }

    /** Whether no more lines follow. @throws RivalException if it is an error */
    static boolean isLast(JsonNode line, String question) {
        if (line.has("error")) {
            RivalException.Kind kind = switch (line.path("kind").asText()) {
                case "refused" -> RivalException.Kind.REFUSED;
                case "wrong" -> RivalException.Kind.WRONG;
                default -> RivalException.Kind.FAILED;
            };
            throw new RivalException(kind, "'" + question + "' gives: " + line.get("error").asText());
        }
        return line.has("done");
    }

    /** The figure of a line; empty where it is another fact. @throws RivalException if the figure makes no sense */
    static Optional<RivalFigure> figure(JsonNode line, String question) {
        if (!line.has("name")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new RivalFigure(line.get("name").asText(), line.path("unit").asText(), spread(line),
                    line.path("amount").asDouble(), line.path("verified").asBoolean()));
        } catch (RuntimeException e) {
            throw new RivalException(RivalException.Kind.FAILED, "'" + question + "' was answered by a figure that"
                    + " makes no sense (" + e.getMessage() + "): " + line);
        }
    }

    /** Of its times, where it tells them, since then every side's quartiles are found the same way. */
    private static Spread spread(JsonNode line) {
        JsonNode times = line.path("milliseconds");
        double amount = line.path("amount").asDouble();
        if (times.isArray() && !times.isEmpty() && amount > 0) {
            double[] micros = new double[times.size()];
            for (int i = 0; i < micros.length; i++) {
                micros[i] = times.get(i).asDouble() * 1e3;
                if (!(micros[i] > 0)) {
                    throw new IllegalArgumentException("a time of " + times.get(i) + " ms");
                }
            }
            Spread spread = Spread.of(micros);
            return switch (line.path("unit").asText()) {
                case "GB/s" -> spread.gigabytesPerSecond(Math.round(amount));
                case "TFLOP/s" -> spread.teraflops(amount);
                default -> throw new IllegalArgumentException("times of what is no rate");
            };
        }
        return new Spread(line.get("median").asDouble(), line.get("least").asDouble(),
                line.path("lower").asDouble(line.get("least").asDouble()),
                line.path("upper").asDouble(line.get("most").asDouble()), line.get("most").asDouble(),
                line.get("samples").asInt());
    }
}
