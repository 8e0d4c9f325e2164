package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.function.Supplier;

/** Reads argument values; a wrong one is a bad request with the reader's own message. */
final class Arguments {

    private Arguments() {
    }

    static ElementType type(String text) {
        return read(() -> ElementType.parse(text));
    }

    static Target target(String text) {
        return read(() -> Target.parse(text));
    }

    private static <T> T read(Supplier<T> reader) {
        try {
            return reader.get();
        } catch (BadRequestException e) {
            throw e;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(e.getMessage(), e);
        }
    }
}
