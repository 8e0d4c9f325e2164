package dev.tilewright;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Refuses null arguments by their names, and null entries of maps by their keys. */
public final class NotNull {
    private NotNull() { }

    /**
     * Refuses the first argument that is null, or that is a list or an array of objects with an element that is null.
     *
     * @param names of the arguments, in their order, as {@code "from, to"}
     * @throws NullPointerException whose message is the name
     * @throws IllegalArgumentException whose message says which element is null: {@code shape: element 1 is null}
     */
    public static void all(String names, Object... arguments) {
        Objects.requireNonNull(names, "names");
        Objects.requireNonNull(arguments, "arguments");
        for (int i = 0; i < arguments.length; i++) {
            Object argument = arguments[i];
            if (argument == null) {
                throw new NullPointerException(names.split(", ")[i]);
            }
            int at = argument instanceof List<?> list ? indexOfNull(list)
                    : argument instanceof Object[] array ? indexOfNull(Arrays.asList(array)) : -1;
            if (at >= 0) {
                throw new IllegalArgumentException(names.split(", ")[i] + ": element " + at + " is null");
            }
        }
    }

    /** The index of the first null, also for lists whose {@code contains} refuses null; -1 for none. */
    private static int indexOfNull(List<?> list) {
        int at = 0;
        for (Object element : list) {
            if (element == null) {
                return at;
            }
            at++;
        }
        return -1;
    }

    /**
     * Refuses a map that is null, has null for a key, or has null for the value of one.
     *
     * @param name of the argument
     * @return the map
     * @throws NullPointerException whose message has the name, and the key whose value is null
     */
    public static <K, V> Map<K, V> entries(String name, Map<K, V> map) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(map, name).forEach((key, value) -> {
            Objects.requireNonNull(key, () -> name + ": a key is null");
            Objects.requireNonNull(value, () -> name + ": the value of '" + key + "' is null");
        });
        return map;
    }
}
