package dev.tilewright.hazard;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All that is said of the smallest kernel for each code. */
class CodeMessagesTest {

    @ParameterizedTest
    @EnumSource
    void isSaid(HazardCode code) {
        Messages.are(SmallMistakes.check(code, true), expected(code));
    }

    private static String[] expected(HazardCode code) {
        return switch (code) {
            case REGISTERS_IN_FLIGHT -> of(
                    "registers-in-flight: step 25 ('meddle', #) of thread 121 of block 0 writes 'sums', which the "
                    + "product "
                        + "of step 24 ('sums += A B', #) may still be using; from its start until its group is waited "
                        + "for, a product's registers are its own, and nothing waits between the two; commit the "
                        + "product's group and wait for it, with wgmma.wait_group 0, before step 25");
            case WGMMA_NOT_FENCED -> of(
                    "wgmma-not-fenced: step 9 ('sums += A B', #) of thread 0 of block 0 starts a product, the first of "
                        + "its warpgroup, and no wgmma.fence comes before it; a warpgroup's first product comes after "
                        + "a "
                        + "wgmma.fence; put wgmma.fence before it");
            case READ_IN_FLIGHT -> of(
                    "read-in-flight: step 8 ('read it', #) of thread 0 of block 0 reads bytes 0 to 3 of shared "
                        + "'buffer', and step 7 ('load 256 bytes to 0', #) of thread 0 of block 0 lets the copy "
                        + "engine write them; thread 0 has not waited for phase 0 of barrier ready[0], nor met a "
                        + "thread that has; wait for it before step 8");
            case OVERWRITE_UNREAD -> of(
                    "overwrite-unread: step 8 ('load 256 bytes to 0', #) of thread 0 of block 0 lets the copy "
                        + "engine write bytes 4 to 7 of shared 'buffer', and step 11 ('read it', #) of thread 1 "
                        + "of block 0 reads them; the reading thread may not have finished; put "
                        + "__syncthreads() after step 11, in each turn, or an mbarrier at which the reader arrives "
                        + "and for which the copying thread waits");
            case OVERWRITE_IN_STORE -> of(
                    "overwrite-in-store: step 10 ('fill', #) of thread 0 of block 0 writes bytes 0 to 3 of "
                        + "shared 'buffer', and step 6 ('store', #) of thread 0 of block 0 lets the copy engine "
                        + "read them; nothing waits until the copy has read them; "
                        + "put cp.async.bulk.wait_group.read 0 after step 7, which closes its group");
            case MISSING_BARRIER -> of(
                    "missing-barrier: step 5 ('fill', #) of thread 1 of block 0 writes bytes 4 to 7 of shared "
                        + "'buffer', and step 6 ('read it', #) of thread 0 of block 0 reads them; "
                        + "nothing orders the two threads; put __syncthreads() between the two",
                    "missing-barrier: step 6 ('read it', #) of thread 63 of block 0 reads bytes 0 to 3 of shared "
                        + "'buffer', and step 5 ('fill', #) of thread 0 of block 0 writes them; "
                        + "nothing orders the two threads; put __syncthreads() between the two");
            case MISSING_PROXY_FENCE -> of(
                    "missing-proxy-fence: step 5 ('store', #) of thread 0 of block 0 lets the copy engine read "
                        + "bytes 0 to 3 of shared 'buffer', and step 2 ('fill', #) of thread 0 of block 0 writes "
                        + "them; no proxy fence lies between the two; in the writing thread, put fence.proxy.async "
                        + "after the writes and before it lets other threads go on");
            case BARRIER_NOT_INITIALISED -> of(
                    "barrier-not-initialised: step 1 ('here', #) of thread 0 of block 0 uses barrier ready[0], "
                        + "which is not initialised; nothing makes sure that it is by then; "
                        + "initialise it earlier, and synchronise the threads in between");
            case BARRIER_INIT_NOT_VISIBLE -> of(
                    "barrier-init-not-visible: step 3 ('here', #) of thread 1 of block 0 uses barrier ready[0], "
                        + "which step 2 ('for all threads', #) of thread 0 of block 0 initialises; "
                        + "nothing orders the two threads; synchronise the threads after step 1");
            case TX_TOO_SMALL -> of(
                    "tx-too-small: step 6 ('announce', #) of block 0: fewer bytes are announced on barrier "
                        + "ready[0] than its copies bring; announce the bytes of all copies that complete on it");
            case TX_TOO_LARGE -> of(
                    "tx-too-large: step 6 ('announce', #) of block 0: more bytes are announced on barrier "
                        + "ready[0] than copies bring: 1024 announced in phase 0, 512 under way; "
                        + "announce the bytes of the copies that complete on it, and start all of them");
            case TX_LATE -> of(
                    "tx-late: step 7 ('announce', #) of block 0: step 10 ('read it', #) of thread 0 of block 0 "
                        + "reads bytes 0 to 3 of shared 'buffer', and step 8 ('load 256 bytes to 0', #) of thread "
                        + "0 of block 0 lets the copy engine write them; phase 0 of barrier ready[0] completes "
                        + "without the bytes, because they are announced after the arrival; "
                        + "announce the bytes before the arrival, or with it: mbarrier.arrive.expect_tx");
            case WRONG_PARITY -> of(
                    "wrong-parity: step 8 ('it has landed', #) of block 0: step 9 ('read it', #) of thread 0 of "
                        + "block 0 reads bytes 0 to 3 of shared 'buffer', and step 7 ('load 256 bytes to 0', #) of "
                        + "thread 0 of block 0 lets the copy engine write them; "
                        + "the wait for barrier ready[0] passed for the phase before that of the copy; "
                        + "wait for parity 0, that of phase 0",
                    "wrong-parity: step 8 ('it has landed', #) of thread 0 of block 0 waits for barrier "
                        + "ready[0], whose phase 0 may be complete by then; "
                        + "the wait would then last for one phase more, or for ever; "
                        + "let no phase complete before all threads have passed their wait for the one before, or "
                        + "wait for the other parity");
            case WRONG_ARRIVAL_COUNT -> of(
                    "wrong-arrival-count: step 2 ('for 65 arrivals', #) of block 0: phase 0 of barrier ready[0] "
                        + "lacks 1 of its 65 arrivals, and step 6 ('all are', #) of thread 0 of block 0 waits for "
                        + "it; threads 0-63 of block 0 have arrived, by step 5 ('here', #), and no other thread is "
                        + "to; initialise it with 64, or let more threads arrive");
            case DEADLOCK -> of(
                    "deadlock: step 2 ('all of them?', #) of block 0: threads 0-31 of block 0 wait at "
                        + "__syncthreads(), and threads 32-63 of block 0 have ended without coming there; "
                        + "no thread that is missing there comes any more; let all of them reach it: step 1 ('half "
                        + "of the threads', #) lets only some");
            case WAIT_TOO_SHALLOW -> of(
                    "wait-too-shallow: step 5 ('landed', #) of block 0: step 6 ('read it', #) of thread 0 of "
                        + "block 0 reads bytes 256 to 259 of shared 'buffer', and step 3 ('copy 1', #) of "
                        + "thread 0 of block 0 asynchronously writes them; step 5 leaves 1 group in flight, "
                        + "which is the copy's; let that wait leave fewer groups pending");
            case GROUP_NOT_COMMITTED -> of(
                    "group-not-committed: step 1 ('copy', #) of block 0: step 3 ('read it', #) of thread 0 of "
                        + "block 0 reads bytes 0 to 3 of shared 'buffer', and step 1 ('copy', #) of thread 0 of "
                        + "block 0 asynchronously writes them; no commit has closed the copy's group, so that "
                        + "no wait covers it; commit the group after the copy");
            case GROUP_NEVER_WAITED -> of(
                    "group-never-waited: step 3 ('read it', #) of thread 0 of block 0 reads bytes 0 to 3 of "
                        + "shared 'buffer', and step 1 ('copy', #) of thread 0 of block 0 asynchronously writes "
                        + "them; no wait for the copy's group lies between the two; "
                        + "wait for the group before step 3");
            case EXIT_IN_FLIGHT -> of(
                    "exit-in-flight: step 6 ('store', #) of thread 0 of block 0 starts a bulk store, and ends "
                        + "without having waited until its source has been read; "
                        + "the block's shared memory is gone when the block has ended; "
                        + "wait with cp.async.bulk.wait_group.read 0 before the end");
            case SMEM_MISALIGNED_FOR_SWIZZLE -> of(
                    "smem-misaligned-for-swizzle: step 7 ('load', #) of thread 0 of block 0 copies a swizzled "
                        + "box that lies at shared address 128, byte 128 of 'buffer'; "
                        + "its address must be a multiple of 1024, where the swizzle's pattern begins; "
                        + "align the buffer to 1024 bytes and put boxes at multiples of that");
            case MULTICAST_MISSING_CTA -> of(
                    "multicast-missing-cta: step 9 ('load', #) copies to the blocks of mask 0x1, where the block "
                        + "of rank 1 is missing; barrier ready[0] of block 1 waits for 256 more bytes; "
                        + "set bit 1 of the mask");
            case REMOTE_AFTER_EXIT -> of(
                    "remote-after-exit: step 4 ('leave a number there', #) of thread 62 of block 1 writes shared "
                        + "memory of block 0 of its cluster, which may have ended by then; "
                        + "no thread of that block knows when this is done; "
                        + "let all blocks of the cluster meet at its barrier at the end");
            case MAP_CHANGE_NOT_FENCED -> of(
                    "map-change-not-fenced: step 13 ('load', #) of thread 0 of block 0 uses the tensor map in bytes "
                    + "1024 "
                        + "to 1151 of 'flags', and step 10 ('publish', #) of thread 31 of block 0 writes it; "
                        + "step 10 ('publish', #) of thread 31 of block 0 releases it, and no thread of the block has "
                        + "acquired the map since; let a thread of the block acquire the map (fence.proxy.tensormap, "
                        + "acquire) before the use");
            case FLAG_NOT_ACQUIRED -> of(
                    "flag-not-acquired: step 6 ('it is there', #) of block 1: step 7 ('take it', #) of thread 0 "
                        + "of block 1 reads bytes 0 to 3 of 'result', and step 4 ('leave it', #) of thread 0 of "
                        + "block 0 writes them; step 6 read a value that was stored after it, but without "
                        + "acquire semantics; give that load acquire semantics, or put a fence after it");
            case SCOPE_TOO_SMALL -> of(
                    "scope-too-small: step 2 ('count', #) of thread 0 of block 1 updates bytes 0 to 3 of "
                        + "'flags', and step 2 ('count', #) of thread 0 of block 0 updates them; step 2 of "
                        + "thread 0 of block 0 has a scope that leaves out thread 0 of block 1; give it the "
                        + "scope .gpu");
            case GLOBAL_RACE -> of(
                    "global-race: step 2 ('write it', #) of thread 0 of block 1 writes bytes 0 to 3 of 'result', "
                        + "and step 2 ('write it', #) of thread 0 of block 0 writes them; "
                        + "nothing orders the two blocks; give each block bytes of its own, or let one block wait "
                        + "for a value that the other releases");
            case PHASE_NOT_KNOWN -> of(
                    "phase-not-known: step 7 ('here', #) of thread 1 of block 0 arrives for phase 1 of barrier "
                        + "ready[0], and nothing makes sure that phase 0, in which it has arrived already, is "
                        + "complete by then; it may count in that one; wait for that phase first, or for something "
                        + "that comes after it, or arrive once");
            case INVAL_IN_USE -> of(
                    "inval-in-use: step 8 ('ends it', #) of thread 63 of block 0 invalidates barrier ready[0], and "
                        + "step 6 ('all are', #) of thread 0 of block 0 waits on it; nothing makes sure that this "
                        + "is over by then; synchronise the threads after the last use");
            case READ_UNWRITTEN -> of(
                    "read-unwritten: step 3 ('read it', #) of thread 0 of block 0 reads bytes 256 to 259 of "
                        + "shared 'buffer', which nothing has written, and step 4 ('show it', #) of thread 0 of block "
                        + "0 "
                        + "leaves the value in global memory; shared memory begins with what earlier "
                        + "blocks left there; read where the bytes were put, such as the stage that was waited "
                        + "for, or write them first, or do not let the value matter");
            case WARP_DIVERGED -> of(
                    "warp-diverged: step 2 ('they meet', #) of block 0: threads 0-15 of block 0 wait at a step that "
                        + "lanes of a warp perform together; no thread that is missing there comes any more; let all "
                        + "of them reach it, or name those who do in the mask: step 1 ('half of each warp', #) lets "
                        + "only some");
            case LANE_MISSING -> of(
                    "lane-missing: step 2 ('from above', #) of thread 15 of block 0 fails: lane 15 takes the value of "
                        + "lane 23, which does not take part: lanes 0 to 15 came; what it gets is not defined; let "
                        + "that "
                        + "lane come too, with both in the mask, or choose a width, a distance or a lane that stays "
                        + "among those who come");
            case NAMED_BARRIER_MISMATCH -> of(
                    "named-barrier-mismatch: step 2 ('they meet', #) of block 0: threads 0-31 of block 0 wait at named "
                        + "barrier 1, to which 32 threads have come, fewer than the 64 that it is for; no other thread "
                        + "comes there "
                        + "any more; make the number of threads that it is for the number of those who come, or let "
                        + "more come: step 1 ('the first warp', #) lets only some");
            case WGMMA_FENCE_TOO_EARLY -> of(
                    "wgmma-fence-too-early: step 13 ('the sums are the tensor cores'', #) of block 0: the fence comes "
                        + "before step 14 ('it is full', #), which waits in a loop, and step 15 ('sums += A B', #) of "
                        + "thread 0 of block 0 starts a product behind that; ptxas does not take a fence before a loop "
                        + "for one of the product, and puts another one in (its remark C7519); put wgmma.fence after "
                        + "the "
                        + "wait, right before the product");
            case SWIZZLE_MISMATCH -> of(
                    "swizzle-mismatch: step 21 ('multiply', #) of thread 0 of block 0 reads bytes 128 to 143 of shared "
                        + "'a_there' as part of a matrix with the swizzle of 128 bytes, and step 5 ('load', #) of "
                        + "thread 0 of block 0 brought them without a swizzle; each element lies where the copy's "
                        + "tensor "
                        + "map says, and is looked for where the matrix descriptor says; give the tensor map and the "
                        + "MatrixTile the same swizzle");
            case PRIOR_GRID_NOT_AWAITED -> of(
                    "prior-grid-not-awaited: step 1 ('read', #) of thread 0 of block 0 reads bytes 0 to 3 of 'in', and "
                        + "the kernel before it, 'first', may still be running: there step 3 ('write', #) of thread 0 "
                        + "of block 0 writes them; nothing waits for that grid; put griddepcontrol.wait before it: "
                        + "Body.waitForPriorGrid()");
            case FAULT -> of(
                    "fault: step 4 ('read it', #) of thread 0 of block 0 fails: byte 2 of shared buffer 'buffer' "
                        + "is at shared address 2, which must be a multiple of 4");
        };
    }

    private static String[] of(String... messages) {
        return messages;
    }
}
