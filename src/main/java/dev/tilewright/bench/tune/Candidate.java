package dev.tilewright.bench.tune;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.tuning.Schedule;
import java.util.Map;
import java.util.Optional;

/**
 * A schedule to be measured.
 *
 * @param options of the preset's builder
 * @param tilesEach tiles of each block; {@link #OWN} for the kernel's own choice, {@link #RESIDENT} for as many blocks as
 *     the device holds at once
 */
record Candidate(Map<String, String> options, int tilesEach) {
    static final int OWN = -1;
    static final int RESIDENT = 0;

    Candidate {
        options = Map.copyOf(options);
        if (tilesEach < OWN) {
            throw new IllegalArgumentException("tilesEach must be at least -1, got " + tilesEach);
        }
    }

    /** As a table keeps it. @param residentBlocks how many blocks of its kernel the device holds at once */
    Schedule schedule(int residentBlocks) {
        return new Schedule(options, switch (tilesEach) {
            case OWN -> Optional.empty();
            case RESIDENT -> Optional.of(GridPolicy.over(residentBlocks));
            default -> Optional.of(GridPolicy.tilesEach(tilesEach));
        });
    }
}
