package dev.tilewright.tile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.expression.ElementArithmetic;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueType;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/tile-operations.md has each public method of the language and no other, with its types, and each product. */
class TileOperationsTest {
    private static final Path PAGE = Path.of(System.getProperty("tilewright.root", "."), "docs/tile-operations.md");
    private static final Pattern CALL = Pattern.compile("`(\\w+)\\.(\\w+)\\(([^`]*)\\)`");
    /** What the page calls an object of a class; a static method has the class itself before it. */
    private static final Map<String, Class<?>> OBJECTS = Map.of("k", TileScope.class, "tensor", Tensor.class, "tile",
            Tile.class, "span", Span.class, "at", Position.class, "steps", Steps.class, "dim", Dim.class,
            "convolution", Convolution.class);
    /** Tables are of rank 1, unlike the tile that is tried. */
    private static final String OF_TABLES = "lookUp";
    private static final Set<String> OF_ANY_OBJECT = Set.of("toString", "equals", "hashCode");

    /** A row: the calls in its first column, and its second column. */
    private record Row(List<MatchResult> calls, String second, String secondsTitle) { }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        String title = "";
        for (String line : Files.readAllLines(PAGE)) {
            String[] columns = line.split("\\|", -1);
            if (columns.length > 3 && columns[1].strip().equals("operation")) {
                title = columns[2].strip();
            } else if (columns.length > 3) {
                rows.add(new Row(CALL.matcher(columns[1]).results().toList(), columns[2].strip(), title));
            }
        }
        return rows;
    }

    @Test
    void itHasEveryMethod() throws IOException {
        Set<String> there = new TreeSet<>();
        for (MatchResult call : rows().stream().flatMap(row -> row.calls().stream()).toList()) {
            String of = call.group(1);
            String type = OBJECTS.containsKey(of) ? OBJECTS.get(of).getSimpleName() : of;
            there.add(name(type, call.group(2), arguments(call.group(3))));
        }
        Set<String> wanted = new TreeSet<>();
        for (Class<?> type : OBJECTS.values()) {
            methods(type).forEach(method -> wanted.add(name(type.getSimpleName(), method.getName(),
                    method.getParameterCount())));
        }
        assertTrue(wanted.contains("Tile.sum of 1") && wanted.contains("Tile.plus of 1"), wanted::toString);
        assertEquals(String.join("\n", wanted), String.join("\n", there));
    }

    private static String name(String type, String method, int parameters) {
        return type + "." + method + " of " + parameters;
    }

    /** How many arguments a call on the page has; those of a lambda are in parentheses. */
    private static int arguments(String text) {
        String flat = text.replaceAll("\\([^)]*\\)", "");
        return flat.isBlank() ? 0 : flat.split(",").length;
    }

    private static Stream<Method> methods(Class<?> type) {
        return Stream.concat(Stream.of(type), Stream.of(ElementArithmetic.class).filter(_ -> type == Tile.class))
                .flatMap(declares -> Stream.of(declares.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                        && !OF_ANY_OBJECT.contains(method.getName())
                        && (!type.isRecord() || Stream.of(type.getRecordComponents()).map(RecordComponent::getAccessor)
                                .noneMatch(method::equals)));
    }

    @Test
    void itHasTheTypesThatEachTakes() throws IOException {
        List<String> wrong = new ArrayList<>();
        int held = 0;
        for (Row row : rows()) {
            for (MatchResult call : row.secondsTitle().equals("types") ? row.calls() : List.<MatchResult>of()) {
                for (Method method : methods(Tile.class).filter(m -> call.group(1).equals("tile") && m.getName()
                        .equals(call.group(2)) && m.getParameterCount() == arguments(call.group(3))).toList()) {
                    if (!method.getName().equals(OF_TABLES)
                            && Stream.of(method.getParameterTypes()).allMatch(TileOperationsTest::isTried)) {
                        Set<ValueType> taken = Arrays.stream(ValueType.values()).filter(type -> takes(method, type))
                                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ValueType.class)));
                        held++;
                        if (!taken.equals(types(row.second()))) {
                            wrong.add(call.group() + " takes " + taken + ", not " + row.second());
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        int all = held;
        assertTrue(all > 90, () -> all + " methods");
    }

    /** The table of factors and sums: types of a line go together as themselves, or each with each. */
    @Test
    void itHasEveryProduct() throws IOException {
        Set<String> there = new TreeSet<>();
        for (String line : Files.readAllLines(PAGE).stream().dropWhile(l -> !l.startsWith("| factors |")).skip(2)
                .takeWhile(l -> l.startsWith("|")).toList()) {
            String[] columns = line.split("\\|");
            boolean mixed = columns[1].contains("also one of each");
            for (ValueType a : named(columns[1])) {
                for (ValueType b : mixed ? named(columns[1]) : EnumSet.of(a)) {
                    named(columns[2]).forEach(sums -> there.add(a + " by " + b + " in " + sums));
                }
            }
        }
        Set<String> wanted = new TreeSet<>();
        for (ValueType a : ValueType.values()) {
            for (ValueType b : ValueType.values()) {
                Arrays.stream(ValueType.values()).filter(sums -> multiplies(a, b, sums))
                        .forEach(sums -> wanted.add(a + " by " + b + " in " + sums));
            }
        }
        assertEquals(String.join("\n", wanted), String.join("\n", there));
    }

    private static boolean multiplies(ValueType a, ValueType b, ValueType sums) {
        try {
            Multiplication.require(a, b, sums);
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static Set<ValueType> named(String text) {
        Set<String> words = Set.of(text.strip().split("\\W+"));
        return Arrays.stream(ValueType.values()).filter(type -> words.contains(type.name().toLowerCase(Locale.ROOT)))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(ValueType.class)));
    }

    /** Of which types the page speaks. */
    private static Set<ValueType> types(String text) {
        Set<ValueType> types = EnumSet.noneOf(ValueType.class);
        for (String word : text.split(", | but ")) {
            Arrays.stream(ValueType.values()).filter(type -> switch (word) {
                case "any" -> true;
                case "bits" -> type.isInteger() || type == ValueType.PRED;
                case "integers" -> type.isInteger();
                case "floats" -> isComputed(type) && type.isFloat();
                case "numbers" -> isComputed(type);
                case "predicates" -> type == ValueType.PRED;
                default -> type.name().toLowerCase(Locale.ROOT).equals(word);
            }).forEach(type -> {
                if (text.contains(" but " + word)) {
                    types.remove(type);
                } else {
                    types.add(type);
                }
            });
        }
        return types;
    }

    private static boolean isComputed(ValueType type) {
        return type.isInteger() || Set.of(ValueType.F16, ValueType.BF16, ValueType.F32, ValueType.F64).contains(type);
    }

    private static boolean isTried(Class<?> parameter) {
        return Set.of(Tile.class, ElementArithmetic.class, double.class, int.class, List.class, Reduction.class,
                Comparison.class, ValueType.class, int[].class, long[].class).contains(parameter);
    }

    /** Whether a tile of four by four has the method, with one argument of several or another. */
    private static boolean takes(Method method, ValueType type) {
        AtomicBoolean any = new AtomicBoolean();
        boolean several = Stream.of(method.getParameterTypes()).anyMatch(Set.of(Reduction.class,
                ValueType.class)::contains);
        int attempts = several ? ValueType.values().length : 1;
        for (int attempt = 0; attempt < attempts && !any.get(); attempt++) {
            int which = attempt;
            TileScope k = new TileScope("tried");
            k.forEachTile(List.of(), _ -> {
                Tile tile = k.full(Value.ofBits(type, 0), 4, 4);
                Object[] arguments = IntStream.range(0, method.getParameterCount()).mapToObj(i -> argument(
                        method.getParameterTypes()[i], tile, which)).toArray();
                try {
                    method.invoke(tile, arguments);
                    any.set(true);
                } catch (InvocationTargetException e) {
                    assertTrue(e.getCause() instanceof RuntimeException, () -> e.getCause().toString());
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            });
        }
        return any.get();
    }

    private static Object argument(Class<?> parameter, Tile tile, int which) {
        if (parameter == double.class) {
            return 1.0;
        } else if (parameter == int.class) {
            return 1;
        } else if (parameter == List.class) {
            return tile.shape();
        } else if (parameter == int[].class) {
            return new int[] {1, 0};
        } else if (parameter == long[].class) {
            return new long[] {16};
        } else if (parameter == Reduction.class) {
            return Reduction.values()[which % Reduction.values().length];
        } else if (parameter == Comparison.class) {
            return Comparison.LT;
        } else if (parameter == ValueType.class) {
            ValueType to = ValueType.values()[which];
            return to == tile.type() ? ValueType.values()[(which + 1) % ValueType.values().length] : to;
        }
        return tile;
    }
}
