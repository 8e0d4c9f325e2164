package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.program.Body;
import dev.tilewright.program.TensorLoadStep;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.layout.Im2col;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * A product along k through a ring of stages: one thread has the copy engine fill them, groups of four warps multiply
 * what lies there: f32 by fused multiply-adds, f64 by {@code mma.sync}, all else by {@code wgmma}, which starts a
 * stage's products before those of the last are done.
 */
final class ProductLoop {

    private final ProductPattern pattern;
    private final StageBuffer aStages;
    /** Of each product. */
    private final List<StageBuffer> bStages = new ArrayList<>();
    private final BarrierRing ring;
    private final ProgramMaps maps;
    private final boolean ahead;
    /** Where copies of pixels begin, of a tile that is loaded. */
    private final Map<Operand, List<Expr>> pixels = new HashMap<>();

    /** @param ahead whether a stage's products start before those of the stage before are done */
    ProductLoop(ProductPattern pattern, int stages, boolean ahead, ProgramMaps maps) {
        this.ahead = ahead;
        this.pattern = pattern;
        this.maps = maps;
        aStages = stages("a_tiles", pattern.a());
        for (Operand b : pattern.right()) {
            bStages.add(stages("b_tiles" + (bStages.isEmpty() ? "" : Integer.toString(bStages.size() + 1)), b));
        }
        BarrierRing.Builder of = BarrierRing.stages(stages).buffer(aStages);
        bStages.forEach(of::buffer);
        ring = of.consumers(ThreadRange.first(Team.GROUP * pattern.groups()), Arrivals.EACH_WARP)
                .cluster(pattern.cluster().share()).releasesOfSharedMemory().build();
    }

    private static StageBuffer stages(String name, Operand tile) {
        return StageBuffer.of(name, tile.bytes(), tile.alignment());
    }

    BarrierRing ring() {
        return ring;
    }

    /** Starts the copies of a tile's stages. @param before stages of tiles before @param turns which stages */
    void load(Body body, BarrierPipeline pipe, Indexes indexes, Expr before, Turns turns) {
        Expr copies = copies(body, indexes);
        begin(body, indexes);
        turns.each(body, (each, turn) -> {
            Filling stage = acquire(each, pipe, indexes, before.plus(turn), turn, copies);
            load(each, stage, indexes, copies, _ -> true);
            pipe.commit(each, stage);
        });
    }

    /**
     * Starts copies of some tensors into a block's first stages, waits for the launch in front, and starts all others.
     *
     * @param tensors names of what no launch in front writes
     * @param turns stages, no more than there are
     */
    void loadAhead(Body body, BarrierPipeline pipe, Indexes indexes, Set<String> tensors, Turns turns) {
        Predicate<Operand> first = operand -> tensors.contains(operand.load().tensor().name());
        Expr copies = copies(body, indexes);
        begin(body, indexes);
        turns.each(body, (each, turn) -> {
            Filling stage = acquire(each, pipe, indexes, turn, turn, copies);
            load(each, stage, indexes, copies, first);
            pipe.commit(each, stage);
        });
        body.purpose("wait for what the previous launch writes").waitForPriorGrid();
        turns.each(body, (each, turn) -> {
            pattern.nest().put(each, indexes::of, indexes.variables(), turn.times(pattern.steps()));
            Filling stage = pipe.acquiredBefore(each, turn);
            load(each, stage, indexes, copies, first.negate());
            pipe.commit(each, stage);
        });
    }

    /** Stages of a tile, from one on and up to another. */
    record Turns(Expr from, Expr to) {
        private void each(Body body, BiConsumer<Body, Expr> code) {
            body.purpose("along k").loop("turn", from, to, 1, code::accept);
        }
    }

    /** Where a convolution's pixels of a tile begin: found once, as divisions take their time. */
    private void begin(Body body, Indexes indexes) {
        for (Operand operand : pattern.operands()) {
            Im2col.of(operand.load().axes()).ifPresent(patches -> pixels.put(operand, Im2col.start(body, patches,
                    operand.load().tensor(), indexes::of, firstRow(operand))));
        }
    }

    /** Pieces in which copies bring the rows of A that are within the tensor. */
    private Expr copies(Body body, Indexes indexes) {
        return pattern.a().brought() == pattern.a().mn() ? Expr.of(1) : FewRows.copies(body, pattern.a(), indexes);
    }

    private Filling acquire(Body body, BarrierPipeline pipe, Indexes indexes, Expr number, Expr turn, Expr copies) {
        Operand a = pattern.a();
        pattern.nest().put(body, indexes::of, indexes.variables(), turn.times(pattern.steps()));
        return pipe.acquire(body, number, copies.times(a.bytes() / (a.mn() / a.brought()))
                .plus(pattern.right().stream().mapToInt(Operand::bytes).sum()));
    }

    /** Starts the copies of some operands' parts of a stage. */
    private void load(Body body, Filling stage, Indexes indexes, Expr copies, Predicate<Operand> which) {
        if (which.test(pattern.a())) {
            loadA(body, stage, indexes, copies);
        }
        for (int i = 0; i < bStages.size(); i++) {
            if (which.test(pattern.right().get(i))) {
                load(body, pattern.right().get(i), 0, bStages.get(i), stage, indexes);
            }
        }
    }

    private void loadA(Body body, Filling stage, Indexes indexes, Expr copies) {
        Operand a = pattern.a();
        load(body, a, 0, aStages, stage, indexes);
        for (int piece = 1; piece < a.mn() / a.brought(); piece++) {
            int number = piece;
            body.purpose("more rows").when(copies.greaterThan(piece), b -> load(b, a, number * a.brought(), aStages,
                    stage, indexes));
        }
    }

    /** Has the copy engine fetch the maps of the factors meanwhile. @param loader the threads that start copies */
    void prefetch(Body body, ThreadRange loader) {
        body.purpose("the copy engine fetches the maps meanwhile").when(loader.isFirst(), one -> {
            for (Operand operand : pattern.operands()) {
                one.prefetchMap(map(operand));
            }
        });
    }

    private Parameter.TensorMap map(Operand operand) {
        return maps.of(operand.load().tensor(), operand.elements(), Im2col.of(operand.load().axes())
                .map(Axis.Patches::convolution), operand.box(), operand.swizzle());
    }

    /** Zeros where copies bring no rows. @param threads of the block */
    void clear(Body body, int threads) {
        if (pattern.a().brought() < pattern.a().mn()) {
            SharedRegion.Buffer stages = (SharedRegion.Buffer) ring.regions().stream().filter(region ->
                    region.name().equals(aStages.name())).findFirst().orElseThrow();
            FewRows.clear(body, stages, stages.bytes(), threads);
        }
    }

    /** @param row at which the box begins within the tile */
    private void load(Body body, Operand operand, int row, StageBuffer buffer, Filling stage, Indexes indexes) {
        Parameter.TensorMap map = map(operand);
        int panels = operand.transposed() ? operand.panels() / operand.sharers() : operand.panels();
        Expr firstPanel = operand.transposed() ? part(operand).times(panels) : Expr.of(0);
        Expr firstRow = firstRow(operand).plus(row);
        Optional<Axis.Patches> patches = Im2col.of(operand.load().axes());
        for (int i = 0; i < panels; i++) {
            Expr panel = firstPanel.plus(i);
            List<Expr> coordinates = patches.map(_ -> withChannels(pixels.get(operand), operand, indexes))
                    .orElseGet(() -> coordinates(indexes, operand.load().axes()));
            coordinates.set(0, coordinates.getFirst().plus(panel.times(operand.panelElements())));
            if (patches.isEmpty()) {
                int across = operand.acrossFromLast();
                coordinates.set(across, coordinates.get(across).plus(firstRow));
            }
            TensorLoadStep copy = body.purpose((operand.sharers() == 1 ? "a box of '" : "a part, for all blocks, of '")
                    + operand.load().tensor().name() + "'").tensorLoad(stage.at(buffer, panel.times(
                            operand.panelStride()).plus(firstRow.times(operand.pitch()))), map, coordinates,
                            stage.full());
            patches.ifPresent(p -> copy.im2col(Im2col.offsets(p, indexes::of)));
            if (operand.sharers() > 1) {
                copy.multicast(pattern.cluster().share().everyone());
            }
        }
    }

    /** Which part of an operand this block brings. */
    private static Expr part(Operand operand) {
        return operand.sharers() == 1 ? Expr.of(0) : Expr.Builtin.CLUSTER_RANK;
    }

    /** The row of a tile with which this block's copies begin. */
    private static Expr firstRow(Operand operand) {
        return operand.transposed() ? Expr.of(0) : part(operand).times(operand.mn() / operand.sharers());
    }

    /** A place of pixels, from the turn's channels on. */
    private static List<Expr> withChannels(List<Expr> pixels, Operand operand, Indexes indexes) {
        List<Expr> coordinates = new ArrayList<>(pixels);
        coordinates.set(0, coordinate(indexes, operand.load().axes().getLast()));
        return coordinates;
    }

    /** Where a box begins, innermost first. */
    static List<Expr> coordinates(Indexes indexes, List<Axis> axes) {
        List<Expr> coordinates = new ArrayList<>();
        for (Axis axis : axes.reversed()) {
            coordinates.add(coordinate(indexes, axis));
        }
        return coordinates;
    }

    /** Where a span begins, in 32 bits: one that a launch's extents move anywhere stays outside where it is. */
    private static Expr coordinate(Indexes indexes, Axis axis) {
        Expr start = ((Span) axis).start();
        Expr place = indexes.of(start);
        return (ExprSearch.any(start, Expr.ParamValue.class::isInstance)
                ? place.max(Expr.of(-Lowering.MOST_PLACES)).min(Expr.of(Lowering.MOST_PLACES)) : place)
                .as(IntType.S32);
    }

    /** Adds all turns' products to sums, each to its own, for the threads that compute. */
    void multiply(Body body, BarrierPipeline pipe, Expr before, Expr turns, List<Register> sums) {
        if (pattern.steps() == 1) {
            whole(body, pipe, before, turns, sums);
            return;
        }
        Expr full = body.purpose("how many stages have all their steps").let("full", turns.dividedBy(pattern.steps()));
        whole(body, pipe, before, full, sums);
        body.purpose("the last stage, if it has a single step").when(turns.modulo(2).isEqualTo(1), last -> {
            Landed stage = pipe.await(last, before.plus(full));
            finished(last, stage, sums, pattern.a().k() / 2);
            pipe.release(last, stage);
        });
    }

    /** Adds a stage's products, which are done then. @param k how far along k */
    private void finished(Body body, Landed stage, List<Register> sums, int k) {
        if (pattern.isFused()) {
            new FmaProduct(pattern, aStages, bStages.getFirst()).add(body, stage, sums.getFirst(), k);
        } else if (pattern.byThreads()) {
            new DmmaProduct(pattern, aStages, bStages.getFirst()).add(body, stage, sums.getFirst(), k);
        } else {
            products(body, stage, sums, k);
            body.purpose("the products are done").wgmmaWait(0);
        }
    }

    /** Stages all of whose steps are the tile's. */
    private void whole(Body body, BarrierPipeline pipe, Expr before, Expr turns, List<Register> sums) {
        int depth = pattern.a().k();
        if (!ahead || pattern.byThreads()) {
            body.purpose("along k").loop("turn", turns, (each, turn) -> {
                Landed stage = pipe.await(each, before.plus(turn));
                finished(each, stage, sums, depth);
                pipe.release(each, stage);
            });
            return;
        }
        body.purpose("along k").loop("turn", turns, (each, turn) -> {
            Landed stage = pipe.await(each, before.plus(turn));
            products(each, stage, sums, depth);
            stage.keep();
            each.purpose("the previous stage's products are done").wgmmaWait(1);
            each.purpose("if there is a previous stage").when(turn.greaterThan(0), later -> pipe.release(later,
                    pipe.landedBefore(pipe.at(later, before.plus(turn).minus(1)))));
        });
        body.purpose("the last products are done").wgmmaWait(0);
        body.purpose("if there were any").when(turns.greaterThan(0), last -> pipe.release(last,
                pipe.landedBefore(pipe.at(last, before.plus(turns).minus(1)))));
    }

    /** @param k how far along k */
    private void products(Body body, Landed stage, List<Register> sums, int k) {
        start(body, stage, new Part(0, pattern.blocks(), k), sums, 1);
    }

    /** Some of a group's products of a stage. @param blocks of 64 rows from a first on @param k how far along k */
    record Part(int first, int blocks, int k) { }

    /**
     * Starts products of a stage as one group of them.
     *
     * @param sums registers of those blocks, of each product
     * @param added 1 where they are added to what is there, 0 where they begin with zero
     */
    void start(Body body, Landed stage, Part part, List<Register> sums, int added) {
        MatrixTile left = pattern.a().matrix();
        MatrixTile right = pattern.b().matrix();
        int groupRows = pattern.sums().get(0) / pattern.groups();
        Expr group = Builtin.THREAD.dividedBy(Team.GROUP);
        Expr start = stage.at(aStages).descriptor(left);
        Expr a = body.purpose("matrix descriptor of this group's rows of A").let("a", pattern.groups() == 1 ? start
                : start.plus(group.times(left.startOf(groupRows, 0) >> 4).toS64()));
        List<Expr> b = bStages.stream().<Expr>map(buffer -> body.purpose("matrix descriptor of B").let("b",
                stage.at(buffer).descriptor(right))).toList();
        int depth = 32 / left.elementBytes();
        body.purpose("from here on the tensor cores own the sums").wgmmaFence();
        for (int step = 0; step < part.k; step += depth) {
            for (int block = 0; block < part.blocks; block++) {
                for (int i = 0; i < sums.size(); i++) {
                    body.purpose(step == 0 && added == 0 ? "sums = A B" : "sums += A B").issue(form(),
                            Input.of(sums.get(i), block * pattern.registers()),
                            Input.of(a.plus(left.startOf((part.first + block) * 64, step) >> 4)),
                            Input.of(b.get(i).plus(right.startOf(0, step) >> 4)), Input.of(step == 0 ? added : 1));
                }
            }
        }
        body.purpose("commit the stage's products as one group").wgmmaCommit();
    }

    /** Whether a stage's products start before those of the stage before are done. */
    boolean isAhead() {
        return ahead;
    }

    private Wgmma form() {
        MmaTypes types = Multiplier.types(pattern.product());
        int columns = pattern.sums().get(1);
        if (types.isInteger()) {
            return new WgmmaInteger(types, columns);
        }
        WgmmaFloat form = new WgmmaFloat(types, columns);
        form = pattern.a().transposed() ? form.withTransposedA() : form;
        return pattern.b().transposed() ? form.withTransposedB() : form;
    }
}
