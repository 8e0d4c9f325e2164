package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Some thousand drawn cases hold everything there is: presets, options, types, operations, and forms of instructions,
 * of which an ordinary run asks for one in eight.
 */
class CoverageTest {

    private static Generator generator(String kind) {
        return Kinds.DRAWN.stream().filter(k -> k.name().equals(kind)).findFirst().orElseThrow().generator();
    }

    private static Drawn drawn(Generator generator, long number) {
        for (long seed = number;; seed += 1_000_003) {
            try {
                return generator.make(DrawnChoices.startingWith(generator.first(3, number), seed));
            } catch (Redraw e) {
                // Others are drawn.
            }
        }
    }

    private static Stream<Drawn> drawn(String kind, int count) {
        Generator generator = generator(kind);
        return LongStream.range(0, count).mapToObj(number -> drawn(generator, number));
    }

    /** What is wanted and in none of the drawn ones, which are drawn until each has been seen. */
    private static <T> Set<T> missing(Collection<T> wanted, Stream<Drawn> drawn, Function<Drawn, Predicate<T>> has) {
        Set<T> missing = new HashSet<>(wanted);
        drawn.takeWhile(_ -> !missing.isEmpty()).forEach(d -> missing.removeIf(has.apply(d)));
        return missing;
    }

    /** The names of the forms that kernels are to begin with: of all kernels, or of an ordinary run's share. */
    private static Set<Object> begun(String kind, List<? extends PtxInstruction> forms, int each, Set<Object> held) {
        Generator generator = generator(kind);
        Set<Object> begun = new HashSet<>();
        LongStream.range(0, Math.ceilDiv(forms.size(), each)).filter(n -> Thorough.takes(n, 8)).forEach(number -> {
            drawn(generator, number).program().instructions().forEach(f -> held.add(name(f)));
            List<Integer> first = generator.first(3, number);
            first.subList(first.size() - each, first.size()).forEach(i -> begun.add(name(forms.get(i))));
        });
        return begun;
    }

    /** How many are left out, by why. */
    @Test
    void everyFormIsHeldButThese() {
        Set<Object> held = new HashSet<>();
        Set<Object> begun = begun("instructions", Forms.INSTRUCTIONS, 6, held);
        begun.addAll(begun("product", Forms.PRODUCTS, 1, held));
        boolean all = Thorough.of(0, 1) == 1;
        assertTrue(begun.size() > (all ? 9_500 : 1_000), () -> begun.size() + " forms");
        Set<String> missing = new TreeSet<>();
        Map<String, Integer> reasons = new TreeMap<>();
        Catalogue.forms().forEach(form -> {
            Optional<String> why = Forms.whyNot(form);
            if (why.isPresent()) {
                reasons.merge(why.get(), 1, Integer::sum);
            } else if ((all || begun.contains(name(form))) && !held.contains(name(form))) {
                missing.add(form.toString());
            }
        });
        assertEquals(Set.of(), missing);
        assertTrue(Forms.INSTRUCTIONS.size() + Forms.PRODUCTS.size() > 9_500,
                () -> Forms.INSTRUCTIONS.size() + " and " + Forms.PRODUCTS.size() + " forms");
        assertEquals(Set.of("the reference does not run it", "its results differ between GPUs",
                "no GPU that has it was at hand", "a program has no address in local, constant or parameter memory",
                "generic addresses have 64 bits"), reasons.keySet());
        assertTrue(reasons.values().stream().mapToInt(n -> n).sum() < 600, reasons::toString);
    }

    /** Of one that has a number free to choose, any. */
    private static Object name(PtxInstruction form) {
        return form instanceof Setmaxnreg f ? "setmaxnreg " + f.increase() : form;
    }

    @Test
    void everyPresetOptionAndTypeIsDrawn() {
        CopyCases all = new CopyCases(Presets.ALL, 5, 1);
        List<CopyCase> cases = new ArrayList<>();
        Optional<String> missing;
        do {
            cases.addAll(all.next(100));
            missing = missing(cases);
        } while (missing.isPresent() && cases.size() < 3000);
        assertEquals(Optional.empty(), missing);
    }

    /** The first preset, type, number of dimensions or option that has not been drawn in each way. */
    private static Optional<String> missing(List<CopyCase> cases) {
        List<String> missing = new ArrayList<>();
        if (!cases.stream().map(c -> c.preset().name()).collect(Collectors.toSet())
                .equals(Presets.ALL.stream().map(Preset::name).collect(Collectors.toSet()))) {
            missing.add("a preset");
        }
        if (!cases.stream().map(CopyCase::type).collect(Collectors.toSet()).equals(Set.of(ElementType.values()))) {
            missing.add("a type");
        }
        if (!cases.stream().map(c -> c.shape().size()).collect(Collectors.toSet()).equals(Set.of(1, 2, 3, 4, 5, 6))) {
            missing.add("a number of dimensions");
        }
        Map<String, Set<String>> values = new HashMap<>();
        cases.forEach(c -> c.changes().options().forEach((option, value) -> values.computeIfAbsent(
                c.preset().mechanism().getClass() + option, _ -> new HashSet<>()).add(value)));
        for (Preset preset : Presets.ALL) {
            for (Option<?, ?> option : preset.mechanism().options()) {
                Set<String> drawn = values.get(preset.mechanism().getClass() + option.name());
                if (drawn == null || drawn.size() < 2) {
                    missing.add(preset.name() + " " + option + ": " + drawn);
                }
            }
        }
        return missing.stream().findFirst();
    }

    private static final ClassValue<List<Method>> ACCESSORS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            List<Method> all = Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor).toList();
            all.forEach(accessor -> accessor.setAccessible(true));
            return all;
        }
    };

    /** Everything in the program's body, by looking through its records. */
    private static void walk(Object thing, Set<Object> seen) {
        switch (thing) {
            case Enum<?> constant -> seen.add(constant);
            case Iterable<?> all -> all.forEach(one -> walk(one, seen));
            case Optional<?> one -> one.ifPresent(inner -> walk(inner, seen));
            case Record record -> {
                seen.add(record.getClass());
                for (Method accessor : ACCESSORS.get(record.getClass())) {
                    try {
                        walk(accessor.invoke(record), seen);
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                }
            }
            case null, default -> { }
        }
    }

    private static Set<Object> seen(Drawn drawn) {
        Set<Object> seen = new HashSet<>();
        walk(drawn.program().body(), seen);
        return seen;
    }

    @Test
    void everyOperationOnValuesIsDrawn() {
        Set<Object> seen = new HashSet<>();
        drawn("values", Thorough.of(100, 400)).forEach(d -> walk(d.program().body(), seen));
        for (Object[] all : List.of(UnaryOp.values(), BinaryOp.values(), Comparison.values(), Rounding.values())) {
            assertEquals(Set.of(), Arrays.stream(all).filter(o -> !seen.contains(o)).collect(Collectors.toSet()));
        }
        assertEquals(Set.of(), Arrays.stream(ValueType.values()).filter(o -> !seen.contains(o))
                .collect(Collectors.toSet()));
        // Approximations differ between GPUs. Tile kernels draw the others, which would change all seeds here.
        assertEquals(Set.of(Value.Approximate.class, Value.Dp4a.class, Value.PickBytes.class,
                Value.FunnelShift.class, Value.Pairwise.class), without(Value.class, seen));
    }

    @Test
    void everyStepOfAProgramIsDrawn() {
        Set<Object> ofPresets = new HashSet<>();
        Presets.ALL.forEach(p -> walk(p.build(ElementType.F32, 2, Schedule.DEFAULT).program().body(), ofPresets));
        Set<Object> wanted = new HashSet<>(without(Operation.class, ofPresets));
        wanted.addAll(without(Expr.class, ofPresets));
        assertEquals(Set.of(), missing(wanted, LongStream.range(0, 500).boxed()
                .flatMap(number -> Kinds.DRAWN.stream().filter(k -> !k.name().equals("product"))
                        .filter(k -> number < Thorough.of(30, 150) || k.name().equals("instructions"))
                        .map(k -> drawn(k.generator(), number))),
                d -> seen(d)::contains));
    }

    private static Set<Class<?>> without(Class<?> family, Set<Object> seen) {
        return leaves(family).filter(c -> c.isRecord() && !seen.contains(c)).collect(Collectors.toSet());
    }

    private static Stream<Class<?>> leaves(Class<?> family) {
        return family.isSealed() ? Arrays.stream(family.getPermittedSubclasses()).flatMap(CoverageTest::leaves)
                : Stream.of(family);
    }

    @Test
    void everyPipelineIsDrawn() {
        List<String> wanted = new ArrayList<>(List.of("Apart", "Both", "Groups", "RowsAndColumns", "PingPong",
                "cluster=4", "belowSm90=true", "storedByBulk=true"));
        Stream.of(PipelineKernels.Style.values(), PipelineKernels.Source.values(), Arrivals.values(),
                GroupRing.Readers.values()).flatMap(Arrays::stream).forEach(choice -> wanted.add("=" + choice));
        assertEquals(Set.of(), missing(wanted, drawn("pipeline", 600), d -> d.title()::contains));
    }

    @Test
    void everyCollectiveOperationIsDrawn() {
        assertEquals(Set.of(), missing(List.of("scan by ", "reduction by ", "Copies[", "onBarrier=true", "promise=16",
                "promise=1,", " of f16", " of bf16", " of f64", " of u8", " of i64"), drawn("collective", 800),
                d -> d.title()::contains));
    }
}
