package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.ProductFindings;
import dev.tilewright.program.expression.Register;
import dev.tilewright.reference.observe.ExecutionObserver.RegisterRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Registers that products of a warpgroup take. They belong to a product from its start until its group is waited for;
 * and between another use of them and a product there must be a wgmma.fence, but for sums that one product hands to the
 * next one of the same shape (PTX ISA, "wgmma.fence"). What one thread does to its registers is held against the whole
 * warpgroup, since products, fences and waits are the warpgroup's.
 */
final class RegisterTracker {
    private static final int THREADS = 128;

    /** @param a null where A is in shared memory */
    private record Product(int step, RegisterRange sums, RegisterRange a) { }

    /** @param commit the step that closed it */
    private record Group(int commit, List<Product> products) { }

    /** A wait that came after a product and did not cover it. */
    private record Wait(int step, int pending) { }

    private static final class Warpgroup {
        private final List<Product> open = new ArrayList<>();
        private final Deque<Group> closed = new ArrayDeque<>();
        /** The steps that used each part of a register last since the last fence; 0 for none. */
        private final Map<Register, int[]> used = new HashMap<>();
        private boolean fenced;
        /** The last fence, and the first wait in a loop behind it; 0 for none, and once a product has started. */
        private int fence;
        private int waitBehind;
        private Wait lastWait;
        private List<Product> sinceWait = new ArrayList<>();
    }

    private final RunState run;
    private final FindingSet findings;
    private final ProductFindings words;
    private final Map<Long, Warpgroup> warpgroups = new HashMap<>();

    RegisterTracker(RunState run, FindingSet findings, ProductFindings words) {
        this.run = run;
        this.findings = findings;
        this.words = words;
    }

    private Warpgroup of(int block, int thread) {
        return warpgroups.computeIfAbsent(key(block, thread), _ -> new Warpgroup());
    }

    private static long key(int block, int thread) {
        return (long) block << Integer.SIZE | thread / THREADS;
    }

    void starts(int block, int first, int step, RegisterRange sums, RegisterRange a) {
        Warpgroup g = of(block, first);
        CheckedThread by = run.event(block, first);
        if (!g.fenced) {
            findings.addFirst(words.neverFenced(by.clock, step));
            // Said once.
            fence(block, first, 0);
        } else if (lastUse(g, sums) != 0) {
            findings.addFirst(words.notFenced(by.clock, step, sums.register(), lastUse(g, sums)));
        } else if (a != null && lastUse(g, a) != 0) {
            findings.addFirst(words.notFenced(by.clock, step, a.register(), lastUse(g, a)));
        }
        if (g.waitBehind != 0) {
            findings.addFirst(words.waitBehindFence(by.clock, g.fence, g.waitBehind, step));
        }
        g.fence = 0;
        g.waitBehind = 0;
        forEachInFlight(g, p -> {
            boolean handsOn = p.sums.equals(sums);
            if (!handsOn && overlap(p.sums, sums) || a != null && overlap(p.sums, a)
                    || p.a != null && overlap(p.a, sums)) {
                report(g, by, step, p, overlap(p.sums, sums) || p.a != null && overlap(p.a, sums) ? sums : a, true);
            }
        });
        Product product = new Product(step, sums, a);
        g.open.add(product);
        g.sinceWait.add(product);
    }

    void fence(int block, int first, int step) {
        Warpgroup g = of(block, first);
        g.fenced = true;
        g.fence = step;
        g.waitBehind = 0;
        g.used.clear();
    }

    /** A thread has waited in a loop. */
    void waitsInLoop(int block, int thread, int step) {
        Warpgroup g = warpgroups.get(key(block, thread));
        if (g != null && g.fence != 0 && g.waitBehind == 0) {
            g.waitBehind = step;
        }
    }

    void commit(int block, int first, int step) {
        Warpgroup g = of(block, first);
        g.closed.add(new Group(step, List.copyOf(g.open)));
        g.open.clear();
    }

    void waits(int block, int first, int step, int pending) {
        Warpgroup g = of(block, first);
        g.lastWait = new Wait(step, pending);
        g.sinceWait = new ArrayList<>();
        while (g.closed.size() > pending) {
            g.closed.remove();
        }
    }

    /** A thread reads or writes registers by another step. */
    void uses(int block, int thread, int step, RegisterRange range, boolean writes) {
        Warpgroup g = of(block, thread);
        if (!g.open.isEmpty() || !g.closed.isEmpty()) {
            forEachInFlight(g, p -> {
                if (overlap(p.sums, range) || writes && p.a != null && overlap(p.a, range)) {
                    report(g, run.event(block, thread), step, p, range, writes);
                }
            });
        }
        int[] uses = g.used.computeIfAbsent(range.register(), r -> new int[r.count()]);
        Arrays.fill(uses, range.first(), range.first() + range.count(), step);
    }

    private void report(Warpgroup g, CheckedThread by, int step, Product p, RegisterRange range, boolean writes) {
        boolean waitedSince = g.lastWait != null && !g.sinceWait.contains(p);
        if (!waitedSince) {
            int commit = g.closed.stream().filter(group -> group.products.contains(p)).mapToInt(Group::commit)
                    .findFirst().orElse(0);
            findings.addFirst(words.inFlight(by.clock, step, range.register(), writes, p.step, commit));
        } else if (g.open.contains(p)) {
            findings.addFirst(words.notCommitted(by.clock, step, range.register(), writes, p.step, g.lastWait.step));
        } else {
            findings.addFirst(words.waitTooShallow(by.clock, step, range.register(), writes, p.step, g.lastWait.step,
                    g.lastWait.pending));
        }
    }

    private static void forEachInFlight(Warpgroup g, Consumer<Product> what) {
        g.closed.forEach(group -> group.products.forEach(what));
        g.open.forEach(what);
    }

    /** The step that used any of these last since the last fence; 0 for none. */
    private static int lastUse(Warpgroup g, RegisterRange range) {
        int[] uses = g.used.get(range.register());
        return uses == null ? 0
                : Arrays.stream(uses, range.first(), range.first() + range.count()).max().orElse(0);
    }

    private static boolean overlap(RegisterRange a, RegisterRange b) {
        return a.register().equals(b.register()) && a.first() < b.first() + b.count()
                && b.first() < a.first() + a.count();
    }
}
