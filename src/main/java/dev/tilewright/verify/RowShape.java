package dev.tilewright.verify;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Which fields the rows of each kind have and what each of them is: a row is held against this before anything is made
 * of it, so that what is replayed is what was written, or the row is refused by its place and field.
 */
final class RowShape {

    /** The most entries of a list: far more than a tensor has dimensions. */
    private static final int ENTRIES = 16;

    /** What a field is. */
    private enum Type implements BiConsumer<JsonFields, String> {
        /** An integer of 64 bits, with a sign or without. */
        INTEGER {
            @Override
            public void accept(JsonFields row, String name) {
                integer(name, row.require(name));
            }
        },
        /** A list of such integers, of which no row has many. */
        INTEGERS {
            @Override
            public void accept(JsonFields row, String name) {
                JsonNode list = row.require(name);
                if (!list.isArray() || list.size() > ENTRIES) {
                    throw JsonFields.wrong(name, "a list of " + (list.isArray() ? "at most " + ENTRIES + " " : "")
                            + "integers", list);
                }
                for (int i = 0; i < list.size(); i++) {
                    integer(name + "[" + i + "]", list.get(i));
                }
            }
        },
        /** A string. */
        TEXT {
            @Override
            public void accept(JsonFields row, String name) {
                row.text(name);
            }
        },
        /** A string of pairs of hexadecimal digits; it may be empty. */
        HEX {
            @Override
            public void accept(JsonFields row, String name) {
                String text = row.text(name);
                if (text.length() % 2 != 0 || !text.chars().allMatch(Type::isDigit)) {
                    throw JsonFields.wrong(name, "pairs of hexadecimal digits", row.require(name));
                }
            }
        },
        /** A string of 1 to 16 hexadecimal digits. */
        HASH {
            @Override
            public void accept(JsonFields row, String name) {
                String text = row.text(name);
                if (text.isEmpty() || text.length() > 16 || !text.chars().allMatch(Type::isDigit)) {
                    throw JsonFields.wrong(name, "a 64-bit number in hexadecimal digits", row.require(name));
                }
            }
        };

        private static boolean isDigit(int c) {
            return c < 128 && Character.digit(c, 16) >= 0;
        }

        private static void integer(String name, JsonNode value) {
            if (!value.isIntegralNumber()) {
                throw JsonFields.wrong(name, "an integer", value);
            }
            if (!value.canConvertToLong()
                    && (value.bigIntegerValue().signum() < 0 || value.bigIntegerValue().bitLength() > Long.SIZE)) {
                throw JsonFields.tooLarge(name, "64 bits", value.asText());
            }
        }
    }

    private final Map<String, Type> fields = new LinkedHashMap<>(Map.of("kind", Type.TEXT));
    private final Set<String> optional = new HashSet<>();

    private RowShape with(Type type, String... names) {
        for (String name : names) {
            fields.put(name, type);
        }
        return this;
    }

    private RowShape withOptional(Type type, String... names) {
        optional.addAll(List.of(names));
        return with(type, names);
    }

    private static RowShape reduce() {
        return new RowShape().with(Type.TEXT, "form", "op", "type").with(Type.HEX, "old", "value", "result");
    }

    private static RowShape product() {
        return new RowShape().with(Type.TEXT, "shape", "types").with(Type.HEX, "a", "b", "c", "d")
                .withOptional(Type.INTEGER, "satfinite", "scaleA", "scaleB");
    }

    private static RowShape matrixOperand() {
        return new RowShape().with(Type.TEXT, "operand").with(Type.INTEGER, "rows", "columns", "transpose", "swizzle")
                .with(Type.INTEGER, "lbo", "sbo", "start", "baseOffset").with(Type.HEX, "cells");
    }

    /** A call that encodes a tensor map, or a copy through one. */
    private static RowShape ofTensorMap(JsonFields row, String kind) {
        RowShape shape = new RowShape().with(Type.TEXT, "mode").with(Type.INTEGER, "dtype", "address")
                .withOptional(Type.INTEGER, "rank").with(Type.INTEGERS, "dim", "stride", "elementStride")
                .with(Type.INTEGER, "interleave", "swizzle", "l2", "oob");
        switch (row.text("mode")) {
            case "tile" -> shape.with(Type.INTEGERS, "box");
            case "im2col" -> shape.with(Type.INTEGERS, "lower", "upper").with(Type.INTEGER, "channels", "pixels");
            default -> throw new BadRequestException("field 'mode' must be tile or im2col, got '"
                    + JsonFields.oneLine(row.text("mode")) + "'");
        }
        return switch (kind) {
            case "encode" -> shape.with(Type.INTEGER, "result").withOptional(Type.HEX, "map");
            case "load" -> shape.with(Type.INTEGERS, "coord").with(Type.INTEGER, "seed", "smem").with(Type.HASH, "fnv")
                    .withOptional(Type.INTEGERS, "offset").withOptional(Type.INTEGER, "tx", "complete", "written")
                    .withOptional(Type.HEX, "bytes");
            case "start" -> shape.with(Type.INTEGERS, "coord").with(Type.TEXT, "way", "fault");
            default -> shape.with(Type.INTEGERS, "coord").with(Type.TEXT, "op")
                    .with(Type.INTEGER, "seed", "smemSeed", "changed").with(Type.HASH, "fnv")
                    .withOptional(Type.INTEGERS, "offset");
        };
    }

    private void check(JsonFields row, String what) {
        row.requireOnly(fields.keySet(), what);
        fields.forEach((name, type) -> {
            if (row.has(name) || !optional.contains(name)) {
                type.accept(row, name);
            }
        });
        if (row.has("rank") && row.integer("rank") != row.require("dim").size()) {
            throw JsonFields.wrong("rank", "the number of dimensions in 'dim', which is " + row.require("dim").size(),
                    row.require("rank"));
        }
    }

    /**
     * Holds a row against the shape of its kind; rows of other kinds are not looked at.
     *
     * @throws BadRequestException in one sentence with the row's place and the field
     */
    static void check(RecordingsRow row) {
        JsonFields fields = new JsonFields(row.fields());
        if (MechanismReplay.isFor(row)) {
            return;
        }
        try {
            switch (row.kind()) {
                case "reduce" -> reduce().check(fields, "a reduce row");
                case "mma", "wgmma" -> product().check(fields, "a row of kind " + row.kind());
                case "wgmma-operand" -> matrixOperand().check(fields, "a wgmma-operand row");
                case "encode", "load", "store", "start" -> ofTensorMap(fields, row.kind()).check(fields,
                        "a row of kind " + row.kind());
                default -> { }
            }
        } catch (BadRequestException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        }
    }
}
