package dev.tilewright.reference.banks;

import dev.tilewright.program.Warp;
import java.util.Objects;

/**
 * How shared memory serves the accesses that the lanes of a warp make together. It has {@value #COUNT} banks of
 * {@value #WIDTH} bytes, word w in bank w mod {@value #COUNT}; in a wavefront each bank gives or takes one word, which
 * every lane may have that wants it. Lanes with 4 bytes or less are served together, those with 8 in half warps, those
 * with 16 in quarter warps: a wavefront has 128 bytes. (CUDA C++ Programming Guide, "Shared Memory"; ldmatrix and
 * stmatrix take a matrix's 8 rows of 16 bytes instead of a quarter warp.)
 */
public final class SharedBanks {
    /** How many banks there are. */
    public static final int COUNT = 32;
    /** Bytes of a bank's word. */
    public static final int WIDTH = 4;
    /** Instead of an address: the lane has no part in the access. */
    public static final int NO_ADDRESS = -1;

    private SharedBanks() { }

    /**
     * Wavefronts that an access takes.
     *
     * @param addresses by lane, in bytes from the start of the block's shared memory, or {@link #NO_ADDRESS}; at most
     *         32
     * @param bytes of each lane: 1, 2, 4, 8 or 16, of which every address is a multiple
     */
    public static int wavefronts(int[] addresses, int bytes) {
        requireAccess(addresses, bytes);
        int group = lanesTogether(bytes);
        int wavefronts = 0;
        for (int first = 0; first < addresses.length; first += group) {
            wavefronts += ways(addresses, first, Math.min(first + group, addresses.length), bytes);
        }
        return wavefronts;
    }

    /** Wavefronts that it would take without any conflict: one for each part of the warp that is served together. */
    public static int ideal(int[] addresses, int bytes) {
        requireAccess(addresses, bytes);
        int group = lanesTogether(bytes);
        int wavefronts = 0;
        for (int first = 0; first < addresses.length; first += group) {
            int taken = 0;
            for (int lane = first; lane < Math.min(first + group, addresses.length); lane++) {
                taken |= addresses[lane] == NO_ADDRESS ? 0 : 1;
            }
            wavefronts += taken;
        }
        return wavefronts;
    }

    private static int lanesTogether(int bytes) {
        return Warp.LANES * WIDTH / Math.max(WIDTH, bytes);
    }

    /** The most different words that one bank has to serve. */
    private static int ways(int[] addresses, int from, int until, int bytes) {
        int[] words = new int[Warp.LANES];
        int count = 0;
        int[] ofBank = new int[COUNT];
        int most = 0;
        for (int lane = from; lane < until; lane++) {
            if (addresses[lane] == NO_ADDRESS) {
                continue;
            }
            int first = addresses[lane] / WIDTH;
            for (int word = first; word < first + Math.max(1, bytes / WIDTH); word++) {
                if (!contains(words, count, word)) {
                    words[count++] = word;
                    most = Math.max(most, ++ofBank[word % COUNT]);
                }
            }
        }
        return most;
    }

    private static boolean contains(int[] words, int count, int word) {
        for (int i = 0; i < count; i++) {
            if (words[i] == word) {
                return true;
            }
        }
        return false;
    }

    private static void requireAccess(int[] addresses, int bytes) {
        Objects.requireNonNull(addresses, "addresses");
        if (addresses.length > Warp.LANES) {
            throw new IllegalArgumentException("a warp has " + Warp.LANES + " lanes, got " + addresses.length
                    + " addresses");
        }
        if (bytes < 1 || bytes > 16 || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("a lane accesses 1, 2, 4, 8 or 16 bytes at once, got " + bytes);
        }
        for (int address : addresses) {
            if (address != NO_ADDRESS && (address < 0 || address % bytes != 0)) {
                throw new IllegalArgumentException("an address in shared memory is at least 0 and a multiple of the "
                        + "access's " + bytes + " bytes, got " + address);
            }
        }
    }
}
