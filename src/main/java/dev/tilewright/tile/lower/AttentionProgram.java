package dev.tilewright.tile.lower;

import dev.tilewright.builder.TileOption;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.RingCursor;
import dev.tilewright.builder.pipeline.RingPosition;
import dev.tilewright.builder.pipeline.RegisterShare;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.PagedFactor;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.LeftRows;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import dev.tilewright.tile.lower.layout.WgmmaSums;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A program whose blocks take pairs of an {@link AttentionPattern}'s tiles, neighbours along the grid's last dimension.
 * Each of two groups of four warps computes a tile of its own, whose {@code q} a thread has the copy engine bring;
 * another brings {@code k} and {@code v} block by block. They go on with the next pair while a result leaves.
 */
final class AttentionProgram implements Mechanisms {
    private static final int SHARED_BYTES = 232448 - 512;
    private static final int MOST_STAGES = 8;
    /** Threads that load spill with fewer than 40. */
    private static final RegisterShare REGISTERS = new RegisterShare(232, 40);
    private static final int RESULT_ALIGNMENT = 1024;
    /** Registers of a thread for factors, scores and sums: the others are for places and for what is computed. */
    private static final int MOST_HELD = 192;

    private final TileKernel kernel;
    private final Map<String, Long> known;
    private final AttentionPattern pattern;
    private final int groups;
    private final AttentionTiles tiles;
    private final int kCount;
    private final int vCount;
    /** Where results lie while they leave; empty where there is no room, and they lie where {@code q} was. */
    private final Optional<SharedRegion.Buffer> results;
    private final ProgramMaps maps = new ProgramMaps();
    /** Tensors that threads read themselves. */
    private final Set<Tensor> direct = new HashSet<>();
    private final StageBuffer qStages;
    private final StageBuffer kStages;
    private final StageBuffer vStages;
    private final List<BarrierRing> rings;

    /** @throws OutOfStagesException if there is no room for the stages */
    AttentionProgram(TileKernel kernel, Map<String, Long> known, AttentionPattern pattern, Choices choices) {
        this.kernel = kernel;
        this.known = known;
        this.pattern = pattern;
        boolean isShared = pattern.isShared(kernel.grid());
        this.groups = choices.get(TileOption.GROUPS).orElse(pattern.pages().isPresent() || !isShared ? 1 : 2);
        if (groups > 1 && !isShared) {
            throw new OutOfStagesException("tiles beside each other along the grid's last dimension multiply other "
                    + "keys or values, which groups do not share: use 1 group, or make the queries the last");
        }
        this.tiles = new AttentionTiles(kernel.grid(), known, pattern, groups);
        int result = AttentionStore.bytes(pattern.width());
        int besides = SHARED_BYTES - groups * pattern.q().bytes();
        int each = pattern.k().bytes() + pattern.v().bytes();
        int wanted = choices.get(TileOption.STAGES).orElse(2);
        this.results = Optional.of(new SharedRegion.Buffer("results", groups * result, RESULT_ALIGNMENT))
                .filter(_ -> (besides - groups * result) / each >= wanted);
        int room = besides - (results.isPresent() ? groups * result : 0);
        this.vCount = choices.get(TileOption.STAGES).orElse(Math.clamp(room / each, 2, MOST_STAGES));
        // Measured on an H100: 2 % faster than one of values more.
        this.kCount = vCount < MOST_STAGES && !choices.has(TileOption.STAGES)
                && room - vCount * each >= pattern.k().bytes()
                ? vCount + 1 : vCount;
        if (vCount * each > room || groups > 2) {
            throw new OutOfStagesException(groups + " groups and " + vCount + " stages of " + each + " bytes beside "
                    + groups * pattern.q().bytes() + " bytes of factors that stay are more than the registers "
                    + "or the " + SHARED_BYTES + " bytes of shared memory that a block has: use 2 groups at most and "
                    + "fewer stages");
        }
        qStages = StageBuffer.of("q_tiles", pattern.q().bytes(), pattern.q().alignment());
        kStages = StageBuffer.of("k_tiles", pattern.k().bytes(), pattern.k().alignment());
        vStages = StageBuffer.of("v_tiles", pattern.v().bytes(), pattern.v().alignment());
        rings = List.of(ring("q", groups, qStages, 1), ring("k", kCount, kStages, groups),
                ring("v", vCount, vStages, groups));
    }

    private static BarrierRing ring(String name, int count, StageBuffer buffer, int readers) {
        return BarrierRing.stages(count).named(name).buffer(buffer)
                .consumers(ThreadRange.first(Team.GROUP * readers), Arrivals.EACH_WARP).build();
    }

    Team team() {
        return new Team(WgmmaSums.GROUP, false);
    }

    /** Four warps load, of which one thread does, since groups of four alone hand registers over. */
    int threads() {
        return Team.GROUP * (groups + 1);
    }

    ProgramMaps maps() {
        return maps;
    }

    /** Tensors that threads read themselves. */
    Set<Tensor> direct() {
        return direct;
    }

    /** Barriers last, so that nothing is lost between what begins at multiples of 1,024. */
    List<SharedRegion> regions() {
        return Stream.concat(rings.stream().flatMap(ring -> ring.regions().stream()), results.stream()).sorted(
                Comparator.comparing(SharedRegion.Barriers.class::isInstance)).toList();
    }

    void write(Body body, Exchange exchange, MatrixArithmetic whose) {
        List<BarrierPipeline> pipes = BarrierRing.open(body, rings.toArray(BarrierRing[]::new));
        ThreadRange computing = ThreadRange.first(Team.GROUP * groups);
        body.purpose("these warps compute, the others load").when(computing.contains(), all -> {
            if (groups > 1) {
                REGISTERS.take(all);
            }
            compute(all, pipes, exchange, whose);
        }, loaders -> {
            if (groups > 1) {
                REGISTERS.giveBack(loaders);
            }
            for (int group = 0; group < groups; group++) {
                int which = group;
                loaders.purpose("one thread copies what all turns of a group share").when(
                        loading(group).isFirst(), one -> loadQueries(one, pipes.getFirst(), which));
            }
            // A thread each: the keys of later turns do not wait until a stage of values is free.
            loaders.purpose("one thread copies the keys of each turn").when(loading(groups).isFirst(), one -> load(one,
                    pipes.get(1), kStages, pattern.k()));
            loaders.purpose("one thread copies the values of each turn").when(loading(groups + 1).isFirst(), one ->
                    load(one, pipes.get(2), vStages, pattern.v()));
        });
        pipes.forEach(pipe -> pipe.close(body));
    }

    /** A warp of those that load. */
    private ThreadRange loading(int number) {
        return new ThreadRange(Team.GROUP * groups + Warp.LANES * number, Warp.LANES);
    }

    private void compute(Body body, List<BarrierPipeline> pipes, Exchange exchange, MatrixArithmetic whose) {
        TileSteps steps = new TileSteps(kernel, known, whose, exchange, new Vectors(_ -> true), this);
        boolean isEarly = results.isPresent() && groups > 1 && !isInRegisters();
        Register before = body.purpose("key blocks of earlier tiles").variable("before", 0);
        // By a shuffle: so the compiler knows that a warp's are alike, and keeps places of stages in uniform registers.
        Expr group = body.purpose("this thread's group of four warps").let("group", body.warp().shuffleIndex(
                Builtin.THREAD.dividedBy(Team.GROUP).toValue(), 0).toIndex());
        tiles.forEachPair(body, (each, pair) -> {
            AttentionTiles.Range all = tiles.all(each, pair);
            steps.indexes().variables().putAll(tiles.numbers(pair, group));
            AttentionTiles.Range tile = tiles.range(each, steps.indexes());
            AttentionTiles.Range own = new AttentionTiles.Range(tile.first(), pair.isOf(group).<Expr>map(has ->
                    each.purpose("how many key blocks this group reads").let("own",
                    has.choose(tile.turns(), 0))).orElse(tile.turns()));
            BarrierPipeline queries = pipes.getFirst();
            RingPosition stage = position(pair, group);
            Landed q = queries.await(each, stage);
            Optional<Expr> common = pattern.pages().flatMap(PagedFactor::length).filter(_ -> groups > 1).map(_ ->
                    tiles.common(each, pair));
            Consumer<Body> multiplied = b -> results.ifPresent(_ -> queries.release(b, isEarly
                    ? queries.landedBefore(stage) : q));
            Optional<Register> rows = isInRegisters() ? Optional.of(LeftRows.load(each, q.at(qStages),
                    pattern.q().matrix())) : Optional.empty();
            rows.ifPresent(_ -> multiplied.accept(each));
            AttentionLoop loop = new AttentionLoop(pattern, steps, pipes, kStages, vStages, q.at(qStages),
                    before.get().toIndex().toS32(), common);
            for (Region.Item item : kernel.grid().body().items()) {
                if (item == pattern.loop()) {
                    Expr skipped = each.purpose("leading key blocks that only the other group reads").let("skipped",
                            own.turns().greaterThan(0).choose(own.first().minus(all.first()), 0));
                    loop.write(each, skipped, own.turns(), all.turns(), rows.isPresent() ? _ -> { } : multiplied,
                            isEarly, rows);
                } else if (item == pattern.store()) {
                    store(each, steps, pair, group, q);
                } else if (!isLoaded(item) && !isFolded(item) && !isStart(item)) {
                    steps.item(each, (Tile) item);
                }
            }
            if (results.isEmpty()) {
                queries.release(each, q);
            } else if (isEarly) {
                q.keep();
            }
            each.assign(before, before.get().toIndex().toS32().plus(all.turns()));
        });
        if (results.isPresent()) {
            AttentionStore.finish(body);
        }
        direct.addAll(steps.direct());
    }

    /** Whether a group's rows of {@code q} fit in registers beside its sums, scores and weights. */
    private boolean isInRegisters() {
        return groups > 1 && !pattern.q().transposed() && pattern.width() / 2 + pattern.block() / 2
                + pattern.block() / 4 + LeftRows.registers(pattern.q().k()) <= MOST_HELD;
    }

    private void store(Body body, TileSteps steps, AttentionTiles.Pair pair, Expr group, Landed q) {
        Expr result = group.times(AttentionStore.bytes(pattern.width()));
        Consumer<Body> store = b -> new AttentionStore(pattern.store(), pattern.width(), maps).write(b, steps.indexes(),
                steps.of(b, pattern.stored()), at -> results.<Address.Shared>map(buffer -> buffer.at(result.plus(at)))
                        .orElseGet(() -> q.at(qStages, at)), results.isPresent());
        pair.isOf(group).ifPresentOrElse(has -> body.purpose("if this group has a tile").when(has, store), () ->
                store.accept(body));
    }

    /** Whether it is what is stored, but for the tensor's axes. */
    private boolean isFolded(Region.Item item) {
        return item == pattern.store().tile() && item != pattern.stored();
    }

    private boolean isLoaded(Region.Item item) {
        return pattern.q().factor().tiles().contains(item) || item == pattern.first().a();
    }

    /** Whether it is one number that a loop begins with. */
    private boolean isStart(Region.Item item) {
        return pattern.loop().initial().contains(item) && ((Tile) item).node() instanceof TileNode.Full;
    }

    private void load(Body body, BarrierPipeline pipe, StageBuffer buffer, Operand operand) {
        RingCursor cursor = pipe.cursor(body, "next");
        tiles.forEachPair(body, (each, pair) -> {
            AttentionTiles.Range all = tiles.all(each, pair);
            each.purpose("one key block after another").loop("turn", all.turns(), (b, turn) -> {
                Expr place = b.let("place", all.first().plus(turn).times(pattern.block()));
                Filling stage = pipe.acquire(b, cursor);
                Indexes indexes = tiles.indexes(pair, 0);
                if (pattern.pages().isPresent()) {
                    loadPages(b, pattern.pages().get(), buffer, operand, indexes, place, stage);
                } else {
                    indexes.variables().put(pattern.loop().turn().number(), Expr.of(0L));
                    List<Expr> coordinates = ProductLoop.coordinates(indexes, operand.load().axes());
                    coordinates.set(coordinates.size() - 1 - pattern.keys(), place);
                    load(b, operand, buffer, stage, Expr.of(0), coordinates);
                }
                pipe.commit(b, stage);
            });
        });
    }

    /** A stage for each group, which has another lap with each pair. */
    private static RingPosition position(AttentionTiles.Pair pair, Expr group) {
        return new RingPosition(group, pair.turn().modulo(2));
    }

    private void loadQueries(Body body, BarrierPipeline pipe, int group) {
        tiles.forEachPair(body, (each, pair) -> {
            Filling q = pipe.acquire(each, position(pair, Expr.of(group)));
            load(each, pattern.q(), qStages, q, Expr.of(0), ProductLoop.coordinates(tiles.indexes(pair, group),
                    pattern.q().load().axes()));
            pipe.commit(each, q);
        });
    }

    /** Page after page of a block's rows. @param place of the block's first row */
    private void loadPages(Body body, PagedFactor pages, StageBuffer buffer, Operand operand, Indexes indexes,
            Expr place, Filling stage) {
        body.purpose("one page after another").loop("page", pattern.block() / pages.rows(), (each, page) -> {
            Register number = number(each, pages.table(), indexes, place.dividedBy(pages.rows()).plus(page).toS64());
            List<Expr> coordinates = new ArrayList<>(ProductLoop.coordinates(indexes, operand.load().axes().subList(1,
                    operand.load().axes().size())));
            coordinates.add(number.get().toIndex());
            load(each, operand, buffer, stage, page.times(pages.rows() * operand.pitch()), coordinates);
        });
    }

    /** The number of a page, or what is outside of the table. */
    private Register number(Body body, TileNode.Load table, Indexes indexes, Expr slot) {
        direct.add(table.tensor());
        Expr offset = Expr.of(0L);
        Expr inside = null;
        for (int i = 0; i < table.axes().size(); i++) {
            boolean last = i == table.axes().size() - 1;
            Span span = (Span) table.axes().get(i);
            Dim dim = table.tensor().dims().get(i);
            Expr at = body.let("c", last ? slot : indexes.of(span.start()));
            if (!TensorAccess.isInside(span, dim, GridSteps.numbers(kernel.grid()))) {
                inside = Bounds.within(inside, at, indexes.of(dim.value()));
            }
            offset = offset.plus(last ? at : at.times(Lowered.stride(table.tensor(), i).value()));
        }
        Register number = body.purpose("the page's number").variable("number", table.outside());
        Address.Global place = new Address.Global(Lowered.pointer(table.tensor()), offset.times(Integer.BYTES));
        if (inside == null) {
            body.load(number, place);
        } else {
            body.when(inside, in -> in.load(number, place));
        }
        return number;
    }

    /** @param offset of the first byte in each panel */
    private void load(Body body, Operand operand, StageBuffer buffer, Filling stage, Expr offset,
            List<Expr> coordinates) {
        List<Axis> axes = operand.load().axes();
        List<Integer> box = axes.stream().map(axis -> axis.single() || axis instanceof Axis.Rows ? 1
                : axis == axes.getLast() ? operand.panelElements() : Math.toIntExact(axis.length().size()
                        .orElseThrow())).toList();
        for (int panel = 0; panel < operand.panels(); panel++) {
            List<Expr> of = new ArrayList<>(coordinates);
            of.set(0, of.getFirst().plus(panel * operand.panelElements()));
            body.purpose("a box of '" + operand.load().tensor().name() + "'").tensorLoad(
                    stage.at(buffer, offset.plus(panel * operand.panelStride())), maps.of(operand.load().tensor(),
                            operand.elements(), box, operand.swizzle()), of, stage.full());
        }
    }

    /** What was chosen, and why. */
    List<Decision> decisions() {
        List<Decision> all = new ArrayList<>();
        for (Operand operand : List.of(pattern.q(), pattern.k(), pattern.v())) {
            String subject = "load of " + operand.load().tensor().name();
            all.add(new Decision(Decision.Pass.MECHANISM, subject, "the copy engine loads boxes into shared "
                    + "memory, through a tensor map", operand == pattern.q() && isInRegisters()
                    ? "warps keep their rows of it in registers" : "tensor cores read it there"));
            all.add(new Decision(Decision.Pass.BOUNDS, subject, "the copy engine fills in elements outside the tensor",
                    ""));
        }
        String kernelName = "kernel " + kernel.name();
        all.add(new Decision(Decision.Pass.LAYOUT, pattern.scores() + " and " + pattern.sums(),
                "the layout in which wgmma leaves its sums",
                "weights stay in these registers as the second product's left factor"));
        all.add(new Decision(Decision.Pass.PIPELINE, kernelName, kCount + " stages of '"
                + pattern.k().load().tensor().name() + "' and " + vCount + " of '" + pattern.v().load().tensor().name()
                + "', filled by a thread each; " + groups + (groups == 1 ? " group" : " groups")
                + " of 4 warps compute a tile each", "as many stages as fit in shared memory; a turn's first "
                + "product overlaps the second of the turn before"));
        all.add(new Decision(Decision.Pass.GRID, kernelName, "each block takes " + groups
                + (groups == 1 ? " tile" : " tiles") + " at a time" + (tiles.isUneven()
                ? ", first near the end, then near the start" : groups == 1 ? ""
                : ", in the last round one if there are enough blocks"), "they share what is loaded in a turn"
                + (tiles.isUneven() ? "; all blocks then have equally many turns" : "")));
        String subject = "store of " + pattern.store().tile().label() + " into " + pattern.store().tensor().name();
        all.add(new Decision(Decision.Pass.EPILOGUE, subject, "through shared memory, by the copy engine",
                results.isPresent() ? "the copies run while the next tile is computed" : ""));
        all.add(new Decision(Decision.Pass.BOUNDS, subject, "the copy engine writes nothing outside the tensor", ""));
        return all;
    }

    @Override
    public Optional<Layout> layout(List<Integer> extents) {
        Layout scores = sums(pattern.block());
        if (extents.equals(List.of(AttentionPattern.ROWS))) {
            return Optional.of(scores.without(1).dropped(1));
        }
        if (extents.equals(List.of(pattern.block()))) {
            return Optional.of(scores.without(0).dropped(0));
        }
        if (extents.size() != 2 || extents.get(0) != AttentionPattern.ROWS) {
            return Optional.empty();
        }
        return extents.get(1) == 1 ? Optional.of(scores.without(1)) : extents.get(1) < 8 ? Optional.empty()
                : Optional.of(sums(extents.get(1)));
    }

    private static Layout sums(int columns) {
        return new WgmmaSums(WgmmaSums.ROWS, Layout.bitsOf(columns), 0, 0).layout(WgmmaSums.GROUP);
    }
}
