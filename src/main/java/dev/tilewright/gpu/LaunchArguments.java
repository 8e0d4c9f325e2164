package dev.tilewright.gpu;

import dev.tilewright.Counted;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.gpu.module.KernelSignature;
import dev.tilewright.gpu.module.ScalarBits;
import dev.tilewright.gpu.module.TensorMaps;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.tensormap.TensorFootprint;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The arguments of one launch in native memory, by the names of the kernel's parameters: each is checked when it is
 * set, for its type, its size and, of memory, its extent. Setting allocates nothing, except that the driver's encoder
 * remembers tensor maps. Not safe for use by several threads at once.
 */
final class LaunchArguments {
    /** In place of the bytes that a pointer needs, where they are not known. */
    private static final long UNSAID = -1;

    private final KernelSignature signature;
    private final Context context;
    private final TensorMaps tensorMaps;
    private final Parameter[] parameters;
    private final MemorySegment[] values;
    private final MemorySegment pointers;
    /** The memory that pointers and tensor maps name: kept reachable, and looked at before each start. */
    private final Buffer<?>[] buffers;
    private final long[] needed;
    /** The tensors of tensor maps, and where in their buffers each begins: see {@link #described}. */
    private final TensorMap[] maps;
    private final long[] offsets;
    private final boolean[] given;
    private final LaunchExtents extents;
    /** Whether something was set since the extents were looked at. */
    private boolean setSince;
    private int missing;
    private boolean largerTensors;

    LaunchArguments(KernelSignature signature, Context context, TensorMaps tensorMaps, Arena arena) {
        this.signature = signature;
        this.context = context;
        this.tensorMaps = tensorMaps;
        this.parameters = signature.parameters().toArray(Parameter[]::new);
        int count = parameters.length;
        this.values = new MemorySegment[count];
        this.buffers = new Buffer<?>[count];
        this.needed = new long[count];
        this.maps = new TensorMap[count];
        this.offsets = new long[count];
        this.given = new boolean[count];
        this.extents = new LaunchExtents(signature);
        this.missing = count;
        this.pointers = arena.allocate(ValueLayout.ADDRESS, Math.max(1, count));
        for (int i = 0; i < count; i++) {
            boolean tensor = parameters[i] instanceof Parameter.TensorMap;
            values[i] = tensor ? arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT)
                    : arena.allocate(Long.BYTES, Long.BYTES);
            pointers.setAtIndex(ValueLayout.ADDRESS, i, values[i]);
            needed[i] = UNSAID;
        }
    }

    void copyFrom(LaunchArguments from) {
        for (int i = 0; i < values.length; i++) {
            values[i].copyFrom(from.values[i]);
            buffers[i] = from.buffers[i];
            needed[i] = from.needed[i];
            maps[i] = from.maps[i];
            offsets[i] = from.offsets[i];
            given[i] = from.given[i];
        }
        missing = from.missing;
        setSince = true;
        largerTensors = from.largerTensors;
    }

    /** What cuLaunchKernelEx takes: the addresses of the arguments, see {@link LaunchConfig}. */
    MemorySegment pointers() {
        return pointers;
    }

    /** The memory that pointers and tensor maps name, by parameter; null for none. */
    Buffer<?>[] buffers() {
        return buffers;
    }

    /**
     * What is set, as a described launch has it.
     *
     * @param arguments gets one for each parameter
     * @return the memory that they name, by number
     */
    List<Buffer<?>> described(List<Argument> arguments) {
        List<Buffer<?>> named = new ArrayList<>();
        for (int i = 0; i < parameters.length; i++) {
            arguments.add(switch (parameters[i]) {
                case Parameter.Pointer _ -> new Argument.Buffer(named.size());
                case Parameter.TensorMap _ -> new Argument.Tensor(maps[i], named.size(), offsets[i]);
                case Parameter.Int _ -> new Argument.Int(values[i].get(ValueLayout.JAVA_LONG, 0));
                case Parameter.Scalar _ -> new Argument.Scalar(values[i].get(ValueLayout.JAVA_LONG, 0));
            });
            if (buffers[i] != null) {
                named.add(buffers[i]);
            }
        }
        return named;
    }

    void allowLargerTensors() {
        largerTensors = true;
    }

    void set(String parameter, Buffer<?> buffer) {
        int i = number(parameter);
        if (!(parameters[i] instanceof Parameter.Pointer)) {
            throw mismatch(i, "memory");
        }
        requireHere(i, buffer);
        requireExtent(i, needed[i], buffer);
        values[i].set(ValueLayout.JAVA_LONG, 0, buffer.address());
        buffers[i] = buffer;
        given(i);
    }

    /** Says how many bytes the kernel reaches through a pointer. */
    void require(String parameter, long bytes) {
        int i = number(parameter);
        if (!(parameters[i] instanceof Parameter.Pointer)) {
            throw mismatch(i, "the bytes that its memory must have");
        }
        if (bytes < 0) {
            throw new IllegalArgumentException(title(i) + " needs at least 0 bytes, got " + bytes);
        }
        if (buffers[i] != null) {
            requireExtent(i, bytes, buffers[i]);
        }
        needed[i] = bytes;
    }

    void set(String parameter, long value) {
        int i = number(parameter);
        switch (parameters[i]) {
            case Parameter.Int p -> {
                if (p.type() == IntType.S32 && (int) value != value) {
                    throw new IllegalArgumentException(title(i) + " has 32 bits, and takes numbers in ["
                            + Integer.MIN_VALUE + ", " + Integer.MAX_VALUE + "], got " + value);
                }
                values[i].set(ValueLayout.JAVA_LONG, 0, value);
            }
            case Parameter.Scalar p -> values[i].set(ValueLayout.JAVA_LONG, 0, bits(p, value));
            default -> throw mismatch(i, "the integer " + value);
        }
        given(i);
    }

    void set(String parameter, double value) {
        int i = number(parameter);
        if (!(parameters[i] instanceof Parameter.Scalar p) || !p.type().isFloat()) {
            throw mismatch(i, "the floating-point number " + value);
        }
        values[i].set(ValueLayout.JAVA_LONG, 0, bits(p, value));
        given(i);
    }

    private long bits(Parameter.Scalar scalar, long value) {
        try {
            return ScalarBits.of(scalar, value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': " + e.getMessage());
        }
    }

    private long bits(Parameter.Scalar scalar, double value) {
        try {
            return ScalarBits.of(scalar, value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': " + e.getMessage());
        }
    }

    void setBits(String parameter, long bits) {
        int i = number(parameter);
        if (!(parameters[i] instanceof Parameter.Scalar)) {
            throw mismatch(i, "a scalar's bits");
        }
        values[i].set(ValueLayout.JAVA_LONG, 0, bits);
        given(i);
    }

    /** What a described launch says. @param all the launch's buffers @param whole whether tensors are there */
    void set(String parameter, Argument argument, Buffer<?>[] all, boolean whole) {
        switch (argument) {
            case Argument.Buffer b -> set(parameter, part(parameter, numbered(parameter, all, b.buffer()), b));
            case Argument.Tensor t -> set(parameter, t.map(), numbered(parameter, all, t.buffer()), t.offset(),
                    whole);
            case Argument.Int(long value) -> set(parameter, value);
            case Argument.Scalar(long bits) -> setBits(parameter, bits);
        }
    }

    /** Refuses buffers that no argument of a described launch names: they were given for a purpose. */
    void requireNoMore(Launch launch, Buffer<?>[] all) {
        int named = 0;
        for (Argument argument : launch.arguments()) {
            named = Math.max(named, switch (argument) {
                case Argument.Buffer b -> b.buffer() + 1;
                case Argument.Tensor t -> t.buffer() + 1;
                case Argument.Int _, Argument.Scalar _ -> 0;
            });
        }
        for (int i = named; i < all.length; i++) {
            if (all[i] == null || all[i].bytes() > 0) {
                throw new IllegalArgumentException("kernel '" + signature.name() + "' takes " + named
                        + (named == 1 ? " buffer" : " buffers") + ", got " + all.length
                        + ": leave out the ones that it does not use");
            }
        }
    }

    private Buffer<?> numbered(String parameter, Buffer<?>[] all, int number) {
        if (number >= all.length) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter '" + parameter
                    + "' is buffer " + number + " of the launch, got " + all.length
                    + (all.length == 1 ? " buffer" : " buffers") + ": give " + (number + 1) + " or more");
        }
        return Objects.requireNonNull(all[number], "buffer " + number);
    }

    private Buffer<byte[]> part(String parameter, Buffer<?> whole, Argument.Buffer argument) {
        try {
            return whole.as(ArrayType.BYTES).slice(argument.offset(), argument.extentIn(whole.bytes()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter '" + parameter + "' "
                    + e.getMessage() + ": give a larger one");
        }
    }

    /**
     * @param offset bytes from the buffer's start to the tensor's first element
     * @param whole whether the buffer has to hold the tensor
     */
    void set(String parameter, TensorMap map, Buffer<?> buffer, long offset, boolean whole) {
        int i = number(parameter);
        if (!(parameters[i] instanceof Parameter.TensorMap p)) {
            throw mismatch(i, "a tensor map");
        }
        if (p.rank() != map.rank()) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': tensor map '" + parameter
                    + "' has rank " + p.rank() + ", got one of rank " + map.rank());
        }
        try {
            signature.starts().require(parameter, map);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': " + e.getMessage(), e);
        }
        requireHere(i, buffer);
        long address = buffer.address() + offset;
        try {
            tensorMaps.write(map, address, values[i]);
        } catch (TensorMapException e) {
            TensorMapException named = new TensorMapException("kernel '" + signature.name()
                    + "' cannot be launched: " + tensorMaps.encoderName() + " refuses its tensor map '" + parameter
                    + "' at address 0x" + Long.toHexString(address), e.validation());
            named.initCause(e);
            unset(i);
            throw named;
        }
        if (whole && !largerTensors) {
            requireFootprint(i, map, buffer, offset);
        }
        buffers[i] = buffer;
        maps[i] = map;
        offsets[i] = offset;
        given(i);
    }

    /** The tensor, from its first byte to its last, has to lie in the buffer. */
    private void requireFootprint(int i, TensorMap map, Buffer<?> buffer, long offset) {
        long bytes = TensorFootprint.bytes(map);
        if (offset < 0 || offset > buffer.bytes() || bytes > buffer.bytes() - offset) {
            unset(i);
            throw new IllegalArgumentException("kernel '" + signature.name() + "': tensor map '"
                    + parameters[i].name() + "' describes a tensor of " + Counted.of(bytes, "byte") + " at byte "
                    + offset + " of its buffer, which has " + Counted.of(buffer.bytes(), "byte")
                    + ": give a larger buffer, or call"
                    + " allowLargerTensors() first if no box of the kernel reaches beyond the buffer");
        }
    }

    private void requireExtent(int i, long bytes, Buffer<?> buffer) {
        if (bytes > buffer.bytes()) {
            throw new IllegalArgumentException(title(i) + " needs " + Counted.of(bytes, "byte")
                    + " of memory, got a buffer of " + Counted.of(buffer.bytes(), "byte"));
        }
    }

    private void requireHere(int i, Buffer<?> buffer) {
        if (!buffer.gpu().cudaContext().isSame(context)) {
            throw new IllegalArgumentException(title(i) + " is a buffer of "
                    + buffer.gpu().cudaContext().placeSeenFrom(context)
                    + ", the kernel is loaded in " + context.place());
        }
    }

    /** Refuses a launch that lacks an argument, or of which one names memory that is closed. */
    void requireReady() {
        if (missing > 0) {
            throw new IllegalStateException("kernel '" + signature.name() + "' has no value yet for "
                    + String.join(", ", missingNames()) + ": set every argument before it starts");
        }
        if (setSince && !extents.isEmpty()) {
            extents.check(buffers, values);
        }
        setSince = false;
        requireOpen();
    }

    /** Refuses memory that is closed. */
    void requireOpen() {
        for (Buffer<?> buffer : buffers) {
            if (buffer != null) {
                buffer.requireOpen();
            }
        }
    }

    private List<String> missingNames() {
        return IntStream.range(0, given.length).filter(i -> !given[i])
                .mapToObj(i -> "'" + parameters[i].name() + "'").toList();
    }

    private void given(int i) {
        setSince = true;
        if (!given[i]) {
            given[i] = true;
            missing--;
        }
    }

    void unset(String parameter) {
        unset(number(parameter));
    }

    /** What was written in part counts as missing. */
    private void unset(int i) {
        buffers[i] = null;
        if (given[i]) {
            given[i] = false;
            missing++;
        }
    }

    private int number(String parameter) {
        Objects.requireNonNull(parameter, "parameter");
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].name().equals(parameter)) {
                return i;
            }
        }
        throw new IllegalArgumentException("kernel '" + signature.name() + "' has no parameter '" + parameter
                + "': it has " + (parameters.length == 0 ? "none"
                        : String.join(", ", signature.parameters().stream().map(Parameter::name).toList())));
    }

    private String title(int i) {
        return "kernel '" + signature.name() + "': parameter '" + parameters[i].name() + "'";
    }

    private IllegalArgumentException mismatch(int i, String got) {
        String kind = switch (parameters[i]) {
            case Parameter.Pointer _ -> "is a pointer, got " + got + ": give it a buffer";
            case Parameter.Int p -> "is an integer of " + (p.type() == IntType.S32 ? 32 : 64) + " bits, got " + got
                    + ": give it an int or a long";
            case Parameter.Scalar p -> "is a number of type " + p.type() + ", got " + got + ": give it "
                    + (p.type().isFloat() ? "a number" : "an int or a long");
            case Parameter.TensorMap p -> "is a tensor map of rank " + p.rank() + ", got " + got
                    + ": give it a map and a buffer";
        };
        return new IllegalArgumentException(title(i) + " " + kind);
    }
}
