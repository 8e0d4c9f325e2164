package dev.tilewright.tile.launch;

import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.lower.layout.Shortage;
import dev.tilewright.tile.lower.TileSize;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Refuses kernels that no GPU has room for, whatever the schedule and the launch. */
final class Room {
    /** Half of a block's registers of 32 bits: kernels of smaller tiles are not looked at before they are launched. */
    private static final long REGISTERS = 32768;
    /** One with clusters, copy engine and wgmma, and one without; no other target has more of a resource. */
    private static final List<Target> TARGETS = List.of(Target.SM_80, Target.SM_90A);

    private Room() { }

    /** @throws IllegalArgumentException if there is no program for any target, not in smaller tiles either */
    static void require(TracedKernel kernel) {
        if (!isLarge(kernel.grid())) {
            return;
        }
        Grid smallest = smallest(kernel.grid());
        if (isLarge(smallest)) {
            Optional<IllegalArgumentException> shortage = shortage(kernel).filter(_ ->
                    shortage(kernel.in(smallest)).isPresent());
            if (shortage.isPresent()) {
                throw new IllegalArgumentException("no schedule makes room on any GPU: " + shortage.get().getMessage(),
                        shortage.get());
            }
        }
    }

    /** What the last target lacks where none has room; nothing where one has, or where programs lack something else. */
    private static Optional<IllegalArgumentException> shortage(TracedKernel kernel) {
        Map<String, Long> extents = new HashMap<>();
        kernel.programExtents().forEach(name -> extents.put(name, 1L));
        Optional<IllegalArgumentException> shortage = Optional.empty();
        for (Target target : TARGETS) {
            try {
                kernel.programs(kernel.schedule()).lowered(extents, target);
                return Optional.empty();
            } catch (IllegalArgumentException e) {
                if (Shortage.is(e)) {
                    shortage = Optional.of(e);
                }
            }
        }
        return shortage;
    }

    /** Whether a tile of known extents takes half of a block's registers. */
    private static boolean isLarge(Grid grid) {
        return grid.body().tiles().anyMatch(tile -> registers(tile) >= REGISTERS);
    }

    /** Of a tile whose extents are known; else 0. */
    private static long registers(Tile tile) {
        return tile.shape().stream().mapToLong(dim -> padded(dim.size().orElse(0))).reduce(1, Math::multiplyExact)
                * tile.type().bits() / Integer.SIZE;
    }

    /** An extent as layouts have it: a power of two. */
    private static long padded(long extent) {
        return extent < 2 ? extent : Long.highestOneBit(extent - 1) << 1;
    }

    /** The grid in the smallest tiles whose elements are the same. */
    private static Grid smallest(Grid grid) {
        Grid smallest = grid;
        for (int i = 0; i < grid.steps().size(); i++) {
            List<Integer> lengths = new ArrayList<>(smallest.steps().stream().map(Steps::length).toList());
            lengths.set(i, Math.min(TileSize.LEAST, lengths.get(i)));
            try {
                smallest = smallest.inTiles(lengths);
            } catch (IllegalArgumentException _) {
                // Elements along it depend on their tile.
            }
        }
        return smallest;
    }
}
