package dev.tilewright.tile.lower.analysis;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Conditions of a pattern, each of which says in words why a kernel does not meet it, or nothing where it does. */
public final class WhyNot {
    private WhyNot() { }

    /** The reason, unless the condition holds. */
    public static Optional<String> unless(boolean holds, String reason) {
        return holds ? Optional.empty() : Optional.of(reason);
    }

    /** The first condition that is not met; those after it are not looked at. */
    public static Optional<String> first(List<Supplier<Optional<String>>> conditions) {
        return conditions.stream().map(Supplier::get).flatMap(Optional::stream).findFirst();
    }
}
