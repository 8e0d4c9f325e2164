package dev.tilewright.hazard;

import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/**
 * The kinds of mistakes that the analysis tells apart. Their codes, such as {@code read-in-flight}, stay as they are.
 */
public enum HazardCode {
    READ_IN_FLIGHT("bytes are read that an asynchronous copy may still be writing"),
    OVERWRITE_UNREAD("a copy overwrites bytes that are still being read, or that an earlier copy may still be writing"),
    OVERWRITE_IN_STORE("bytes are overwritten that an asynchronous store may still be reading"),
    MISSING_BARRIER("two threads touch the same bytes, one of them writes, and nothing orders the two"),
    MISSING_PROXY_FENCE("ordinary writes and the asynchronous copies after them have no proxy fence between them"),
    BARRIER_NOT_INITIALISED("an mbarrier is used that no thread has initialised"),
    BARRIER_INIT_NOT_VISIBLE("a thread, or the copy engine, uses an mbarrier whose initialisation it need not see yet"),
    TX_TOO_SMALL("fewer bytes are announced on an mbarrier than arrive, so a phase completes without some, or never"),
    TX_TOO_LARGE("more bytes are announced on an mbarrier than arrive, so its phase never completes"),
    TX_LATE("bytes are announced on an mbarrier after the phase that should count them may have completed"),
    WRONG_PARITY("a wait for a parity passes at once, or never, because it is the parity of another phase"),
    WRONG_ARRIVAL_COUNT("an mbarrier gets another number of arrivals than it was initialised for"),
    DEADLOCK("no thread can go on"),
    WAIT_TOO_SHALLOW("a wait leaves the group in flight whose bytes are used next"),
    GROUP_NOT_COMMITTED("bytes are used of an asynchronous copy whose group no commit has closed"),
    GROUP_NEVER_WAITED("no thread waits for the group of an asynchronous copy"),
    EXIT_IN_FLIGHT("a block may end while a copy still reads or writes its shared memory"),
    SMEM_MISALIGNED_FOR_SWIZZLE("a swizzled box lies where the swizzle's pattern is shifted"),
    MULTICAST_MISSING_CTA("a block waits for bytes of a multicast copy that does not go to it"),
    REMOTE_AFTER_EXIT("a block may end before another one of its cluster is done with its shared memory"),
    MAP_CHANGE_NOT_FENCED("a tensor map is used, or published, that was changed without what makes the change known"),
    FLAG_NOT_ACQUIRED("data is read because of a value that was read without acquiring"),
    SCOPE_TOO_SMALL("an access, a fence, an arrival or a wait has a scope that leaves out the thread that it is for"),
    GLOBAL_RACE("two blocks touch the same bytes of global memory, one of them writes, and nothing orders them"),
    PHASE_NOT_KNOWN("a thread arrives at an mbarrier, or announces or brings bytes, and it may count in another phase"),
    INVAL_IN_USE("an mbarrier is invalidated that another thread, or a copy, may still use"),
    REGISTERS_IN_FLIGHT("registers are used that a product of a warpgroup may still be reading or writing"),
    WGMMA_NOT_FENCED("a product of a warpgroup takes registers that were used before it, with no wgmma.fence between"),
    READ_UNWRITTEN("bytes of shared memory are read, and matter, that nothing has written since the block began"),
    WARP_DIVERGED("lanes of a warp do not come together to an instruction that they perform together"),
    LANE_MISSING("a shuffle takes the value of a lane that does not take part in it"),
    NAMED_BARRIER_MISMATCH("a named barrier is for other threads, or for another number of them, than come to it"),
    WGMMA_FENCE_TOO_EARLY("a wait in a loop lies between a wgmma.fence and its product, so that ptxas puts in another "
            + "fence"),
    SWIZZLE_MISMATCH("a product reads a matrix with another swizzle than that of the tensor copy that brought it"),
    PRIOR_GRID_NOT_AWAITED("a grid touches what the one before it touches, and may begin before that has ended"),
    FAULT("the hardware faults on this, or leaves it undefined");

    private final String meaning;

    HazardCode(String meaning) {
        this.meaning = meaning;
    }

    /** One sentence, without its full stop. */
    public String meaning() {
        return meaning;
    }

    /**
     * The code with this name.
     *
     * @throws IllegalArgumentException for a name that is none
     */
    public static HazardCode parse(String code) {
        Objects.requireNonNull(code, "code");
        return Arrays.stream(values()).filter(c -> c.toString().equals(code)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no hazard code '" + code + "'"));
    }

    /** The code: {@code read-in-flight}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
