package dev.tilewright.tile.drawn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.TileOption;
import dev.tilewright.program.expression.ElementArithmetic;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.Update;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the language offers is drawn: what is new in it fails here until a draw has it. */
class DrawnLanguageTest {
    private static final int KERNELS = 900;
    private static final List<Class<?>> LANGUAGE = List.of(Tile.class, Tensor.class, TileScope.class, Span.class,
            Position.class, Steps.class, Dim.class, Convolution.class, Value.class, ElementArithmetic.class);
    /** Methods that tell of what there is, and make nothing of it. */
    private static final Set<String> TELLING = Set.of("Tile.type", "Tile.shape", "Tile.node", "Tile.number",
            "Tile.label", "Tile.line", "Tensor.name", "Tensor.type", "Tensor.dims", "Tensor.role", "Span.covers",
            "Steps.count", "Dim.size", "Dim.in", "Dim.isOf", "Convolution.outputs", "Value.type", "Value.size",
            "Value.parts", "Value.toIndex", "Value.f32", "Value.f64", "Value.u32", "Value.i64", "Value.u64",
            "Value.ofBits");
    /** Its bits are the hardware's, which nothing else computes; others rebuild a value, or are what methods call. */
    private static final Set<String> NOT_OF_TILES = Set.of("Value.approximate", "Value.map", "Value.onEach",
            "Tile.onEach", "ElementArithmetic.onEach");

    @Test
    void everyMethodIsCalled() throws ReflectiveOperationException {
        Set<String> calls = new TreeSet<>();
        Calls.draw(KERNELS, calls);
        // What both have is declared once.
        calls.addAll(calls.stream().map(call -> call.replaceFirst("^(Value|Tile)\\.", "ElementArithmetic."))
                .toList());
        assertEquals(List.of(), LANGUAGE.stream().flatMap(type -> Stream.of(type.getDeclaredMethods()))
                .filter(DrawnLanguageTest::makes).map(Calls::name).filter(name -> !calls.contains(name)).sorted()
                .toList());
    }

    private static boolean makes(Method method) {
        Class<?> type = method.getDeclaringClass();
        return Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()
                && Stream.of(TELLING, NOT_OF_TILES).noneMatch(names -> names.contains(type.getSimpleName() + "."
                + method.getName()))
                && !Set.of("toString", "equals", "hashCode").contains(method.getName())
                && (!type.isRecord() || Stream.of(type.getRecordComponents()).map(RecordComponent::getAccessor)
                .noneMatch(method::equals));
    }

    @Test
    void everyKindOfEverythingIsThere() {
        Map<String, Set<String>> traits = new TreeMap<>();
        for (long seed = 0; seed < KERNELS; seed++) {
            Tally.traits(DrawnKernel.of(seed).kernel()).forEach((group, names) ->
                    traits.computeIfAbsent(group, _ -> new TreeSet<>()).addAll(names));
        }
        requireAll(traits, "node", Stream.of(TileNode.class.getPermittedSubclasses())
                .flatMap(node -> node.isSealed() ? Stream.of(node.getPermittedSubclasses()) : Stream.of(node))
                .map(Class::getSimpleName).filter(name -> !name.equals("Carried") && !name.equals("Loop")));
        requireAll(traits, "type of a tensor", Stream.of(ValueType.values())
                .filter(type -> type != ValueType.PRED && type != ValueType.TF32));
        requireAll(traits, "rank", Stream.of(1, 2, 3, 4, 5));
        requireAll(traits, "rank of a tile", Stream.of(0, 1, 2, 3, 4, 5));
        requireAll(traits, "role", Stream.of(Tensor.Role.values()));
        requireAll(traits, "update", Stream.of(Update.values()).filter(update -> update != Update.SET_APART));
        requireAll(traits, "update", Stream.of("set", "set_apart", "add", "max").map(update -> update
                + " of scattered rows"));
        requireAll(traits, "scan", Stream.of(Reduction.values()));
        requireAll(traits, "extreme", Stream.of("greatest", "least"));
        requireAll(traits, "outside", Stream.of("zero", "a number", "nan"));
        requireAll(traits, "axis", Stream.of("a place", "all", "places apart", "places in a row", "rows by numbers",
                "patches of 1 dimensions", "patches of 2 dimensions", "patches of 3 dimensions"));
        requireAll(traits, "product", Stream.of("bf16", "f16", "tf32", "f32", "e4m3", "e5m2").map(type -> type + " x "
                + type + " to f32"));
        requireAll(traits, "product", Stream.of("f16 x f16 to f16", "f64 x f64 to f64", "i8 x i8 to i32",
                "u8 x u8 to i32", "i8 x u8 to i32", "e4m3 x e5m2 to f32"));
        requireAll(traits, "operation", Stream.of(ValueType.values()).filter(type -> type != ValueType.PRED)
                .map(type -> "to " + type));
        requireAll(traits, "operation", Stream.of(UnaryOp.values(), BinaryOp.values(), Comparison.values())
                .flatMap(Stream::of));
        Set<String> reductions = traits.get("reduction").stream().map(name -> name.split(" ")[0])
                .collect(Collectors.toSet());
        requireAll(Map.of("reduction", reductions), "reduction", Stream.of(Reduction.values()));
    }

    @Test
    void everyOptionOfAScheduleIsDrawn() {
        assertEquals(Stream.concat(TileOption.ALL.stream().map(TileOption::name), Stream.of("grid"))
                .collect(Collectors.toCollection(TreeSet::new)), DrawnSchedules.options());
    }

    private static void requireAll(Map<String, Set<String>> traits, String group, Stream<?> wanted) {
        assertEquals(List.of(), wanted.map(name -> name.toString().toLowerCase(Locale.ROOT))
                .filter(name -> !traits.get(group).contains(name)).toList(), () -> group + ": " + traits.get(group));
    }
}
