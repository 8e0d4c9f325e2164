package dev.tilewright.tile.lower;

import dev.tilewright.builder.TileOption;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.packed.PackedLoop;
import dev.tilewright.tile.lower.packed.PackedPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A program whose blocks take tiles of many rows of a {@link PackedPattern} one after the other. One thread has the
 * copy engine bring both factors; warps multiply, some for each part of k, whose sums all threads add and store.
 */
final class PackedProgram extends RoleProgram {
    private static final int SHARED_BYTES = 232448 - 512;
    private static final int MOST_STAGES = 16;
    /** Bits of the number of neighbours in a row that a thread stores. */
    private static final int NEIGHBOURS = 2;

    private final PackedPattern pattern;
    private final int stages;
    private final Set<String> goingAhead;
    private final PackedLoop product;
    private BarrierPipeline pipe;
    private PackedLoop.Turns turns;

    /**
     * @param scratchBytes of shared memory that exchanges take
     * @throws OutOfStagesException if there is no room for two stages
     */
    PackedProgram(TileKernel kernel, Map<String, Long> known, PackedPattern pattern, Predicate<Tensor> aligned,
            Choices choices, int scratchBytes) {
        super(kernel, known, aligned, choices);
        this.pattern = pattern;
        int each = stageBytes(pattern);
        int room = room(pattern, scratchBytes);
        this.stages = choices.get(TileOption.STAGES).orElse(Math.clamp(room, 2, MOST_STAGES));
        if (stages > room) {
            throw new OutOfStagesException(stages + " stages of " + each + " bytes, "
                    + PackedLoop.sumBytes(pattern) + " bytes of sums and " + scratchBytes + " bytes to exchange tiles "
                    + "through are more than the " + SHARED_BYTES + " bytes of shared memory that a block has: use "
                    + (room >= 2 ? "at most " + room + " stages" : "smaller tiles"));
        }
        this.goingAhead = choices.goingAhead(pattern.bytes().tensor());
        this.product = new PackedLoop(pattern, stages);
    }

    private static int stageBytes(PackedPattern pattern) {
        return pattern.partsAtOnce() * (pattern.leftBytes() + pattern.packedBytes());
    }

    /** For how many stages there is room. */
    static int room(PackedPattern pattern, int scratchBytes) {
        return (SHARED_BYTES - PackedLoop.sumBytes(pattern) - scratchBytes) / stageBytes(pattern);
    }

    @Override
    Team team() {
        return new Team(Layout.bitsOf(product.threads()), false);
    }

    @Override
    int threads() {
        return product.threads() + loaders();
    }

    /** Warps that hold the sums of many rows, and those of a turn, need more registers than each of all has. */
    @Override
    boolean handsOverRegisters() {
        return pattern.sums().getFirst() == PackedPattern.MOST_ROWS && product.threads() == 2 * Team.GROUP;
    }

    @Override
    Set<Tensor> direct() {
        Set<Tensor> direct = new HashSet<>(steps.direct());
        direct.add(pattern.scales().tensor());
        return direct;
    }

    @Override
    List<SharedRegion> regions() {
        List<SharedRegion> regions = new ArrayList<>(List.of(product.partSums()));
        regions.addAll(product.ring().regions());
        return regions;
    }

    @Override
    void write(Body body, Exchange exchange, MatrixArithmetic whose) {
        steps(exchange, whose);
        body.purpose("the copy engine fetches the maps meanwhile").when(loader().isFirst(), one -> {
            one.prefetchMap(packedMap());
            one.prefetchMap(leftMap());
        });
        pipe = product.ring().open(body);
        launchDependents(body);
        Indexes outside = new Indexes(Map.of(), known);
        List<Expr> counts = counts(body, outside, ProductCluster.NONE);
        Expr all = body.let("turns", outside.of(pattern.loop().turns()).as(IntType.S32));
        Expr ofPart = ofPart(body, pattern, all);
        Expr each = body.purpose("how many stages a tile takes").let("of_tile", product.stagesOfTile(all, ofPart));
        roles(body, computers -> forEachTile(kernel, computers, counts, steps.indexes(), (tile, number) -> {
            turns = new PackedLoop.Turns(all, ofPart, number.times(each));
            steps.region(tile, kernel.grid().body());
        }), one -> load(one, counts, new PackedLoop.Turns(all, ofPart, each)));
        pipe.close(body);
    }

    /** @param all turns of a tile */
    static Expr ofPart(Body body, PackedPattern pattern, Expr all) {
        int parts = pattern.loop().parts();
        return body.purpose("how many turns a part takes").let("of_part", all.plus(parts - 1).dividedBy(parts));
    }

    /** Starts all copies of a block. @param turns of a tile, with the stages that it takes */
    private void load(Body one, List<Expr> counts, PackedLoop.Turns turns) {
        Indexes indexes = new Indexes(new HashMap<>(), known);
        if (goingAhead.isEmpty()) {
            waitForPriorGrid(one);
        }
        forEachTile(kernel, one, counts, indexes, (each, number) -> {
            PackedLoop.Turns of = new PackedLoop.Turns(turns.all(), turns.ofPart(), number.times(turns.before()));
            Expr begun = Expr.of(0);
            if (!goingAhead.isEmpty()) {
                begun = each.purpose("stages that begin before the previous launch has ended").let("begun",
                        number.isEqualTo(0).choose(turns.ofPart().min(stages), 0));
                Expr first = begun;
                each.purpose("a block's first tile").when(number.isEqualTo(0), b ->
                        product.loadAhead(b, pipe, sources(indexes), of, first));
            }
            product.load(each, pipe, sources(indexes), of, begun);
        });
    }

    private Parameter.TensorMap packedMap() {
        return maps.of(pattern.bytes().tensor(), product.packedBox(), product.swizzle());
    }

    private Parameter.TensorMap leftMap() {
        return maps.of(pattern.a().tensor(), product.leftBox(), Swizzle.B128);
    }

    private PackedLoop.Sources sources(Indexes indexes) {
        return new PackedLoop.Sources(leftMap(), turn -> start(indexes, pattern.a(), turn), packedMap(),
                turn -> start(indexes, pattern.bytes(), turn));
    }

    private List<Expr> start(Indexes indexes, TileNode.Load load, Expr turn) {
        indexes.variables().put(pattern.loop().turn().number(), turn.toS64());
        return ProductLoop.coordinates(indexes, load.axes());
    }

    /** The tiles of a block, those of one row after the other. */
    static void forEachTile(TileKernel kernel, Body body, List<Expr> counts, Indexes indexes,
            BiConsumer<Body, Expr> code) {
        Expr all = counts.stream().reduce(Expr::times).orElseThrow();
        Expr mine = body.purpose("how many tiles this block takes").let("my_tiles", all.minus(Builtin.BLOCK)
                .plus(Builtin.GRID).minus(1).dividedBy(Builtin.GRID));
        Grid grid = kernel.grid();
        body.purpose("one tile after another").loop("number", mine, (each, number) -> {
            Expr rest = each.let("tile", Builtin.BLOCK.plus(number.times(Builtin.GRID)));
            for (int i = counts.size() - 1; i >= 0; i--) {
                indexes.variables().put(grid.numbers().get(i).number(), each.let(grid.numbers().get(i).name(),
                        (i == 0 ? rest : rest.modulo(counts.get(i))).toS64()));
                rest = rest.dividedBy(counts.get(i));
            }
            code.accept(each, number);
        });
    }

    @Override
    public Optional<Layout> layout(List<Integer> extents) {
        return layout(layout(pattern, team()), pattern.sums(), extents);
    }

    /** As threads add the sums of parts. */
    static Layout layout(PackedPattern pattern, Team team) {
        List<Integer> bits = pattern.sums().stream().map(Layout::bitsOf).toList();
        int most = bits.stream().mapToInt(i -> i).sum() - team.bits();
        return Layout.blocked(bits, Math.clamp(most, 0, NEIGHBOURS), team.bits());
    }

    /** The sums are in registers of what is carried into the loop, which nothing else uses. */
    @Override
    public Optional<List<Held>> loop(Body body, TileNode.Loop loop, Supplier<List<Held>> initial) {
        if (loop != pattern.loop()) {
            return Optional.empty();
        }
        Held sums = steps.as(body, initial.get().getFirst(), layout(pattern, team()));
        product.multiply(body, pipe, turns, scale(), team(), sums);
        return Optional.of(List.of(sums));
    }

    /** A column outside has the last one's scales, and is dropped. */
    private PackedLoop.Scale scale() {
        TileNode.Load load = pattern.scales();
        Tensor tensor = load.tensor();
        return new PackedLoop.Scale() {
            @Override
            public Expr place(Expr column, Expr turn) {
                Indexes indexes = steps.indexes();
                return indexes.of(((Span) load.axes().getFirst()).start()).plus(column.toS64())
                        .min(indexes.of(tensor.dims().getFirst().value()).minus(1))
                        .times(Lowered.stride(tensor, 0).value()).plus(turn.toS64());
            }

            @Override
            public Address at(Expr place) {
                return new Address.Global(Lowered.pointer(tensor), place.times(tensor.type().bytes()));
            }
        };
    }

    /** What was chosen, and why. */
    List<Decision> decisions() {
        return decisions(kernel, pattern, "the copy engine loads boxes into shared memory, through a tensor map",
                "the copy engine fills in elements outside the tensor", new Decision(Decision.Pass.PIPELINE,
                "kernel " + kernel.name(), stages + " stages, filled by 1 thread; " + pattern.warps()
                + " warps multiply, " + ofParts(pattern), "as many stages as fit in shared memory"),
                "copies for the next one begin meanwhile");
    }

    /** How warps are shared out. */
    static String ofParts(PackedPattern pattern) {
        return pattern.warps() / pattern.partsAtOnce() + " for each of " + pattern.partsAtOnce()
                + " parts of k at a time";
    }

    /**
     * What both programs decide.
     *
     * @param copies how factors come
     * @param outside what fills in elements outside the tensor
     * @param meanwhile what becomes of a block's next tile
     */
    static List<Decision> decisions(TileKernel kernel, PackedPattern pattern, String copies, String outside,
            Decision pipeline, String meanwhile) {
        List<Decision> all = new ArrayList<>();
        for (TileNode.Load load : List.of(pattern.a(), pattern.bytes())) {
            String subject = "load of " + load.tensor().name();
            all.add(new Decision(Decision.Pass.MECHANISM, subject, copies, load == pattern.a()
                    ? "warps read it there in the layout that mma.sync takes"
                    : "warps read bytes there, and unpack them in registers"));
            all.add(new Decision(Decision.Pass.BOUNDS, subject, outside, ""));
        }
        String subject = "kernel " + kernel.name();
        all.add(new Decision(Decision.Pass.MECHANISM, "load of " + pattern.scales().tensor().name(),
                "each thread loads the scales of its columns, a turn ahead", "they are few"));
        all.add(new Decision(Decision.Pass.LAYOUT, "sums", "columns of the tile are rows of mma.sync",
                "numbers of " + pattern.bits() + " bits become its left factor where they are"));
        all.add(pipeline);
        all.add(new Decision(Decision.Pass.GRID, subject, "each block takes one tile after another", meanwhile));
        all.add(new Decision(Decision.Pass.EPILOGUE, subject, "parts are added through shared memory, then each thread "
                + "stores its own elements", ""));
        return all;
    }
}
