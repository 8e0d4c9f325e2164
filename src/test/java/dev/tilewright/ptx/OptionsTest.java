package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.ptx.warp.Stmatrix;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Options of instruction records are said by name, each by itself. */
class OptionsTest {
    private static final Map<Class<?>, RecordComponent[]> PARTS = new ConcurrentHashMap<>();
    /** Records whose booleans are said by the names of their factories. */
    private static final Set<Class<?>> BY_FACTORY = Set.of(Cvta.class, Getctarank.class, Mapa.class, Setmaxnreg.class);

    static Stream<Class<? extends PtxInstruction>> records() {
        return Catalogue.instructions().stream();
    }

    @ParameterizedTest
    @MethodSource("records")
    void everyBooleanHasANamedOption(Class<? extends PtxInstruction> type) {
        List<String> options = options(type).map(Method::getName).toList();
        for (RecordComponent component : parts(type)) {
            if (component.getType() == boolean.class && !BY_FACTORY.contains(type)) {
                assertTrue(options.contains(option(component)), () -> type + " lacks " + option(component));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("records")
    void anOptionChangesItsComponentAlone(Class<? extends PtxInstruction> type) throws ReflectiveOperationException {
        for (Method option : options(type).toList()) {
            RecordComponent changed = Arrays.stream(parts(type))
                    .filter(c -> option(c).equals(option.getName())).findFirst().orElse(null);
            if (changed == null || type == Stmatrix.class && changed.getName().equals("bytes")) {
                continue;
            }
            int applied = 0;
            for (PtxInstruction form : Catalogue.forms(type).toList()) {
                for (Object value : values(changed.getType())) {
                    Object after;
                    try {
                        after = changed.getType() == boolean.class ? option.invoke(form) : option.invoke(form, value);
                    } catch (InvocationTargetException e) {
                        assertEquals(IllegalFormException.class, e.getCause().getClass());
                        continue;
                    }
                    assertEquals(with(type, form, changed, value), components(type, after), option::toString);
                    applied++;
                }
            }
            assertFalse(applied == 0, option::toString);
        }
    }

    @Test
    void aBarrierOfAnotherBlockTakesTheSink() {
        assertEquals(ArriveResult.SINK, new MbarrierArrive().withSpace(Space.SHARED_CLUSTER).result());
        assertEquals(ArriveResult.SINK, new MbarrierArriveExpectTx().withSpace(Space.SHARED_CLUSTER).result());
        assertEquals(ArriveResult.TOKEN, new MbarrierArrive().withSpace(Space.GENERIC).result());
    }

    @Test
    void bytesInMatricesAreTransposed() {
        Stmatrix stored = Catalogue.forms(Stmatrix.class).findFirst().orElseThrow();
        assertEquals(List.of(true, true), List.of(stored.withBytes().bytes(), stored.withBytes().transposed()));
    }

    private static Object[] values(Class<?> type) {
        return type == boolean.class ? new Object[] {true} : type == int.class ? new Object[] {1, 8}
                : type.getEnumConstants();
    }

    /** The components of a record, asked once: each asking makes new ones, and their accessors anew. */
    private static RecordComponent[] parts(Class<?> type) {
        return PARTS.computeIfAbsent(type, Class::getRecordComponents);
    }

    private static String option(RecordComponent component) {
        return "with" + StringUtils.capitalize(component.getName());
    }

    private static Stream<Method> options(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(m -> Modifier.isPublic(m.getModifiers()) && m.getName().startsWith("with"));
    }

    private static List<Object> components(Class<?> type, Object form) throws ReflectiveOperationException {
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : parts(type)) {
            values.add(component.getAccessor().invoke(form));
        }
        return values;
    }

    private static List<Object> with(Class<?> type, Object form, RecordComponent changed, Object value)
            throws ReflectiveOperationException {
        List<Object> values = components(type, form);
        List<String> names = Arrays.stream(parts(type)).map(RecordComponent::getName).toList();
        values.set(names.indexOf(changed.getName()), value);
        if (value == Space.SHARED_CLUSTER && names.contains("result")) {
            values.set(names.indexOf("result"), ArriveResult.SINK);
        }
        return values;
    }
}
