package dev.tilewright.cli;

import dev.tilewright.gpu.host.ByteSize;
import java.util.List;
import java.util.stream.Collectors;

/** Numbers as people read them. */
final class Units {
    private Units() {
    }

    static String bytes(long bytes) {
        return ByteSize.of(bytes);
    }

    static String shape(List<Long> shape) {
        return shape.isEmpty() ? "scalar" : shape.stream().map(Object::toString).collect(Collectors.joining("x"));
    }
}
