package dev.tilewright.reference.banks;

import dev.tilewright.NotNull;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One access of a warp to shared memory.
 *
 * @param block its number in the grid
 * @param warp its number in the block
 * @param turn how often its lanes had performed the step before
 * @param writes whether it is a store
 * @param bytes of each lane
 * @param addresses by lane, in bytes from the start of the block's shared memory, or {@link SharedBanks#NO_ADDRESS}
 * @param wavefronts that it takes
 * @param ideal how many it would take without a conflict
 */
public record WarpAccess(int block, int warp, long turn, boolean writes, int bytes, List<Integer> addresses,
        int wavefronts, int ideal) {
    public WarpAccess {
        NotNull.all("addresses", addresses);
        addresses = List.copyOf(addresses);
    }

    /** The access as people read it: {@code block 0, warp 1, turn 2: 4 bytes at lane 0: 0, lane 1: 128, ...}. */
    @Override
    public String toString() {
        return "block " + block + ", warp " + warp + ", turn " + turn + ": " + wavefronts + " wavefronts for " + bytes
                + (bytes == 1 ? " byte" : " bytes") + " at "
                + IntStream.range(0, addresses.size()).filter(lane -> addresses.get(lane) != SharedBanks.NO_ADDRESS)
                        .mapToObj(lane -> "lane " + lane + ": " + addresses.get(lane))
                        .collect(Collectors.joining(", "));
    }
}
