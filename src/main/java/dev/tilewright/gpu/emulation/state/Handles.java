package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The handles that a driver has given out. A number is never given out twice, so that one which is used after its end
 * is noticed, where a real driver reads freed memory.
 */
public final class Handles {
    private static final long STEP = 0x40;
    /** Above the handles that {@code cuda.h} gives a meaning, and above what could be a size or an index. */
    private long next = 0x5_0000_0000L;
    private final Map<Long, Object> open = new LinkedHashMap<>();
    /** By the handles of their modules. */
    private final Map<Long, Long> functions = new HashMap<>();

    public long add(Object thing) {
        long handle = next;
        next += STEP;
        open.put(handle, thing);
        return handle;
    }

    public void remove(long handle) {
        open.remove(handle);
    }

    /** What a handle stands for; refuses one that is not open, or is of another kind. */
    public <T> T get(long handle, Class<T> type) {
        return get(handle, type, DriverApi.INVALID_HANDLE);
    }

    /** What a handle stands for; a wrong one is refused with {@code otherwise} in place of "invalid handle". */
    public <T> T get(long handle, Class<T> type, int otherwise) {
        Object thing = open.get(handle);
        Refusal.unless(type.isInstance(thing), otherwise);
        return type.cast(thing);
    }

    /** The function of a module, the same each time. */
    public long function(long handle, EmulatedModule module) {
        return functions.computeIfAbsent(handle, h -> add(new EmulatedFunction(module)));
    }

    /** Forgets the function of a module. */
    public void removeFunctions(long module) {
        Long function = functions.remove(module);
        if (function != null) {
            remove(function);
        }
    }

    /** Everything of a context that has to be let go of. */
    public Stream<Resource> of(EmulatedContext context) {
        return open.values().stream().filter(Resource.class::isInstance).map(Resource.class::cast)
                .filter(resource -> resource.context() == context);
    }

    /** Forgets all that belongs to a context. */
    public void removeAll(EmulatedContext context) {
        functions.values().removeIf(function -> get(function, EmulatedFunction.class).module().context() == context);
        open.values().removeIf(thing -> thing instanceof Resource resource && resource.context() == context
                || thing instanceof EmulatedFunction function && function.module().context() == context);
    }
}
