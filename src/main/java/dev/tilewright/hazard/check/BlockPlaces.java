package dev.tilewright.hazard.check;

import dev.tilewright.hazard.Access;
import dev.tilewright.hazard.Finding;
import dev.tilewright.program.GridShape;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says of findings in grids and clusters of several dimensions where the blocks are that they name by number. */
final class BlockPlaces {

    private BlockPlaces() { }

    static List<Finding> named(List<Finding> findings, GridShape shape) {
        return shape.isLine() ? findings : findings.stream().map(f -> named(f, shape)).toList();
    }

    private static Finding named(Finding f, GridShape shape) {
        Stream<Integer> others = Stream.of(f.access(), f.before()).flatMap(Optional::stream).map(Access::block);
        String places = Stream.concat(Stream.of(f.block()), others).distinct().map(shape::explain)
                .filter(text -> !f.message().contains(text)).collect(Collectors.joining("; "));
        return places.isEmpty() ? f : new Finding(f.code(), f.location(), f.block(), f.place(), f.access(), f.before(),
                f.wanted(), f.fix(), f.message() + "; " + places, f.alsoAt());
    }
}
