package dev.tilewright.ptx;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Every form of every instruction record: each combination of its components' values that the record accepts. A number
 * that is free to choose (a count of groups) is listed once.
 */
public final class Catalogue {
    /** Forms are values: those of a record are made once. */
    private static final ClassValue<List<?>> FORMS = new ClassValue<>() {
        @Override
        protected List<?> computeValue(Class<?> type) {
            return made(type);
        }
    };

    private Catalogue() { }

    /** The instruction records, by name. */
    @SuppressWarnings("unchecked")
    public static List<Class<? extends PtxInstruction>> instructions() {
        return records(PtxInstruction.class)
                .<Class<? extends PtxInstruction>>map(type -> (Class<? extends PtxInstruction>) type)
                .sorted(Comparator.comparing(Class::getSimpleName)).toList();
    }

    /** The records of a family, or of a family of families. */
    private static Stream<Class<?>> records(Class<?> family) {
        return family.isRecord() ? Stream.of(family)
                : Arrays.stream(family.getPermittedSubclasses()).flatMap(Catalogue::records);
    }

    /** Every form, in the order of the records' names. */
    public static Stream<PtxInstruction> forms() {
        return instructions().stream().flatMap(Catalogue::forms);
    }

    /** Every form of one record. */
    public static <T extends PtxInstruction> Stream<T> forms(Class<T> instruction) {
        return FORMS.get(Objects.requireNonNull(instruction, "instruction")).stream().map(instruction::cast);
    }

    private static <T> List<T> made(Class<T> instruction) {
        RecordComponent[] components = instruction.getRecordComponents();
        List<Object[]> choices = new ArrayList<>();
        choices.add(new Object[components.length]);
        for (int i = 0; i < components.length; i++) {
            int at = i;
            List<Object> values = values(components[i]);
            choices = choices.stream().flatMap(chosen -> values.stream().map(value -> {
                Object[] next = chosen.clone();
                next[at] = value;
                return next;
            })).toList();
        }
        Constructor<T> constructor = constructor(instruction, components);
        return choices.stream().flatMap(chosen -> make(constructor, chosen)).toList();
    }

    private static List<Object> values(RecordComponent component) {
        Class<?> type = component.getType();
        if (type == boolean.class) {
            return List.of(false, true);
        }
        if (type.isEnum()) {
            return List.of(type.getEnumConstants());
        }
        return IntStream.of(component.getAnnotation(OneOf.class).value()).<Object>mapToObj(n -> n).toList();
    }

    private static <T> Constructor<T> constructor(Class<T> type, RecordComponent[] components) {
        try {
            return type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its constructor: " + type, e);
        }
    }

    private static <T> Stream<T> make(Constructor<T> constructor, Object[] chosen) {
        try {
            return Stream.of(constructor.newInstance(chosen));
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalFormException) {
                return Stream.empty();
            }
            throw new IllegalStateException(constructor + " of " + Arrays.toString(chosen), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(constructor.toString(), e);
        }
    }
}
