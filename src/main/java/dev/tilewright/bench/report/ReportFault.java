package dev.tilewright.bench.report;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/** What keeps a document from being a report, in a sentence without the names of Java's classes. */
final class ReportFault {
    /** The longest value that a sentence repeats. */
    private static final int SHOWN = 60;
    private static final Pattern MISSING = Pattern.compile("^Missing creator property '(\\w+)'");
    private static final Pattern FIELD = Pattern.compile("[a-z]\\w*");

    private ReportFault() { }

    static String of(JsonProcessingException fault) {
        return switch (fault) {
            case JsonEOFException e -> "it ends too early" + at(e);
            case StreamConstraintsException e -> "it is nested too deeply, or a name, string or number in it is too "
                    + "long";
            case JsonParseException e -> "it is not as JSON is written" + at(e);
            case InvalidFormatException e -> place(e) + " cannot be '"
                    + StringUtils.abbreviate(String.valueOf(e.getValue()), SHOWN) + "'";
            case JsonMappingException e -> mapping(e);
            default -> "it is not of the form that reports have";
        };
    }

    private static String mapping(JsonMappingException fault) {
        String said = String.valueOf(fault.getOriginalMessage());
        Matcher missing = MISSING.matcher(said);
        if (missing.find()) {
            // What is missing is the last of the path.
            return place(fault.getPath().subList(0, fault.getPath().size() - 1)) + " has no '" + missing.group(1) + "'";
        }
        if (said.startsWith("Trailing token")) {
            return "something follows it" + at(fault);
        }
        return switch (fault.getCause()) {
            case NullPointerException e when e.getMessage() != null && FIELD.matcher(e.getMessage()).matches() ->
                    place(fault) + " has no '" + e.getMessage() + "'";
            case NullPointerException e -> "nothing is in the place of a part of " + place(fault);
            case IllegalArgumentException e when e.getMessage() != null -> place(fault) + ": " + e.getMessage();
            case null, default -> place(fault) + " is not of the type that it has in reports";
        };
    }

    private static String at(JsonProcessingException fault) {
        return fault.getLocation() == null || fault.getLocation().getLineNr() < 1 ? ""
                : ", line " + fault.getLocation().getLineNr();
    }

    /** Such as {@code rows[3].figure}. */
    private static String place(JsonMappingException fault) {
        return place(fault.getPath());
    }

    private static String place(List<JsonMappingException.Reference> path) {
        StringBuilder place = new StringBuilder();
        for (JsonMappingException.Reference one : path) {
            if (one.getFieldName() == null) {
                place.append('[').append(one.getIndex()).append(']');
            } else {
                place.append(place.isEmpty() ? "" : ".").append(one.getFieldName());
            }
        }
        return place.isEmpty() ? "it" : place.toString();
    }
}
