package dev.tilewright.recording.mechanism;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.memory.Ld;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * {@code remote}: {@code st.async} and {@code red.async} by each thread of a block into the other block of its cluster,
 * whose barrier counts the bytes.
 */
final class RemoteStores extends FormMechanism<PtxInstruction> {
    private static final int THREADS = 32;
    private static final int EACH = 16;
    private static final int BYTES = EACH * THREADS;
    private static final SharedRegion.Buffer WORDS = new SharedRegion.Buffer("words", BYTES, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier COME = FULL.at(0);

    RemoteStores() {
        super("remote", forms());
    }

    private static List<PtxInstruction> forms() {
        List<PtxInstruction> forms = new ArrayList<>();
        Catalogue.forms(StAsync.class).filter(f -> !f.weak() && f.explicitSpace()).forEach(forms::add);
        Catalogue.forms(RedAsync.class).filter(RedAsync::explicitSpace).forEach(forms::add);
        return forms;
    }

    @Override
    Experiment experiment(PtxInstruction form, TileProgram program, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] in = ExtremeElements.elements(form instanceof StAsync s ? s.type() : ((RedAsync) form).type(), random,
                2 * BYTES);
        return Experiment.of(program, 2, Experiment.Content.of(in), Experiment.Content.fresh(2 * BYTES));
    }

    /** The first block's words are the values, the second's are changed. */
    @Override
    TileProgram program(PtxInstruction form) {
        DataType type = form instanceof StAsync s ? s.type() : ((RedAsync) form).type();
        int count = form instanceof StAsync s ? 1 << s.vector().ordinal() : 1;
        DataType bits = type.bits() == 32 ? DataType.B32 : DataType.B64;
        Expr rank = Builtin.CLUSTER_RANK;
        return new TileProgram("record_remote", "changes words of another block", THREADS, 2,
                List.of(Steps.IN, Steps.OUT), new SharedLayout(List.of(WORDS, FULL)), Body.steps(body -> {
                    Steps.fetch(body, WORDS, Expr.of(BYTES), 0, THREADS);
                    body.purpose("seen by what comes").proxyFence(FenceProxyAsync.Memory.ALL);
                    Steps.initialise(body, COME);
                    body.purpose("both blocks are ready").clusterSync();
                    body.purpose("one thread of the second block").when(rank.isEqualTo(1)
                            .and(Steps.THREAD.isEqualTo(0)), one -> one.purpose("announce the bytes")
                            .arriveExpectTx(COME, THREADS * count * type.bytes()));
                    body.purpose("the first block").when(rank.isEqualTo(0), first -> {
                        List<Input> inputs = new ArrayList<>();
                        // The recorded form takes mapa's numbers: storeAsync and reduceAsync would choose a form.
                        inputs.add(Input.of(first.purpose("there").issue("there", Mapa.ofShared(),
                                Input.of(WORDS.at(Steps.THREAD.times(EACH))), Input.of(1))));
                        for (int i = 0; i < count; i++) {
                            inputs.add(Input.of(first.issue("value" + i, Ld.relaxed(Scope.GPU, Space.GLOBAL, bits),
                                    Input.of(Steps.in(Steps.THREAD.times(EACH).plus(BYTES + i * type.bytes()))))));
                        }
                        inputs.add(Input.of(first.purpose("its barrier").issue("barrier", Mapa.ofShared(),
                                Input.of(COME), Input.of(1))));
                        first.purpose("change it").issue(form, inputs.toArray(Input[]::new));
                    });
                    body.purpose("the second block").when(rank.isEqualTo(1),
                            second -> second.purpose("all have come").waitParity(COME, 0));
                    Steps.show(body, WORDS, Expr.of(BYTES), Builtin.BLOCK.times(BYTES), THREADS);
                    body.purpose("no block ends before").clusterSync();
                }));
    }
}
