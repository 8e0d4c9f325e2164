package dev.tilewright.verify.draw;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.cache.Discard;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTx;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.mbarrier.TxOrder;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.Activemask;
import dev.tilewright.ptx.warp.ElectSync;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One form of an instruction, performed by the threads of a cluster's first block that it takes, with barriers and
 * shared memory of its own, of which every byte is shown afterwards; what an mbarrier counts is announced before and
 * waited for afterwards. Addresses in the cluster's shared memory are those of the second block.
 */
final class FormPart {
    /** Where threads show what an instruction hands out, 8 bytes each: n for each thread, and two more in front. */
    private static final int SHOWN = 9;
    private static final int SHARED_BYTES = 1024;
    private static final Expr T = Builtin.THREAD;

    private final FormProgram program;
    private final int number;
    private final PtxInstruction form;
    private final FormAddresses addresses;
    private final FormInputs inputs;
    private final boolean polled;
    private final SharedRegion.Barriers barriers;
    private final SharedRegion.Buffer buffer;
    private final FormChoices drawn;

    FormPart(FormProgram program, int number, PtxInstruction form, DrawnChoices choices) {
        this.program = program;
        this.number = number;
        this.form = form;
        this.polled = (form instanceof MbarrierWait || form instanceof Ld && form.results().size() == 1)
                && choices.flag();
        this.drawn = FormChoices.draw(form, choices);
        int held = drawn.box().map(b -> 1024 + Math.ceilDiv(b.box().sharedBytes(b.offsets()), 16) * 16)
                .orElse(SHARED_BYTES + 32 * program.threads());
        this.barriers = new SharedRegion.Barriers("ready_" + number, 2);
        this.buffer = new SharedRegion.Buffer("buffer_" + number, held, 1024);
        this.addresses = new FormAddresses(program, this, drawn);
        this.inputs = new FormInputs(program, this, polled, drawn, addresses);
    }

    int number() {
        return number;
    }

    List<SharedRegion> regions() {
        return List.of(barriers, buffer);
    }

    Optional<Parameter.TensorMap> map() {
        return addresses.map();
    }

    Optional<DrawnBox> box() {
        return drawn.box();
    }

    SharedRegion.Buffer buffer() {
        return buffer;
    }

    Address.Barrier barrier() {
        return barriers.at(form instanceof MbarrierInit ? 1 : 0);
    }

    Address.Barrier firstBarrier() {
        return barriers.at(0);
    }

    /** Bytes of results. */
    int shownBytes() {
        return program.blocks() * buffer.bytes() + 8 * (2 + SHOWN * program.threads());
    }

    /** Bytes that its shared memory is filled from. */
    int filledBytes() {
        return program.blocks() * buffer.bytes();
    }

    /** Bytes of global memory that it has for itself. */
    int memoryBytes() {
        return drawn.box().map(b -> Math.ceilDiv(b.tensorBytes() + 256, 1024) * 1024)
                .orElse(1024 + 32 * program.threads());
    }

    // ---- before

    void setUp(Body body) {
        body.purpose("barriers for " + form.opcode()).when(T.isEqualTo(0), one -> {
            one.barrierInit(firstBarrier(), drawn.arrivals());
        });
        Expr from = program.rank().times(buffer.bytes()).plus(program.filledFrom(this));
        body.purpose("what lies there before").loop("fill", T.times(16), buffer.bytes(),
                16 * program.threads(), (each, at) -> each.store(buffer.at(at),
                each.load("before", ElementType.U32, 4, new Address.Global(FormProgram.SOURCE, from.plus(at)))));
    }

    // ---- the form

    void perform(Body body) {
        if (Forms.changesRegisters(form)) {
            // As roles do that share a multiprocessor's registers.
            body.when(T.lessThan(128), b -> b.decreaseMaxRegisters(40), b -> b.increaseMaxRegisters(200));
            return;
        }
        addresses.prepare(body);
        if (Forms.isOfCluster(form)) {
            if (form instanceof BarrierClusterWait) {
                body.issue(new BarrierClusterArrive());
            }
            body.purpose("of the cluster").issue(form);
            if (form instanceof BarrierClusterArrive) {
                body.issue(new BarrierClusterWait());
            }
            return;
        }
        List<Integer> owners = Forms.countsOnBarrier(form) ? drawn.owners() : List.of();
        owners.forEach(owner -> body.when(program.isThread(owner, 0),
                one -> one.arriveExpectTx(firstBarrier(), drawn.countedBytes(program.threads()))));
        if (!owners.isEmpty() && Forms.isOfEachThread(form)) {
            program.sync(body);
        }
        boolean all = Forms.isOfEachThread(form) || Forms.isOfWarps(form);
        if (all && program.blocks() == 1) {
            issue(body);
        } else {
            body.when(all ? program.rank().isEqualTo(0) : Forms.isOfOneWarp(form)
                    ? program.rank().isEqualTo(0).and(T.lessThan(32)) : program.isThread(0, 0), this::issue);
        }
        owners.forEach(owner -> body.when(program.isThread(owner, 0), one -> one.waitParity(firstBarrier(), 0)));
    }

    private void issue(Body body) {
        if (form instanceof FenceProxyTensormapAcquire) {
            body.releaseMaps();
        }
        if (form instanceof TensormapReplace) {
            // What is no field of a map may be lost.
            for (int at = 0; at < 128; at += 8) {
                body.store(addresses.map(at), Value.u64(0));
            }
        }
        List<Input> given = inputs.inputs(body);
        List<Operand> results = form.results();
        if (polled) {
            Expr.Var seen = new Expr.Var("seen_" + number, results.getFirst().kind().isWide() ? IntType.S64
                    : IntType.S32);
            body.purpose("until it is so").add(new Operation.Poll(form, given, form instanceof MbarrierWait
                    ? new Operation.Until.Done() : new Operation.Until.Holds(seen, seen.isEqualTo(seen))));
        } else {
            List<Expr.Var> handedOut = new ArrayList<>();
            for (Operand o : results) {
                handedOut.add(new Expr.Var(o.name() + "_" + number, o.kind().isWide() ? IntType.S64 : IntType.S32));
            }
            body.purpose(form.summary()).add(new Operation.Issue(form, given, handedOut));
            for (int i = 0; i < handedOut.size(); i++) {
                show(body, i, results.get(i), handedOut.get(i));
            }
        }
        inputs.registers().forEach((operand, register) -> showRegisters(body, operand, register));
        complete(body);
    }

    /** Waits for what it started, and ends what it began. */
    private void complete(Body body) {
        if (form.effects().completion() == Effects.Completion.BULK_GROUP) {
            body.bulkCommit();
            body.bulkWait(0);
        } else if (form.effects().completion() == Effects.Completion.CP_ASYNC_GROUP) {
            body.cpAsyncCommit();
            body.cpAsyncWait(0);
        }
        switch (form) {
            case CpAsyncMbarrierArrive f -> {
                if (!f.noinc()) {
                    body.arrive(firstBarrier());
                }
                body.waitParity(firstBarrier(), 0);
            }
            case Discard _ -> {
                for (int at = 0; at < 128; at += 16) {
                    body.store(addresses.global(Expr.of(at)), body.load("again", ElementType.U32, 4,
                            new Address.Global(FormProgram.SOURCE, at)));
                }
            }
            case MbarrierArriveExpectTx f -> count(body, new MbarrierCompleteTx(), f.space());
            case MbarrierExpectTx f -> {
                count(body, new MbarrierCompleteTx(), f.space());
                arrive(body, f.space());
            }
            case MbarrierCompleteTx f -> {
                count(body, new MbarrierExpectTx(), f.space());
                arrive(body, f.space());
            }
            default -> { }
        }
    }

    /** Counts the bytes that its form did, the other way. */
    private void count(Body body, MbarrierTx counting, Space space) {
        body.issue(space == Space.SHARED_CLUSTER
                ? counting.withOrder(TxOrder.RELAXED_CLUSTER).withSpace(Space.SHARED_CLUSTER) : counting,
                addresses.mbar(space), Input.of(drawn.bytes()));
    }

    private void arrive(Body body, Space space) {
        body.issue(space == Space.SHARED_CLUSTER
                ? new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER).withSpace(Space.SHARED_CLUSTER)
                : new MbarrierArrive().withResult(ArriveResult.SINK), addresses.mbar(space));
    }

    // ---- what is shown

    private Address.Global shown(int slot) {
        return program.result(program.shownAt(this) + 16, T.plus(slot * program.threads()).times(8));
    }

    private void show(Body body, int slot, Operand o, Expr value) {
        switch (form) {
            case CacheInstruction _, Activemask _ -> { }
            case Cvta f -> {
                // A number of this address space alone: what it is turned back into is shown.
                Expr back = f.toSpace() ? value : body.issue("back_" + number, Cvta.to(f.space()), Input.of(value));
                body.store(shown(slot), back.isEqualTo(addresses.ownAddress()).choose(1, 0).toValue());
            }
            case Mapa f -> body.store(shown(slot), body.issue("rank_" + number, new Getctarank(f.shared(), f.wide()),
                    Input.of(value)).toValue());
            case ElectSync _ -> {
                // Any lane may be chosen, and one is.
                if (o.kind() == Operand.Kind.PREDICATE_OUT) {
                    body.store(shown(slot), body.warp().ballot(value.isEqualTo(1).toValue()).countOnes());
                }
            }
            default -> {
                if (o.kind() == Operand.Kind.TOKEN_OUT) {
                    body.store(shown(slot), body.issue("pending_" + number, new MbarrierPendingCount(), Input.of(value))
                            .toValue());
                } else {
                    body.store(shown(slot), value.toValue());
                }
            }
        }
    }

    private void showRegisters(Body body, Operand o, Register register) {
        if (o.access().writes()) {
            for (int r = 0; r < register.count(); r++) {
                body.store(shown(4 + r), register.at(r));
            }
        }
    }

    /** Shows the shared memory of all blocks, and whether the barrier's first phase is over. */
    void showMemory(Body body) {
        if (form instanceof MbarrierInstruction && !(form instanceof MbarrierInval)) {
            // Only the first block has begun another one.
            body.purpose("whether its phase is over").when(form instanceof MbarrierInit ? program.isThread(0, 0)
                    : T.isEqualTo(0), one -> {
                Expr done = one.issue("over_" + number, new MbarrierTestWaitParity(), Input.of(barrier()), Input.of(0));
                one.store(program.result(program.shownAt(this), program.rank().times(8)), done.toValue());
            });
        }
        int first = program.shownAt(this) + 16 + 8 * SHOWN * program.threads();
        body.purpose("what lies there afterwards").loop("show", T.times(16), buffer.bytes(),
                16 * program.threads(), (each, at) -> each.store(
                program.result(first, program.rank().times(buffer.bytes()).plus(at)),
                each.load("after", ElementType.U32, 4, buffer.at(at))));
    }
}
