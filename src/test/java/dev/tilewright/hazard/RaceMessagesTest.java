package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.SPARE;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.copy;
import static dev.tilewright.hazard.SmallKernels.cpAsync;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.fillForEngine;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;
import static dev.tilewright.hazard.SmallKernels.store;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.memory.St;
import org.junit.jupiter.api.Test;

/** The words for two accesses that nothing orders, where {@link CodeMessagesTest} has them not. */
class RaceMessagesTest {

    // ---- ordinary accesses

    @Test
    void anOrdinaryLoadOfAFlag() {
        Messages.are(one(body -> {
            fill(body);
            body.purpose("all have filled").syncThreads();
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> b.purpose("release")
                    .issue(St.release(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(BUFFER.at(4)),
                            Input.of(1)));
            body.purpose("another one loads").when(T.isEqualTo(1), b ->
                    b.purpose("both words").load("words", ElementType.U32, 2, BUFFER.at(0)));
        }),
                "missing-barrier: step 7 ('both words', #) of thread 1 of block 0 reads bytes 4 to 7 of shared "
                    + "'buffer', and step 5 ('release', #) of thread 0 of block 0 writes them; "
                    + "nothing orders the two threads; put __syncwarp() between the two");
    }

    /**
     * One stage, handed back through a second barrier; the last but one loads, so that most others have read before.
     */
    private static void oneStage(Body body, int arrivals, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), b -> {
            b.purpose("full").barrierInit(READY, 1);
            b.purpose("empty").barrierInit(SPARE, arrivals);
            b.purpose("known to the copy engine").barrierInitFence();
        });
        body.purpose("set up").syncThreads();
        body.purpose("twice").loop("turn", 0, 2, 1, (each, turn) -> {
            each.purpose("one thread loads").when(T.isEqualTo(THREADS - 2), b -> {
                b.purpose("empty").waitParity(SPARE, wrong ? Expr.of(1) : turn.plus(1).modulo(2));
                b.purpose("announce").arriveExpectTx(READY, 256);
                copy(b, 0, 256);
            });
            each.purpose("full").waitParity(READY, turn);
            show(each, T.times(4));
            each.purpose("hand it back").arrive(SPARE);
        });
    }

    @Test
    void aWaitForAPhaseThatIsPast() {
        Messages.begin(one(body -> oneStage(body, THREADS, true)),
                "wrong-parity: step 8 ('empty', #) of block 0: step 10 ('load 256 bytes to 0', #) of thread 62 "
                    + "of block 0 lets the copy engine write bytes 0 to 3 of shared 'buffer', and step 12 ('read "
                    + "it', #) of thread 0 of block 0 reads them; the wait for barrier ready[1] passed for a phase "
                    + "that was complete already; wait for the parity of the phase that the readers arrive in");
    }

    @Test
    void phasesThatDoNotWaitForAllReaders() {
        Messages.include(one(body -> oneStage(body, 1, false)),
                "wrong-arrival-count: step 3 ('empty', #) of block 0: step 10 ('load 256 bytes to 0', #) of "
                    + "thread 62 of block 0 lets the copy engine write bytes 0 to 3 of shared 'buffer', and step "
                    + "12 ('read it', #) of thread 0 of block 0 reads them; "
                    + "barrier ready[1] completes its phases before all readers have arrived; "
                    + "initialise it with one arrival for each reader");
    }

    // ---- after a copy that writes

    @Test
    void twoBlocksStoreToTheSameBytes() {
        Messages.are(SmallKernels.check(2, 1, body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                store(b);
                b.purpose("to the end").bulkWait(0);
            });
        }),
                "global-race: step 6 ('store', #) of thread 0 of block 1 lets the copy engine write bytes 0 to "
                    + "15 of 'result', and step 6 ('store', #) of thread 0 of block 0 lets the copy engine write "
                    + "them; nothing orders the two blocks; give each block bytes of its own, or let one block "
                    + "wait for a value that the other releases after it has waited for its copy");
    }

    @Test
    void aStepThatOverwritesItsOwnCopyInTheNextTurn() {
        Messages.are(one(body -> {
            body.purpose("turns").loop("turn", 2, (each, turn) -> {
                cpAsync(each, 0);
                each.purpose("group").cpAsyncCommit();
            });
            body.purpose("landed").cpAsyncWait(0);
        }),
                "overwrite-unread: step 2 ('copy to 0', #) of thread 0 of block 0 asynchronously writes bytes 0 to 3 "
                + "of "
                    + "shared 'buffer', and the same step of that thread, in an earlier turn, asynchronously writes "
                    + "them; the earlier copy may not have landed; copy to other bytes, or "
                    + "wait first for its group, and until its bytes have been read");
    }

    @Test
    void aStoreOfWhatCpAsyncWrote() {
        Messages.are(one(body -> {
            cpAsync(body, 0);
            body.purpose("landed").cpAsyncWait(0);
            body.purpose("all have waited").syncThreads();
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                store(b);
                b.purpose("to the end").bulkWait(0);
            });
        }),
                "missing-proxy-fence: step 6 ('store', #) of thread 0 of block 0 lets the copy engine read bytes "
                    + "0 to 3 of shared 'buffer', and step 1 ('copy to 0', #) of thread 0 of block 0 "
                    + "asynchronously writes them; no proxy fence lies between the end of the first copy and the "
                    + "second one; cp.async writes as ordinary stores do: put fence.proxy.async after the wait for "
                    + "it");
    }

    @Test
    void aCopyThatOnlyItsThreadHasWaitedFor() {
        Messages.are(one(body -> {
            cpAsync(body, 0);
            body.purpose("landed").cpAsyncWait(0);
            body.purpose("all but the first").when(T.atLeast(1), b -> show(b, T.minus(1).times(4)));
        }),
                "missing-barrier: step 5 ('read it', #) of thread 1 of block 0 reads bytes 0 to 3 of shared "
                    + "'buffer', and step 1 ('copy to 0', #) of thread 0 of block 0 asynchronously writes them; "
                    + "the thread that started the copy has waited for it, but nothing orders the two threads; "
                    + "put __syncthreads() after the wait");
    }

    @Test
    void aCopyOfAnotherThread() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("one thread copies").when(T.isEqualTo(0), b -> {
                cpAsync(b, 0);
                b.purpose("for the other thread").waitParity(READY, 0);
                b.purpose("landed").cpAsyncWait(0);
            });
            body.purpose("another one reads").when(T.isEqualTo(1), b -> {
                show(b, Expr.of(0));
                b.purpose("here").arrive(READY);
            });
        }),
                "missing-barrier: step 11 ('read it', #) of thread 1 of block 0 reads bytes 0 to 3 of shared "
                    + "'buffer', and step 6 ('copy to 0', #) of thread 0 of block 0 asynchronously writes them; "
                    + "step 9 ('landed', #) waits for the copies of its own thread alone, and nothing orders "
                    + "the two threads; put __syncwarp() after the wait, behind step 5");
    }

    @Test
    void aGroupThatIsOpen() {
        Messages.are(one(body -> {
            body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), SmallKernels.from(T.times(4)), 4);
            show(body, T.times(4));
            body.purpose("too late").cpAsyncCommit();
            body.purpose("landed").cpAsyncWait(0);
        }),
                "group-not-committed: step 4 ('too late', #) of block 0: step 2 ('read it', #) of thread 0 of "
                    + "block 0 reads bytes 0 to 3 of shared 'buffer', and step 1 ('copy', #) of thread 0 of "
                    + "block 0 asynchronously writes them; step 4, which is to close the copy's group, comes "
                    + "after that; commit after the copy, and wait for the group before the use");
    }

    @Test
    void aReadBeforeTheWait() {
        Messages.are(one(body -> {
            cpAsync(body, 0);
            show(body, T.times(4));
            body.purpose("landed").cpAsyncWait(0);
        }),
                "read-in-flight: step 3 ('read it', #) of thread 0 of block 0 reads bytes 0 to 3 of shared "
                    + "'buffer', and step 1 ('copy to 0', #) of thread 0 of block 0 asynchronously writes them; "
                    + "step 5 ('landed', #), which waits for the copy's group, comes after that; wait before "
                    + "step 3");
    }

    @Test
    void aWaitThatLeavesTwoGroups() {
        Messages.are(one(body -> {
            for (int i = 0; i < 3; i++) {
                cpAsync(body, 256 * i);
            }
            body.purpose("the first one").cpAsyncWait(2);
            show(body, T.times(4).plus(512));
            body.purpose("all").cpAsyncWait(0);
        }),
                "wait-too-shallow: step 7 ('the first one', #) of block 0: step 8 ('read it', #) of thread 0 of "
                    + "block 0 reads bytes 512 to 515 of shared 'buffer', and step 5 ('copy to 512', #) of "
                    + "thread 0 of block 0 asynchronously writes them; step 7 leaves 2 groups in flight, the "
                    + "copy's among them; let that wait leave fewer groups pending");
    }

    @Test
    void aWaitBeforeTheCommit() {
        Messages.are(one(body -> {
            body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), SmallKernels.from(T.times(4)), 4);
            body.purpose("too early").cpAsyncWait(0);
            body.purpose("a group").cpAsyncCommit();
            show(body, T.times(4));
            body.purpose("all").cpAsyncWait(0);
        }),
                "wait-too-shallow: step 2 ('too early', #) of block 0: step 4 ('read it', #) of thread 0 of "
                    + "block 0 reads bytes 0 to 3 of shared 'buffer', and step 1 ('copy', #) of thread 0 of "
                    + "block 0 asynchronously writes them; step 2 waits for the groups committed by then, and "
                    + "the copy's group was committed later; commit the copy's group before that wait");
    }

    @Test
    void aWaitForSourcesOnly() {
        Messages.are(one(body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                store(b);
                b.purpose("read").bulkWaitRead(0);
                b.purpose("what it stored")
                        .load("stored", ElementType.U32, 1, new Address.Global(RESULT, 0));
                b.purpose("to the end").bulkWait(0);
            });
        }),
                "wait-too-shallow: step 8 ('read', #) of block 0: step 9 ('what it stored', #) of thread 0 of "
                    + "block 0 reads bytes 0 to 3 of 'result', and step 6 ('store', #) of thread 0 of block 0 "
                    + "lets the copy engine write them; step 8 waits only until the sources of groups have been "
                    + "read; wait for the group itself, without .read");
    }

    @Test
    void aCopyOverACopy() {
        Messages.are(one(body -> {
            cpAsync(body, 0);
            cpAsync(body, 0);
            body.purpose("all").cpAsyncWait(0);
        }),
                "overwrite-unread: step 3 ('copy to 0', #) of thread 0 of block 0 asynchronously writes bytes 0 "
                    + "to 3 of shared 'buffer', and step 1 ('copy to 0', #) of thread 0 of block 0 asynchronously "
                    + "writes them; the earlier copy may not have landed; copy to other bytes, or "
                    + "wait first for its group, and until its bytes have been read");
    }

    // ---- after a copy that an mbarrier counts

    @Test
    void aCopyWhoseBytesNoThreadAnnounces() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("one thread loads").when(T.isEqualTo(0), b -> {
                b.purpose("here").arrive(READY);
                copy(b, 0, 256);
            });
            body.purpose("it has landed").waitParity(READY, 0);
            show(body, T.times(4));
        }),
                "tx-too-small: step 6 ('here', #) of block 0: step 9 ('read it', #) of thread 0 of block 0 reads "
                    + "bytes 0 to 3 of shared 'buffer', and step 7 ('load 256 bytes to 0', #) of thread 0 of block "
                    + "0 lets the copy engine write them; phase 0 of barrier ready[0] completes without the bytes, "
                    + "because no thread announces them; announce them with the arrival: mbarrier.arrive.expect_tx",
                "tx-too-small: step 7 ('load 256 bytes to 0', #) of block 0: fewer bytes are announced on "
                    + "barrier ready[0] than its copies bring: 0 announced in phase 1, 256 under way; "
                    + "announce the bytes of all copies that complete on it");
    }

    @Test
    void twoLoadsOfTheSamePhase() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("one thread loads").when(T.isEqualTo(0), b -> {
                b.purpose("announce").arriveExpectTx(READY, 512);
                copy(b, 0, 256);
                copy(b, 0, 256);
            });
            body.purpose("both have landed").waitParity(READY, 0);
        }),
                "overwrite-unread: step 8 ('load 256 bytes to 0', #) of thread 0 of block 0 lets the copy engine "
                    + "write bytes 0 to 15 of shared 'buffer', and step 7 ('load 256 bytes to 0', #) of thread 0 "
                    + "of block 0 lets the copy engine write them; the earlier copy may not have landed; "
                    + "wait first for phase 0 of barrier ready[0], and until its bytes have been read");
    }

    // ---- after a copy that reads

    @Test
    void aBlockWritesWhatAnotherOneCopies() {
        Messages.are(SmallKernels.check(2, 1, body -> {
            setUp(body, 1);
            Address.Global shared = new Address.Global(RESULT, 0);
            body.purpose("the first block").when(Builtin.BLOCK.isEqualTo(0), first -> {
                first.purpose("one thread loads").when(T.isEqualTo(0), b -> {
                    b.purpose("announce").arriveExpectTx(READY, 256);
                    b.purpose("load").bulkLoad(BUFFER.at(0), shared, 256, READY);
                });
                first.purpose("it has landed").waitParity(READY, 0);
            }, second -> {
                Fragment word = second.purpose("a word")
                        .load("word", ElementType.U32, 1, SmallKernels.from(T.times(4)));
                second.purpose("write").store(new Address.Global(RESULT, T.times(4).toS64()), word);
            });
        }),
                "global-race: step 11 ('write', #) of thread 0 of block 1 writes bytes 0 to 3 of 'result', and "
                    + "step 8 ('load', #) of thread 0 of block 0 lets the copy engine read them; "
                    + "nothing orders the two blocks; let the writing block wait for a value that the other "
                    + "releases after it has waited for its copy");
    }

    @Test
    void aStoreThatOnlyItsThreadHasWaitedFor() {
        Messages.are(one(body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                store(b);
                b.purpose("it has been read").bulkWaitRead(0);
            });
            fill(body);
        }),
                "overwrite-in-store: step 10 ('fill', #) of thread 1 of block 0 writes bytes 4 to 7 of shared "
                    + "'buffer', and step 6 ('store', #) of thread 0 of block 0 lets the copy engine read them; "
                    + "the thread that started the copy has waited for it, but nothing orders the two threads; "
                    + "put __syncthreads() after the wait, behind step 5");
    }

    /** One thread stores several times, waits, and fills the buffer again. */
    private static HazardReport stores(int count, int pending) {
        return one(body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                for (int i = 0; i < count; i++) {
                    store(b, 256L * i);
                }
                b.purpose("read").bulkWaitRead(pending);
                fill(b);
                b.purpose("to the end").bulkWait(0);
            });
        });
    }

    @Test
    void aStoreThatTheWaitLeaves() {
        Messages.are(stores(1, 1),
                "overwrite-in-store: step 8 ('read', #) of block 0: step 10 ('fill', #) of thread 0 of block 0 "
                    + "writes bytes 0 to 3 of shared 'buffer', and step 6 ('store', #) of thread 0 of block 0 "
                    + "lets the copy engine read them; step 8 leaves 1 group unread, which is the copy's; let "
                    + "that wait leave fewer groups pending");
    }

    @Test
    void aStoreAmongThoseThatTheWaitLeaves() {
        Messages.are(stores(2, 2),
                "overwrite-in-store: step 10 ('read', #) of block 0: step 12 ('fill', #) of thread 0 of block 0 "
                    + "writes bytes 0 to 3 of shared 'buffer', and step 6 ('store', #) of thread 0 of block 0 "
                    + "lets the copy engine read them; step 10 leaves 2 groups unread, the copy's among them; "
                    + "let that wait leave fewer groups pending");
    }

    @Test
    void aStoreThatIsCommittedAfterTheWait() {
        Messages.are(one(body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                b.purpose("store").bulkStore(new Address.Global(RESULT, 0), BUFFER.at(0), 4 * THREADS);
                b.purpose("too early").bulkWaitRead(0);
                b.purpose("a group").bulkCommit();
                fill(b);
                b.purpose("to the end").bulkWait(0);
            });
        }),
                "overwrite-in-store: step 7 ('too early', #) of block 0: step 10 ('fill', #) of thread 0 of "
                    + "block 0 writes bytes 0 to 3 of shared 'buffer', and step 6 ('store', #) of thread 0 of "
                    + "block 0 lets the copy engine read them; step 7 waits for the groups committed by then, "
                    + "and the copy's group was committed later; commit the copy's group before that wait");
    }

    @Test
    void aStoreWhoseGroupIsOpen() {
        Messages.are(one(body -> {
            fillForEngine(body);
            body.purpose("one thread stores").when(T.isEqualTo(0), b -> {
                b.purpose("store").bulkStore(new Address.Global(RESULT, 0), BUFFER.at(0), 4 * THREADS);
                b.purpose("waits for nothing").bulkWaitRead(0);
                fill(b);
                b.purpose("too late").bulkCommit();
                b.purpose("to the end").bulkWait(0);
            });
        }),
                "group-not-committed: step 10 ('too late', #) of block 0: step 9 ('fill', #) of thread 0 of "
                    + "block 0 writes bytes 0 to 3 of shared 'buffer', and step 6 ('store', #) of thread 0 of "
                    + "block 0 lets the copy engine read them; step 10, which is to close the copy's group, "
                    + "comes after that; put it before the wait for the group, step 7");
    }

    @Test
    void theSourceOfACopyBetweenBlocks() {
        Messages.are(SmallKernels.check(2, 2, body -> {
            setUp(body, 1);
            fillForEngine(body);
            body.purpose("set up everywhere").clusterSync();
            body.purpose("one thread a block").when(T.isEqualTo(0), b -> {
                b.purpose("announce").arriveExpectTx(READY, 256);
                Expr other = Expr.of(1).minus(Builtin.CLUSTER_RANK);
                Expr to = b.purpose("there").issue("to", Mapa.ofShared(), Input.of(BUFFER.at(2048)),
                        Input.of(other));
                Expr barrier = b.purpose("its barrier").issue("barrier", Mapa.ofShared(), Input.of(READY),
                        Input.of(other));
                b.purpose("copy")
                        .issue(new BulkClusterCopy(), Input.of(to), Input.of(BUFFER.at(0)), Input.of(256),
                        Input.of(barrier));
                fill(b);
            });
            body.purpose("it has landed").waitParity(READY, 0);
            body.purpose("no block ends before").clusterSync();
        }),
                "overwrite-in-store: step 17 ('fill', #) of thread 0 of block 0 writes bytes 0 to 3 of shared "
                    + "'buffer', and step 15 ('copy', #) of thread 0 of block 0 lets the copy engine read them; "
                    + "nothing waits until the copy has read them; wait for the end of the copy first");
    }
}
