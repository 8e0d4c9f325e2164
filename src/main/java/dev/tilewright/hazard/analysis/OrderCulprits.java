package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.order.ObservedRelease;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.hazard.report.RaceFindings;
import dev.tilewright.hazard.report.RaceVerdict;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/**
 * Looks for what is wrong where two threads go by a value, or where a proxy fence is there already: a plain store, a
 * value told too early, a fence of the wrong thread. Each finder returns null where it finds nothing.
 */
record OrderCulprits(Clues clues, RaceFindings races) {
    /** What is wrong if one access waits for, or tells, a value by a scope, and the other one has none. */
    RaceVerdict ofPlainAccess(Race race) {
        ShadowAccess a = race.before();
        ShadowAccess b = race.now();
        if (a.completion() != null || b.completion() != null || a.thread().cluster() == b.thread().cluster()
                && a.thread() == b.thread()) {
            return null;
        }
        ShadowAccess scoped = a.scope() != null ? a : b;
        ShadowAccess plain = scoped == a ? b : a;
        return scoped.scope() == null || plain.scope() != null || !plain.writes()
                || !clues.facts().isWait(scoped.step()) ? null : races.order().waitsForPlainStore(race, scoped, plain);
    }

    /** What is wrong if both threads load, change and store the same bytes, by two clues.steps(). */
    RaceVerdict ofTornUpdate(Race race) {
        int store = race.before().writes() ? race.before().step() : race.now().step();
        int other = race.before().writes() ? race.now().step() : race.before().step();
        int load = race.before().completion() != null || race.now().completion() != null ? 0
                : clues.flow().loadOfUpdate(store);
        if (load == 0 || other != load && other != store) {
            return null;
        }
        return races.order().updatesInTwoSteps(race, load, store);
    }

    /**
     * What is wrong if a thread of the later block has waited for the earlier one, and one of the two does not meet it.
     */
    RaceVerdict ofToldValue(Race race) {
        ThreadClock writer = race.before().thread();
        ThreadClock reader = race.now().thread();
        ObservedRelease last = null;
        for (CheckedThread other : clues.run().thread(reader).cluster.threads()) {
            if (other.block() != reader.block()) {
                continue;
            }
            for (ObservedRelease h : other.clock.hints().observed()) {
                boolean told = h.known().covers(writer.cluster(), writer.slot(), race.before().time());
                boolean follows = h.step() < race.now().step() || clues.flow().shareLoop(h.step(), race.now().step());
                if (told && other.clock != reader && !reader.isAfter(other.clock, h.time()) && follows) {
                    return races.order().noSyncAfterBlockWaited(race, h.step(), other.clock);
                }
                if (!told && h.teller().block() == writer.block() && reader.isAfter(other.clock, h.time())
                        && (last == null || h.toldAt() > last.toldAt())) {
                    last = h;
                }
            }
        }
        if (last == null) {
            return null;
        }
        int access = race.before().step();
        return last.told() < access && clues.flow().loopAround(last.told()) == clues.flow().loopAround(access)
                ? races.order().toldBeforeAccess(race, last.told(), last.teller(), othersPerform(access, last.teller()))
                : last.teller() != writer && !clues.flow().areAlternatives(access, last.told())
                ? races.order().noSyncBeforeTelling(race, last.told(), last.teller()) : null;
    }

    /** Whether threads of a thread's block besides that one may come to a step. */
    private boolean othersPerform(int step, ThreadClock teller) {
        return clues.run().thread(teller).cluster.threads().stream().anyMatch(t -> t.clock != teller
                && t.block() == teller.block() && clues.flow().mayPerform(clues.run().values(t), step));
    }

    /**
     * What is wrong if the copying thread, which knows of the writes, has a proxy fence after that, for other memory.
     */
    RaceVerdict ofReadersFence(Race race) {
        ThreadClock writer = race.before().thread();
        CheckedThread copier = clues.run().thread(race.now().thread());
        for (ObservedRelease h : copier.clock.hints().observed()) {
            for (OrderingStep fence : copier.orderingSteps()) {
                if (fence.time() >= h.time() && h.known().covers(writer.cluster(), writer.slot(), race.before().time())
                        && clues.flow().operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceProxyAsync form && form.memory() != FenceProxyAsync.Memory.ALL
                        && (form.memory() == FenceProxyAsync.Memory.GLOBAL) == race.bytes().shared()) {
                    return races.order().fenceForOtherMemory(race, fence.step(), copier.block(), race.bytes().shared());
                }
            }
        }
        return null;
    }

    /** A proxy fence comes after the writes, and after what lets the copying thread go on, or a fence that releases. */
    private RaceVerdict lateInThread(Race race, CheckedThread writer, OrderingStep proxyFence) {
        for (OrderingStep d : writer.orderingSteps()) {
            if (d.time() >= race.before().time() && d.time() < proxyFence.time()
                    && clues.flow().operation(d.step()) instanceof Operation.Instruction i
                    && i.form() instanceof Fence fence && fence.strength() != Fence.Strength.ACQUIRE) {
                return races.order().fenceAfterTheRelease(race, proxyFence.step(), d.step());
            }
        }
        return races.order().fenceTooLate(race, proxyFence.step());
    }

    /** What is wrong if a proxy fence is there, and in the wrong place, of the wrong thread or for other memory. */
    RaceVerdict ofFence(Race race) {
        CheckedThread writer = clues.run().thread(race.before().thread());
        CheckedThread copier = clues.run().thread(race.now().thread());
        if (writer.cluster != copier.cluster) {
            return null;
        }
        for (OrderingStep fence : writer.orderingSteps()) {
            if (clues.flow().operation(fence.step()) instanceof Operation.Instruction i
                    && i.form() instanceof FenceProxyAsync form) {
                boolean ofOther = (form.memory() == FenceProxyAsync.Memory.GLOBAL) == race.bytes().shared()
                        && form.memory() != FenceProxyAsync.Memory.ALL;
                if (ofOther) {
                    return races.order().fenceForOtherMemory(race, fence.step(), writer.block(), race.bytes().shared());
                }
                return fence.time() < race.before().time() ? races.order().fenceBeforeTheWrites(race, fence.step())
                        : race.bytes().shared() && race.bytes().of() != writer.block()
                        && form.memory() == FenceProxyAsync.Memory.SHARED
                        ? races.order().fenceForItsBlock(race, fence.step())
                        : lateInThread(race, writer, fence);
            }
        }
        for (CheckedThread other : copier.cluster.threads()) {
            for (OrderingStep fence : other.orderingSteps()) {
                if (other != writer && clues.flow().operation(fence.step()) instanceof Operation.Instruction i
                        && i.form() instanceof FenceProxyAsync) {
                    return races.order().fenceOfAnotherThread(race, fence.step(), other.clock);
                }
            }
        }
        return null;
    }
}
