package dev.tilewright.cli.terminal;

import dev.tilewright.gpu.host.ByteSize;
import java.util.List;
import java.util.stream.Collectors;

/** Numbers as people read them. */
public final class Units {
    private Units() { }

    public static String bytes(long bytes) {
        return ByteSize.of(bytes);
    }

    public static String shape(List<Long> shape) {
        return shape.isEmpty() ? "scalar" : shape.stream().map(Object::toString).collect(Collectors.joining("x"));
    }
}
