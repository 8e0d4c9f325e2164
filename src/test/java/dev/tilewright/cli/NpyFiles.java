package dev.tilewright.cli;

import dev.tilewright.io.NpyReader;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Arrays in a folder of a test: good ones, and files that only look like arrays. */
record NpyFiles(Path folder) {

    /** A matrix, or whatever the shape says, of the numbers 0, 1, 2 and so on. */
    Path floats(String name, Long... shape) {
        int count = Stream.of(shape).reduce(1L, Math::multiplyExact).intValue();
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        return write(name, ElementType.F32, MemorySegment.ofArray(values), shape);
    }

    Path write(String name, ElementType type, MemorySegment data, Long... shape) {
        Path file = folder.resolve(name);
        NpyWriter.write(file, type, List.of(shape), data);
        return file;
    }

    /** A file of format 1.0 with this header and so many zero bytes of data. */
    Path raw(String name, String header, int dataBytes) {
        int length = (10 + header.length() + 1 + 63) / 64 * 64 - 10;
        String padded = header + " ".repeat(length - header.length() - 1) + "\n";
        byte[] text = padded.getBytes(StandardCharsets.ISO_8859_1);
        byte[] file = new byte[10 + length + dataBytes];
        System.arraycopy(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) length, (byte) (length >> 8)},
                0, file, 0, 10);
        System.arraycopy(text, 0, file, 10, length);
        return bytes(name, file);
    }

    Path bytes(String name, byte[] content) {
        try {
            return Files.write(folder.resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file's numbers. */
    float[] read(String name) {
        try (Arena arena = Arena.ofConfined()) {
            return NpyReader.open(folder.resolve(name), arena).data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        }
    }

    List<Long> shape(String name) {
        try (Arena arena = Arena.ofConfined()) {
            return NpyReader.open(folder.resolve(name), arena).shape();
        }
    }

    /** What is in the folder, hidden files too. */
    List<String> names() {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(f -> f.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
