package dev.tilewright.tuning;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The fields of a line, read strictly.
 *
 * @param names what each is
 * @param values as they stand
 */
record Fields(List<String> names, List<String> values) {
    private static final Pattern RATE = Pattern.compile("\\d{1,10}\\.\\d");
    private static final Pattern COUNT = Pattern.compile("[1-9]\\d{0,8}");

    /** @throws IllegalArgumentException if there are more or fewer than names */
    Fields {
        if (values.size() != names.size()) {
            throw new IllegalArgumentException("a schedule has " + names.size() + " fields between '|' ("
                    + String.join(", ", names) + "), got " + values.size());
        }
    }

    String text(int field) {
        return values.get(field);
    }

    String word(int field) {
        return FieldText.require(names.get(field), values.get(field));
    }

    double rate(int field) {
        if (!RATE.matcher(values.get(field)).matches()) {
            throw wrong(field, "a number with one decimal such as 4103.5");
        }
        return Double.parseDouble(values.get(field));
    }

    int count(int field) {
        if (!COUNT.matcher(values.get(field)).matches()) {
            throw wrong(field, "a whole number from 1 to 999999999");
        }
        return Integer.parseInt(values.get(field));
    }

    LocalDate date(int field) {
        try {
            return LocalDate.parse(values.get(field));
        } catch (DateTimeParseException e) {
            throw wrong(field, "a date such as 2026-03-01");
        }
    }

    IllegalArgumentException wrong(int field, String rule) {
        return new IllegalArgumentException(names.get(field) + " is " + rule + ", got '"
                + FieldText.shown(values.get(field)) + "'");
    }
}
