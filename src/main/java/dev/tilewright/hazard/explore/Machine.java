package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Memory.Agent;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.ClusterInstruction;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceInstruction;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.warp.Nanosleep;
import dev.tilewright.ptx.warp.Setmaxnreg;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.Arrays;
import java.util.List;

/**
 * Moves one thread by one step. Steps are local where it makes no difference when they happen, as long as what is known
 * of races holds: whatever else may happen first commutes with them.
 */
final class Machine {

    /** How a thread's next step can be made. */
    enum Next { LOCAL, VISIBLE, BLOCKED, FINISHED }

    final World w;
    final Chooser chooser;
    final Facts facts;
    final Memory memory;
    final Barriers barriers;

    Machine(World w, Chooser chooser, Facts facts) {
        this.w = w;
        this.chooser = chooser;
        this.facts = facts;
        this.memory = new Memory(w, chooser, facts);
        this.barriers = new Barriers(w, chooser, facts);
    }

    Agent agent(ThreadState t) {
        return new Agent(t.number, t.number, t.view, false);
    }

    // ---- what kind of step is next

    Next next(ThreadState t) {
        if (t.finished) {
            return Next.FINISHED;
        }
        if (t.atSync || t.members != 0 || t.named != 0 || !w.started[w.block(t.number)]) {
            return Next.BLOCKED;
        }
        return switch (w.launched.code.code.get(t.pc)) {
            case FlatCode.Set _, FlatCode.Jump _, FlatCode.JumpUnless _ -> Next.LOCAL;
            case FlatCode.Again _ -> new Polls(this, t).again();
            case FlatCode.End _ -> endsBlock(t) && (w.launched.clusterBlocks > 1 || !w.copies.isEmpty())
                    ? Next.VISIBLE : Next.LOCAL;
            case FlatCode.Do(Operation operation) -> next(t, operation);
        };
    }

    private Next next(ThreadState t, Operation operation) {
        return switch (operation) {
            case Operation.Load load -> plain(t, new Places(w, t).of(load.from()), load.fragment().bytes());
            case Operation.Store store -> plain(t, new Places(w, t).of(store.to()), store.fragment().bytes());
            case Operation.LoadValues load -> plain(t, new Places(w, t).of(load.from()), load.bytes());
            case Operation.StoreValues store -> plain(t, new Places(w, t).of(store.to()), store.bytes());
            case Operation.SyncThreads _, Operation.Computation _ -> Next.LOCAL;
            case Operation.Poll poll -> !new Polls(this, t).canEnd(poll) ? Next.BLOCKED
                    : poll.form() instanceof MbarrierInstruction ? at(barrier(t, poll)) : Next.VISIBLE;
            case Operation.Issue issue -> next(t, issue);
            default -> throw new Unsupported(operation.summary());
        };
    }

    private Next plain(ThreadState t, Copy.Place place, int bytes) {
        if (w.launched.constant(place, bytes) != null) {
            return Next.LOCAL;
        }
        return new Places(w, t).isRemote(place)
                || !Memory.isLocal(w.launched.cells, w.launched.cells.of(place.space(), place.offset(), bytes))
                ? Next.VISIBLE : Next.LOCAL;
    }

    private Next next(ThreadState t, Operation.Issue issue) {
        return switch (issue.form()) {
            case CopyInstruction c -> new CopyIssue(this).isBlocked(t, c) ? Next.BLOCKED : Next.LOCAL;
            case FenceInstruction f -> f instanceof Fence(Fence.Strength s, var _) && s == Fence.Strength.SC
                    ? Next.VISIBLE : Next.LOCAL;
            case BarrierClusterArrive(var _, boolean aligned) when aligned && !isTogether(t) -> Next.BLOCKED;
            case BarrierClusterWait(boolean _, boolean aligned) when aligned && !isTogether(t) -> Next.BLOCKED;
            case BarrierClusterArrive _ -> t.cluster == ThreadState.Cluster.AWAY ? Next.LOCAL : Next.VISIBLE;
            case BarrierClusterWait _ -> switch (t.cluster) {
                case AWAY -> Next.VISIBLE;
                case ARRIVED -> Next.BLOCKED;
                case PASSED -> Next.LOCAL;
            };
            case ClusterInstruction _ -> Next.LOCAL;
            case PtxInstruction form when Matrices.isOne(form) -> new Matrices(this).next(t, issue);
            case WarpInstruction warp when NamedBarriers.isOne(warp) -> new NamedBarriers(this).next(t, issue);
            case WarpInstruction _, CacheInstruction _ -> Next.LOCAL;
            case MbarrierInit _ -> Memory.isLocal(w.launched.cells, barriers.cells(barrier(t, issue)))
                    ? Next.LOCAL : Next.VISIBLE;
            case ScopedAccess _ -> new ScopedSteps(this, t).isVisible(issue) ? Next.VISIBLE : Next.LOCAL;
            case MbarrierInstruction _ -> at(barrier(t, issue));
            default -> throw new Unsupported(issue.form().opcode());
        };
    }

    /** How a step at a barrier can be made, or the arrival of a copy. */
    Next at(int barrier) {
        return w.launched.isWatched[barrier] ? Next.VISIBLE : Next.LOCAL;
    }

    /** Whether all threads of the warp have come to the step that they perform together. */
    private boolean isTogether(ThreadState t) {
        if (t.together) {
            return true;
        }
        for (ThreadState other : w.threads) {
            if (w.warp(other.number) == w.warp(t.number)
                    && (other.finished || other.pc != t.pc || other.together || other.atSync)) {
                return false;
            }
        }
        for (ThreadState other : w.threads) {
            other.together |= w.warp(other.number) == w.warp(t.number);
        }
        return true;
    }

    private int barrier(ThreadState t, Operation.Instruction i) {
        Places places = new Places(w, t);
        return places.barrier(places.of(i, "mbar"));
    }

    private boolean endsBlock(ThreadState t) {
        for (ThreadState other : w.threads) {
            if (other != t && w.block(other.number) == w.block(t.number) && !other.finished) {
                return false;
            }
        }
        return true;
    }

    // ---- steps

    /** Makes the thread's next step. */
    void step(ThreadState t) {
        t.together = false;
        switch (w.launched.code.code.get(t.pc)) {
            case FlatCode.Set(Expr.Var variable, Expr value) -> {
                set(t, variable, new Eval(w, t).of(value));
                t.pc++;
            }
            case FlatCode.Jump(int to) -> t.pc = to;
            case FlatCode.Again(int to) -> {
                new Polls(this, t).beginAgain();
                t.pc = to;
            }
            case FlatCode.JumpUnless(Expr condition, int to) ->
                    t.pc = new Eval(w, t).of(condition) != 0 ? t.pc + 1 : to;
            case FlatCode.End _ -> end(t);
            case FlatCode.Do(Operation operation) -> {
                if (!(operation instanceof Operation.Computation)) {
                    w.trail = new Trail(w.trail, t.number, w.launched.code.steps.get(t.pc), Move.Kind.STEP);
                }
                t.pc++;
                perform(t, operation);
            }
        }
    }

    private void perform(ThreadState t, Operation operation) {
        switch (operation) {
            case Operation.Load load -> {
                Copy.Place from = new Places(w, t).of(load.from());
                t.fragments[w.launched.code.fragments.get(load.fragment())] =
                        w.launched.values.number(read(t, from, load.fragment().bytes()));
            }
            case Operation.Store store -> {
                int value = t.fragments[w.launched.code.fragments.get(store.fragment())];
                memory.write(agent(t), cells(new Places(w, t).of(store.to()), store.fragment().bytes()),
                        w.launched.values.bytes(value));
            }
            case Operation.Declare(var register, var initial, boolean _) ->
                    new ValueEvaluator(w, t).declare(register, initial.orElse(null));
            case Operation.Assign(var register, Expr index, var value) ->
                    new ValueEvaluator(w, t).assign(register, index, value);
            case Operation.LoadValues load -> new ValueEvaluator(w, t).load(load.register(), load.first(),
                    read(t, new Places(w, t).of(load.from()), load.bytes()));
            case Operation.StoreValues store -> memory.write(agent(t), cells(new Places(w, t).of(store.to()),
                    store.bytes()), new ValueEvaluator(w, t).bytes(store.values()));
            case Operation.SyncThreads _ -> sync(t);
            case Operation.Poll poll -> new Polls(this, t).end(poll);
            case Operation.Issue issue -> issue(t, issue);
            default -> throw new Unsupported(operation.summary());
        }
    }

    private short[] read(ThreadState t, Copy.Place from, int bytes) {
        requireFits(from, bytes);
        short[] constant = w.launched.constant(from, bytes);
        return constant != null ? constant : memory.read(agent(t), cells(from, bytes));
    }

    private int[] cells(Copy.Place place, int bytes) {
        requireFits(place, bytes);
        return w.launched.cells.of(place.space(), place.offset(), bytes);
    }

    private static void requireFits(Copy.Place place, int bytes) {
        if (place.offset() % bytes != 0) {
            throw new Ending("a misaligned access");
        }
    }

    private void issue(ThreadState t, Operation.Issue issue) {
        switch (issue.form()) {
            case CopyInstruction c -> new CopyIssue(this).issue(t, issue, c);
            case CpAsyncMbarrierArrive c -> new CopyIssue(this).arriveAfter(t, issue, c);
            case FenceInstruction f -> new Fences(w).fence(t, f);
            case ClusterInstruction c -> new Clusters(w).perform(t, issue, c);
            case MbarrierInstruction m -> new MbarrierSteps(this, t).perform(issue, m);
            case PtxInstruction form when Matrices.isOne(form) -> new Matrices(this).come(t, issue);
            case WarpInstruction warp -> together(t, issue, warp);
            case CacheInstruction cache -> advise(t, issue, cache);
            case ScopedAccess a -> new ScopedSteps(this, t).perform(issue, a);
            default -> throw new Unsupported(issue.form().opcode());
        }
    }

    void set(ThreadState t, Expr.Var variable, long value) {
        int slot = w.launched.code.variables.get(variable);
        t.variables[slot] = value;
        t.undefined.clear(slot);
    }

    /** Gives a variable what a value says, which may be of bytes that nothing wrote: then it must not be used. */
    void setRead(ThreadState t, Expr.Var variable, int value) {
        boolean undefined = w.launched.values.hasUndefined(value);
        set(t, variable, undefined ? 0 : Values.toLong(w.launched.values.bytes(value)));
        if (undefined) {
            forget(t, variable);
        }
    }

    /** Notes that what a variable is worth comes from bytes that nothing wrote. */
    void forget(ThreadState t, Expr.Var variable) {
        t.undefined.set(w.launched.code.variables.get(variable));
    }

    private void sync(ThreadState t) {
        t.atSync = true;
        int first = w.block(t.number) * w.launched.threadsPerBlock;
        List<ThreadState> block = Arrays.asList(w.threads).subList(first, first + w.launched.threadsPerBlock);
        if (block.stream().allMatch(other -> other.atSync)) {
            View all = w.launched.view();
            block.forEach(other -> all.join(other.view));
            block.forEach(other -> {
                other.view.join(all);
                other.atSync = false;
            });
        }
    }

    private void together(ThreadState t, Operation.Issue issue, WarpInstruction form) {
        if (NamedBarriers.isOne(form)) {
            new NamedBarriers(this).come(t, issue, form);
        } else if (Warps.isOne(form)) {
            new Warps(this).come(t, issue);
        } else if (!(form instanceof Nanosleep) && !(form instanceof Setmaxnreg)) {
            throw new Unsupported(form.opcode());
        }
    }

    /** What only says how caches may treat memory. */
    private void advise(ThreadState t, Operation.Issue issue, CacheInstruction form) {
        if (form instanceof Discard) {
            throw new Unsupported(form.opcode());
        }
        issue.results().forEach(policy -> set(t, policy, 0));
    }

    private void end(ThreadState t) {
        boolean last = endsBlock(t);
        if (last && w.launched.clusterBlocks > 1) {
            lookBack(w.block(t.number));
        }
        t.finish();
        for (ThreadState other : w.threads) {
            if (w.warp(other.number) == w.warp(t.number) && other.members != 0) {
                new Warps(this).letPass(other);
            }
        }
        new Clusters(w).left(t);
        if (last) {
            int block = w.block(t.number);
            barriers.requireLanded(block);
            w.ended[block] = true;
            new CopyProgress(this).requireNoneIn(block);
        }
    }

    /** At the end of a block: some thread of it should know of all that others did in its shared memory. */
    private void lookBack(int block) {
        View known = w.launched.view();
        for (ThreadState t : w.threads) {
            if (w.block(t.number) == block) {
                known.join(t.view);
            }
        }
        for (int c = 0; c < w.writes.length; c++) {
            if (w.launched.cells.isShared(c) && w.launched.cells.block(c) == block
                    && (known.generic.get(c) < w.writes[c].size() - 1 || w.readers.hasMore(c, known.reads, -1))) {
                facts.raceAtEnd(w.launched.cells, c);
            }
        }
    }
}
