package dev.tilewright.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tilewright.MissingRequirementException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The binding of libcuda, on a machine without one: every function is bound, and says what is missing. */
class LibCudaTest {

    /** A question that older drivers do not answer either: it is "not supported" then. */
    private static final String NOT_NEEDED = "cuFuncGetParamInfo";

    private static List<Method> functions() {
        return Arrays.stream(DriverApi.class.getMethods()).filter(m -> m.getName().startsWith("cu")).toList();
    }

    private static Object argument(Class<?> type) {
        return switch (type.getName()) {
            case "int" -> 0;
            case "long" -> 0L;
            case "byte" -> (byte) 0;
            default -> assertInstanceOf(MemorySegment.class, MemorySegment.NULL);
        };
    }

    @Test
    void everyFunctionSaysThatThereIsNoDriver() {
        assumeFalse(LibCuda.presence().present(), "this machine has an NVIDIA driver");
        assertTrue(functions().size() > 60);
        for (Method function : functions()) {
            if (function.getName().equals(NOT_NEEDED)) {
                continue;
            }
            Object[] arguments = Arrays.stream(function.getParameterTypes()).map(LibCudaTest::argument).toArray();
            Throwable thrown = assertThrows(InvocationTargetException.class,
                    () -> function.invoke(LibCuda.get(), arguments), function.getName()).getCause();
            assertInstanceOf(MissingRequirementException.class, thrown, function.getName());
            assertEquals(LibCuda.presence().why(), thrown.getMessage());
        }
        assertEquals(0, LibCuda.driverVersion());
    }

    @Test
    void everyFunctionIsBoundByItself() {
        for (Method function : functions()) {
            assertTrue(Arrays.stream(LibCuda.class.getMethods()).anyMatch(m -> m.getName().equals(function.getName())
                    && Arrays.equals(m.getParameterTypes(), function.getParameterTypes())
                    && m.getDeclaringClass().getSimpleName().startsWith("LibCuda")
                    && !Modifier.isAbstract(m.getModifiers())), function + " is not bound");
        }
    }
}
