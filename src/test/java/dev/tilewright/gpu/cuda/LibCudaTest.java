package dev.tilewright.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Every function of the driver without a driver: it can be called, with the types that its interface has (a handle whose type
 * differs in one of them throws WrongMethodTypeException), and says why it does nothing. With a driver the functions are for
 * the tests on GPUs: not all of them look at what they are given.
 */
class LibCudaTest {

    @Test
    void withoutADriverEveryFunctionSaysSo() throws IllegalAccessException {
        Assumptions.assumeFalse(LibCuda.presence().present(), "there is an NVIDIA driver here");
        TreeMap<String, String> answers = new TreeMap<>();
        for (Method function : DriverApi.class.getMethods()) {
            if (Modifier.isStatic(function.getModifiers())) {
                continue;
            }
            Object[] arguments = Arrays.stream(function.getParameterTypes()).map(LibCudaTest::some).toArray();
            try {
                answers.put(function.getName(), "gives " + function.invoke(LibCuda.get(), arguments));
            } catch (InvocationTargetException e) {
                answers.put(function.getName(), e.getCause() instanceof MissingRequirementException missing ? missing.getMessage()
                        : e.getCause().toString());
            }
        }
        assertTrue(answers.size() > 50, () -> "functions: " + answers.size());
        answers.values().removeIf(LibCuda.presence().why()::equals);
        assertEquals("{}", answers.toString());
        assertEquals(0, LibCuda.driverVersion());
    }

    private static Object some(Class<?> type) {
        return switch (type.getName()) {
            case "int" -> 0;
            case "long" -> 0L;
            case "byte" -> (byte) 0;
            case "float" -> 0f;
            case "java.lang.foreign.MemorySegment" -> MemorySegment.NULL;
            default -> throw new IllegalStateException("an argument of type " + type + " is none of cuda.h");
        };
    }
}
