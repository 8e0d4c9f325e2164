package dev.tilewright.bench.tune;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.tuning.Schedule;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A schedule to be measured.
 *
 * @param options of the preset's builder
 * @param grid how tiles are shared out, where that depends on the device
 * @param tiles of each block, where the grid says so
 */
record Candidate(Map<String, String> options, Grid grid, int tiles) {

    /** How tiles are shared out. */
    enum Grid {
        /** As the kernel itself chooses. */
        OWN,
        /** So many to each block. */
        EACH,
        /** So many to each block, of blocks that sweep together. */
        WAVES,
        /** Over as many blocks as the device holds at once. */
        RESIDENT
    }

    Candidate {
        options = Map.copyOf(options);
        Objects.requireNonNull(grid, "grid");
        if (tiles < 1) {
            throw new IllegalArgumentException("tiles must be at least 1, got " + tiles);
        }
    }

    /** As a table keeps it. @param residentBlocks how many blocks of its kernel the device holds at once */
    Schedule schedule(int residentBlocks) {
        return new Schedule(options, switch (grid) {
            case OWN -> Optional.empty();
            case EACH -> Optional.of(GridPolicy.tilesEach(tiles));
            case WAVES -> Optional.of(GridPolicy.waves(residentBlocks, tiles));
            case RESIDENT -> Optional.of(GridPolicy.over(residentBlocks));
        });
    }
}
