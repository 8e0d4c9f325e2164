package dev.tilewright.reference;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.reference.ExecutionObserver.Completion;
import dev.tilewright.reference.ExecutionObserver.AccessKind;
import dev.tilewright.reference.WatchedOp.After;
import dev.tilewright.reference.WatchedOp.Before;
import java.lang.foreign.MemorySegment;

/** Makes operations tell a {@link ExecutionObserver} what they do: each kind of operation has its line here. A run without one has none of this. */
final class WatchedOps {
    private static final int[] NO_OFFSETS = {};

    private static final AccessKind READ = new AccessKind(true, false, null, false);
    private static final AccessKind WRITE = new AccessKind(false, true, null, false);
    private static final int MAP_BYTES = 128;
    private static final int MATRIX_ROWS = 8;
    private static final int MATRIX_ROW_BYTES = 16;

    private final ExecutionObserver watch;
    private final DeviceAddresses addresses;
    /** How much was in flight before the operation that is being performed. */
    private int inFlightBefore;
    /** The barrier that was used last, and whose it is. */
    private Mbarrier lastBarrier;
    private BlockState lastOwner;

    WatchedOps(ExecutionObserver watch, DeviceAddresses addresses) {
        this.watch = watch;
        this.addresses = addresses;
    }

    /** @param step the number of the step that the operation belongs to, which is this one */
    Op watched(Op op, int step, Operation operation) {
        PtxInstruction form = operation instanceof Operation.Instruction i ? i.form() : null;
        Effects.Order order = form == null ? null : form.effects().order().orElse(null);
        return new WatchedOp(op, step, watch, before(op, step, order), after(op, step, form, order));
    }

    // ---- what is told before an operation

    private Before before(Op op, int step, Effects.Order order) {
        return switch (op) {
            case FragmentOps.LoadShared o -> t -> shared(t, step, READ, o.from().address(t, o.bytes(), o.bytes()), o.bytes());
            case FragmentOps.StoreShared o -> t -> shared(t, step, WRITE, o.to().address(t, o.bytes(), o.bytes()), o.bytes());
            case FragmentOps.LoadGlobal o -> {
                DeviceAddresses.Known known = addresses.find(o.from().memory().segment());
                yield t -> global(t, step, READ, known, o.from().offset(t, o.bytes(), o.bytes()), o.bytes());
            }
            case FragmentOps.StoreGlobal o -> {
                DeviceAddresses.Known known = addresses.find(o.to().memory().segment());
                yield t -> global(t, step, WRITE, known, o.to().offset(t, o.bytes(), o.bytes()), o.bytes());
            }
            case AccessOps.Load o -> spot(step, new AccessKind(true, false, order, false), o.from(), o.type().type().bytes());
            case AccessOps.Store o -> spot(step, new AccessKind(false, true, order, false), o.to(), o.type().type().bytes());
            case AccessOps.Update o -> spot(step, new AccessKind(true, true, order, false), o.at(), o.type().type().bytes());
            case DiscardOp o -> t -> at(t, step, WRITE, o.at().at(t, MAP_BYTES, MAP_BYTES), MAP_BYTES);
            case MapOps.Replace o -> t -> shared(t, step, WRITE, o.map().address(t, MAP_BYTES, MAP_BYTES), MAP_BYTES);
            case MapOps.ReplaceAnywhere o -> t -> at(t, step, WRITE, o.map().at(t, MAP_BYTES, MAP_BYTES), MAP_BYTES);

            case BarrierOps.Init o -> t -> {
                Mbarrier b = o.barrier().any(t);
                watch.barrierInit(t.block.index(), t.index, step, owner(t, b), b.address(), b.name(), o.arrivals().value(t));
            };
            case BarrierOps.Invalidate o -> t -> {
                Mbarrier b = valid(t, step, o.barrier());
                watch.barrierInvalidated(t.block.index(), t.index, step, owner(t, b), b.address());
            };
            case BarrierOps.Arrive o -> t -> arrives(t, step, valid(t, step, o.barrier()), order, 1, false);
            case BarrierOps.ArriveCounted o -> t -> arrives(t, step, valid(t, step, o.barrier()), order, o.count().value(t),
                    o.kind() != dev.tilewright.ptx.mbarrier.ArriveOp.ARRIVE);
            case BarrierOps.ArriveExpectTx o -> t -> {
                Mbarrier b = valid(t, step, o.barrier());
                expects(t, step, b, o.bytes().value(t), false);
                arrives(t, step, b, order, 1, o.kind() != dev.tilewright.ptx.mbarrier.ArriveOp.ARRIVE);
            };
            case BarrierOps.ExpectTx o -> t -> expects(t, step, valid(t, step, o.barrier()), o.bytes().value(t), true);
            case BarrierOps.CompleteTx o -> t -> {
                Mbarrier b = valid(t, step, o.barrier());
                watch.completesTx(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), o.bytes().value(t));
            };
            case BarrierOps.WaitToken o -> t -> valid(t, step, o.barrier());
            case BarrierOps.WaitParity o -> t -> valid(t, step, o.barrier());
            case BarrierOps.TestToken o -> t -> valid(t, step, o.barrier());
            case BarrierOps.TestParity o -> t -> valid(t, step, o.barrier());
            case BarrierOps.ArriveAfterCopies o -> t -> {
                Mbarrier b = valid(t, step, o.barrier());
                watch.cpArrive(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), o.added());
            };
            case CpAsyncOps.Copy o -> {
                DeviceAddresses.Known known = addresses.find(o.from().memory().segment());
                yield t -> {
                    int read = CpAsyncOps.requireSize(o.sourceBytes().value(t), o.bytes());
                    int address = o.to().address(t, o.bytes(), o.bytes());
                    long offset = o.from().offset(t, read, o.bytes());
                    watch.cpAsync(t.block.index(), t.index, step, address, o.bytes(), known.piece(), known.offset() + offset,
                            read);
                };
            }
            case AsyncOps.CpAsync o -> t -> {
                int read = CpAsyncOps.requireSize(o.sourceBytes().value(t), o.bytes());
                int address = o.to().own(t, o.bytes(), o.bytes(), "the destination of cp.async").address();
                ResolvedAddress.InGlobal from = o.from().global(t, read, o.bytes(), "the source of cp.async");
                DeviceAddresses.Known known = addresses.find(from.memory().segment());
                watch.cpAsync(t.block.index(), t.index, step, address, o.bytes(), known.piece(), known.offset()
                        + from.offset(), read);
            };
            case CpAsyncOps.Commit _ -> t -> watch.cpCommit(t.block.index(), t.index, step);
            case CpAsyncOps.WaitAll _ -> t -> {
                watch.cpCommit(t.block.index(), t.index, step);
                watch.cpWait(t.block.index(), t.index, step, 0);
            };
            case CpAsyncOps.Wait o -> t -> watch.cpWait(t.block.index(), t.index, step, o.pending());
            case BulkOps.Commit _ -> t -> watch.bulkCommit(t.block.index(), t.index, step);
            case BulkOps.Wait o -> t -> watch.bulkWait(t.block.index(), t.index, step, o.pending(), o.read());
            case ClusterOps.Arrive _ -> t -> watch.clusterArrive(t.block.index(), t.index, step,
                    order == null || order.semantics() != Effects.Semantics.RELAXED, t.block.cluster().barrier().opened());
            case ControlOps.SyncThreads _ -> t -> watch.comesToSync(t.block.index(), t.index, step);
            case ControlOps.Exit _ -> t -> watch.exits(t.block.index(), t.index, step);
            // What a copy into shared memory needs of its barrier is looked at before the copy is refused.
            case BulkOps.Load o -> t -> {
                valid(t, step, o.barrier());
                mark(t);
            };
            case TensorOps.Load o -> t -> {
                valid(t, step, o.barrier());
                mark(t);
            };
            case AsyncOps.BulkLoad _, AsyncOps.TensorLoad _, AsyncOps.ClusterCopy _, AsyncOps.ClusterReduce _, AsyncOps.Store _,
                    AsyncOps.Update _ -> this::mark;
            default -> Before.NOTHING;
        };
    }

    // ---- what is told after it

    private After after(Op op, int step, PtxInstruction form, Effects.Order order) {
        return switch (op) {
            case ControlOps.SyncThreads _ -> (t, pc, _) -> {
                if (t.pc == pc + 1) {
                    watch.syncThreads(t.block.index(), step);
                }
            };
            case ControlOps.Fence _ -> (t, _, _) -> watch.fence(t.block.index(), t.index, step, form);
            case AccessOps.WaitUntil o -> {
                AccessKind manner = new AccessKind(true, false, order, true);
                int bytes = o.type().type().bytes();
                yield (t, _, next) -> {
                    if (next != Op.BLOCKED) {
                        at(t, step, manner, o.from().at(t, bytes, bytes), bytes);
                    }
                };
            }
            case ClusterOps.Wait _ -> (t, _, next) -> {
                if (next != Op.BLOCKED) {
                    watch.clusterWait(t.block.index(), t.index, step);
                }
            };
            case BarrierOps.WaitToken o -> (t, _, next) -> {
                Mbarrier b = o.barrier().any(t);
                token(t, step, b, t.slots[o.token()], order, next != Op.BLOCKED);
            };
            case BarrierOps.WaitParity o -> (t, _, next) -> parity(t, step, o.barrier().any(t), o.parity().value(t), order,
                    next != Op.BLOCKED);
            case BarrierOps.TestToken o -> (t, _, _) -> {
                if (t.slots[o.result()] != 0) {
                    token(t, step, o.barrier().any(t), o.token().value(t), order, true);
                }
            };
            case BarrierOps.TestParity o -> (t, _, _) -> {
                if (t.slots[o.result()] != 0) {
                    parity(t, step, o.barrier().any(t), o.parity().value(t), order, true);
                }
            };
            case MapOps.Publish o -> (t, pc, next) -> {
                if (next == pc + 1) {
                    watch.warp(t.block.index(), WarpConvergence.first(t), t.block.warps().last(t), step);
                    shared(t, step, READ, o.from().address(t, MAP_BYTES, MAP_BYTES), MAP_BYTES);
                    global(t, step, WRITE, addresses.find(o.to().memory().segment()), o.to().offset(t, MAP_BYTES, MAP_BYTES),
                            MAP_BYTES);
                    watch.warp(t.block.index(), WarpConvergence.first(t), t.block.warps().last(t), step);
                }
            };
            case MatrixOps.Load o -> rows(step, READ, o.from(), o.results().length);
            case MatrixOps.Store o -> rows(step, WRITE, o.to(), o.values().length);
            case BulkOps.Load o -> landing(step, (t, _) -> fromGlobal(o.from(), t, (int) o.bytes().value(t)), false, null);
            case TensorOps.Load o -> landing(step, (t, _) -> box(o.map().of(t), TensorOps.values(o.coordinates(), t), NO_OFFSETS,
                    false, false), false, o.map());
            case AsyncOps.BulkLoad o -> landing(step, (t, c) -> {
                ResolvedAddress.InGlobal from = o.from().global(t, c.bytes(), 1, "the source");
                copyGlobal(false, from.memory().segment(), from.offset(), c.bytes());
            }, false, null, o.to());
            case AsyncOps.TensorLoad o -> landing(step, (t, _) -> box(o.map().of(t), TensorOps.values(o.coordinates(), t),
                    TensorOps.values(o.offsets(), t), false, false), false, o.map(), o.to());
            case AsyncOps.ClusterCopy o -> landing(step, (t, c) -> watch.copyShared(false, false, t.block.index(),
                    o.from().own(t, c.bytes(), 1, "the source").address(), c.bytes()), false, null, o.to());
            case AsyncOps.ClusterReduce o -> landing(step, (t, c) -> watch.copyShared(false, false, t.block.index(),
                    o.from().own(t, c.bytes(), 1, "the source").address(), c.bytes()), true, null, o.to());
            case AsyncOps.Store o -> landing(step, (_, _) -> { }, false, null, o.to());
            case AsyncOps.Update o -> landing(step, (_, _) -> { }, true, null, o.to());
            case BulkOps.Store o -> (t, _, _) -> {
                int count = (int) o.bytes().value(t);
                storeStarts(t, step);
                watch.copyShared(false, false, t.block.index(), o.from().address(t, count, 1), count);
                copyGlobal(true, o.to().memory().segment(), o.to().offset(t, count, 1), count);
            };
            case AsyncOps.BulkStore o -> (t, _, _) -> {
                int count = (int) o.bytes().value(t);
                storeStarts(t, step);
                watch.copyShared(false, false, t.block.index(), o.from().own(t, count, 1, "the source").address(), count);
                ResolvedAddress.InGlobal to = o.to().global(t, count, 1, "the destination");
                copyGlobal(true, to.memory().segment(), to.offset(), count);
            };
            case TensorOps.Store o -> (t, _, _) -> {
                BoundTensor tensor = o.map().of(t);
                storeBox(t, step, tensor, TensorOps.values(o.coordinates(), t), o.from().address(t, tensor.box().sharedBytes(),
                        1));
            };
            case AsyncOps.TensorStore o -> (t, _, _) -> {
                BoundTensor tensor = o.map().of(t);
                storeBox(t, step, tensor, TensorOps.values(o.coordinates(), t),
                        o.from().own(t, tensor.box().sharedBytes(), 1, "the source").address());
            };
            case AsyncOps.BulkReduce o -> (t, _, _) -> {
                int count = (int) o.bytes().value(t);
                storeStarts(t, step);
                watch.copyShared(false, false, t.block.index(), o.from().own(t, count, 1, "the source").address(), count);
                ResolvedAddress.InGlobal to = o.to().global(t, count, 1, "the destination");
                DeviceAddresses.Known known = addresses.find(to.memory().segment());
                watch.copyGlobal(true, true, known.piece(), known.offset() + to.offset(), count);
            };
            case AsyncOps.TensorReduce o -> (t, _, _) -> {
                BoundTensor tensor = o.map().of(t);
                storeBox(t, step, tensor, TensorOps.values(o.coordinates(), t),
                        o.from().own(t, tensor.box().sharedBytes(), 1, "the source").address(), true);
            };
            default -> After.NOTHING;
        };
    }

    /** What a copy into shared memory reads. */
    @FunctionalInterface
    private interface Source {
        void tell(ThreadState t, InFlight.Copy copy);
    }

    private After landing(int step, Source source, boolean reduces, TensorSource map) {
        return landing(step, source, reduces, map, null);
    }

    /** Copies that the step has put in flight, each in a block of its own. */
    private After landing(int step, Source source, boolean reduces, TensorSource map, CopyDestination place) {
        return (t, _, _) -> {
            InFlight inFlight = t.block.inFlight();
            int mask = place == null || place.mask() == null ? 0 : (int) place.mask().value(t);
            for (int i = inFlightBefore; i < inFlight.size(); i++) {
                if (inFlight.get(i) instanceof InFlight.Copy c) {
                    int bytes = map == null ? c.bytes() : map.of(t).box().sharedBytes();
                    if (map != null) {
                        requirePeriod(t, step, c.to().index(), c.address(), map.of(t));
                    }
                    watch.copyStarts(t.block.index(), t.index, step, Completion.BARRIER, c.to().index(), c.barrier().address(),
                            c.barrier().phase(), c.bytes(), mask);
                    source.tell(t, c);
                    watch.copyShared(true, reduces, c.to().index(), c.address(), bytes);
                }
            }
        };
    }

    private void mark(ThreadState t) {
        inFlightBefore = t.block.inFlight().size();
    }

    private void storeStarts(ThreadState t, int step) {
        watch.copyStarts(t.block.index(), t.index, step, Completion.BULK_GROUP, -1, 0, 0, 0, 0);
    }

    private void storeBox(ThreadState t, int step, BoundTensor tensor, int[] coordinates, int address) {
        storeBox(t, step, tensor, coordinates, address, false);
    }

    private void storeBox(ThreadState t, int step, BoundTensor tensor, int[] coordinates, int address, boolean reduces) {
        requirePeriod(t, step, t.block.index(), address, tensor);
        storeStarts(t, step);
        watch.copyShared(false, false, t.block.index(), address, tensor.box().sharedBytes());
        box(tensor, coordinates, NO_OFFSETS, true, reduces);
    }

    private void requirePeriod(ThreadState t, int step, int owner, int address, BoundTensor tensor) {
        int period = tensor.box().swizzlePeriod();
        if (address % period != 0) {
            watch.misplacedBox(t.block.index(), t.index, step, owner, address, period);
        }
    }

    private void box(BoundTensor tensor, int[] coordinates, int[] offsets, boolean store, boolean reduces) {
        DeviceAddresses.Known known = addresses.find(tensor.memory());
        tensor.box().forEachRow(coordinates, offsets, store,
                (offset, count) -> watch.copyGlobal(store, reduces, known.piece(), known.offset() + offset, count));
    }

    private void fromGlobal(GlobalPlace from, ThreadState t, int count) {
        copyGlobal(false, from.memory().segment(), from.offset(t, count, 1), count);
    }

    private void copyGlobal(boolean writes, MemorySegment segment, long offset, int count) {
        DeviceAddresses.Known known = addresses.find(segment);
        watch.copyGlobal(writes, false, known.piece(), known.offset() + offset, count);
    }

    // ---- barriers

    private Mbarrier valid(ThreadState t, int step, BarrierRef ref) {
        Mbarrier b = ref.any(t);
        if (!b.isValid()) {
            watch.barrierMissing(t.block.index(), t.index, step, owner(t, b), b.address(), b.name());
        }
        return b;
    }

    private void arrives(ThreadState t, int step, Mbarrier b, Effects.Order order, long count, boolean drops) {
        watch.arrives(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), order, count, drops);
    }

    private void expects(ThreadState t, int step, Mbarrier b, long bytes, boolean alone) {
        watch.expects(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), bytes, alone);
    }

    private void parity(ThreadState t, int step, Mbarrier b, long parity, Effects.Order order, boolean passed) {
        if (passed) {
            watch.parityPassed(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), parity, order);
        } else {
            watch.blocked(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), parity);
        }
    }

    private void token(ThreadState t, int step, Mbarrier b, long token, Effects.Order order, boolean passed) {
        if (passed) {
            watch.tokenPassed(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), b.phaseOf(token), order);
        } else {
            watch.blocked(t.block.index(), t.index, step, owner(t, b), b.address(), b.phase(), -1);
        }
    }

    /** The block that a barrier belongs to: the thread's own or another one of its cluster. */
    private int owner(ThreadState t, Mbarrier b) {
        if (b != lastBarrier) {
            lastOwner = find(t, b);
            lastBarrier = b;
        }
        return lastOwner.index();
    }

    private static BlockState find(ThreadState t, Mbarrier b) {
        if (t.block.barrierAt(b.address()) == b) {
            return t.block;
        }
        for (BlockState other : t.block.cluster().blocks()) {
            if (other.barrierAt(b.address()) == b) {
                return other;
            }
        }
        throw new IllegalStateException("barrier " + b.name() + " is in no block of the cluster");
    }

    // ---- ordinary accesses

    private Before spot(int step, AccessKind manner, AddressOperand place, int bytes) {
        return t -> at(t, step, manner, place.at(t, bytes, bytes), bytes);
    }

    private void at(ThreadState t, int step, AccessKind manner, ResolvedAddress spot, int bytes) {
        switch (spot) {
            case ResolvedAddress.InShared s -> watch.shared(t.block.index(), t.index, step, manner, s.block().index(), s.address(), bytes);
            case ResolvedAddress.InGlobal g -> global(t, step, manner, addresses.find(g.memory().segment()), g.offset(), bytes);
        }
    }

    private void shared(ThreadState t, int step, AccessKind manner, int address, int bytes) {
        watch.shared(t.block.index(), t.index, step, manner, t.block.index(), address, bytes);
    }

    private void global(ThreadState t, int step, AccessKind manner, DeviceAddresses.Known known, long offset, int bytes) {
        if (known.piece() >= 0) {
            watch.global(t.block.index(), t.index, step, manner, known.piece(), known.offset() + offset, bytes);
        }
    }

    /** Each lane's row of a matrix, once the warp's last lane has performed it for all. */
    private After rows(int step, AccessKind manner, AddressOperand place, int matrices) {
        return (t, pc, next) -> {
            int first = WarpConvergence.first(t);
            for (int lane = 0; next == pc + 1 && lane < MATRIX_ROWS * matrices; lane++) {
                ThreadState holder = t.block.threads()[first + lane];
                ResolvedAddress.InShared row = place.own(holder, MATRIX_ROW_BYTES, MATRIX_ROW_BYTES, "a row");
                watch.shared(t.block.index(), holder.index, step, manner, row.block().index(), row.address(), MATRIX_ROW_BYTES);
            }
        };
    }
}
