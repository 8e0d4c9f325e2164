package dev.tilewright.tile.launch;

import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Refuses kernels that no GPU has room for, whatever the schedule and the launch. */
final class Room {
    /** Registers of 32 bits of the blocks of the largest cluster. */
    private static final long REGISTERS = 8 * 65536;
    /** The least length that a tile of several elements may be given. */
    private static final int LEAST = 2;

    private Room() { }

    /** @throws IllegalArgumentException if elements are taken together of a tile that takes all registers */
    static void require(String kernel, Grid grid) {
        if (tooLarge(grid).isPresent()) {
            tooLarge(smallest(grid)).ifPresent(tile -> {
                throw new IllegalArgumentException("kernel '" + kernel + "' takes elements of tile " + tile
                        + " together, which needs " + registers(tile) + " registers of 32 bits for the tile alone, and "
                        + "the 8 blocks of the largest cluster have " + REGISTERS + ", some of them to compute with: "
                        + "use smaller tiles, or go along it in a loop");
            });
        }
    }

    /** Such a tile: the input of a reduction, of a scan, or of what finds the greatest. */
    private static Optional<Tile> tooLarge(Grid grid) {
        return grid.body().tiles().flatMap(tile -> switch (tile.node()) {
            case TileNode.Reduce(Tile of, int _, var _) -> Optional.of(of).stream();
            case TileNode.Scan(Tile of, int _, var _) -> Optional.of(of).stream();
            case TileNode.Extreme(Tile of, int _, boolean _) -> Optional.of(of).stream();
            default -> Optional.<Tile>empty().stream();
        }).filter(tile -> registers(tile) >= REGISTERS).findFirst();
    }

    /** Of a tile whose extents are known; else 0. */
    private static long registers(Tile tile) {
        return tile.shape().stream().mapToLong(dim -> dim.size().orElse(0)).reduce(1, Math::multiplyExact)
                * tile.type().bits() / Integer.SIZE;
    }

    /** The grid in the smallest tiles whose elements are the same. */
    private static Grid smallest(Grid grid) {
        Grid smallest = grid;
        for (int i = 0; i < grid.steps().size(); i++) {
            List<Integer> lengths = new ArrayList<>(smallest.steps().stream().map(Steps::length).toList());
            lengths.set(i, Math.min(LEAST, lengths.get(i)));
            try {
                smallest = smallest.inTiles(lengths);
            } catch (IllegalArgumentException _) {
                // Elements along it depend on their tile.
            }
        }
        return smallest;
    }
}
