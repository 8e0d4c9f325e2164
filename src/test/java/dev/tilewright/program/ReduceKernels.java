package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;

/**
 * Kernels that reduce an array into another of {@value #BYTES} bytes with one instruction. Parameters: what is reduced
 * into, then the values.
 */
public final class ReduceKernels {
    /** Bytes of either array. */
    public static final int BYTES = 4096;
    private static final int THREADS = 128;
    private static final int CHUNK = 16;

    private static final Parameter.Pointer INTO = new Parameter.Pointer("into", true);
    private static final Parameter.Pointer VALUES = new Parameter.Pointer("values", false);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", BYTES, 1024);
    private static final SharedRegion.Buffer SUM = new SharedRegion.Buffer("sum", BYTES, 1024);
    private static final SharedRegion.Barriers DONE = new SharedRegion.Barriers("done", 1);
    private static final Address.Barrier BARRIER = DONE.at(0);

    private ReduceKernels() {
    }

    /**
     * From the first block's shared memory into the second's, in a cluster of two; the result is stored where the old
     * values came from. In a kernel without clusters, into its own block, an H200 finds the instruction illegal.
     */
    public static TileProgram withinCluster(BulkClusterReduce form) {
        return new TileProgram("reduces", "reduces one array into another", THREADS, 2, List.of(INTO, VALUES),
                new SharedLayout(List.of(TILE, SUM, DONE)), Body.steps(body -> {
                    fill(body, TILE, VALUES, "value");
                    fill(body, SUM, INTO, "old");
                    body.purpose("one thread sets up the barrier").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("one arrival").barrierInit(BARRIER, 1);
                        one.purpose("known to the cluster and the copy engine").barrierInitFence();
                    });
                    body.purpose("the copy engine sees both arrays").proxyFence(FenceProxyAsync.Memory.ALL);
                    body.purpose("both blocks are ready").clusterSync();
                    body.purpose("one thread of the second block")
                            .when(Builtin.CLUSTER_RANK.times(THREADS).plus(Builtin.THREAD).isEqualTo(THREADS),
                            one -> one.purpose("announce").arriveExpectTx(BARRIER, BYTES));
                    body.purpose("one thread of the first block")
                            .when(Builtin.CLUSTER_RANK.times(THREADS).plus(Builtin.THREAD).isEqualTo(0), one -> {
                        Expr to = one.purpose("there").issue("to", Mapa.ofShared(), Input.of(SUM.at(0)),
                                Input.of(1));
                        Expr done = one.purpose("its barrier").issue("its_barrier", Mapa.ofShared(), Input.of(BARRIER),
                                Input.of(1));
                        one.purpose("reduce")
                                .issue(form, Input.of(to), Input.of(TILE.at(0)), Input.of(BYTES),
                                Input.of(done));
                    });
                    body.purpose("the second block").when(Builtin.CLUSTER_RANK.isEqualTo(1), second -> {
                        second.purpose("the reduction is done").waitParity(BARRIER, 0);
                        eachChunk(second, "write the result", (each, at) -> {
                            Fragment result = each.purpose("read").load("result", ElementType.U32, 4, SUM.at(at));
                            each.purpose("write").store(new Address.Global(INTO, at.toS64()), result);
                        });
                    });
                    body.purpose("nobody leaves before").clusterSync();
                }));
    }

    private static void fill(Body body, SharedRegion.Buffer to, Parameter.Pointer from, String name) {
        eachChunk(body, "fill " + to.name(), (each, at) -> {
            Fragment chunk = each.purpose("read").load(name, ElementType.U32, 4, new Address.Global(from, at.toS64()));
            each.purpose("write").store(to.at(at), chunk);
        });
    }

    private static void eachChunk(Body body, String purpose, Body.LoopBody code) {
        body.purpose(purpose)
                .loop(purpose.replace(' ', '_') + "_at", Builtin.THREAD.times(CHUNK), BYTES, CHUNK * THREADS, code);
    }
}
