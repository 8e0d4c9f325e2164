package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * {@code reduction}: a bulk reduction of 1 KiB of elements into global memory, or into another block's shared memory:
 * special values of the type against each other, and random ones.
 */
final class BulkReductions extends FormMechanism<PtxInstruction> {
    private static final int THREADS = 64;
    /** What one instruction reduces. */
    static final int BYTES = 1024;
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", BYTES, 128);
    private static final SharedRegion.Buffer SUM = new SharedRegion.Buffer("sum", BYTES, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier DONE = FULL.at(0);

    BulkReductions() {
        super("reduction", forms());
    }

    /** All that there are. An H200 finds the cluster's illegal in a kernel without clusters. */
    private static List<PtxInstruction> forms() {
        List<PtxInstruction> forms = new ArrayList<>();
        Catalogue.forms(BulkReduce.class).filter(f -> !f.cacheHint()).forEach(forms::add);
        Catalogue.forms(BulkClusterReduce.class).forEach(forms::add);
        return forms;
    }

    @Override
    Experiment experiment(PtxInstruction form, TileProgram program, long seed) {
        DataType type = form instanceof BulkReduce r ? r.type() : ((BulkClusterReduce) form).type();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] old = ExtremeElements.elements(type, random, BYTES);
        return experiment(form, old, ExtremeElements.elements(type, random, BYTES));
    }

    /** @param old what is reduced into, {@link #BYTES} of it @param value as many bytes */
    Experiment experiment(PtxInstruction form, byte[] old, byte[] value) {
        return Experiment.of(programOf(form), form instanceof BulkReduce ? 1 : 2,
                Experiment.Content.of(Data.joined(value, old)), Experiment.Content.shown(old));
    }

    @Override
    TileProgram program(PtxInstruction form) {
        return new TileProgram("record_reduction", "reduces elements", THREADS, form instanceof BulkReduce ? 1 : 2,
                List.of(Steps.IN, Steps.OUT), new SharedLayout(List.of(TILE, SUM, FULL)), Body.steps(body -> {
                    Steps.fetch(body, TILE, Expr.of(BYTES), 0, THREADS);
                    Steps.fetch(body, SUM, Expr.of(BYTES), BYTES, THREADS);
                    body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.ALL);
                    Steps.initialise(body, DONE);
                    if (form instanceof BulkReduce global) {
                        intoGlobal(body, global);
                    } else {
                        intoCluster(body, (BulkClusterReduce) form);
                    }
                }));
    }

    private static void intoGlobal(Body body, BulkReduce form) {
        body.purpose("all is there").syncThreads();
        body.purpose("one thread").when(Steps.THREAD.isEqualTo(0), one -> {
            one.purpose("reduce").bulkReduce(form.op(), form.type(), Steps.out(Expr.of(0)), TILE.at(0), BYTES);
            one.purpose("one group").bulkCommit();
            one.purpose("it is done").bulkWait(0);
        });
    }

    private static void intoCluster(Body body, BulkClusterReduce form) {
        Expr rank = Builtin.CLUSTER_RANK;
        body.purpose("both blocks are ready").clusterSync();
        body.purpose("one thread of the second block").when(rank.isEqualTo(1).and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("announce the bytes").arriveExpectTx(DONE, BYTES));
        body.purpose("one thread of the first").when(rank.isEqualTo(0).and(Steps.THREAD.isEqualTo(0)),
                one -> one.purpose("reduce").bulkReduce(form.op(), form.type(), SUM.at(0).in(1), TILE.at(0), BYTES,
                        DONE));
        body.purpose("the second block").when(rank.isEqualTo(1), second -> {
            second.purpose("it is done").waitParity(DONE, 0);
            Steps.show(second, SUM, Expr.of(BYTES), Expr.of(0), THREADS);
        });
        body.purpose("no block ends before").clusterSync();
    }
}
