package dev.tilewright.tile.lower;

import dev.tilewright.builder.TileOption;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Epilogue;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.Promotion;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.OutOfStagesException;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A program whose blocks take tiles of a product one after the other. One warp loads, one or two groups of four warps
 * multiply, do what is done to the sums, and store.
 */
final class ProductProgram extends RoleProgram {
    /** What a block may have on Hopper, less the barriers'. */
    private static final int SHARED_BYTES = 232448 - 512;
    private static final int MOST_STAGES = 16;
    /** Tiles below each other that are taken one after the other, so that blocks at work share what L2 holds. */
    private static final int USUAL_BAND = 16;

    private final ProductPattern pattern;
    private final Epilogue epilogue;
    private final ProductLoop product;
    private final BoxStore boxStore;
    private final int stages;
    private final int band;
    private final Set<String> goingAhead;
    private BarrierPipeline pipe;
    private Expr before;
    private Expr turns;

    /**
     * @param epilogue of the kernel
     * @param scratchBytes of shared memory that exchanges take
     * @throws OutOfStagesException if there is no room for the stages
     */
    ProductProgram(TileKernel kernel, Map<String, Long> known, ProductPattern pattern, Epilogue epilogue,
            Predicate<Tensor> aligned, Choices choices, int scratchBytes) {
        super(kernel, known, aligned, choices);
        this.pattern = pattern;
        this.epilogue = epilogue;
        this.stages = stages(pattern, choices, scratchBytes);
        this.band = choices.get(TileOption.BAND).orElse(USUAL_BAND);
        this.goingAhead = choices.goingAhead(pattern.ahead());
        this.product = new ProductLoop(pattern, stages, choices.get(TileOption.AHEAD).orElse(1) == 1, maps);
        this.boxStore = new BoxStore(kernel, pattern, epilogue, maps);
    }

    /** As many as are chosen, else as there is room for. */
    private static int stages(ProductPattern pattern, Choices choices, int scratchBytes) {
        int room = room(pattern, scratchBytes);
        int stages = choices.get(TileOption.STAGES).orElse(Math.clamp(room, 2, MOST_STAGES));
        if (stages > room) {
            throw new OutOfStagesException(stages + " stages of " + stageBytes(pattern) + " bytes, "
                    + BoxStore.bytes(pattern) + " bytes of boxes to store from and "
                    + scratchBytes + " bytes to exchange tiles through are more than the " + SHARED_BYTES
                    + " bytes of shared memory that a block has: use "
                    + (room >= 2 ? "at most " + room + " stages" : "smaller tiles"));
        }
        return stages;
    }

    /** For how many stages there is room. */
    static int room(ProductPattern pattern, int scratchBytes) {
        return (SHARED_BYTES - BoxStore.bytes(pattern) - scratchBytes) / stageBytes(pattern);
    }

    private static int stageBytes(ProductPattern pattern) {
        return pattern.operands().stream().mapToInt(Operand::bytes).sum();
    }

    int stages() {
        return stages;
    }

    /** Tensors whose rows warps store from shared memory. */
    Set<Tensor> byRows() {
        return boxStore.byRows();
    }

    /** What is done to each sum before it is stored. */
    Epilogue epilogue() {
        return epilogue;
    }

    /** Whether all boxes that are stored share the code of one. */
    boolean storesByOneCode() {
        return boxStore.byOneCode();
    }

    /** Why a tile is not stored through boxes; nothing where it is. */
    Optional<String> whyNotBoxes(Region.Store store) {
        return boxStore.whyNot(store);
    }

    @Override
    Team team() {
        return new Team(Layout.bitsOf((long) Team.GROUP * pattern.groups()), false);
    }

    @Override
    int threads() {
        return team().threads() + loaders();
    }

    /** Two groups that hold sums and what they multiply need more registers than each of all threads has. */
    @Override
    boolean handsOverRegisters() {
        return pattern.groups() == 2 && (pattern.byThreads() || pattern.promotion().isPresent()
                || epilogue.isLong(pattern.ofThread()));
    }

    @Override
    Set<Tensor> direct() {
        return steps.direct();
    }

    Map<Tile, Elementwise> tiles() {
        return steps.tiles();
    }

    @Override
    List<SharedRegion> regions() {
        List<SharedRegion> regions = new ArrayList<>(boxStore.regions());
        regions.addAll(product.ring().regions());
        return regions;
    }

    @Override
    void write(Body body, Exchange exchange, MatrixArithmetic whose) {
        steps(exchange, whose);
        product.prefetch(body, loader());
        product.clear(body, threads());
        pipe = product.ring().open(body);
        launchDependents(body);
        Indexes outside = new Indexes(Map.of(), known);
        List<Expr> counts = counts(body, outside, pattern.cluster());
        turns = body.let("turns", pattern.nest().turns(outside::of).as(IntType.S32));
        Expr rounds = pattern.steps() == 1 ? turns : body.purpose("how many stages a tile takes").let("rounds",
                turns.plus(pattern.steps() - 1).dividedBy(pattern.steps()));
        roles(body, computers -> {
            forEachTile(computers, counts, steps.indexes(), (each, number) -> {
                before = number.times(rounds);
                steps.region(each, kernel.grid().body());
            });
            boxStore.finish(computers);
        }, one -> load(one, counts, rounds));
        pipe.close(body);
    }

    /** Starts all copies of a block. @param rounds stages of a tile */
    private void load(Body one, List<Expr> counts, Expr rounds) {
        Indexes indexes = new Indexes(new HashMap<>(), known);
        if (goingAhead.isEmpty()) {
            waitForPriorGrid(one);
        }
        forEachTile(one, counts, indexes, (each, number) -> {
            Expr begun = Expr.of(0);
            if (!goingAhead.isEmpty()) {
                begun = each.purpose("stages that begin before the previous launch has ended").let("begun",
                        number.isEqualTo(0).choose(rounds.min(stages), 0));
                ProductLoop.Turns first = new ProductLoop.Turns(Expr.of(0), begun);
                each.purpose("a block's first tile").when(number.isEqualTo(0), b ->
                        product.loadAhead(b, pipe, indexes, goingAhead, first));
            }
            product.load(each, pipe, indexes, number.times(rounds), new ProductLoop.Turns(begun, rounds));
        });
    }

    /** The tiles of a block; within the last two steps in bands of some below each other. */
    private void forEachTile(Body body, List<Expr> counts, Indexes indexes, BiConsumer<Body, Expr> code) {
        Expr one = pattern.cluster().number(Builtin.BLOCK);
        Expr others = pattern.cluster().number(Builtin.GRID);
        Expr all = counts.stream().reduce(Expr::times).orElseThrow();
        Expr mine = body.purpose("how many tiles this block takes").let("my_tiles",
                all.minus(one).plus(others).minus(1).dividedBy(others));
        Grid grid = kernel.grid();
        int last = counts.size() - 1;
        body.purpose("one tile after another").loop("number", mine, (each, number) -> {
            Expr rest = each.let("tile", one.plus(number.times(others)));
            List<Expr> numbers = new ArrayList<>();
            if (last > 0) {
                Expr rows = counts.get(last - 1);
                Expr columns = counts.get(last);
                Expr perMatrix = each.let("per_matrix", rows.times(columns));
                Expr tile = each.let("in_matrix", last == 1 ? rest : rest.modulo(perMatrix));
                Expr perBand = columns.times(band);
                Expr first = each.purpose("the band's first row of tiles").let("first", tile.dividedBy(perBand)
                        .times(band));
                Expr height = each.let("height", rows.minus(first).min(band));
                numbers.add(each.let("row", first.plus(tile.modulo(perBand).modulo(height))));
                numbers.add(each.let("column", tile.modulo(perBand).dividedBy(height)));
                rest = last == 1 ? rest : each.let("matrix", rest.dividedBy(perMatrix));
            } else {
                numbers.add(rest);
            }
            for (int i = last - 2; i >= 0; i--) {
                numbers.addFirst(i == 0 ? rest : rest.modulo(counts.get(i)));
                rest = rest.dividedBy(counts.get(i));
            }
            for (int i = 0; i <= last; i++) {
                indexes.variables().put(grid.numbers().get(i).number(), each.let(grid.numbers().get(i).name(),
                        pattern.cluster().tile(numbers.get(i), last - i).toS64()));
            }
            code.accept(each, number);
        });
    }

    @Override
    public Optional<Layout> layout(List<Integer> extents) {
        return layout(pattern.layout(), pattern.sums(), extents);
    }

    @Override
    public Optional<Fusion> fusion(Region region) {
        return Optional.of(new Fusion(region, pattern.sums(), pattern.layout(), pattern.promotion()
                .map(Promotion::idle).orElse(Set.of())));
    }

    /** The sums begin in the registers of what is carried into the loop, which {@link ProductPattern} knows unused. */
    @Override
    public Optional<List<Held>> loop(Body body, TileNode.Loop loop, Supplier<List<Held>> initial) {
        if (loop != pattern.loop()) {
            return Optional.empty();
        }
        List<Register> sums = new ArrayList<>();
        for (Held first : initial.get()) {
            Register own = steps.as(body, first, pattern.layout()).register();
            sums.add(sums.contains(own) ? steps.loops.copy(body, first).register() : own);
        }
        if (pattern.promotion().isPresent()) {
            new PromotedLoop(pattern, product, steps, pipe, before, turns, sums.getFirst()).write(body);
        } else {
            product.multiply(body, pipe, before, turns, sums);
        }
        return Optional.of(sums.stream().map(own -> new Held(own, pattern.layout(), pattern.sums())).toList());
    }

    @Override
    public boolean store(Body body, Region.Store store, Elementwise tile) {
        if (boxStore.whyNot(store).isPresent() || !tile.layout().equals(pattern.layout())) {
            return false;
        }
        boolean copied = aligned.test(store.tensor()) && Operand.whyNotChunks(store.tensor(), store.axes()).isEmpty();
        boxStore.write(body, steps.indexes(), store, tile, copied);
        if (!copied) {
            steps.direct().add(store.tensor());
        }
        return true;
    }
}
