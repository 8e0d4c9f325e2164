package dev.tilewright.program.array;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The arguments that a launch over arrays has so far, each checked when it is set. */
public final class ArrayArguments {
    private final KernelTemplate kernel;
    private final Map<String, ArrayShape> shapes = new LinkedHashMap<>();
    private final Map<String, MemorySegment> memory = new LinkedHashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();

    /**
     * Arguments with nothing set yet.
     *
     * @param kernel says which arrays and scalars there are
     */
    public ArrayArguments(KernelTemplate kernel) {
        this.kernel = Objects.requireNonNull(kernel, "kernel");
    }

    /**
     * Takes an array in the host's memory.
     *
     * @throws IllegalArgumentException as {@link ArrayLaunch} says
     */
    public void set(String name, MemorySegment segment, ArrayShape shape) {
        NotNull.all("name, segment, shape", name, segment, shape);
        Launchable.Array array = require(name, segment.byteSize(), shape);
        if (array.isWritten() && segment.isReadOnly()) {
            throw new IllegalArgumentException("array '" + name + "' of kernel '" + kernel.name() + "' is written, and "
                    + "its memory is read-only");
        }
        memory.put(name, segment);
    }

    /**
     * Takes an array whose memory is elsewhere.
     *
     * @param bytes how many there are
     * @return the array of this name
     * @throws IllegalArgumentException if there is none, or it takes more bytes
     */
    public Launchable.Array require(String name, long bytes, ArrayShape shape) {
        NotNull.all("name, shape", name, shape);
        Launchable.Array array = kernel.arrays().stream().filter(a -> a.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kernel '" + kernel.name() + "' has no array '" + name
                        + "': it has " + kernel.arrays().stream().map(Launchable.Array::name).toList()));
        long needed = Math.multiplyExact(shape.reach(), array.type().bytes());
        if (bytes < needed) {
            throw new IllegalArgumentException("array '" + name + "' of " + shape + " elements of type " + array.type()
                    + " takes " + Counted.of(needed, "byte") + ", and its memory has " + bytes);
        }
        shapes.put(name, shape);
        memory.remove(name);
        return array;
    }

    /**
     * Takes a scalar.
     *
     * @throws IllegalArgumentException if there is none of this name, or none such of its type
     */
    public void scalar(String name, Number number) {
        NotNull.all("name, number", name, number);
        Parameter.Scalar scalar = kernel.scalars().stream().filter(s -> s.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kernel '" + kernel.name() + "' has no scalar '" + name
                        + "': it has " + (kernel.scalars().isEmpty() ? "no scalars"
                                : kernel.scalars().stream().map(Parameter.Scalar::name).toList())));
        try {
            Scalars.of(name, number).bits(List.of(scalar));
        } catch (BadRequestException e) {
            throw new BadRequestException("kernel '" + kernel.name() + "': scalar '" + name + "': " + e.getMessage(),
                    e);
        }
        scalars.put(name, number);
    }

    /**
     * The shapes of all arrays.
     *
     * @throws IllegalArgumentException if one has not been given
     */
    public Map<String, ArrayShape> shapes() {
        kernel.arrays().stream().filter(a -> !shapes.containsKey(a.name())).findFirst().ifPresent(a -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "': array '" + a.name() + "' is not set: "
                    + "give it with set(\"" + a.name() + "\", …)");
        });
        return Map.copyOf(shapes);
    }

    /**
     * The arrays that lie in the host's memory, each of its bytes alone.
     *
     * @throws IllegalArgumentException if two overlap, one of which is written
     */
    public Map<String, MemorySegment> memory() {
        Map<String, MemorySegment> own = new LinkedHashMap<>();
        for (Launchable.Array array : kernel.arrays()) {
            if (memory.containsKey(array.name())) {
                own.put(array.name(), memory.get(array.name()).asSlice(0,
                        shapes.get(array.name()).reach() * array.type().bytes()));
            }
        }
        for (Launchable.Array array : kernel.arrays()) {
            for (Map.Entry<String, MemorySegment> other : own.entrySet()) {
                if (array.isWritten() && own.containsKey(array.name()) && !other.getKey().equals(array.name())
                        && own.get(array.name()).asOverlappingSlice(other.getValue()).isPresent()) {
                    throw new IllegalArgumentException("kernel '" + kernel.name() + "': arrays '" + array.name()
                            + "' and '" + other.getKey() + "' share memory, and '" + array.name() + "' is written: "
                            + "give each memory of its own, or declare one array that is read and written");
                }
            }
        }
        return own;
    }

    /**
     * All scalars.
     *
     * @throws IllegalArgumentException if one has not been given
     */
    public Scalars scalars() {
        Scalars given = Scalars.NONE;
        for (Parameter.Scalar scalar : kernel.scalars()) {
            if (!scalars.containsKey(scalar.name())) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': scalar '" + scalar.name()
                        + "' is not set: give it with scalar(\"" + scalar.name() + "\", …)");
            }
            given = given.and(scalar.name(), scalars.get(scalar.name()));
        }
        return given;
    }

    /** {@code arguments of kernel 'gemm': a, b}. */
    @Override
    public String toString() {
        return "arguments of kernel '" + kernel.name() + "': " + String.join(", ", shapes.keySet());
    }
}
