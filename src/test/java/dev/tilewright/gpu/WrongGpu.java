package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.EmulatedCuda;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** A GPU that makes a mistake on purpose: after each launch it sets one byte. For tests of what finds mistakes. */
public final class WrongGpu {
    private static final long LEGACY_STREAM = 0;

    private final EmulatedCuda cuda = new EmulatedCuda();
    private final List<Long> allocated = new ArrayList<>();
    private final int buffer;
    private final long offset;
    private final byte value;

    private WrongGpu(int buffer, long offset, byte value) {
        this.buffer = buffer;
        this.offset = offset;
        this.value = value;
    }

    /** @param buffer the memory whose byte it sets: 0 for what was allocated first @param offset of the byte */
    public static Gpu settingByte(int buffer, long offset, byte value) {
        WrongGpu wrong = new WrongGpu(buffer, offset, value);
        DriverApi api = (DriverApi) Proxy.newProxyInstance(DriverApi.class.getClassLoader(),
                new Class<?>[] {DriverApi.class}, (_, method, arguments) -> wrong.call(method, arguments));
        return Gpu.options().choose(api, wrong.cuda).open();
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            Object result = method.invoke(cuda, arguments);
            switch (method.getName()) {
                case "cuMemAlloc" -> allocated.add(((MemorySegment) arguments[0]).get(ValueLayout.JAVA_LONG, 0));
                case "cuLaunchKernelEx" -> cuda.cuMemsetD8Async(allocated.get(buffer) + offset, value, 1,
                        LEGACY_STREAM);
                default -> {
                }
            }
            return result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
