package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TileProgram;
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
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Some thousand drawn cases hold everything there is: presets, options, types, operations, forms of instructions. */
class CoverageTest {

    private static Generator generator(String kind) {
        return Kinds.DRAWN.stream().filter(k -> k.name().equals(kind)).findFirst().orElseThrow().generator();
    }

    private static Stream<Drawn> drawn(String kind, int count) {
        Generator generator = generator(kind);
        return LongStream.range(0, count).parallel().mapToObj(number -> {
            for (long seed = number;; seed += 1_000_003) {
                try {
                    return generator.make(Choices.startingWith(generator.first(3, number), seed));
                } catch (Redraw e) {
                    // Others are drawn.
                }
            }
        });
    }

    /** How many are left out, by why. */
    @Test
    void everyFormIsHeldButThese() {
        Set<String> held = ConcurrentHashMap.newKeySet();
        Stream.concat(drawn("instructions", Math.ceilDiv(Forms.INSTRUCTIONS.size(), 6)),
                drawn("product", Forms.PRODUCTS.size()))
                .forEach(d -> d.program().instructions().forEach(f -> held.add(name(f))));
        Set<String> missing = new TreeSet<>();
        Map<String, Integer> reasons = new TreeMap<>();
        Catalogue.forms().forEach(form -> {
            Optional<String> why = Forms.whyNot(form);
            if (why.isPresent()) {
                reasons.merge(why.get(), 1, Integer::sum);
            } else if (!held.contains(name(form))) {
                missing.add(name(form));
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
    private static String name(PtxInstruction form) {
        return form instanceof Setmaxnreg f ? "setmaxnreg " + f.increase() : form.toString();
    }

    @Test
    void everyPresetOptionAndTypeIsDrawn() {
        List<CopyCase> cases = new CopyCases(Presets.ALL, 5, 1).next(3000);
        assertEquals(Presets.ALL.stream().map(Preset::name).collect(Collectors.toSet()),
                cases.stream().map(c -> c.preset().name()).collect(Collectors.toSet()));
        assertEquals(Set.of(ElementType.values()), cases.stream().map(CopyCase::type).collect(Collectors.toSet()));
        assertEquals(Set.of(1, 2, 3, 4, 5, 6), cases.stream().map(c -> c.shape().size()).collect(Collectors.toSet()));
        Map<String, Set<String>> values = new HashMap<>();
        cases.forEach(c -> c.changes().options().forEach((option, value) -> values.computeIfAbsent(
                c.preset().mechanism().getClass() + option, _ -> new HashSet<>()).add(value)));
        for (Preset preset : Presets.ALL) {
            for (Option<?, ?> option : preset.mechanism().options()) {
                Set<String> drawn = values.get(preset.mechanism().getClass() + option.name());
                assertTrue(drawn != null && drawn.size() > 1, () -> preset.name() + " " + option + ": " + drawn);
            }
        }
    }

    /** Everything in the program's body, by looking through its records. */
    private static void walk(Object thing, Set<Object> seen) {
        switch (thing) {
            case Enum<?> constant -> seen.add(constant);
            case Iterable<?> all -> all.forEach(one -> walk(one, seen));
            case Optional<?> one -> one.ifPresent(inner -> walk(inner, seen));
            case Record record -> {
                seen.add(record.getClass());
                for (RecordComponent component : record.getClass().getRecordComponents()) {
                    try {
                        component.getAccessor().setAccessible(true);
                        walk(component.getAccessor().invoke(record), seen);
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                }
            }
            case null, default -> { }
        }
    }

    private static Set<Object> seen(Stream<Drawn> drawn) {
        Set<Object> seen = ConcurrentHashMap.newKeySet();
        drawn.map(Drawn::program).map(TileProgram::body).forEach(body -> walk(body, seen));
        return seen;
    }

    @Test
    void everyOperationOnValuesIsDrawn() {
        Set<Object> seen = seen(drawn("values", 400));
        for (Object[] all : List.of(UnaryOp.values(), BinaryOp.values(), Comparison.values(), Rounding.values())) {
            assertEquals(Set.of(), Arrays.stream(all).filter(o -> !seen.contains(o)).collect(Collectors.toSet()));
        }
        assertEquals(Set.of(), Arrays.stream(ValueType.values()).filter(o -> !seen.contains(o))
                .collect(Collectors.toSet()));
        // Approximations differ between GPUs. Tile kernels draw dp4a: here it would change the kernels of every seed.
        assertEquals(Set.of(Value.Approximate.class, Value.Dp4a.class), without(Value.class, seen));
    }

    @Test
    void everyStepOfAProgramIsDrawn() {
        Set<Object> seen = seen(Kinds.DRAWN.stream().filter(k -> !k.name().equals("product"))
                .flatMap(k -> drawn(k.name(), k.name().equals("instructions") ? 500 : 150)));
        Presets.ALL.forEach(p -> walk(p.build(ElementType.F32, 2, Schedule.DEFAULT).program().body(), seen));
        assertEquals(Set.of(), without(Operation.class, seen));
        assertEquals(Set.of(), without(Expr.class, seen));
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
        String titles = drawn("pipeline", 600).map(Drawn::title).collect(Collectors.joining("\n"));
        Stream.of(PipelineKernels.Style.values(), PipelineKernels.Source.values(), Arrivals.values(),
                GroupRing.Readers.values())
                .flatMap(Arrays::stream).forEach(choice -> assertTrue(titles.contains("=" + choice), choice::toString));
        for (String sort : List.of("Apart", "Both", "Groups", "RowsAndColumns", "PingPong", "cluster=4",
                "belowSm90=true", "storedByBulk=true")) {
            assertTrue(titles.contains(sort), sort);
        }
    }

    @Test
    void everyCollectiveOperationIsDrawn() {
        String titles = drawn("collective", 800).map(Drawn::title).collect(Collectors.joining("\n"));
        for (String sort : List.of("scan by ", "reduction by ", "Copies[", "onBarrier=true", "promise=16", "promise=1,",
                " of f16", " of bf16", " of f64", " of u8", " of i64")) {
            assertTrue(titles.contains(sort), sort);
        }
    }
}
