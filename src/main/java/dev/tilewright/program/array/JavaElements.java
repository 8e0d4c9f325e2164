package dev.tilewright.program.array;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launchable;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Which elements a Java array holds: numbers of its own type, or the bits of a type that Java lacks. */
enum JavaElements {
    FLOATS("float[]", ElementType.F32),
    DOUBLES("double[]", ElementType.F64),
    INTS("int[]", ElementType.I32, ElementType.U32),
    LONGS("long[]", ElementType.I64, ElementType.U64),
    SHORTS("short[]", ElementType.I16, ElementType.U16, ElementType.F16, ElementType.BF16);

    private final String array;
    private final Set<ElementType> types;

    JavaElements(String array, ElementType... types) {
        this.array = array;
        this.types = Set.of(types);
    }

    /** Refuses it for an array of other elements. */
    void requireFor(List<Launchable.Array> arrays, String name) {
        arrays.stream().filter(a -> a.name().equals(name) && !types.contains(a.type())).findFirst().ifPresent(a -> {
            String wanted = Stream.of(values()).filter(e -> e.types.contains(a.type())).map(e -> e.array).findFirst()
                    .orElse("byte[]");
            throw new IllegalArgumentException("array '" + name + "' has elements of type " + a.type() + ", got "
                    + article(array) + ": give " + article(wanted) + (a.type() == ElementType.F16
                            || a.type() == ElementType.BF16 ? " of their bits" : "") + ", or memory that holds them");
        });
    }

    /** {@code an int[]}. */
    private static String article(String array) {
        return (array.startsWith("i") ? "an " : "a ") + array;
    }
}
