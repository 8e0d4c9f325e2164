package dev.tilewright.oracle;

import dev.tilewright.layout.ElementType;
import dev.tilewright.oracle.Memory.Agent;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
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
import dev.tilewright.ptx.warp.BarWarpSync;
import java.util.ArrayList;
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
        if (t.atSync || t.members != 0 || !w.started[w.block(t.number)]) {
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
            case Operation.Load load -> plain(t, new Places(w, t).of(load.from()), load.fragment());
            case Operation.Store store -> plain(t, new Places(w, t).of(store.to()), store.fragment());
            case Operation.SyncThreads _ -> Next.LOCAL;
            case Operation.Poll poll -> new Polls(this, t).canEnd(poll) ? Next.VISIBLE : Next.BLOCKED;
            case Operation.Issue issue -> next(t, issue);
            default -> throw new Unsupported(operation.summary());
        };
    }

    private Next plain(ThreadState t, Copy.Place place, Fragment fragment) {
        if (w.launched.constant(place, fragment.bytes()) != null) {
            return Next.LOCAL;
        }
        return new Places(w, t).isRemote(place)
                || !Memory.isLocal(w.launched.cells, w.launched.cells.of(place.space(), place.offset(),
                        fragment.bytes())) ? Next.VISIBLE : Next.LOCAL;
    }

    private Next next(ThreadState t, Operation.Issue issue) {
        return switch (issue.form()) {
            case CopyInstruction c -> new Copies(this).isBlocked(t, c) ? Next.BLOCKED : Next.LOCAL;
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
            case ClusterInstruction _, BarWarpSync _ -> Next.LOCAL;
            case MbarrierInit _ -> Memory.isLocal(w.launched.cells, barriers.cells(barrier(t, issue)))
                    ? Next.LOCAL : Next.VISIBLE;
            case ScopedAccess _ -> new ScopedSteps(this, t).isVisible(issue) ? Next.VISIBLE : Next.LOCAL;
            case MbarrierInstruction _ -> Next.VISIBLE;
            default -> throw new Unsupported(issue.form().opcode());
        };
    }

    /** Whether all threads of the warp have come to the step that they perform together; here a block is a warp. */
    private boolean isTogether(ThreadState t) {
        if (t.together) {
            return true;
        }
        for (ThreadState other : w.threads) {
            if (w.block(other.number) == w.block(t.number)
                    && (other.finished || other.pc != t.pc || other.together || other.atSync)) {
                return false;
            }
        }
        for (ThreadState other : w.threads) {
            other.together |= w.block(other.number) == w.block(t.number);
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
                t.pc++;
                perform(t, operation);
            }
        }
    }

    private void perform(ThreadState t, Operation operation) {
        switch (operation) {
            case Operation.Load load -> {
                Copy.Place from = new Places(w, t).of(load.from());
                requireFits(from, load.fragment());
                short[] constant = w.launched.constant(from, load.fragment().bytes());
                t.fragments[w.launched.code.fragments.get(load.fragment())] = w.launched.values.number(
                        constant != null ? constant : memory.read(agent(t), cells(from, load.fragment())));
            }
            case Operation.Store store -> {
                int value = t.fragments[w.launched.code.fragments.get(store.fragment())];
                memory.write(agent(t), cells(new Places(w, t).of(store.to()), store.fragment()),
                        w.launched.values.bytes(value));
            }
            case Operation.SyncThreads _ -> sync(t);
            case Operation.Poll poll -> new Polls(this, t).end(poll);
            case Operation.Issue issue -> issue(t, issue);
            default -> throw new Unsupported(operation.summary());
        }
    }

    private int[] cells(Copy.Place place, Fragment fragment) {
        requireFits(place, fragment);
        return w.launched.cells.of(place.space(), place.offset(), fragment.bytes());
    }

    private static void requireFits(Copy.Place place, Fragment fragment) {
        if (place.offset() % fragment.bytes() != 0) {
            throw new Ending("a misaligned access");
        }
        ElementType type = fragment.type();
        if (type.isFloat()) {
            throw new Unsupported("floats");
        }
    }

    private void issue(ThreadState t, Operation.Issue issue) {
        switch (issue.form()) {
            case CopyInstruction c -> new Copies(this).issue(t, issue, c);
            case CpAsyncMbarrierArrive c -> new Copies(this).arriveAfter(t, issue, c);
            case FenceInstruction f -> new Fences(w).fence(t, f);
            case ClusterInstruction c -> new Clusters(w).perform(t, issue, c);
            case MbarrierInstruction m -> new MbarrierSteps(this, t).perform(issue, m);
            case BarWarpSync _ -> meet(t, new Eval(w, t).toInt(
                    ((Input.Number) w.launched.input(issue, "members")).value()));
            case ScopedAccess a -> new ScopedSteps(this, t).perform(issue, a);
            default -> throw new Unsupported(issue.form().opcode());
        }
    }

    void set(ThreadState t, Expr.Var variable, long value) {
        int slot = w.launched.code.variables.get(variable);
        t.variables[slot] = value;
        t.undefined &= ~(1L << slot);
    }

    /** Gives a variable what a value says, which may be of bytes that nothing wrote: then it must not be used. */
    void setRead(ThreadState t, Expr.Var variable, int value) {
        boolean undefined = w.launched.values.hasUndefined(value);
        set(t, variable, undefined ? 0 : Values.toLong(w.launched.values.bytes(value)));
        if (undefined) {
            t.undefined |= 1L << w.launched.code.variables.get(variable);
        }
    }

    private void sync(ThreadState t) {
        t.atSync = true;
        View all = null;
        for (ThreadState other : w.threads) {
            if (w.block(other.number) == w.block(t.number)) {
                if (!other.atSync) {
                    return;
                }
                if (all == null) {
                    all = other.view.copy();
                } else {
                    all.join(other.view);
                }
            }
        }
        for (ThreadState other : w.threads) {
            if (w.block(other.number) == w.block(t.number)) {
                other.view.join(all);
                other.atSync = false;
            }
        }
    }

    /**
     * Waits for the members, wherever in the program they say that they meet the same ones (PTX ISA, "bar.warp.sync");
     * those that have ended need not come (CUDA C++ Programming Guide, "__syncwarp"). Here a block is a warp.
     */
    private void meet(ThreadState t, int members) {
        int first = w.block(t.number) * w.launched.threadsPerBlock;
        if ((members >> t.number - first & 1) == 0) {
            throw new Ending("bar.warp.sync of a lane that is no member");
        }
        t.members = members;
        letPass(t, members);
    }

    /** Lets the members pass if all of them in the thread's warp have come that have not ended. */
    private void letPass(ThreadState t, int members) {
        View all = new View(w.writes.length);
        List<ThreadState> come = new ArrayList<>();
        for (ThreadState other : w.threads) {
            boolean named = (members >> other.number % w.launched.threadsPerBlock & 1) != 0;
            if (w.block(other.number) == w.block(t.number) && named && !other.finished) {
                if (other.members != members) {
                    return;
                }
                all.join(other.view);
                come.add(other);
            }
        }
        for (ThreadState other : come) {
            other.view.join(all);
            other.members = 0;
        }
    }

    private void end(ThreadState t) {
        boolean last = endsBlock(t);
        if (last && w.launched.clusterBlocks > 1) {
            lookBack(w.block(t.number));
        }
        t.finish();
        for (ThreadState other : w.threads) {
            if (w.block(other.number) == w.block(t.number) && other.members != 0) {
                letPass(t, other.members);
            }
        }
        new Clusters(w).left(t);
        if (last) {
            int block = w.block(t.number);
            w.ended[block] = true;
            new Copies(this).requireNoneIn(block);
        }
    }

    /** At the end of a block: some thread of it should know of all that others did in its shared memory. */
    private void lookBack(int block) {
        View known = new View(w.writes.length);
        for (ThreadState t : w.threads) {
            if (w.block(t.number) == block) {
                known.join(t.view);
            }
        }
        for (int c = 0; c < w.writes.length; c++) {
            if (w.launched.cells.isShared(c) && w.launched.cells.block(c) == block
                    && (known.generic[c] < w.writes[c].size() - 1 || (w.readers[c] & ~known.reads[c]) != 0)) {
                facts.raceAtEnd(w.launched.cells, c);
            }
        }
    }
}
