package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.warp.ElectSync;
import java.util.ArrayList;
import java.util.List;

/**
 * Kernels in grids, blocks and clusters of several dimensions: one that shows where each thread is, one whose blocks
 * talk.
 */
public final class GridKernels {
    public static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final St STORE = St.relaxed(Scope.GPU, Space.GLOBAL, DataType.B32);

    private GridKernels() {
    }

    /** What a thread shows of itself, in order: what only clusters have comes last. */
    public static List<Builtin> shown(ClusterSize cluster) {
        return cluster.hasClusters() ? List.of(Builtin.values())
                : List.of(Builtin.values()).subList(0, Builtin.CLUSTER_RANK.ordinal());
    }

    /** Each thread writes all of its places to the row of {@code out} that blockIdx and threadIdx give. */
    public static TileProgram places(Dim3 threads, ClusterSize cluster) {
        List<Builtin> shown = shown(cluster);
        return new TileProgram("places", "shows where each thread is", threads, cluster, List.of(OUT),
                new SharedLayout(List.of()),
                Body.steps(body -> {
                    Expr block = body.purpose("its block").let("block_at",
                            Builtin.BLOCK_Z.times(Builtin.GRID_Y).plus(Builtin.BLOCK_Y)
                            .times(Builtin.GRID).plus(Builtin.BLOCK));
                    Expr thread = body.purpose("itself").let("thread_at",
                            threads.number(Builtin.THREAD, Builtin.THREAD_Y, Builtin.THREAD_Z));
                    Expr row = body.purpose("its row").let("row",
                            block.times(threads.x() * threads.y() * threads.z()).plus(thread)
                            .times(4 * shown.size()));
                    for (int i = 0; i < shown.size(); i++) {
                        body.purpose("show " + shown.get(i)).issue(STORE,
                                Input.of(new Address.Global(OUT, row.plus(4 * i).toS64())),
                                Input.of(shown.get(i)));
                    }
                }));
    }

    public static int placesBytes(Launch launch) {
        return 4 * shown(launch.program().cluster()).size() * launch.program().threads() * launch.blocks();
    }

    /** The expected places, worked out from CUDA's definitions by walking over the grid. */
    public static int[] expectedPlaces(Launch launch) {
        Dim3 g = launch.grid();
        Dim3 c = launch.cluster();
        Dim3 b = launch.program().block();
        boolean clusters = launch.program().cluster().hasClusters();
        List<Integer> rows = new ArrayList<>();
        for (int z = 0; z < g.z(); z++) {
            for (int y = 0; y < g.y(); y++) {
                for (int x = 0; x < g.x(); x++) {
                    for (int tz = 0; tz < b.z(); tz++) {
                        for (int ty = 0; ty < b.y(); ty++) {
                            for (int tx = 0; tx < b.x(); tx++) {
                                rows.addAll(List.of(tx, ty, tz, (tz * b.y() + ty) * b.x() + tx,
                                        x, y, z, g.x(), g.y(), g.z()));
                                if (clusters) {
                                    int rank = x % c.x() + y % c.y() * c.x() + z % c.z() * c.x() * c.y();
                                    rows.addAll(List.of(rank, c.x() * c.y() * c.z()));
                                    rows.addAll(List.of(x % c.x(), y % c.y(), z % c.z(), c.x(), c.y(), c.z()));
                                    rows.addAll(List.of(x / c.x(), y / c.y(), z / c.z()));
                                    rows.addAll(List.of(g.x() / c.x(), g.y() / c.y(), g.z() / c.z()));
                                }
                            }
                        }
                    }
                }
            }
        }
        return rows.stream().mapToInt(i -> i).toArray();
    }

    /**
     * One thread of each warp, whichever the warp elects, writes one more than the warp's number to the warp's place.
     */
    public static TileProgram warps(Dim3 threads) {
        return new TileProgram("warps", "elects in blocks of several dimensions", threads, ClusterSize.NONE,
                List.of(OUT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Expr warp = body.purpose("its warp").let("warp",
                            threads.number(Builtin.THREAD, Builtin.THREAD_Y, Builtin.THREAD_Z).dividedBy(32));
                    Expr elected = body.purpose("one of the warp").issue("elected", new ElectSync(), Input.of(-1));
                    body.purpose("one").when(elected.isEqualTo(1), one -> one.purpose("show it").issue(
                            Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                            Input.of(new Address.Global(OUT, warp.times(4).toS64())), Input.of(warp.plus(1))));
                }));
    }

    /**
     * Each block leaves its blockIdx, x + 100 y + 10000 z, with the block of its cluster behind it, and shows what it
     * was left: four bytes for each block, in the order of a grid's blocks.
     *
     * @param meets whether the blocks meet before they look, not only the threads of each: else it is a mistake, if
     *     there is more than one block in a cluster
     */
    public static TileProgram neighbours(ClusterSize cluster, boolean meets) {
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", 16, 16);
        return new TileProgram("ranks", "blocks of a cluster leave each other a number", Dim3.of(8, 4), cluster,
                List.of(OUT),
                new SharedLayout(List.of(box)), Body.steps(body -> {
                    body.purpose("all have started").clusterSync();
                    body.purpose("one thread").when(Builtin.THREAD.isEqualTo(0).and(Builtin.THREAD_Y.isEqualTo(0)),
                            one -> {
                        Expr to = one.purpose("the next block's").issue("to", Mapa.ofShared(),
                                Input.of(box.at(0)),
                                Input.of(Builtin.CLUSTER_RANK.plus(1).modulo(Builtin.CLUSTER_SIZE)));
                        one.purpose("leave it there").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER,
                                DataType.B32), Input.of(to),
                                Input.of(Builtin.BLOCK_Z.times(100).plus(Builtin.BLOCK_Y).times(100)
                                .plus(Builtin.BLOCK)));
                    });
                    if (meets) {
                        body.purpose("it has come").clusterSync();
                    } else {
                        body.purpose("the block's threads meet").syncThreads();
                    }
                    body.purpose("another thread").when(Builtin.THREAD.isEqualTo(7).and(Builtin.THREAD_Y.isEqualTo(3)),
                            other -> {
                        Expr left = other.purpose("look").issue("left",
                                Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.B32),
                                Input.of(box.at(0)));
                        other.purpose("show it").issue(STORE, Input.of(new Address.Global(OUT,
                                Builtin.BLOCK_Z.times(Builtin.GRID_Y)
                                .plus(Builtin.BLOCK_Y).times(Builtin.GRID).plus(Builtin.BLOCK).times(4).toS64())),
                                        Input.of(left));
                    });
                    if (!meets) {
                        body.purpose("none ends early").clusterSync();
                    }
                }));
    }

    /** What the blocks show. */
    public static int[] expectedNumbers(Dim3 g, Dim3 c) {
        int[] numbers = new int[g.x() * g.y() * g.z()];
        int count = c.x() * c.y() * c.z();
        for (int z = 0; z < g.z(); z++) {
            for (int y = 0; y < g.y(); y++) {
                for (int x = 0; x < g.x(); x++) {
                    int rank = x % c.x() + y % c.y() * c.x() + z % c.z() * c.x() * c.y();
                    int before = (rank + count - 1) % count;
                    int bx = x / c.x() * c.x() + before % c.x();
                    int by = y / c.y() * c.y() + before / c.x() % c.y();
                    int bz = z / c.z() * c.z() + before / (c.x() * c.y());
                    numbers[(z * g.y() + y) * g.x() + x] = bx + 100 * by + 10_000 * bz;
                }
            }
        }
        return numbers;
    }
}
