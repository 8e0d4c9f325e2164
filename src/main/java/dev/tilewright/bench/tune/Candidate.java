package dev.tilewright.bench.tune;

import dev.tilewright.NotNull;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;

/**
 * A schedule to be measured.
 *
 * @param options what is chosen of the preset's builder
 * @param grid how tiles are shared out, where that depends on the device
 * @param tiles of each block, where the grid says so
 */
record Candidate(Schedule options, Grid grid, int tiles) {

    /** How tiles are shared out. */
    enum Grid {
        /** As the kernel itself chooses. */
        OWN,
        /** A number of tiles to each block. */
        EACH,
        /** A number of tiles to each block, whose blocks sweep the array together. */
        WAVES,
        /** Over as many blocks as the device holds at once. */
        RESIDENT
    }

    Candidate {
        NotNull.all("options, grid", options, grid);
        if (tiles < 1) {
            throw new IllegalArgumentException("tiles must be at least 1, got " + tiles);
        }
    }

    /** As a table keeps it. @param residentBlocks how many blocks of its kernel the device holds at once */
    Schedule schedule(int residentBlocks) {
        return switch (grid) {
            case OWN -> options;
            case EACH -> options.with(GridPolicy.tilesEach(tiles));
            case WAVES -> options.with(GridPolicy.waves(residentBlocks, tiles));
            case RESIDENT -> options.with(GridPolicy.over(residentBlocks));
        };
    }
}
