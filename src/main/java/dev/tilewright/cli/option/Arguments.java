package dev.tilewright.cli.option;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/** Reads argument values; a wrong one is a bad request with the reader's own message. */
public final class Arguments {
    private Arguments() { }

    /** A name such as f32 or float32, or the integer of CUtensorMapDataType (cuda.h) that stands for the same bits. */
    public static ElementType type(String text) {
        if (text.matches("[0-9]{1,2}")) {
            TensorDataType wanted = read(() -> TensorDataType.ofCudaValue(Integer.parseInt(text)));
            return Arrays.stream(ElementType.values()).filter(t -> TensorDataType.of(t) == wanted).findFirst()
                    .orElseThrow(() -> new BadRequestException(
                            "arrays of " + wanted + " are not of a type of their own: use f32"));
        }
        return read(() -> ElementType.parse(text));
    }

    /** The type of a preset's elements. @param text as {@link #type} reads it; null for 32-bit floats */
    public static ElementType presetType(String text) {
        return text == null ? ElementType.F32 : type(text);
    }

    /** The type of a tile kernel's elements: as {@link #type} reads it, or e4m3 or e5m2, which arrays do not have. */
    public static ValueType valueType(String text) {
        return Arrays.stream(ValueType.values()).filter(t -> t.toString().equalsIgnoreCase(text))
                .findFirst().orElseGet(() -> ValueType.of(type(text)));
    }

    public static Target target(String text) {
        Target target = read(() -> Target.parse(text));
        if (target.sharedMemoryPerBlock().isEmpty()) {
            throw new BadRequestException("--target " + target + " is not of a known compute capability: "
                    + "these are " + Target.capabilities().stream().map(Target::toString)
                    .collect(Collectors.joining(", ")) + "; sm_90 and later are known with an a, too, as sm_90a, "
                    + "sm_100 and later with an f, as sm_100f");
        }
        return target;
    }

    public static PtxVersion ptxVersion(String text) {
        return read(() -> PtxVersion.parse(text));
    }

    /** A path; nothing, and what the JVM's encoding of file names cannot say, are none. */
    public static Path path(String text) {
        if (text.isEmpty()) {
            throw new TypeConversionException("a file's name must not be empty");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + text.replace("\0", "\\0") + "' cannot be a file's name here ("
                    + (text.indexOf('\0') >= 0 ? "it has a NUL character" : "the encoding of file names is "
                    + System.getProperty("sun.jnu.encoding") + "; LC_ALL=C.UTF-8 makes it UTF-8") + ")");
        }
    }

    /** Whether there is such a GPU is seen later. */
    public static void requireOrdinal(int gpu) {
        if (gpu < 0) {
            throw new BadRequestException("--gpu takes an ordinal from 0, got " + gpu);
        }
    }

    /** What a library refuses is a bad request. */
    public static <T> T read(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (BadRequestException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(e.getMessage(), e);
        }
    }
}
