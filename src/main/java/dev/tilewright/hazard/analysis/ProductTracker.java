package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.async.CopyCompletion.Kind;
import dev.tilewright.hazard.async.CopyCompletion;
import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.ProductFindings;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Warp;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What products of a warpgroup read of shared memory, through the asynchronous proxy, until they are waited for. Each
 * of the four warps reads it by itself, as its wait covers its own part alone; in each the first thread stands for it,
 * and a wait is one of all its threads.
 */
final class ProductTracker {
    private static final int WARPS = 4;
    /** What a swizzle moves at a time. */
    private static final int CHUNK = 16;

    private final RunState run;
    private final MemoryTracker memory;
    private final FindingSet findings;
    private final ProductFindings words;
    // The product that started last, in each of the warps.
    private final CheckedThread[] warps = new CheckedThread[WARPS];
    private final CopyCompletion[] reading = new CopyCompletion[WARPS];
    private int step;
    private Swizzle swizzle = Swizzle.NONE;

    ProductTracker(RunState run, MemoryTracker memory, FindingSet findings, ProductFindings words) {
        this.run = run;
        this.memory = memory;
        this.findings = findings;
        this.words = words;
    }

    void starts(int block, int first, int atStep) {
        step = atStep;
        for (int w = 0; w < WARPS; w++) {
            warps[w] = run.event(block, first + Warp.LANES * w);
            reading[w] = CopyCompletion.inGroup(Kind.WGMMA_GROUP, warps[w].clock, atStep, run.event(),
                    warps[w].products());
        }
    }

    /** The product that started last reads a matrix, as one with this swizzle. */
    void readsMatrix(Swizzle as) {
        swizzle = as;
    }

    /** The product that started last reads shared memory. */
    void readsShared(int owner, int address, int bytes) {
        readsAsItWasBrought(owner, address, bytes);
        for (int w = 0; w < WARPS; w++) {
            memory.copyShared(warps[w].cluster, new ShadowAccess(warps[w].clock, step,
                    ShadowAccess.READ | ShadowAccess.ASYNC, null, reading[w]), owner, address, bytes);
        }
    }

    /** Whether the copy that brought a chunk has put it where the product looks for it. */
    private void readsAsItWasBrought(int owner, int address, int bytes) {
        for (int at = address; at < address + bytes; at += CHUNK) {
            Set<ShadowAccess> writes = new LinkedHashSet<>();
            warps[0].cluster.block(owner).shared.lastWrites(at, CHUNK, writes);
            for (ShadowAccess write : writes) {
                Swizzle brought = write.completion() == null ? null : write.completion().swizzle();
                // Some lines lie alike with several swizzles.
                if (brought != null && brought.pattern(at) != swizzle.pattern(at)) {
                    findings.addFirst(words.otherSwizzle(warps[0].clock, step, new ByteRange(true, owner, at, CHUNK),
                            swizzle, write, brought));
                }
            }
        }
    }

    void commit(int block, int first, int atStep) {
        for (int w = 0; w < WARPS; w++) {
            CheckedThread warp = run.event(block, first + Warp.LANES * w);
            warp.did(atStep, run.event());
            warp.products().commit(atStep, run.event());
        }
    }

    void waits(int block, int first, int atStep, int pending) {
        for (int w = 0; w < WARPS; w++) {
            CheckedThread warp = run.event(block, first + Warp.LANES * w);
            warp.did(atStep, run.event());
            GroupWait wait = new GroupWait(atStep, pending, false, run.event(), warp.clock.time());
            List<ThreadClock> lanes = new ArrayList<>();
            for (int l = 1; l < Warp.LANES; l++) {
                lanes.add(warp.cluster.thread(block, first + Warp.LANES * w + l).clock);
            }
            for (CopyCompletion product : warp.products().covered(wait)) {
                product.waited(warp.clock.time());
                product.waitedTogether(lanes);
                findings.groupIsWaitedFor(product.step());
            }
            warp.products().keepNewest(pending);
        }
    }
}
